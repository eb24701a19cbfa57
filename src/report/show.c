/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stored results, side by side: of other machines, or from inside of
 * containers.  What they are of is said first, then in what they differ, so
 * that nobody takes two loads for one; then the numbers.  There is no ratio
 * and no verdict: runs that were not interleaved differ by whatever changed
 * in between.
 */
#include "report/show.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "report/escape.h"
#include "report/fmt.h"
#include "report/stored.h"
#include "report/table.h"

#define SHA_SHOWN 12
#define LABEL_SIZE 16
#define TABLE_CELLS_MAX 250000
#define CELL_SIZE (FMT_SIZE + 1)

/* A cell and where it goes. */
struct placed {
	unsigned clients;
	size_t column;
	const struct stored_cell *cell; /* borrowed */
};

struct show {
	struct stored *files; /* owned; n */
	size_t n;
	size_t ncolumns;      /* the targets of all files */
	VEC(struct placed) cells; /* by client count, then column */
	size_t nrows;         /* different client counts */
};

/* A, B, ..., Z, AA, AB, ... */
static const char *get_label(size_t file, char *buf)
{
	char *p = buf + LABEL_SIZE - 1;

	*p = '\0';
	for (size_t v = file + 1; v; v = (v - 1) / 26)
		*--p = (char)('A' + (v - 1) % 26);
	return p;
}

/* A value of any type in a few characters; WIDTH is the most of a text. */
static void print_value(const json_t *value, int width, FILE *out)
{
	if (json_is_integer(value)) {
		fprintf(out, "%lld", (long long)json_integer_value(value));
	} else if (json_is_real(value)) {
		fprintf(out, "%g", json_real_value(value));
	} else if (json_is_boolean(value)) {
		fputs(json_is_true(value) ? "yes" : "no", out);
	} else if (json_is_string(value)) {
		autofree char *text = escape_text(json_string_value(value));

		fprintf(out, "%.*s", width, text);
	} else {
		fputs(json_is_null(value) ? "none" : "unknown", out);
	}
}

static void print_key(const struct stored *file, const char *before,
		      const char *keys, FILE *out)
{
	fputs(before, out);
	print_value(stored_value(file, keys), 200, out);
}

/* "10 s", or "2 passes". */
static void print_length(const struct stored *file, FILE *out)
{
	if (json_is_integer(stored_value(file, "plan.passes"))) {
		print_key(file, ", ", "plan.passes", out);
		fputs(" passes", out);
	} else {
		print_key(file, ", ", "plan.timelimit_seconds", out);
		fputs(" s", out);
	}
}

static void print_file(const struct stored *file, const char *label, FILE *out)
{
	autofree char *path = escape_text(file->path);
	const json_t *complete = stored_value(file, "complete");

	fprintf(out, "%s  %s: ", label, path);
	print_key(file, "", "replay.started", out);
	print_key(file, ", ", "host.kernel", out);
	print_key(file, ", ", "host.cpus", out);
	print_key(file, " CPUs (", "host.cpu", out);
	print_key(file, ")\n   load ", "loadfile.path", out);
	fputs(" (sha256 ", out);
	print_value(stored_value(file, "loadfile.sha256"), SHA_SHOWN, out);
	fputs(")", out);
	print_length(file, out);
	print_key(file, ", seed ", "replay.seed", out);
	print_key(file, ", rounds ", "plan.rounds", out);
	fputs(json_is_true(complete)  ? ", complete" :
	      json_is_false(complete) ? ", not complete" :
					", unknown whether complete",
	      out);
	fputs("\n", out);
}

/* Equal; numbers by their value, and what is missing is null. */
static bool is_same(const json_t *a, const json_t *b)
{
	bool no_a = !a || json_is_null(a), no_b = !b || json_is_null(b);

	if (no_a || no_b)
		return no_a && no_b;
	if (json_is_number(a) && json_is_number(b))
		return !(json_number_value(a) < json_number_value(b)) &&
		       !(json_number_value(a) > json_number_value(b));
	return json_equal(a, b);
}

/* Warn when FILE is not as the first in what makes numbers comparable. */
static void compare_file(const struct show *show, size_t file, FILE *out)
{
	static const struct {
		const char *title, *keys;
	} kinds[] = {
		{ "load file", "loadfile.sha256" },
		{ "backend", "runs.0.backend" },
		{ "time limit", "plan.timelimit_seconds" },
		{ "warm-up", "plan.warmup_seconds" },
		{ "passes", "plan.passes" },
		{ "flags", "plan.flags" },
		{ "cold caches", "plan.cold" },
	};
	char label[LABEL_SIZE];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		const json_t *a, *b;

		a = stored_value(&show->files[0], kinds[i].keys);
		b = stored_value(&show->files[file], kinds[i].keys);
		if (is_same(a, b))
			continue;
		fprintf(out, "warning: %s of A: ", kinds[i].title);
		print_value(a, SHA_SHOWN, out);
		fprintf(out, ", of %s: ", get_label(file, label));
		print_value(b, SHA_SHOWN, out);
		fputs("\n", out);
	}
}

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->clients != y->clients)
		return x->clients < y->clients ? -1 : 1;
	if (x->column != y->column)
		return x->column < y->column ? -1 : 1;
	/* of two for one place the first in the file */
	return (x->cell > y->cell) - (x->cell < y->cell);
}

