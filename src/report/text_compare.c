/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several targets side by side: the numbers, in the form in which people
 * publish them, and what may be concluded from them.
 *
 * The first table has medians of independent rounds; the second has pairs of
 * the same round, so its ratio is not that of two numbers of the first.
 */
#include "report/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "report/cell.h"
#include "report/escape.h"
#include "report/fmt.h"
#include "report/table.h"
#include "stats/compare.h"

#define CELL_SIZE 64
#define WHY_SHOWN 44 /* columns of it in the table */

static void print_rounds(const struct session *s, FILE *out)
{
	if (s->rounds > 1)
		fprintf(out, ", median of %u rounds", s->rounds);
}

static void add_pivot_row(const struct session *s, unsigned clients,
			  enum metric metric, struct table *table)
{
	char text[CELL_SIZE];

	table_row(table);
	(void)snprintf(text, sizeof(text), "%u", clients);
	table_cell(table, text);
	for (unsigned t = 0; t < s->ntargets; t++) {
		struct summary_result sum;

		session_summary(s, clients, t, &sum);
		cell_text(&sum, cell_metric(s, &sum, metric), text,
			  sizeof(text));
		table_cell(table, text);
	}
}

void text_pivot(const struct session *s, FILE *out)
{
	enum metric metric = session_moves_bytes(s) ? METRIC_MB : METRIC_OPS;
	struct table *table = table_new();

	fputs(metric_title(metric), out);
	print_rounds(s, out);
	fputs(":\n\n", out);
	table_column(table, "Clients", false);
	for (size_t t = 0; t < s->ntargets; t++) {
		autofree char *name = escape_text(s->targets[t].name);
		/* over the digits, not over the mark */
		autofree char *title = mem_printf("%s ", name);

		table_column(table, title, false);
	}
	for (size_t c = 0; c < s->ncounts; c++)
		add_pivot_row(s, s->counts[c], metric, table);
	table_print(table, out);
	table_free(table);
}

/* The median of one target in one row; which may be words. */
static void add_median(const struct session *s, const struct comparison *cmp,
		       unsigned target, struct table *table)
{
	struct summary_result sum;
	char text[CELL_SIZE];

	session_summary(s, cmp->clients, target, &sum);
	cell_text(&sum, cell_metric(s, &sum, cmp->metric), text,
		  sizeof(text));
	table_cell(table, text);
}

static void add_interval(const struct comparison *cmp, struct table *table)
{
	char low[FMT_SIZE], high[FMT_SIZE], text[2 * FMT_SIZE + 2];

	if (isfinite(cmp->low) && isfinite(cmp->high))
		(void)snprintf(text, sizeof(text), "%s..%s",
			       fmt_ratio(cmp->low, low, sizeof(low)),
			       fmt_ratio(cmp->high, high, sizeof(high)));
	else
		(void)snprintf(text, sizeof(text), "-");
	table_cell(table, text);
}

/* Reason and remark together; the caller frees it. */
static char *join_why(const struct comparison *cmp)
{
	autofree char *why = escape_text(cmp->why);
	autofree char *remark = escape_text(cmp->remark);

	return mem_printf("%s%s%s", why, why[0] && remark[0] ? "; " : "",
			  remark);
}

/* What would make the table too wide follows it. */
static void add_why(const struct comparison *cmp, struct table *table)
{
	autofree char *text = join_why(cmp);

	table_cell(table, strlen(text) > WHY_SHOWN ? "see below" : text);
}

static void print_long_whys(const struct session *s,
			    const struct comparison *list, size_t n, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < n; i++) {
		autofree char *text = join_why(&list[i]);

		if (strlen(text) <= WHY_SHOWN)
			continue;
		fputs(first ? "\n" : "", out);
		first = false;
		text_cell_name(s, list[i].clients, list[i].target, out);
		fprintf(out, ": %s:\n  %s\n", verdict_name(list[i].verdict),
			text);
	}
}

static void add_comparison(const struct session *s,
			   const struct comparison *cmp, struct table *table)
{
	autofree char *name = escape_text(s->targets[cmp->target].name);
	char number[FMT_SIZE], text[FMT_SIZE + 1];

	table_row(table);
	(void)snprintf(text, sizeof(text), "%u", cmp->clients);
	table_cell(table, text);
	table_cell(table, name);
	add_median(s, cmp, cmp->to, table);
	add_median(s, cmp, cmp->target, table);
	fmt_ratio(cmp->value, number, sizeof(number));
	(void)snprintf(text, sizeof(text), "%s%s",
		       isfinite(cmp->value) ? "x" : "", number);
	table_cell(table, text);
	add_interval(cmp, table);
	(void)snprintf(text, sizeof(text), isfinite(cmp->sd) ? "%.3f" : "-",
		       cmp->sd);
	table_cell(table, text);
	table_cell(table, fmt_p(cmp->p_adjusted, text, sizeof(text)));
	table_cell(table, verdict_name(cmp->verdict));
	add_why(cmp, table);
}

static struct table *new_compare_table(void)
{
	static const struct {
		const char *title;
		bool left;
	} columns[] = {
		{ "Clients", false },	     { "Target", true },
		{ "reference ", false },     { "this ", false },
		{ "ratio", false },	     { "95 % interval", false },
		{ "sd", false },	     { "p", false },
		{ "verdict", true },	     { "why", true },
	};
	struct table *table = table_new();

	for (size_t i = 0; i < ARRAY_SIZE(columns); i++)
		table_column(table, columns[i].title, columns[i].left);
	return table;
}

void text_compare(const struct session *s, FILE *out)
{
	autofree struct comparison *list = NULL;
	size_t n = session_compare(s, &list);
	enum metric metric = session_metric(s);
	autofree char *name = NULL;
	struct table *table;

	if (!n)
		return;
	name = escape_text(s->targets[list[0].to].name);
	table = new_compare_table();
	fprintf(out, "\nCompared by %s%s; the reference is %s:\n\n",
		metric_title(metric),
		metric != METRIC_PASS ? "" :
		s->pass_mode	      ? " (seconds for all passes)" :
					" (seconds)",
		name);
	for (size_t i = 0; i < n; i++)
		add_comparison(s, &list[i], table);
	table_print(table, out);
	table_free(table);
	print_long_whys(s, list, n, out);
}
