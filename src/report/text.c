/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readable report: heading, tables, their legend, details, notes.
 * The order is that of a reader's questions: what was this, what came out,
 * which is faster, what do the columns mean, is that a fair comparison, where
 * did the time go, may I believe it.  With one target nothing is compared.
 */
#include "report/text.h"

#include <errno.h>
#include <math.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "report/cell.h"
#include "report/columns.h"
#include "report/escape.h"
#include "report/fmt.h"
#include "report/table.h"

#define CELL_SIZE 256

static bool is_wanted(const struct column *column, const struct session *s)
{
	return !column->wanted || column->wanted(s);
}

static void add_row(struct table *table, const struct row *row)
{
	char text[CELL_SIZE];

	table_row(table);
	for (size_t i = 0; i < report_columns_nr; i++) {
		const struct column *column = &report_columns[i];

		if (!is_wanted(column, row->s))
			continue;
		column_text(column, row, text, sizeof(text));
		table_cell(table, text);
	}
}

static void print_table(const struct evaluation *ev, FILE *out)
{
	struct table *table = table_new();

	for (size_t i = 0; i < report_columns_nr; i++) {
		if (is_wanted(&report_columns[i], ev->s))
			table_column(table, report_columns[i].title,
				     report_columns[i].left);
	}
	for (size_t i = 0; i < ev->ncells; i++) {
		const struct cell *cell = &ev->cells[i];
		struct row row = { .s = ev->s, .cell = cell,
				   .sum = &cell->sum };

		add_row(table, &row);
	}
	table_print(table, out);
	table_free(table);
}

static void print_legend(const struct session *s, FILE *out)
{
	fputs("\n", out);
	if (s->pass_mode)
		fputs("seconds  until the last client had done its passes\n",
		      out);
	fprintf(out, "MB/s     10^6 bytes read and written in the measured "
		     "time%s\n",
		s->rounds > 1 ? "; median of the rounds" : "");
	fprintf(out,
		"durable  MB/s with the closing sync: bytes since the start / "
		"(%smeasured + sync)\n",
		s->pass_mode ? "" : "warm-up + ");
	if (s->pass_mode)
		fputs("pass s   seconds one pass took: median, 90th "
		      "percentile\n", out);
	else
		fputs("pass s   seconds one pass took: median, 90th "
		      "percentile; passes: per client,\n"
		      "         fewest/median\n", out);
	fputs("fair     Jain's index of the clients' operations, 1 is even; "
	      "CPU %: user+system,\n"
	      "         100 is one CPU busy\n", out);
}

static void print_compare_legend(FILE *out)
{
	fputs("ratio    how many times as fast as the reference: geometric "
	      "mean of the rounds' pairs,\n"
	      "         with its 95 % interval; sd: standard deviation of the "
	      "logarithms of the pairs;\n"
	      "         p: adjusted for the number of rows (Holm)\n",
	      out);
}

/* Explain the marks that occur; BEFORE goes before the first. */
static void print_marks(const struct evaluation *ev, const char *before,
			FILE *out)
{
	struct marks marks;

	cell_marks(ev, &marks);
	if (marks.partial || marks.surprised || marks.disturbed)
		fputs(before, out);
	if (marks.partial)
		fputs("*        cut short: of the time or the rounds until "
		      "then only\n", out);
	if (marks.surprised)
		fputs("!        operations did not end as the load file says: "
		      "see below\n", out);
	if (marks.disturbed)
		fputs("~        some round was disturbed: see below\n", out);
}

/* The tables of several targets, which come before that of all numbers. */
static void print_compared(const struct evaluation *ev,
			   const struct report_opts *opts, FILE *out)
{
	text_pivot(ev, out);
	text_compare(ev, out);
	if (!opts->quiet)
		fputs("\nEach target by itself:\n\n", out);
}

static void print_report(const struct evaluation *ev,
			 const struct report_opts *opts, FILE *out)
{
	const struct session *s = ev->s;
	bool several = s->ntargets > 1;

	if (!opts->quiet) {
		text_heading(s, out);
		fputs("\n", out);
	}
	if (several)
		print_compared(ev, opts, out);
	if (!several || !opts->quiet)
		print_table(ev, out);
	if (!opts->quiet)
		print_legend(s, out);
	if (several && !opts->quiet)
		print_compare_legend(out);
	print_marks(ev, several && opts->quiet ? "\n" : "", out);
	if (several && !opts->quiet)
		text_differences(s, out);
	if (!opts->quiet || opts->per_client)
		text_details(ev, opts, out);
	text_notes(ev, opts, out);
}

int report_text(const struct session *s, const struct report_opts *opts,
		FILE *out)
{
	struct evaluation ev;

	session_evaluate(s, &ev);
	print_report(&ev, opts, out);
	evaluation_done(&ev);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}

void report_run_line(const struct session *s, const struct run_result *run,
		     FILE *out)
{
	char mb[FMT_SIZE], durable[FMT_SIZE], ops[FMT_SIZE];
	enum run_worth worth = run_judge(s, run);
	autofree char *name = escape_text(s->targets[run->target].name);
	autofree char *reason = escape_text(run->reason);
	autofree char *lost = escape_text(run->lost_what);

	fprintf(out, "%u client%s", run->clients,
		run->clients == 1 ? "" : "s");
	if (s->ntargets > 1)
		fprintf(out, ", %s", name);
	if (s->rounds > 1)
		fprintf(out, ", round %u", run->round);
	if (run->lost_errno) {
		fprintf(out, ": lost data: %s: %s\n", lost,
			err_name(run->lost_errno));
		return;
	}
	if (worth == RUN_BAD) {
		fprintf(out, ": failed%s%s\n", reason[0] ? ": " : "", reason);
		return;
	}
	fprintf(out, ": %s MB/s (durable %s), %s ops/s",
		fmt_number(run->mb_per_s, mb, sizeof(mb)),
		fmt_number(run->durable_mb_per_s, durable, sizeof(durable)),
		fmt_number(run->ops_per_s, ops, sizeof(ops)));
	if (s->pass_mode && isfinite(run->last_done_seconds))
		fprintf(out, ", %s s",
			fmt_number(run->last_done_seconds, mb, sizeof(mb)));
	if (run->totals.errors)
		fprintf(out, ", %llu errors",
			(unsigned long long)run->totals.errors);
	if (run->disturbance.disturbed || run->stalled_seconds > 0)
		fputs(", disturbed", out);
	if (worth == RUN_PARTIAL)
		fprintf(out, ", cut short%s%s", reason[0] ? ": " : "", reason);
	fputs("\n", out);
}