/* Find the place of every cell, and the number of rows and columns. */
static void place_cells(struct show *show)
{
	for (size_t f = 0; f < show->n; f++) {
		struct stored *file = &show->files[f];

		for (size_t i = 0; i < file->cells.n; i++) {
			struct stored_cell *cell = &file->cells.v[i];

			*VEC_PUSH(&show->cells) = (struct placed){
				.clients = cell->clients,
				.column = show->ncolumns + cell->target,
				.cell = cell,
			};
		}
		show->ncolumns += file->targets.n;
	}
	if (show->cells.n)
		qsort(show->cells.v, show->cells.n, sizeof(*show->cells.v),
		      by_place);
	for (size_t i = 0; i < show->cells.n; i++)
		show->nrows += i == 0 || show->cells.v[i].clients !=
						 show->cells.v[i - 1].clients;
}

/* As cell_text() has it. */
static void print_cell(const struct stored_cell *cell, double v, char *buf)
{
	char number[FMT_SIZE];

	if (cell->lost)
		(void)snprintf(buf, CELL_SIZE, "lost data ");
	else if (!cell->counts && !isfinite(v))
		(void)snprintf(buf, CELL_SIZE, "%s ",
			       cell->failed ? "failed" : "not run");
	else
		(void)snprintf(buf, CELL_SIZE, "%s%s",
			       fmt_number(v, number, sizeof(number)),
			       !isfinite(v)	? " " :
			       cell->partial	? "*" :
			       cell->surprised ? "!" :
			       cell->disturbed ? "~" :
						 " ");
}

/*
 * Print the row that begins with cell FIRST; returns where the next one
 * begins.
 */
static size_t add_row(const struct show *show, size_t first, bool durable,
		      struct table *table)
{
	unsigned clients = show->cells.v[first].clients;
	char text[CELL_SIZE];
	size_t i = first;

	table_row(table);
	(void)snprintf(text, sizeof(text), "%u", clients);
	table_cell(table, text);
	for (size_t column = 0; column < show->ncolumns; column++) {
		const struct placed *p = &show->cells.v[i];

		(void)snprintf(text, sizeof(text), "- ");
		if (i < show->cells.n && p->clients == clients &&
		    p->column == column)
			print_cell(p->cell,
				   durable ? p->cell->durable_mb_per_s :
					     p->cell->mb_per_s,
				   text);
		table_cell(table, text);
		while (i < show->cells.n &&
		       show->cells.v[i].clients == clients &&
		       show->cells.v[i].column <= column)
			i++;
	}
	return i;
}

static void add_columns(const struct show *show, struct table *table)
{
	table_column(table, "Clients", false);
	for (size_t f = 0; f < show->n; f++) {
		char label[LABEL_SIZE];

		for (size_t t = 0; t < show->files[f].targets.n; t++) {
			autofree char *name =
				escape_text(show->files[f].targets.v[t]);
			autofree char *title = mem_printf(
				"%s:%s ", get_label(f, label), name);

			table_column(table, title, false);
		}
	}
}

static void print_table(const struct show *show, bool durable, FILE *out)
{
	struct table *table = table_new();

	fprintf(out, "\n%s, median of the rounds:\n\n",
		durable ? "durable MB/s" : "MB/s");
	add_columns(show, table);
	for (size_t i = 0; i < show->cells.n;)
		i = add_row(show, i, durable, table);
	table_print(table, out);
	table_free(table);
}

static void print_marks(const struct show *show, FILE *out)
{
	bool partial = false, surprised = false, disturbed = false;

	for (size_t i = 0; i < show->cells.n; i++) {
		const struct stored_cell *cell = show->cells.v[i].cell;

		partial = partial || cell->partial;
		surprised = surprised || cell->surprised;
		disturbed = disturbed || cell->disturbed;
	}
	if (partial || surprised || disturbed)
		fputs("\n", out);
	if (partial)
		fputs("*  cut short\n", out);
	if (surprised)
		fputs("!  operations did not end as the load file says\n", out);
	if (disturbed)
		fputs("~  some round was disturbed\n", out);
}

static void print_all(const struct show *show, FILE *out)
{
	char label[LABEL_SIZE];

	fputs("Stored results, not interleaved: no verdicts.\n\n", out);
	for (size_t f = 0; f < show->n; f++)
		print_file(&show->files[f], get_label(f, label), out);
	for (size_t f = 1; f < show->n; f++)
		compare_file(show, f, out);
	if (!show->cells.n) {
		fputs("\nThere are no results in them.\n", out);
		return;
	}
	print_table(show, false, out);
	print_table(show, true, out);
	print_marks(show, out);
}

static int read_files(struct show *show, char *const *files, size_t n,
		      struct err *err)
{
	for (; show->n < n; show->n++) {
		struct stored *file = &show->files[show->n];
		int ret = stored_read(file, files[show->n], err);

		if (ret < 0) {
			stored_done(file);
			return ret;
		}
	}
	return 0;
}

/* Read, place, print. */
static int show_files(struct show *show, char *const *files, size_t n,
		      FILE *out, struct err *err)
{
	int ret = read_files(show, files, n, err);

	if (ret < 0)
		return ret;
	place_cells(show);
	if (show->nrows > TABLE_CELLS_MAX / MAX_OF(show->ncolumns, 1U))
		return err_set(err, -E2BIG,
			       "%s%s: too many results for one table",
			       files[0], n > 1 ? " and the others" : "");
	print_all(show, out);
	if (fflush(out) != 0 || ferror(out))
		return err_set(err, -EIO, "cannot write the results");
	return 0;
}

int report_show(char *const *files, size_t n, FILE *out, struct err *err)
{
	struct show show = { .n = 0 };
	int ret;

	show.files = mem_zalloc(n + 1, sizeof(*show.files));
	ret = show_files(&show, files, n, out, err);
	for (size_t f = 0; f < show.n; f++)
		stored_done(&show.files[f]);
	VEC_FREE(&show.cells);
	free(show.files);
	return ret;
}
