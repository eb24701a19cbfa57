/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored results side by side: what the writer of JSON wrote is found again,
 * differences between the files are said, and a file that is broken in any
 * way is refused or has unknown values, but does no harm.
 */
#include "report/show.h"

#include <errno.h>
#include <fcntl.h>

#include "base/rng.h"
#include "sample_session.h"
#include "scratch.h"
#include "tap.h"

#define DEPTH 100000 /* of nested arrays */

static char dir[64];

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

/* The path of a file in the scratch directory; the caller frees it. */
static char *path_of(const char *name)
{
	return mem_printf("%s/%s", dir, name);
}

static void write_bytes(const char *name, const char *bytes, size_t len)
{
	autofree char *path = path_of(name);
	FILE *out = fopen(path, "we");

	if (!out || fwrite(bytes, 1, len, out) != len || fclose(out) != 0)
		abort();
}

static void write_sample(const char *name, const struct sample *x)
{
	struct report_opts opts = { .per_client = false };
	autofree char *text = sample_print(x, report_json, &opts);

	write_bytes(name, text, strlen(text));
}

/*
 * Show one file, or two (B is not NULL).  Returns the text, which the caller
 * frees, or NULL with ERR set.
 */
static char *show(const char *a, const char *b, struct err *err)
{
	autofree char *path_a = path_of(a), *path_b = path_of(b ? b : "");
	char *const files[] = { path_a, path_b };
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	int ret;

	if (!out)
		abort();
	*err = (struct err)ERR_INIT;
	ret = report_show(files, b ? 2 : 1, out, err);
	(void)fclose(out);
	if (ret == 0)
		return text;
	if (size || !err->text[0] || strncmp(err->text, dir, strlen(dir)) != 0)
		printf("# no good refusal: %s\n", err->text);
	free(text);
	return NULL;
}

static char *show_text(const char *text, struct err *err)
{
	write_bytes("x", text, strlen(text));
	return show("x", NULL, err);
}

static void test_one(void)
{
	autofree char *text = NULL;
	struct sample x;
	struct err err;

	sample_fill(&x);
	write_sample("a", &x);
	text = show("a", NULL, &err);
	ok(text, "shown%s", err.text);
	if (!text)
		exit(done_testing());
	ok(has(text, "not interleaved: no verdicts"), "and what it is worth");
	ok(has(text, "\nA  ") &&
		   has(text, "/a: 2026-11-30T11:25:25+00:00, Linux "),
	   "file, start, machine");
	ok(has(text, "   load /usr/share/dbench/client.txt (sha256 0123abcd), "
		     "10 s, seed 12345, rounds 1, complete\n"),
	   "load and plan");
	ok(has(text, "\nMB/s, median of the rounds:\n\nClients  A:/vz\n"
		     "      1  248.8\n      2  497.6\n      4  995.2\n"),
	   "MB/s");
	ok(has(text, "\ndurable MB/s, median of the rounds:\n\n"
		     "Clients  A:/vz\n      1  234.5\n"), "durable MB/s");
	ok(!has(text, "warning"), "one does not differ");
	sample_done(&x);
}

static void test_two(void)
{
	autofree char *text = NULL, *same = NULL;
	struct sample x;
	struct err err;

	sample_fill_many(&x, 2);
	x.counts[0] = 3;
	for (unsigned i = 0; i < 2 * SAMPLE_ROUNDS; i++)
		x.runs[i].clients = 3;
	x.s.load.sha256 = "fedcba98765432100123";
	x.s.timelimit_seconds = 2.5;
	(void)strcpy(x.s.flags, "sync open");
	write_sample("b", &x);
	text = show("a", "b", &err);
	ok(text && has(text, "Clients  A:/vz   B:vzhost   B:simfs\n"
			     "      1  248.8          -         -\n"),
	   "the columns of both");
	ok(text && has(text, "\n      3      -      249.2     248.3\n"),
	   "the rows of both");
	ok(text && has(text, "warning: load file of A: 0123abcd, of B: "
			     "fedcba987654\n"), "another load");
	ok(text && has(text, "warning: time limit of A: 10, of B: 2.5\n"),
	   "another time");
	ok(text && has(text, "warning: flags of A: none, of B: sync open\n"),
	   "other options");
	same = show("a", "a", &err);
	ok(same && !has(same, "warning") && has(same, "A:/vz   B:/vz\n"),
	   "twice the same");
	sample_done(&x);
}

