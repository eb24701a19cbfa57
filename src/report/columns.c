/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the main table shows, in the order it is shown.
 *
 * A row without a result says so in its leading number (see cell.h) and has
 * "-" in the others: no number is made up.
 */
#include "report/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/macro.h"
#include "base/mem.h"
#include "report/cell.h"
#include "report/escape.h"
#include "report/fmt.h"

static bool has_targets(const struct session *s)
{
	return s->ntargets > 1;
}

static bool has_rounds(const struct session *s)
{
	return s->rounds > 1;
}

static bool is_pass_mode(const struct session *s)
{
	return s->pass_mode;
}

static bool is_time_mode(const struct session *s)
{
	return !s->pass_mode;
}

static void print_range(double from, double to, char *buf, size_t size)
{
	char a[FMT_SIZE], b[FMT_SIZE];

	if (!isfinite(from) || !isfinite(to)) {
		(void)snprintf(buf, size, "-");
		return;
	}
	(void)snprintf(buf, size, "%s..%s", fmt_number(from, a, sizeof(a)),
		       fmt_number(to, b, sizeof(b)));
}

static void print_target(const struct row *row, char *buf, size_t size)
{
	autofree char *name =
		escape_text(row->s->targets[row->sum->target].name);

	(void)snprintf(buf, size, "%s", name);
}

static void print_clients(const struct row *row, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%u", row->sum->clients);
}

static void print_seconds(const struct row *row, char *buf, size_t size)
{
	cell_text(row->sum, cell_metric(row->s, row->sum, METRIC_PASS), buf,
		  size);
}

static void print_first_last(const struct row *row, char *buf, size_t size)
{
	print_range(row->sum->first_done_seconds.median,
		    row->sum->last_done_seconds.median, buf, size);
}

static void print_mb(const struct row *row, char *buf, size_t size)
{
	cell_text(row->sum,
		  session_moves_bytes(row->s) ? row->sum->mb_per_s.median : NAN,
		  buf, size);
}

static void print_mb_range(const struct row *row, char *buf, size_t size)
{
	const struct spread *mb = &row->sum->mb_per_s;
	bool several = mb->n > 1 && session_moves_bytes(row->s);

	/* one value is no range */
	print_range(several ? mb->min : NAN, mb->max, buf, size);
}

static void print_durable(const struct row *row, char *buf, size_t size)
{
	(void)fmt_number(session_moves_bytes(row->s) ?
				 row->sum->durable_mb_per_s.median : NAN,
			 buf, size);
}

static void print_ops(const struct row *row, char *buf, size_t size)
{
	(void)fmt_number(row->sum->ops_per_s.median, buf, size);
}

static void print_pass(const struct row *row, char *buf, size_t size)
{
	(void)fmt_number(row->sum->pass_seconds.median, buf, size);
}

/*
 * Not in the summary, since nothing is decided by it: the 90th percentile of
 * each round that counts, and of those the median.
 */
static void print_pass_p90(const struct row *row, char *buf, size_t size)
{
	const struct summary_result *sum = row->sum;
	enum run_worth counts = sum->partial ? RUN_PARTIAL : RUN_GOOD;
	autofree double *v = mem_zalloc(row->cell->nruns + 1, sizeof(*v));
	size_t n = 0;

	for (size_t i = 0; i < row->cell->nruns; i++) {
		const struct run_result *run = row->cell->runs[i];

		if (isfinite(run->pass_p90_seconds) &&
		    run_judge(row->s, run) == counts)
			v[n++] = run->pass_p90_seconds;
	}
	(void)fmt_number(stats_median(v, n), buf, size);
}

static void print_passes(const struct row *row, char *buf, size_t size)
{
	double min = row->sum->passes_min.median;
	double median = row->sum->passes_median.median;

	if (!isfinite(min) || !isfinite(median))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%.*f/%.*f", min < 100 ? 2 : 0, min,
			       median < 100 ? 2 : 0, median);
}

