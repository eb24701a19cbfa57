/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adding up: what each client counted alone becomes the result of the run.
 * Everything here happens after the clients have ended.
 *
 * MB/s is dbench's: bytes that reads and writes of the measured window moved
 * over its length, 10^6 bytes a megabyte.  Durable MB/s counts all bytes
 * since the gate over all the time until they were safe: warm-up, measured
 * window, the end of what was going on at the stop, and the closing sync.
 * Errors and skipped operations are those of the whole run, preamble and
 * warm-up included: there is no good place for an error.
 */
#include "run/merge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

#define US_PER_S 1e6
#define MB 1e6

static double seconds_between(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) / (double)NS_PER_S : 0.0;
}

static void merge_totals(struct slot *slot, struct run_result *result)
{
	struct totals *all = &result->totals;

	totals_add(all, &slot->totals);
	all->errors += slot->warmup.errors + slot->once.errors;
	all->skipped += slot->warmup.skipped + slot->once.skipped;
	totals_add(&result->since_gate, &slot->totals);
	totals_add(&result->since_gate, &slot->warmup);
}

static double fractional_passes(const struct prog *prog,
				const struct totals *totals)
{
	double per_pass = (double)prog->facts.ops_per_pass;

	if (per_pass <= 0)
		return 0;
	return (double)(totals->ops + totals->skipped) / per_pass;
}

static void merge_client(const struct prog *prog, const struct run_times *t,
			 struct slot *slot, struct client_result *out)
{
	out->totals = slot->totals;
	out->passes = fractional_passes(prog, &slot->totals);
	out->passes_done = slot->passes_done;
	out->user_seconds = (double)slot->user_us / US_PER_S;
	out->system_seconds = (double)slot->system_us / US_PER_S;
	out->finished_seconds = seconds_between(t->open_ns, slot->last_op_ns);
}

static void finish_op(struct op_result *op, const uint64_t *hist,
		      unsigned bits)
{
	const struct kind_stats *ks = &op->stats;
	double max = (double)ks->max_ns / 1e3;

	op->max_us = max;
	op->mean_us = ks->count ? (double)ks->sum_ns / 1e3 / (double)ks->count
				: NAN;
	op->p50_us = fmin(hist_quantile(hist, bits, 0.50) / 1e3, max);
	op->p90_us = fmin(hist_quantile(hist, bits, 0.90) / 1e3, max);
	op->p99_us = fmin(hist_quantile(hist, bits, 0.99) / 1e3, max);
	op->p999_us = fmin(hist_quantile(hist, bits, 0.999) / 1e3, max);
}

static void merge_ops(const struct shm *shm, const struct prog *prog,
		      struct run_result *result)
{
	size_t buckets = hist_buckets(shm->hist_bits);
	uint64_t *hist = mem_zalloc(buckets, sizeof(*hist));
	unsigned kind, i;

	result->nops = prog->nkinds;
	result->ops = mem_zalloc(prog->nkinds, sizeof(*result->ops));
	for (kind = 0; kind < prog->nkinds; kind++) {
		struct op_result *op = &result->ops[kind];

		op->code = prog->kind_code[kind];
		for (i = 0; i < buckets; i++)
			hist[i] = 0;
		for (i = 0; i < shm->clients; i++) {
			struct slot *slot = shm_slot(shm, i);

			kind_stats_add(&op->stats, &slot_kinds(slot)[kind]);
			op->since_gate += slot->warmup_counts[kind];
			hist_merge(hist, slot_hist(shm, slot, kind),
				   shm->hist_bits);
		}
		op->since_gate += op->stats.count;
		finish_op(op, hist, shm->hist_bits);
	}
	free(hist);
}

/* Quantiles of pass times, of those that the clients have kept. */
static void merge_passes(const struct shm *shm, struct run_result *result)
{
	double *seconds = mem_zalloc((size_t)shm->clients * PASS_TIMES,
				     sizeof(*seconds));
	size_t n = 0;
	unsigned i;
	uint32_t j;

	for (i = 0; i < shm->clients; i++) {
		const struct slot *slot = shm_slot(shm, i);

		for (j = 0; j < slot->pass_times_n; j++)
			seconds[n++] = (double)slot->pass_times_ns[j] / 1e9;
	}
	result->pass_p50_seconds = stats_median(seconds, n);
	result->pass_p90_seconds = stats_quantile(seconds, n, 0.9);
	free(seconds);
}

static void merge_lag(const struct shm *shm, struct run_result *result)
{
	uint64_t hist[(HIST_TOP - LAG_BITS + 1) << LAG_BITS] = { 0 };
	uint64_t max = 0;
	unsigned i;

	for (i = 0; i < shm->clients; i++) {
		const struct slot *slot = shm_slot(shm, i);

		hist_merge(hist, slot->lag, LAG_BITS);
		result->late_ops += slot->late_ops;
		max = MAX_OF(max, slot->lag_max_ns);
	}
	result->lag_p50_us = NAN;
	result->lag_p99_us = NAN;
	result->lag_max_us = NAN;
	if (!hist_count(hist, LAG_BITS))
		return;
	result->lag_max_us = (double)max / 1e3;
	result->lag_p50_us = fmin(hist_quantile(hist, LAG_BITS, 0.5) / 1e3,
				  result->lag_max_us);
	result->lag_p99_us = fmin(hist_quantile(hist, LAG_BITS, 0.99) / 1e3,
				  result->lag_max_us);
}