static void test_marks(void)
{
	autofree char *text = NULL;
	struct sample x;
	struct err err;

	sample_fill_many(&x, 3);
	sample_at(&x, 0, 1, 0)->lost_errno = EIO;
	sample_at(&x, 0, 1, 1)->totals.errors = 1;
	sample_at(&x, 0, 1, 2)->disturbance.disturbed = true;
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++) {
		sample_at(&x, 1, r, 0)->end = RUN_STUCK;
		sample_at(&x, 1, r, 1)->end = RUN_INTERRUPTED;
	}
	x.s.nruns -= 3 * SAMPLE_ROUNDS;
	x.s.partial = true;
	write_sample("c", &x);
	text = show("c", NULL, &err);
	ok(text && has(text, "\n      1  lost data     248.3!    372.5~\n"),
	   "lost, errors, disturbed");
	ok(text && has(text, "\n      2     failed     499.4*    749.0\n"),
	   "failed, cut short");
	ok(text && has(text, "\n      4    not run   not run   not run\n"),
	   "not run");
	ok(text && has(text, "\n*  ") && has(text, "\n!  ") &&
		   has(text, "\n~  "), "the marks are explained");
	ok(text && has(text, ", not complete\n"), "as the file says");
	sample_done(&x);
}

/* TEXT is refused, with a complaint that has PART. */
static void is_refused(const char *text, const char *part, const char *name)
{
	struct err err;
	autofree char *shown = show_text(text, &err);

	ok(!shown && has(err.text, part), "%s: %s", name, err.text);
}

/* TEXT is shown, and that has PART. */
static void is_shown(const char *text, const char *part, const char *name)
{
	struct err err;
	autofree char *shown = show_text(text, &err);

	ok(shown && has(shown, part), "%s%s", name, err.text);
}

static void test_refused(void)
{
	autofree char *deep = mem_zalloc(DEPTH + 1, 1);
	autofree char *gone = NULL;
	struct err err;

	gone = show("none", NULL, &err);
	ok(!gone && has(err.text, "No such file"), "no file: %s", err.text);
	is_refused("", "x:", "empty");
	is_refused("hello", "x:1:", "no JSON");
	is_refused("{\"schema\": 1,\n\"a\": tru}", "x:2:", "broken");
	is_refused("{}", "no results of replay", "an empty object");
	is_refused("[1]", "no results of replay", "an array");
	is_refused("{\"schema\": \"1\"}", "no results of replay", "a string");
	is_refused("{\"schema\": 2}", "schema 2", "another schema");
	is_refused("{\"schema\": 99999999999999999999}", "x:1:", "too big");
	is_refused("{\"schema\": 1, \"a\": 1e999}", "x:1:", "overflow");
	is_refused("{\"schema\": 1, \"a\": \"\\u0000\"}", "x:1:", "NUL");
	is_refused("{\"schema\": 1, \"a\": \"\xff\"}", "x:1:", "no UTF-8");
	is_refused("{\"schema\": 1} \x1b[31m", "x:1:", "something behind it");
	memset(deep, '[', DEPTH);
	is_refused(deep, "x:1:", "deep");
	write_bytes("x", "{\"schema\": 1, \0}", 16);
	gone = show("x", NULL, &err);
	ok(!gone, "a NUL byte: %s", err.text);
	gone = show(".", NULL, &err);
	ok(!gone, "a directory: %s", err.text);
}

static void test_too_long(void)
{
	autofree char *path = path_of("long"), *text = NULL;
	struct err err;
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, SHOW_FILE_MAX + 1) < 0)
		abort();
	(void)close(fd);
	text = show("long", NULL, &err);
	ok(!text && has(err.text, "longer than 64 MiB"), "%s", err.text);
	(void)unlink(path);
}

