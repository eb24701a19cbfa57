/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the time went: the operations of a run, and its clients.
 *
 * Percentiles of several rounds cannot be joined afterwards, so a table is
 * of one run and says of which: the last round that has a result.
 */
#include "report/text.h"

#include <math.h>

#include "base/cleanup.h"
#include "report/escape.h"
#include "report/fmt.h"
#include "report/table.h"

/* The last run of CELL with a result, a whole one if there is one; or NULL. */
static const struct run_result *find_run(const struct session *s,
					 const struct cell *cell)
{
	const struct run_result *found = NULL;
	enum run_worth best = RUN_BAD;

	for (size_t i = 0; i < cell->nruns; i++) {
		enum run_worth worth = run_judge(s, cell->runs[i]);

		if (worth == RUN_BAD || (found && worth > best))
			continue;
		found = cell->runs[i];
		best = worth;
	}
	return found;
}

static bool has_errors(const struct run_result *run)
{
	for (size_t i = 0; i < run->nops; i++) {
		if (run->ops[i].stats.errors)
			return true;
	}
	return false;
}

static double total_us(const struct run_result *run)
{
	double sum = 0;

	for (size_t i = 0; i < run->nops; i++)
		sum += (double)run->ops[i].stats.sum_ns / 1000;
	return sum;
}

static void add_count(struct table *table, uint64_t n)
{
	char text[FMT_SIZE];

	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	table_cell(table, text);
}

static void add_op(struct table *table, const struct op_result *op,
		   double all_us, bool errors)
{
	const double us[] = { op->mean_us, op->p50_us, op->p90_us,
			      op->p99_us, op->max_us };
	char text[FMT_SIZE];

	table_row(table);
	table_cell(table, op_info(op->code)->name);
	add_count(table, op->stats.count);
	if (errors)
		add_count(table, op->stats.errors);
	table_cell(table, fmt_mb(op->stats.bytes, text, sizeof(text)));
	table_cell(table, fmt_percent((double)op->stats.sum_ns / 1000 / all_us,
				      text, sizeof(text)));
	for (size_t i = 0; i < ARRAY_SIZE(us); i++)
		table_cell(table, op->stats.count ?
					  fmt_us(us[i], text, sizeof(text)) :
					  "-");
}

static void print_ops(const struct run_result *run, FILE *out)
{
	static const char *const titles[] = { "MB",  "time %", "mean", "p50",
					      "p90", "p99",    "max" };
	struct table *table = table_new();
	double all_us = total_us(run);
	bool errors = has_errors(run);

	table_column(table, "Operation", true);
	table_column(table, "count", false);
	if (errors)
		table_column(table, "errors", false);
	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_column(table, titles[i], false);
	for (size_t i = 0; i < run->nops; i++)
		add_op(table, &run->ops[i], all_us, errors);
	table_print(table, out);
	table_free(table);
}

static void add_client(struct table *table, unsigned number,
		       const struct client_result *c)
{
	const double seconds[] = { c->user_seconds, c->system_seconds,
				   c->finished_seconds };
	char text[FMT_SIZE];

	table_row(table);
	add_count(table, number);
	add_count(table, c->totals.ops);
	table_cell(table, fmt_mb(c->totals.bytes_read, text, sizeof(text)));
	table_cell(table, fmt_mb(c->totals.bytes_written, text, sizeof(text)));
	table_cell(table, fmt_number(c->passes, text, sizeof(text)));
	add_count(table, c->totals.errors);
	add_count(table, c->totals.skipped);
	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++)
		table_cell(table, fmt_number(seconds[i], text, sizeof(text)));
}

static void print_clients(const struct run_result *run, FILE *out)
{
	static const char *const titles[] = {
		"Client", "ops",     "MB read", "written", "passes",
		"errors", "skipped", "user s",  "sys s",   "finished s"
	};
	struct table *table = table_new();

	for (size_t i = 0; i < ARRAY_SIZE(titles); i++)
		table_column(table, titles[i], false);
	for (unsigned i = 0; i < run->clients; i++)
		add_client(table, i, &run->per_client[i]);
	table_print(table, out);
	table_free(table);
}

/* " with N clients on TARGET, round R of RS". */
static void print_which(const struct session *s, const struct run_result *run,
			FILE *out)
{
	autofree char *name = escape_text(s->targets[run->target].name);

	fprintf(out, " with %u client%s", run->clients,
		run->clients == 1 ? "" : "s");
	if (s->ntargets > 1)
		fprintf(out, " on %s", name);
	if (s->rounds > 1)
		fprintf(out, ", round %u of %u", run->round, s->rounds);
}

static void print_run(const struct session *s, const struct run_result *run,
		      const struct report_opts *opts, FILE *out)
{
	bool ops = !opts->quiet && (s->ntargets == 1 || opts->verbose);

	if (run->nops && ops) {
		fputs("\nOperations", out);
		print_which(s, run, out);
		fputs(" (time each took; sum over the clients):\n\n", out);
		print_ops(run, out);
	}
	if (opts->per_client && run->per_client) {
		fputs("\nClients of the run", out);
		print_which(s, run, out);
		fputs(":\n\n", out);
		print_clients(run, out);
	}
}

void text_details(const struct evaluation *ev, const struct report_opts *opts,
		  FILE *out)
{
	const struct session *s = ev->s;
	bool all = opts->verbose;

	for (size_t c = 0; c < s->ncounts; c++) {
		/* the last row first when only one is wanted */
		size_t row = all ? c : s->ncounts - 1 - c;
		bool printed = false;

		for (size_t t = 0; t < s->ntargets; t++) {
			const struct run_result *run =
				find_run(s, evaluation_cell(ev, row, t));

			if (!run)
				continue;
			print_run(s, run, opts, out);
			printed = true;
		}
		if (printed && !all)
			return;
	}
}
