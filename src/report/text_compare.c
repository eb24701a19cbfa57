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
#define WHY_SHOWN 36       /* columns of it in the table */
#define LINE_MAX_WISHED 120

static void print_rounds(const struct session *s, FILE *out)
{
	if (s->rounds > 1 && s->partial)
		fprintf(out, ", median of the rounds that were made, of %u",
			s->rounds);
	else if (s->rounds > 1)
		fprintf(out, ", median of %u rounds", s->rounds);
}

static void add_count(unsigned clients, struct table *table)
{
	char text[CELL_SIZE];

	(void)snprintf(text, sizeof(text), "%u", clients);
	table_row(table);
	table_cell(table, text);
}

/* The median of one cell; which may be words. */
static void add_median(const struct session *s, const struct cell *cell,
		       enum metric metric, struct table *table)
{
	char text[CELL_SIZE];

	cell_text(&cell->sum, cell_metric(s, &cell->sum, metric), text,
		  sizeof(text));
	table_cell(table, text);
}

void text_pivot(const struct evaluation *ev, FILE *out)
{
	const struct session *s = ev->s;
	enum metric metric = session_moves_bytes(s) ? METRIC_MB : METRIC_OPS;
	struct table *table = table_new();

	fputs(metric_title(s, metric), out);
	print_rounds(s, out);
	fputs(":\n\n", out);
	table_column(table, "Clients", false);
	for (size_t t = 0; t < s->ntargets; t++) {
		autofree char *name = escape_text(s->targets[t].name);
		/* over the digits, not over the mark */
		autofree char *title = mem_printf("%s ", name);

		table_column(table, title, false);
	}
	for (size_t c = 0; c < s->ncounts; c++) {
		add_count(s->counts[c], table);
		for (size_t t = 0; t < s->ntargets; t++)
			add_median(s, evaluation_cell(ev, c, t), metric,
				   table);
	}
	table_print(table, out);
	table_free(table);
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

/* In one line if it fits. */
static void print_long_why(const struct session *s,
			   const struct comparison *cmp, FILE *out)
{
	autofree char *why = join_why(cmp), *name = NULL;
	size_t size = 0;
	FILE *mem;

	if (strlen(why) <= WHY_SHOWN)
		return;
	mem = open_memstream(&name, &size);
	if (!mem)
		return;
	text_cell_name(s, cmp->clients, cmp->target, mem);
	fprintf(mem, ", %s:", verdict_name(cmp->verdict));
	(void)fclose(mem);
	fprintf(out, "%s%s%s\n", name,
		size + strlen(why) < LINE_MAX_WISHED ? " " : "\n  ", why);
}

static void print_long_whys(const struct evaluation *ev, FILE *out)
{
	bool any = false;

	for (size_t i = 0; i < ev->n; i++) {
		autofree char *why = join_why(&ev->list[i]);

		if (strlen(why) > WHY_SHOWN && !any)
			fputs("\n", out);
		any = any || strlen(why) > WHY_SHOWN;
		print_long_why(ev->s, &ev->list[i], out);
	}
}

/* The comparison of CELL with that of the first target, TO. */
static void add_comparison(const struct evaluation *ev,
			   const struct cell *cell, const struct cell *to,
			   struct table *table)
{
	const struct comparison *cmp = evaluation_find(ev, cell);
	autofree char *name = escape_text(ev->s->targets[cell->target].name);
	char number[FMT_SIZE], text[FMT_SIZE + 1];

	add_count(cell->clients, table);
	table_cell(table, name);
	add_median(ev->s, to, cmp->metric, table);
	add_median(ev->s, cell, cmp->metric, table);
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

void text_compare(const struct evaluation *ev, FILE *out)
{
	const struct session *s = ev->s;
	enum metric metric = session_metric(s);
	autofree char *name = escape_text(s->targets[0].name);
	struct table *table;

	if (!ev->n)
		return;
	table = new_compare_table();
	fprintf(out, "\nCompared by %s%s; the reference is %s:\n\n",
		metric_title(s, metric),
		metric == METRIC_PASS ? " (seconds)" : "", name);
	for (size_t c = 0; c < s->ncounts; c++)
		for (size_t t = 1; t < s->ntargets; t++)
			add_comparison(ev, evaluation_cell(ev, c, t),
				       evaluation_cell(ev, c, 0), table);
	table_print(table, out);
	table_free(table);
	print_long_whys(ev, out);
}