static void test_unknown(void)
{
	is_shown("{\"schema\": 1}", "There are no results", "nothing in it");
	is_shown("{\"schema\": 1, \"summary\": {}, \"targets\": 7, "
		 "\"replay\": [1], \"plan\": \"x\", \"host\": null}",
		 "There are no results", "other types");
	is_shown("{\"schema\": 1, \"summary\": [1, null, {}, {\"clients\": "
		 "\"1\", \"target\": \"a\"}, {\"clients\": -1, \"target\": "
		 "\"a\"}, {\"clients\": 4294967296, \"target\": \"a\"}, "
		 "{\"clients\": 1, \"target\": 2}]}",
		 "There are no results", "cells of nothing");
	is_shown("{\"schema\": 1, \"summary\": [{\"clients\": 1, \"target\": "
		 "\"a\", \"mb_per_s\": {\"median\": \"7\"}, \"partial\": 1}]}",
		 "      1    -\n", "no number");
	is_shown("{\"schema\": 1, \"summary\": [{\"clients\": 1, \"target\": "
		 "\"a\", \"mb_per_s\": {\"median\": 1e300}}]}",
		 "      1  1000000", "a huge number");
	is_shown("{\"schema\": 1, \"summary\": [{\"clients\": 1, \"target\": "
		 "\"a\", \"mb_per_s\": {\"median\": 7}}, {\"clients\": 1, "
		 "\"target\": \"a\", \"mb_per_s\": {\"median\": 8}}]}",
		 "      1  7.000\n", "of two the first");
	is_shown("{\"schema\": 1, \"targets\": [{\"name\": \"a\"}, {\"name\": "
		 "\"a\"}, {}, 1], \"summary\": [{\"clients\": 1, \"target\": "
		 "\"b\\u001b\\n\", \"mb_per_s\": {\"median\": 7}}]}",
		 "Clients  A:a   A:b\\x1b\\x0a\n      1    -         7.000\n",
		 "names twice, and control characters");
	is_shown("{\"schema\": 1, \"schema\": 1, \"replay\": {\"seed\": 1.5, "
		 "\"started\": \"\\u001b[31m\"}}",
		 "\\x1b[31m, unknown", "keys twice");
}

static void test_limits(void)
{
	autofree char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	struct err err;

	if (!out)
		abort();
	fputs("{\"schema\": 1, \"targets\": [", out);
	for (unsigned i = 0; i < 300; i++)
		fprintf(out, "{\"name\": \"%u\"},", i);
	fputs("1]}", out);
	(void)fclose(out);
	is_refused(text, "more than 256 targets", "many targets");
	free(take(text));
	out = open_memstream(&text, &size);
	if (!out)
		abort();
	fputs("{\"schema\": 1, \"summary\": [", out);
	for (unsigned i = 1; i < 20000; i++)
		fprintf(out, "{\"clients\": %u, \"target\": \"%u\"},", i,
			i % 200);
	fputs("1]}", out);
	(void)fclose(out);
	free(show_text(text, &err));
	ok(has(err.text, "too many results for one table"), "%s", err.text);
}

/* Nothing that happens to a good file does harm: sanitizers watch. */
static void test_spoilt(void)
{
	struct report_opts opts = { .per_client = false };
	autofree char *text = NULL;
	unsigned shown = 0, refused = 0;
	struct sample x;
	struct rng rng;
	size_t len;

	sample_fill_many(&x, 2);
	x.s.nruns = 2;
	text = sample_print(&x, report_json, &opts);
	x.s.nruns = 2 * SAMPLE_COUNTS * SAMPLE_ROUNDS;
	sample_done(&x);
	len = strlen(text);
	rng_init(&rng, 1, 0);
	for (unsigned i = 0; i < 800; i++) {
		autofree char *copy = mem_strdup(text);
		autofree char *result = NULL;
		struct err err;

		if (i % 4 == 0)
			copy[rng_below(&rng, len)] = '\0';
		for (unsigned n = i % 4; n; n--)
			copy[rng_below(&rng, len)] =
				"0123456789{}[],:\"-.ex\\"[rng_below(&rng,
								     22)];
		result = show_text(copy, &err);
		shown += result != NULL;
		refused += result == NULL;
	}
	ok(shown > 10 && refused > 200, "%u shown, %u refused", shown,
	   refused);
}

static void test_output(void)
{
	autofree char *path = path_of("a");
	char *const files[] = { path };
	struct err err = ERR_INIT;
	FILE *out = fopen("/dev/full", "we");

	if (!out)
		abort();
	is_int(report_show(files, 1, out, &err), -EIO, "a full device");
	(void)fclose(out);
}

int main(void)
{
	int fd = scratch_make(dir, true);

	test_one();
	test_two();
	test_marks();
	test_refused();
	test_too_long();
	test_unknown();
	test_limits();
	test_spoilt();
	test_output();
	scratch_remove(dir, fd);
	return done_testing();
}
