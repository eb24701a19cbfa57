/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes under the tables: what went wrong, run by run.  All of it is
 * said with --quiet as well; text_trust.c has the rest.
 */
#include "report/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "report/escape.h"

#define RUNS_SHOWN 8

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

static void note_end(const struct session *s, const struct run_result *run,
		     FILE *out)
{
	autofree char *reason = escape_text(run->reason);
	enum run_worth worth = run_judge(s, run);

	/* a run that ended well and lost data has a note of its own */
	if (worth == RUN_GOOD || (run->lost_errno && !reason[0]))
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out, ": %s: %s\n", worth == RUN_BAD ? "failed" : "cut short",
		reason[0] ? reason : guess_reason(run));
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
	if (!run_surprised(run))
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out,
		": %llu operations of the whole run did not end as the load "
		"file says%s\n",
		(unsigned long long)run->totals.errors,
		run->first_error.set ? "; the first:" : "");
	if (run->first_error.set)
		print_first_error(&run->first_error, out);
}

static void note_skipped(const struct session *s,
			 const struct run_result *run, FILE *out)
{
	if (!run->totals.skipped)
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out,
		": %llu operations were left out: their file was not open\n",
		(unsigned long long)run->totals.skipped);
}

/* Data that is gone, or a closing sync that failed in another way. */
static void note_lost(const struct session *s, const struct run_result *run,
		      FILE *out)
{
	autofree char *what = escape_text(run->lost_what);
	int errnum = run->lost_errno ? run->lost_errno : run->sync_errno;

	if (!errnum)
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out, ": data is lost: %s: %s (%s)\n",
		what[0] ? what : "the closing sync", strerror(errnum),
		err_name(errnum));
}

typedef void note_fn(const struct session *s, const struct run_result *run,
		     FILE *out);

/* One kind of note for every run, up to a limit. */
static void note_runs(const struct session *s, note_fn *note, FILE *out)
{
	unsigned shown = 0, left = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		autofree char *text = NULL;
		size_t size = 0;
		FILE *mem = open_memstream(&text, &size);

		if (!mem)
			return;
		note(s, &s->runs[i], mem);
		(void)fclose(mem);
		if (!size)
			continue;
		if (shown++ < RUNS_SHOWN)
			fputs(text, out);
		else
			left++;
	}
	if (left)
		fprintf(out, "  and %u more like this\n", left);
}

/* Clients that did nothing while the others were measured. */
static void note_idle(const struct session *s, const struct run_result *run,
		      FILE *out)
{
	unsigned idle = 0;

	for (unsigned i = 0; run->per_client && i < run->clients; i++)
		idle += run->per_client[i].totals.ops == 0;
	if (!idle || run_judge(s, run) == RUN_BAD)
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out,
		": %u of the clients did no operation in the measured time\n",
		idle);
}

static void note_disturbed(const struct session *s,
			   const struct run_result *run, FILE *out)
{
	autofree char *why = escape_text(run->disturbance.why);

	if (!run->disturbance.disturbed || run_judge(s, run) == RUN_BAD)
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out, ": disturbed%s%s\n", why[0] ? ": " : "", why);
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

void text_notes(const struct session *s, const struct report_opts *opts,
		FILE *out)
{
	autofree char *why = escape_text(s->partial_why);

	fputs("\n", out);
	if (s->partial)
		fprintf(out, "- not everything planned was run%s%s\n",
			why[0] ? ": " : "", why);
	note_tests(s, out);
	note_runs(s, note_end, out);
	note_runs(s, note_lost, out);
	note_runs(s, note_errors, out);
	note_runs(s, note_skipped, out);
	note_runs(s, note_idle, out);
	note_runs(s, note_disturbed, out);
	if (!opts->quiet)
		text_trust(s, out);
}
