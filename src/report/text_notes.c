/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes under the tables: what went wrong, cell by cell: of several rounds
 * in which the same happened the first is told.  All of it is said with
 * --quiet as well; text_trust.c has the rest.
 */
#include "report/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "report/escape.h"

#define CELLS_SHOWN 8

void text_cell_name(const struct session *s, unsigned clients,
		    unsigned target, FILE *out)
{
	autofree char *name = escape_text(s->targets[target].name);

	fprintf(out, "%u client%s", clients, clients == 1 ? "" : "s");
	if (s->ntargets > 1)
		fprintf(out, " on %s", name);
}

void text_run_name(const struct session *s, const struct run_result *run,
		   FILE *out)
{
	text_cell_name(s, run->clients, run->target, out);
	if (s->rounds > 1)
		fprintf(out, ", round %u", run->round);
}

/* Why a run has no result although nobody recorded a reason. */
static const char *guess_reason(const struct run_result *run)
{
	if (!run->measured)
		return "the measured time was not reached";
	if (!run->totals.ops)
		return "no operation ended in the measured time";
	if (run->end == RUN_COMPLETE)
		return "not a byte was read or written";
	return "no reason is known";
}

/* A run of the worth WORTH, which is not what was planned. */
static void print_end(const struct session *s, const struct run_result *run,
		      enum run_worth worth, FILE *out)
{
	autofree char *reason = escape_text(run->reason);

	/* a run that ended well and lost data has a note of its own */
	if (run_judge(s, run) != worth || (run->lost_errno && !reason[0]))
		return;
	fprintf(out, "%s: %s\n", worth == RUN_BAD ? "failed" : "cut short",
		reason[0] ? reason : guess_reason(run));
}

static void note_failed(const struct session *s, const struct run_result *run,
			FILE *out)
{
	print_end(s, run, RUN_BAD, out);
}

static void note_cut(const struct session *s, const struct run_result *run,
		     FILE *out)
{
	print_end(s, run, RUN_PARTIAL, out);
}

static void print_first_error(const struct first_error *e, FILE *out)
{
	autofree char *where = escape_text(e->where);
	autofree char *op = escape_text(e->op);
	autofree char *path = escape_text(e->path);
	autofree char *expected = escape_text(e->expected);
	autofree char *actual = escape_text(e->actual);

	fprintf(out, "  %s: %s%s%s: expected %s, got %s (client %u)\n", where,
		op, path[0] ? " " : "", path, expected, actual, e->client);
}

static void note_errors(const struct session *s, const struct run_result *run,
			FILE *out)
{
	(void)s;
	if (!run_surprised(run))
		return;
	fprintf(out,
		"%llu operations of the whole run did not end as the load "
		"file says%s\n",
		(unsigned long long)run->totals.errors,
		run->first_error.set ? "; the first:" : "");
	if (run->first_error.set)
		print_first_error(&run->first_error, out);
}

static void note_skipped(const struct session *s,
			 const struct run_result *run, FILE *out)
{
	(void)s;
	if (run->totals.skipped)
		fprintf(out,
			"%llu operations were left out: their file was not "
			"open\n",
			(unsigned long long)run->totals.skipped);
}

/* Data that is gone, or a closing sync that failed in another way. */
static void note_lost(const struct session *s, const struct run_result *run,
		      FILE *out)
{
	autofree char *what = escape_text(run->lost_what);
	int errnum = run->lost_errno ? run->lost_errno : run->sync_errno;

	(void)s;
	if (errnum)
		fprintf(out, "data is lost: %s: %s (%s)\n",
			what[0] ? what : "the closing sync", strerror(errnum),
			err_name(errnum));
}

/* Clients that did nothing while the others were measured. */
static void note_idle(const struct session *s, const struct run_result *run,
		      FILE *out)
{
	unsigned idle = 0;

	for (unsigned i = 0; run->per_client && i < run->clients; i++)
		idle += run->per_client[i].totals.ops == 0;
	if (idle && run_judge(s, run) != RUN_BAD)
		fprintf(out,
			"%u of the clients did no operation in the measured "
			"time\n",
			idle);
}

/* What is to be said of RUN, without its name; nothing, mostly. */
typedef void note_fn(const struct session *s, const struct run_result *run,
		     FILE *out);

/* That as a text; the caller frees it.  NULL where there is none. */
static char *get_note(const struct session *s, note_fn *note,
		      const struct run_result *run)
{
	autofree char *text = NULL;
	size_t size = 0;
	FILE *mem = open_memstream(&text, &size);

	if (!mem)
		return NULL;
	note(s, run, mem);
	(void)fclose(mem);
	return size ? take(text) : NULL;
}

/* One kind of note of one cell; the caller frees it.  NULL: there is none. */
static char *join_notes(const struct session *s, note_fn *note,
			const struct cell *cell)
{
	const struct run_result *run = NULL;
	autofree char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < cell->nruns; i++) {
		autofree char *text = get_note(s, note, cell->runs[i]);

		n += text != NULL;
		if (!text || first)
			continue;
		first = take(text);
		run = cell->runs[i];
	}
	if (!first)
		return NULL;
	if (n == 1 && s->rounds > 1)
		return mem_printf(", round %u: %s", run->round, first);
	if (n == 1)
		return mem_printf(": %s", first);
	return mem_printf(": in %zu of %zu rounds; the first, round %u: %s", n,
			  cell->nruns, run->round, first);
}

/* One kind of note for every cell, up to a limit. */
static void note_cells(const struct evaluation *ev, note_fn *note, FILE *out)
{
	unsigned found = 0;

	for (size_t i = 0; i < ev->ncells; i++) {
		const struct cell *cell = &ev->cells[i];
		autofree char *text = join_notes(ev->s, note, cell);

		if (!text || found++ >= CELLS_SHOWN)
			continue;
		fputs("- ", out);
		text_cell_name(ev->s, cell->clients, cell->target, out);
		fputs(text, out);
	}
	if (found > CELLS_SHOWN)
		fprintf(out, "  and %u more like this\n", found - CELLS_SHOWN);
}

/* Said even with --quiet: such numbers are not to be taken for others. */
static void note_tests(const struct session *s, FILE *out)
{
	for (size_t t = 0; t < s->ntargets; t++) {
		autofree char *name = escape_text(s->targets[t].name);

		if (s->targets[t].is_test)
			fprintf(out,
				"- TEST LAYER: %s has a layer that is there "
				"for tests only\n",
				name);
	}
}

void text_notes(const struct evaluation *ev, const struct report_opts *opts,
		FILE *out)
{
	static note_fn *const notes[] = { note_failed,	note_cut,
					  note_lost,	note_errors,
					  note_skipped, note_idle };
	const struct session *s = ev->s;
	autofree char *why = escape_text(s->partial_why);

	fputs("\n", out);
	if (s->partial)
		fprintf(out, "- not everything planned was run%s%s\n",
			why[0] ? ": " : "", why);
	note_tests(s, out);
	for (size_t i = 0; i < ARRAY_SIZE(notes); i++)
		note_cells(ev, notes[i], out);
	text_disturbed(s, out);
	if (!opts->quiet)
		text_trust(ev, out);
}
