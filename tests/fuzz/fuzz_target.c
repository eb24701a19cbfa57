/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes at all as a target, in an empty directory.
 *
 * Reached: the parser of targets, the keys and rules of the layers, and the
 * sizes of what was accepted.  What must hold, besides not crashing: what is
 * refused has a reason, which is one line that begins with the target; what
 * is accepted begins with a base, and has nothing but layers on it; it can be
 * copied, and parsed again to the same; it needs no less than what it is to
 * hold.
 */
#include "fuzz_load.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "layout/layout.h"

/* Where we came from: the fuzzer leaves what it found there. */
static int home_fd = -1;

__attribute__((noreturn)) static void give_up(void)
{
	if (home_fd >= 0 && fchdir(home_fd) < 0)
		perror("fchdir");
	abort();
}

#define must(cond)                                                            \
	do {                                                                  \
		if (!(cond)) {                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n",          \
				__FILE__, __LINE__, #cond);                   \
			give_up();                                            \
		}                                                             \
	} while (0)

/* As much of a target as is repeated in a complaint for certain. */
#define REPEATED 300

static char empty_dir[64];

static void remove_empty(void)
{
	(void)rmdir(empty_dir);
}

static void make_empty(void)
{
	const char *tmp = getenv("TMPDIR");

	snprintf(empty_dir, sizeof(empty_dir), "%s/replay-fuzz.XXXXXX",
		 tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	home_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	must(home_fd >= 0 && mkdtemp(empty_dir));
	must(atexit(remove_empty) == 0);
}

static bool is_control(char c)
{
	return (c >= 0 && c < ' ') || c == '\x7f';
}

static void check_refusal(const char *arg, const struct err *err, int ret)
{
	size_t i;

	must(ret < 0 && err->code == ret);
	for (i = 0; arg[i] && i < REPEATED; i++)
		must(err->text[i] == (is_control(arg[i]) ? '?' : arg[i]));
	must(strstr(err->text, ": "));
	for (const char *p = err->text; *p; p++)
		must(!is_control(*p));
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_list(char *const *a, size_t na, char *const *b, size_t nb)
{
	size_t i;

	for (i = 0; i < na && i < nb; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return na == nb;
}

static bool same_level(const struct layer_spec *a, const struct layer_spec *b)
{
	return a->ops == b->ops && same_text(a->path, b->path) &&
	       same_text(a->fs, b->fs) && a->size_bytes == b->size_bytes &&
	       a->dio == b->dio && a->sparse == b->sparse &&
	       a->write_through == b->write_through &&
	       a->is_volatile == b->is_volatile && !(a->op_us < b->op_us) &&
	       !(a->op_us > b->op_us) &&
	       same_list(a->opts.v, a->opts.n, b->opts.v, b->opts.n) &&
	       same_list(a->mkfs.v, a->mkfs.n, b->mkfs.v, b->mkfs.n);
}

static void must_be_same(const struct target_spec *a,
			 const struct target_spec *b)
{
	must(same_text(a->name, b->name) && same_text(a->text, b->text));
	must(a->nlevels == b->nlevels);
	for (size_t i = 0; i < a->nlevels; i++)
		must(same_level(&a->levels[i], &b->levels[i]));
}

static void check_levels(const struct target_spec *spec)
{
	must(spec->nlevels >= 1 && spec->nlevels <= LEVELS_MAX);
	must(spec->name && *spec->name);
	for (size_t i = 0; i < spec->nlevels; i++) {
		const struct layer_spec *level = &spec->levels[i];
		bool is_base = level->ops->flags & LAYER_BASE;

		must(is_base == (i == 0));
		must(is_base || !level->path);
		must(level->op_us >= 0 && level->op_us <= 1e6);
		must(level->size_bytes % 4096 == 0);
	}
}

/* What was parsed from the same text a second time, and copied. */
static void check_repeated(const struct target_spec *spec)
{
	struct target_spec other;
	struct err err = ERR_INIT;

	must(spec_parse(spec->text, &other, &err) == 0);
	must_be_same(spec, &other);
	spec_done(&other);
	spec_copy(spec, spec->name, &other);
	must_be_same(spec, &other);
	spec_done(&other);
}

static void check_space(const struct target_spec *spec, uint64_t bytes)
{
	const struct space_need peak = { .bytes = bytes, .files = bytes / 999 };
	struct space_plan plan;
	struct err err = ERR_INIT;
	int ret = space_plan(spec, &peak, false, &plan, &err);

	must(strlen(plan.arithmetic) < sizeof(plan.arithmetic));
	if (ret < 0) {
		must(err.text[0]);
		return;
	}
	for (size_t i = 0; i < spec->nlevels; i++) {
		must(plan.need[i].bytes >= bytes);
		must(!plan.size[i] || plan.size[i] >= plan.need[i].bytes);
	}
}

static void check_target(const char *arg)
{
	struct target_spec spec;
	struct err err = ERR_INIT;
	int ret = spec_parse(arg, &spec, &err);

	if (ret) {
		check_refusal(arg, &err, ret);
	} else {
		check_levels(&spec);
		check_repeated(&spec);
		check_space(&spec, 4096);
		check_space(&spec, UINT64_C(1) << 30);
		check_space(&spec, UINT64_C(1) << 60);
	}
	spec_done(&spec);
}

const char fuzz_corpus[] = "corpus-target";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *arg = malloc(size + 1);

	must(arg);
	if (!empty_dir[0])
		make_empty();
	if (size)
		memcpy(arg, data, size);
	arg[size] = '\0';
	must(chdir(empty_dir) == 0);
	check_target(arg);
	must(fchdir(home_fd) == 0);
	free(arg);
	return 0;
}
