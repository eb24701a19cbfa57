/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From runs to table cells: which runs may be believed, and the median and
 * range over those that may.
 *
 * A run that failed never turns into a small number: run_judge() says so and
 * everything that prints asks it.  The fields that are summarised are one
 * table of offsets, so that adding a column is adding a row.
 */
#include "stats/result.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

void run_result_init(struct run_result *run)
{
	*run = (struct run_result){
		.mb_per_s = NAN, .ops_per_s = NAN, .durable_mb_per_s = NAN,
		.sync_seconds = NAN, .pass_p50_seconds = NAN,
		.pass_p90_seconds = NAN, .first_done_seconds = NAN,
		.last_done_seconds = NAN, .fairness = NAN,
		.start_skew_us = NAN, .ready_seconds = NAN,
		.reap_seconds = NAN, .lag_p50_us = NAN, .lag_p99_us = NAN,
		.lag_max_us = NAN, .setup_seconds = NAN,
		.teardown_seconds = NAN, .settle_seconds = NAN,
		.device_busy = NAN, .driver_share = NAN,
		.passes = { .min = NAN, .median = NAN, .max = NAN },
		.disturbance = { .cpu_seconds = NAN, .steal_seconds = NAN,
				 .read_bytes = NAN, .written_bytes = NAN },
	};
}

void run_result_limit(struct run_result *run, bool nothing_moved,
		      bool is_volatile)
{
	if (nothing_moved)
		run->mb_per_s = NAN;
	if (nothing_moved || is_volatile)
		run->durable_mb_per_s = NAN;
}

void run_result_done(struct run_result *run)
{
	if (!run)
		return;
	free(run->ops);
	free(run->per_client);
	run->ops = NULL;
	run->nops = 0;
	run->per_client = NULL;
}

/* Memory, or an overlay that was told to ignore fsync(2). */
static bool is_link_volatile(const struct chain_link *link)
{
	if (chain_is_memory(link))
		return true;
	return (strcmp(link->kind, "overlay") == 0 ||
		strcmp(link->fs, "overlay") == 0) &&
	       /* newer kernels print it in the second way */
	       (chain_has_option(link->mount_options, "volatile", 8) ||
		chain_has_option(link->mount_options, "fsync=volatile", 14));
}

bool target_is_volatile(const struct target_info *target)
{
	if (target->is_volatile)
		return true;
	for (size_t i = 0; i < target->nchain; i++)
		if (is_link_volatile(&target->chain[i]))
			return true;
	return false;
}

enum run_worth run_judge(const struct session *s, const struct run_result *run)
{
	const struct totals *t = &run->totals;
	bool load_moves = s->load.bytes_read_per_pass ||
			  s->load.bytes_written_per_pass;

	if (!run->measured || !t->ops || !(run->seconds > 0))
		return RUN_BAD;
	if (run->lost_errno)
		return RUN_BAD;
	if (load_moves && t->errors && !t->bytes_read && !t->bytes_written)
		return RUN_BAD;
	switch (run->end) {
	case RUN_COMPLETE:
		return RUN_GOOD;
	case RUN_INTERRUPTED:
	case RUN_RESERVE:
		return RUN_PARTIAL;
	case RUN_CLIENT_DIED:
	case RUN_STUCK:
	case RUN_FAILED:
		break;
	}
	return RUN_BAD;
}

bool run_disturbed(const struct run_result *run)
{
	return run->disturbance.disturbed || run->stalled_seconds > 0;
}

bool run_surprised(const struct run_result *run)
{
	return run->totals.errors || run->since_gate.errors ||
	       run->first_error.set;
}

/* Where a double of the run goes in the summary. */
struct field {
	size_t from; /* offset of a double in struct run_result */
	size_t to;   /* offset of a struct spread in struct summary_result */
};

#define FIELD(run_member, sum_member)                                         \
	{ offsetof(struct run_result, run_member),                            \
	  offsetof(struct summary_result, sum_member) }

static const struct field fields[] = {
	FIELD(mb_per_s, mb_per_s),
	FIELD(durable_mb_per_s, durable_mb_per_s),
	FIELD(ops_per_s, ops_per_s),
	FIELD(pass_p50_seconds, pass_seconds),
	FIELD(seconds, seconds),
	FIELD(first_done_seconds, first_done_seconds),
	FIELD(last_done_seconds, last_done_seconds),
	FIELD(passes.min, passes_min),
	FIELD(passes.median, passes_median),
	FIELD(fairness, fairness),
	FIELD(user_seconds, user_seconds),
	FIELD(system_seconds, system_seconds),
};

static double field_value(const struct run_result *run, const struct field *f)
{
	double v;

	memcpy(&v, (const char *)run + f->from, sizeof(v));
	return v;
}

/* The spread of one field over N runs; VALUES is room for N doubles. */
static void summarise_field(struct summary_result *sum, const struct field *f,
			    const struct run_result *const *runs,
			    double *values)
{
	struct spread spread;
	size_t n = 0;

	for (size_t i = 0; i < sum->n; i++) {
		values[n] = field_value(runs[i], f);
		if (isfinite(values[n]))
			n++;
	}
	stats_spread(values, n, &spread);
	memcpy((char *)sum + f->to, &spread, sizeof(spread));
}

static bool is_in_cell(const struct summary_result *sum,
		       const struct run_result *run)
{
	return run->clients == sum->clients && run->target == sum->target;
}

/* Collect the runs of the cell that are worth WORTH; returns how many. */
static size_t collect_runs(const struct session *s,
			   const struct summary_result *sum,
			   enum run_worth worth,
			   const struct run_result **out_runs)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (is_in_cell(sum, run) && run_judge(s, run) == worth)
			out_runs[n++] = run;
	}
	return n;
}

/* What is counted over all rounds: errors, losses, those that do not count. */
static void count_rounds(const struct session *s, enum run_worth counts,
			 struct summary_result *sum)
{
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (!is_in_cell(sum, run))
			continue;
		sum->errors += run->totals.errors;
		sum->surprised = sum->surprised || run_surprised(run);
		sum->lost = sum->lost || run->lost_errno;
		if (run_judge(s, run) == counts)
			continue;
		sum->failed++;
		sum->end = run->end;
	}
}

/*
 * Data lost in one round is the answer for the cell: the speed of the other
 * rounds would hide it.
 */
static void drop_lost(struct summary_result *sum)
{
	sum->failed += sum->n;
	sum->n = 0;
	sum->partial = false;
}

void session_summary(const struct session *s, unsigned clients,
		     unsigned target, struct summary_result *sum)
{
	autofree const struct run_result **runs =
		mem_zalloc(s->nruns + 1, sizeof(*runs));
	autofree double *values = mem_zalloc(s->nruns + 1, sizeof(*values));
	enum run_worth counts = RUN_GOOD;

	memset(sum, 0, sizeof(*sum));
	sum->clients = clients;
	sum->target = target;
	sum->n = collect_runs(s, sum, RUN_GOOD, runs);
	if (!sum->n) {
		counts = RUN_PARTIAL;
		sum->n = collect_runs(s, sum, RUN_PARTIAL, runs);
		sum->partial = sum->n > 0;
	}
	sum->fewer = s->partial && sum->n && sum->n < s->rounds;
	count_rounds(s, counts, sum);
	if (sum->lost)
		drop_lost(sum);
	for (size_t i = 0; i < sum->n; i++) {
		totals_add(&sum->totals, &runs[i]->totals);
		sum->disturbed += run_disturbed(runs[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		summarise_field(sum, &fields[i], runs, values);
}