static void print_fairness(const struct row *row, char *buf, size_t size)
{
	double fairness = row->sum->fairness.median;

	/* a single client is fair to itself: no information */
	if (row->sum->clients < 2 || !isfinite(fairness))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%.3f", fairness);
}

static void print_cpu(const struct row *row, char *buf, size_t size)
{
	double seconds = row->sum->seconds.median;
	double user = row->sum->user_seconds.median / seconds;
	double system = row->sum->system_seconds.median / seconds;

	if (!isfinite(user) || !isfinite(system))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%.0f+%.0f", user * 100,
			       system * 100);
}

static void print_errors(const struct row *row, char *buf, size_t size)
{
	/* what was not measured did not count its errors either */
	if (!row->sum->n && !row->sum->errors)
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%llu",
			       (unsigned long long)row->sum->errors);
}

/* Why a row has no result, in two words; the notes have the rest. */
static const char *failure_name(const struct row *row)
{
	if (row->sum->lost)
		return err_name(cell_loss(row->cell));
	switch (row->sum->end) {
	case RUN_CLIENT_DIED:
		return "client died";
	case RUN_STUCK:
		return "stuck";
	case RUN_FAILED:
		return "not set up";
	case RUN_INTERRUPTED:
		return "interrupted";
	case RUN_RESERVE:
		return "disk reserve";
	case RUN_COMPLETE:
		break;
	}
	return "nothing worked";
}

/* Append a remark to what is in BUF already. */
static void add_remark(char *buf, size_t size, const char *text)
{
	size_t used = strlen(buf);

	(void)snprintf(buf + used, size - used, "%s%s", used ? ", " : "",
		       text);
}

static void print_note(const struct row *row, char *buf, size_t size)
{
	const struct summary_result *sum = row->sum;
	char failed[48];

	buf[0] = '\0';
	if (!sum->n) {
		if (sum->failed)
			add_remark(buf, size, failure_name(row));
		return;
	}
	if (is_time_mode(row->s) && sum->passes_min.min < 1)
		add_remark(buf, size, "<1 pass");
	if (sum->partial)
		add_remark(buf, size, "cut short");
	if (sum->failed) {
		(void)snprintf(failed, sizeof(failed), "%zu of %zu %s",
			       sum->failed, sum->failed + sum->n,
			       sum->end == RUN_INTERRUPTED ? "cut short"
							   : "failed");
		add_remark(buf, size, failed);
	}
}

const struct column report_columns[] = {
	{ .title = "Target", .left = true, .wanted = has_targets,
	  .print = print_target, .always = true },
	{ .title = "Clients", .print = print_clients, .always = true },
	{ .title = "seconds ", .wanted = is_pass_mode,
	  .print = print_seconds, .always = true },
	{ .title = "first..last", .wanted = is_pass_mode,
	  .print = print_first_last },
	{ .title = "MB/s ", .print = print_mb, .always = true },
	{ .title = "min..max", .wanted = has_rounds,
	  .print = print_mb_range },
	{ .title = "durable", .print = print_durable },
	{ .title = "ops/s", .print = print_ops },
	{ .title = "pass s", .print = print_pass },
	{ .title = "p90 s", .print = print_pass_p90 },
	{ .title = "passes", .wanted = is_time_mode, .print = print_passes },
	{ .title = "fair", .print = print_fairness },
	{ .title = "CPU %", .print = print_cpu },
	{ .title = "errors", .print = print_errors, .always = true },
	{ .title = "note", .left = true, .print = print_note,
	  .always = true },
};

const size_t report_columns_nr = ARRAY_SIZE(report_columns);

void column_text(const struct column *column, const struct row *row,
		 char *buf, size_t size)
{
	if (row->sum->n || column->always)
		column->print(row, buf, size);
	else
		(void)snprintf(buf, size, "-");
}
