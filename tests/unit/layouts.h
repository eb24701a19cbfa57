/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts for unit tests: from a short list of layers, without the grammar,
 * in a scratch directory; and what is left of one, as seen from outside.
 *
 * A layout is built in a child, which enters a mount namespace.  The parent
 * stays outside and looks for residue: in the directory, and for loop devices
 * whose image was in it.  (An image inside an image keeps the outer one
 * attached, so that the outermost tells of all of them.)
 */
#ifndef REPLAY_TESTS_UNIT_LAYOUTS_H
#define REPLAY_TESTS_UNIT_LAYOUTS_H

#include <glob.h>
#include <signal.h>
#include <sys/mman.h>
#include <time.h>

#include "layout/fstype.h"
#include "layout/layout.h"
#include "layout/loopdev.h"
#include "scratch.h"

#define MIB (UINT64_C(1) << 20)
#define EXT4_SIZE (32 * MIB)

/* The base of most recipes: the scratch directory. */
#define base { .layer = "dir" }

/* A level of a recipe; see struct layer_spec. */
struct step {
	const char *layer, *fs, *opt, *mkfs;
	uint64_t size;
	bool dio, sparse, through, is_volatile;
	double op_us;
};

struct recipe {
	const char *name;
	struct step steps[LEVELS_MAX];
	const char *fails; /* building it must fail with this in the text */
	bool prepare;      /* something goes to the lower layer */
};

/* A target, and what is needed to build it. */
struct site {
	struct target_spec spec;
	struct space_plan space;
	struct mntns ns;
	struct layout_env env;
	struct layout layout;
	char *opts[LEVELS_MAX], *mkfs[LEVELS_MAX];
};

/* The recipe of the child in hand. */
static const struct recipe *recipe;

/* The directory of the test; in it "names" is the layouts' scratch. */
static char scratch[64];

LIBRARY char *copy_word(const char *word)
{
	char *copy = strdup(word);

	need(copy);
	return copy;
}

LIBRARY void set_level(struct site *site, size_t n, const struct step *step)
{
	struct layer_spec *level = &site->spec.levels[n];

	need((level->ops = layer_find(step->layer)));
	level->fs = step->fs ? copy_word(step->fs) : NULL;
	level->dio = step->dio;
	level->sparse = step->sparse;
	level->write_through = step->through;
	level->is_volatile = step->is_volatile;
	level->op_us = step->op_us;
	if (strcmp(step->layer, "image") == 0) {
		level->path = malloc(128);
		need(level->path);
		snprintf(level->path, 128, "%s/%s", scratch, step->fs);
	}
	if (step->opt) {
		site->opts[n] = copy_word(step->opt);
		level->opts.v = &site->opts[n];
		level->opts.n = 1;
	}
	if (step->mkfs) {
		site->mkfs[n] = copy_word(step->mkfs);
		level->mkfs.v = &site->mkfs[n];
		level->mkfs.n = 1;
	}
	site->space.size[n] = step->size;
	site->space.need[n].files = 100;
}

/* In a child: enter a namespace and get everything ready for the recipe. */
LIBRARY void site_enter(struct site *site)
{
	char names[80];

	memset(site, 0, sizeof(*site));
	for (size_t n = 0; recipe->steps[n].layer; n++) {
		set_level(site, n, &recipe->steps[n]);
		site->spec.nlevels = n + 1;
	}
	need(mntns_enter(&site->ns, NULL) == 0);
	snprintf(names, sizeof(names), "%s/names", scratch);
	site->env = (struct layout_env){
		.ns = &site->ns,
		.base_fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.scratch_fd = open(names, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.space = &site->space,
		.prepare_below = recipe->prepare,
	};
	need(site->env.base_fd >= 0 && site->env.scratch_fd >= 0);
}

LIBRARY void site_free(struct site *site)
{
	for (size_t n = 0; n < site->spec.nlevels; n++) {
		free(site->spec.levels[n].fs);
		free(site->spec.levels[n].path);
		free(site->opts[n]);
		free(site->mkfs[n]);
	}
	(void)close(site->env.base_fd);
	(void)close(site->env.scratch_fd);
	mntns_done(&site->ns);
}

/* In a child: print an error, for the diagnosis. */
LIBRARY void print_error(const struct err *err)
{
	if (err->code)
		printf("# %s\n", err->text);
	(void)fflush(stdout);
}

/* In a child: check and build, and it must be possible. */
LIBRARY void build(struct site *site)
{
	struct err err = ERR_INIT;
	int ret = layout_check(&site->spec, &err);

	if (ret == 0)
		ret = layout_build(&site->layout, &site->spec, &site->env,
				   &err);
	print_error(&err);
	need(ret == 0);
}

/* In a child: a file written and synced, read back. */
LIBRARY void use(int dir_fd)
{
	char buf[4096] = "x", back[4096] = "";
	int fd = openat(dir_fd, "file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
			0600);

	need(fd >= 0);
	for (unsigned i = 0; i < 100; i++)
		need(pwrite(fd, buf, sizeof(buf), i * 4096) == sizeof(buf));
	need(fsync(fd) == 0);
	need(pread(fd, back, sizeof(back), 99 * 4096) == sizeof(back));
	need(back[0] == 'x');
	need(close(fd) == 0);
	need(mkdirat(dir_fd, "dir", 0755) == 0);
	need(syncfs(dir_fd) == 0);
}

/* Loop devices whose image is, or was, in the scratch directory. */
LIBRARY unsigned count_loops(void)
{
	glob_t found;
	char image[512];
	unsigned n = 0;

	if (glob("/sys/block/loop*/loop/backing_file", 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		FILE *in = fopen(found.gl_pathv[i], "re");

		if (in && fgets(image, sizeof(image), in))
			n += strstr(image, scratch) != NULL;
		if (in)
			(void)fclose(in);
	}
	globfree(&found);
	return n;
}

/* Wait, bounded, for CHECK() to be true. */
LIBRARY bool comes_true(bool (*check)(void))
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	for (unsigned i = 0; i < 2000; i++) {
		if (check())
			return true;
		(void)nanosleep(&pause, NULL);
	}
	return false;
}

LIBRARY bool has_no_loops(void)
{
	return count_loops() == 0;
}

/* Make the scratch directory with "names" in it. */
LIBRARY int layouts_begin(void)
{
	int fd = scratch_make(scratch, false);

	if (mkdirat(fd, "names", 0700) < 0)
		abort();
	return fd;
}

/* Whether there is nothing left in the directories. */
LIBRARY bool is_clean(int fd)
{
	int names = openat(fd, "names", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int n = count_entries(names);

	(void)close(names);
	return n == 0 && count_entries(fd) == 1;
}

/* Whether layouts that are more than directories can be tried. */
LIBRARY bool can_build(void)
{
	return can_mount() && mntns_check(NULL) == 0 &&
	       loopdev_check(NULL) == 0;
}

#endif