static void merge_first_error(const struct shm *shm, struct run_result *result)
{
	uint64_t first = UINT64_MAX;
	unsigned i;

	for (i = 0; i < shm->clients; i++) {
		const struct slot *slot = shm_slot(shm, i);

		if (!slot->first_error.set || slot->first_error_ns >= first)
			continue;
		first = slot->first_error_ns;
		result->first_error = slot->first_error;
	}
}

void merge_lost(const struct shm *shm, const struct prog *prog,
		struct run_result *result)
{
	char where[160];
	unsigned i;

	for (i = 0; i < shm->clients && !result->lost_errno; i++) {
		const struct slot *slot = shm_slot(shm, i);

		if (!slot->lost_errno)
			continue;
		result->lost_errno = slot->lost_errno;
		prog_where(prog, slot->lost_pc, where, sizeof(where));
		(void)snprintf(result->lost_what, sizeof(result->lost_what),
			       "%s at %s",
			       op_info(prog->recs[slot->lost_pc].code)->name,
			       where);
	}
}

/* Spread, fairness, skew, CPU: over the clients. */
static void merge_clients(const struct shm *shm, const struct prog *prog,
			  const struct run_times *t, struct run_result *result)
{
	double *passes = mem_zalloc(shm->clients, sizeof(*passes));
	double *ops = mem_zalloc(shm->clients, sizeof(*ops));
	uint64_t first = UINT64_MAX;
	uint64_t last = 0;
	unsigned i;

	result->per_client = mem_zalloc(shm->clients,
					sizeof(*result->per_client));
	for (i = 0; i < shm->clients; i++) {
		struct slot *slot = shm_slot(shm, i);
		struct client_result *client = &result->per_client[i];

		merge_totals(slot, result);
		merge_client(prog, t, slot, client);
		passes[i] = client->passes;
		ops[i] = (double)slot->totals.ops;
		result->user_seconds += client->user_seconds;
		result->system_seconds += client->system_seconds;
		if (slot->first_op_ns)
			first = MIN_OF(first, slot->first_op_ns);
		last = MAX_OF(last, slot->first_op_ns);
	}
	result->start_skew_us = last ? (double)(last - first) / 1e3 : NAN;
	result->fairness = result->totals.ops ? stats_jain(ops, shm->clients)
					      : NAN;
	stats_spread(passes, shm->clients, &result->passes);
	free(passes);
	free(ops);
}

static void merge_finish(const struct run_times *t, struct run_result *result)
{
	double first = INFINITY;
	double last = 0;
	unsigned i;

	result->first_done_seconds = NAN;
	result->last_done_seconds = NAN;
	if (!t->pass_mode || result->end != RUN_COMPLETE)
		return;
	for (i = 0; i < result->clients; i++) {
		double at = result->per_client[i].finished_seconds;

		first = fmin(first, at);
		last = fmax(last, at);
	}
	result->first_done_seconds = first;
	result->last_done_seconds = last;
}

static void compute_rates(struct run_result *r)
{
	double bytes = (double)(r->totals.bytes_read +
				r->totals.bytes_written);
	double all = (double)(r->since_gate.bytes_read +
			      r->since_gate.bytes_written);
	double until_safe = r->warmup_seconds + r->seconds + r->reap_seconds +
			    r->sync_seconds;

	r->mb_per_s = NAN;
	r->ops_per_s = NAN;
	r->durable_mb_per_s = NAN;
	if (!r->measured || r->seconds <= 0)
		return;
	r->mb_per_s = bytes / MB / r->seconds;
	r->ops_per_s = (double)r->totals.ops / r->seconds;
	if (r->lost_errno == 0 && until_safe > 0)
		r->durable_mb_per_s = all / MB / until_safe;
}

void merge_slots(const struct shm *shm, const struct prog *prog,
		 const struct run_times *t, struct run_result *result)
{
	result->measured = t->open_ns && t->stop_ns > t->measure_ns;
	result->seconds = result->measured
				  ? seconds_between(t->measure_ns, t->stop_ns)
				  : 0;
	result->warmup_seconds =
		seconds_between(t->open_ns, MIN_OF(t->measure_ns, t->stop_ns));
	result->ready_seconds = t->ready_ns ? seconds_between(t->fork_ns,
							      t->ready_ns)
					    : NAN;
	result->reap_seconds = seconds_between(t->stop_ns, t->reaped_ns);
	merge_clients(shm, prog, t, result);
	merge_ops(shm, prog, result);
	merge_passes(shm, result);
	merge_lag(shm, result);
	merge_first_error(shm, result);
	merge_finish(t, result);
	compute_rates(result);
}
