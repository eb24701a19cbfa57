/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The notes under the tables: first what went wrong, run by run, then what
 * bears on whether the numbers may be believed.  Worst cases over the runs
 * are named with the run they are from.
 */
#include "report/text.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/escape.h"
#include "report/fmt.h"

#define RUNS_SHOWN 8

/* METHOD A2 and A19: beyond these the numbers are touched by ourselves. */
#define SKEW_SHARE_MAX 0.01
#define DRIVER_SHARE_MAX 0.05

/* "8 clients", "8 clients on ploop, round 2". */
static void print_run_name(const struct session *s,
			   const struct run_result *run, FILE *out)
{
	autofree char *name = escape_text(s->targets[run->target].name);

	fprintf(out, "%u client%s", run->clients,
		run->clients == 1 ? "" : "s");
	if (s->ntargets > 1)
		fprintf(out, " on %s", name);
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

	if (worth == RUN_GOOD)
		return;
	fputs("- ", out);
	print_run_name(s, run, out);
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
	print_run_name(s, run, out);
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
	print_run_name(s, run, out);
	fprintf(out,
		": %llu operations were left out: their file was not open\n",
		(unsigned long long)run->totals.skipped);
}

static void note_sync(const struct session *s, const struct run_result *run,
		      FILE *out)
{
	if (!run->sync_errno)
		return;
	fputs("- ", out);
	print_run_name(s, run, out);
	fprintf(out, ": the closing sync failed: %s; data is lost\n",
		strerror(run->sync_errno));
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

/* The run in which the double at OFFSET is largest; NULL: all unknown. */
static const struct run_result *find_worst(const struct session *s,
					   size_t offset, double *out)
{
	const struct run_result *worst = NULL;

	*out = NAN;
	for (size_t i = 0; i < s->nruns; i++) {
		double v;

		memcpy(&v, (const char *)&s->runs[i] + offset, sizeof(v));
		if (run_judge(s, &s->runs[i]) == RUN_BAD || !isfinite(v) ||
		    (worst && v < *out))
			continue;
		worst = &s->runs[i];
		*out = v;
	}
	return worst;
}

#define WORST(s, member, out)                                                 \
	find_worst(s, offsetof(struct run_result, member), out)

static void note_lag(const struct session *s, FILE *out)
{
	char p50[FMT_SIZE], p99[FMT_SIZE], max[FMT_SIZE];
	const struct run_result *run;
	double worst;

	run = WORST(s, lag_max_us, &worst);
	if (!run)
		return;
	fprintf(out,
		"- schedule: %llu operations were due before their client got "
		"to them; all\n  scheduled ones started %s (median), %s "
		"(p99), %s (max) after their time (",
		(unsigned long long)run->late_ops,
		fmt_us(run->lag_p50_us, p50, sizeof(p50)),
		fmt_us(run->lag_p99_us, p99, sizeof(p99)),
		fmt_us(worst, max, sizeof(max)));
	print_run_name(s, run, out);
	fputs(")\n", out);
}

static void note_skew(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, start_skew_us, &worst);
	if (!run || run->clients < 2)
		return;
	fprintf(out, "- the clients started within %s of each other (",
		fmt_us(worst, text, sizeof(text)));
	print_run_name(s, run, out);
	fprintf(out, ")%s\n",
		worst / 1e6 > run->seconds * SKEW_SHARE_MAX ?
			": too far apart for so short a run" :
			"");
}

static void note_sync_time(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, sync_seconds, &worst);
	if (!run)
		return;
	fprintf(out, "- the closing sync took up to %s (",
		fmt_us(worst * 1e6, text, sizeof(text)));
	print_run_name(s, run, out);
	fputs(")\n", out);
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
	print_run_name(s, run, out);
	fprintf(out,
		": %u of the clients did no operation in the measured time\n",
		idle);
}

static void note_volatile(const struct session *s, FILE *out)
{
	for (size_t t = 0; t < s->ntargets; t++)
		if (target_is_volatile(&s->targets[t]))
			fprintf(out,
				"- nothing is durable: %s is memory\n",
				s->targets[t].fs);
}

static void note_stall(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, stalled_seconds, &worst);
	if (!run || worst <= 0)
		return;
	fprintf(out, "- disturbed: for %s nothing could watch the clients (",
		fmt_us(worst * 1e6, text, sizeof(text)));
	print_run_name(s, run, out);
	fputs("): all\n  were stopped, or the machine was; these numbers are "
	      "too low\n",
	      out);
}

static void note_driver(const struct session *s, FILE *out)
{
	char text[FMT_SIZE];
	double worst;

	if (!WORST(s, driver_share, &worst))
		return;
	fprintf(out,
		"- the driver itself is about %s %% of the clients' CPU "
		"time%s\n",
		fmt_percent(worst, text, sizeof(text)),
		worst > DRIVER_SHARE_MAX ?
			": it shows in these numbers" : "");
}

static void note_pass(const struct session *s, FILE *out)
{
	bool marked = false;

	if (s->pass_mode)
		return;
	for (size_t i = 0; i < s->nruns; i++)
		marked = marked || (run_judge(s, &s->runs[i]) != RUN_BAD &&
				    s->runs[i].passes.min < 1);
	if (marked)
		fputs("- <1 pass: the slowest client did not get through the "
		      "load file once; unless\n  the load is even throughout, "
		      "such a row did other work than the others\n", out);
}

void text_notes(const struct session *s, const struct report_opts *opts,
		FILE *out)
{
	autofree char *why = escape_text(s->partial_why);

	fputs("\n", out);
	if (s->partial)
		fprintf(out, "- not everything planned was run%s%s\n",
			why[0] ? ": " : "", why);
	note_runs(s, note_end, out);
	note_runs(s, note_errors, out);
	note_runs(s, note_sync, out);
	note_runs(s, note_skipped, out);
	note_runs(s, note_idle, out);
	if (opts->quiet)
		return;
	note_pass(s, out);
	note_volatile(s, out);
	note_stall(s, out);
	note_lag(s, out);
	note_skew(s, out);
	note_sync_time(s, out);
	note_driver(s, out);
	fputs("- durability unknown: whether synced data is on the disk was "
	      "not examined\n", out);
	if (s->rounds < 2)
		fputs("- one round: how much the numbers vary is unknown "
		      "(--rounds)\n", out);
}
