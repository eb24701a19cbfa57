/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run in the JSON document.  Keys, beside those of json.c:
 *
 *	round, order           from 1; place in the plan
 *	target, clients, backend, iodepth
 *	complete               it ended as planned and counts
 *	end                    complete, interrupted, reserve, client_died,
 *	                       stuck, failed
 *	reason                 why it is not complete, or null
 *	disturbed              others used the machine, or the run was
 *	                       stopped or starved; null: too little was seen
 *	disturbed_why          what, or null
 *	foreign                what others did: cpu_seconds, steal_seconds (of
 *	                       the hypervisor), read_bytes, written_bytes
 *	stalled_seconds        in which nothing of the run could run
 *	regime                 what bound it: cached, throttled, disk, or null
 *	peak_dirty_bytes       dirty memory of the machine, at most
 *	device_busy            of the disk below, share of the time, 0..1
 *	durability             null: not examined yet
 *	setup_seconds, settle_seconds, teardown_seconds
 *	                       of the layout, and waiting for quiet between
 *	seconds, warmup_seconds, sync_seconds, sync_error ("EIO" or null)
 *	sync_levels[]          of that, seconds per level, topmost first
 *	lost_error             "EIO": what was synced is lost; or null
 *	lost_what              who said so
 *	bytes_read, bytes_written, ops
 *	                       totals of the measured time; null when it was
 *	                       not reached
 *	errors, skipped        of the whole run, preamble and warm-up included
 *	bytes_read_since_gate, bytes_written_since_gate
 *	                       warm-up and measured time, for durable_mb_per_s
 *	mb_per_s, durable_mb_per_s, ops_per_s
 *	                       null in a run without a result (a client died,
 *	                       nothing worked), even if bytes were moved
 *	passes_per_client      min, median, max; fractional
 *	pass_seconds           p50, p90
 *	first_done_seconds, last_done_seconds   with passes: gate to the first
 *	                       and the last client's end
 *	first_error            null or where, op, path, expected, actual,
 *	                       client
 *	user_seconds, system_seconds            CPU of the clients
 *	start_skew_us          first operations: last client - first client
 *	ready_seconds          fork to the last client ready
 *	reap_seconds           stop to the last client gone
 *	fairness               Jain's index of the clients' operations
 *	driver_share           of the clients' CPU time, estimated, 0..1
 *	late_ops, lag_p50_us, lag_p99_us, lag_max_us    with time stamps
 *	per_op                 by operation: count, bytes, errors, mean_us,
 *	                       p50_us, p90_us, p99_us, p999_us, max_us
 *	per_client[]           with --per-client: client, ops, skipped,
 *	                       errors, bytes_read, bytes_written, passes,
 *	                       passes_done, user_seconds, system_seconds,
 *	                       finished_seconds
 */
#include "report/json_run.h"

#include <math.h>

#include "base/err.h"
#include "report/jsonval.h"

static const char *end_name(enum run_end end)
{
	switch (end) {
	case RUN_COMPLETE:
		return "complete";
	case RUN_INTERRUPTED:
		return "interrupted";
	case RUN_RESERVE:
		return "reserve";
	case RUN_CLIENT_DIED:
		return "client_died";
	case RUN_STUCK:
		return "stuck";
	case RUN_FAILED:
		break;
	}
	return "failed";
}

/* Results are only known when the measured time was reached. */
static double known_or_nan(const struct run_result *run, double v)
{
	return run->measured ? v : NAN;
}

static void put_known(json_t *o, const char *key, bool known, uint64_t value)
{
	if (known)
		jsonval_put_count(o, key, value);
	else
		jsonval_put_null(o, key);
}

static void put_identity(json_t *o, const struct session *s,
			 const struct run_result *run)
{
	bool good = run_judge(s, run) == RUN_GOOD;

	jsonval_put_count(o, "round", run->round);
	jsonval_put_count(o, "order", run->order);
	jsonval_put_text(o, "target", s->targets[run->target].name);
	jsonval_put_count(o, "clients", run->clients);
	jsonval_put_text(o, "backend", s->backend);
	jsonval_put_count(o, "iodepth", s->iodepth);
	jsonval_put_bool(o, "complete", good);
	jsonval_put_text(o, "end", end_name(run->end));
	jsonval_put_text(o, "reason", run->reason);
}

static void put_disturbance(json_t *o, const struct run_result *run)
{
	const struct disturbance *d = &run->disturbance;
	bool stalled = run->stalled_seconds > 0;
	json_t *foreign = jsonval_object();

	if (d->known || d->disturbed || stalled)
		jsonval_put_bool(o, "disturbed", d->disturbed || stalled);
	else
		jsonval_put_null(o, "disturbed");
	jsonval_put_text(o, "disturbed_why",
			 d->why[0] || !stalled ? d->why : "stalled");
	jsonval_put_number(o, "stalled_seconds", run->stalled_seconds);
	jsonval_put_number(foreign, "cpu_seconds",
			   known_or_nan(run, d->cpu_seconds));
	jsonval_put_number(foreign, "steal_seconds",
			   known_or_nan(run, d->steal_seconds));
	jsonval_put_number(foreign, "read_bytes",
			   known_or_nan(run, d->read_bytes));
	jsonval_put_number(foreign, "written_bytes",
			   known_or_nan(run, d->written_bytes));
	jsonval_put(o, "foreign", foreign);
}

static const char *regime_name(enum regime regime)
{
	switch (regime) {
	case REGIME_CACHED:
		return "cached";
	case REGIME_THROTTLED:
		return "throttled";
	case REGIME_DISK:
		return "disk";
	case REGIME_UNKNOWN:
		break;
	}
	return NULL;
}

/* What the layout cost, and what bound the run on it. */
static void put_layout(json_t *o, const struct run_result *run)
{
	json_t *levels = jsonval_array();

	for (unsigned i = 0; i < run->nlevel_syncs && i < CHAIN_MAX; i++)
		jsonval_append_number(levels, run->level_sync_seconds[i]);
	jsonval_put(o, "sync_levels", levels);
	jsonval_put_text(o, "lost_error",
			 run->lost_errno ? err_name(run->lost_errno) : NULL);
	jsonval_put_text(o, "lost_what", run->lost_what);
	jsonval_put_number(o, "setup_seconds", run->setup_seconds);
	jsonval_put_number(o, "settle_seconds", run->settle_seconds);
	jsonval_put_number(o, "teardown_seconds", run->teardown_seconds);
	jsonval_put_text(o, "regime", regime_name(run->regime));
	jsonval_put_nonzero(o, "peak_dirty_bytes", run->peak_dirty_bytes);
	jsonval_put_number(o, "device_busy",
			   known_or_nan(run, run->device_busy));
}

static void put_rates(json_t *o, const struct session *s,
		      const struct run_result *run)
{
	bool bad = run_judge(s, run) == RUN_BAD, known = run->measured;
	const struct totals *t = &run->totals, *gate = &run->since_gate;

	jsonval_put_number(o, "seconds", known_or_nan(run, run->seconds));
	jsonval_put_number(o, "warmup_seconds",
			   s->pass_mode ? NAN : run->warmup_seconds);
	put_known(o, "bytes_read", known, t->bytes_read);
	put_known(o, "bytes_written", known, t->bytes_written);
	put_known(o, "bytes_read_since_gate", known, gate->bytes_read);
	put_known(o, "bytes_written_since_gate", known, gate->bytes_written);
	jsonval_put_number(o, "mb_per_s", bad ? NAN : run->mb_per_s);
	jsonval_put_number(o, "sync_seconds",
			   known_or_nan(run, run->sync_seconds));
	jsonval_put_text(o, "sync_error",
			 run->sync_errno ? err_name(run->sync_errno) : NULL);
	jsonval_put_number(o, "durable_mb_per_s",
			   bad ? NAN : run->durable_mb_per_s);
	put_known(o, "ops", known, t->ops);
	jsonval_put_number(o, "ops_per_s", bad ? NAN : run->ops_per_s);
	put_known(o, "errors", known || t->errors, t->errors);
	put_known(o, "skipped", known || t->skipped, t->skipped);
}

static void put_passes(json_t *o, const struct run_result *run)
{
	json_t *passes = jsonval_object(), *pass = jsonval_object();

	jsonval_put_number(passes, "min",
			   known_or_nan(run, run->passes.min));
	jsonval_put_number(passes, "median",
			   known_or_nan(run, run->passes.median));
	jsonval_put_number(passes, "max",
			   known_or_nan(run, run->passes.max));
	jsonval_put(o, "passes_per_client", passes);
	jsonval_put_number(pass, "p50",
			   known_or_nan(run, run->pass_p50_seconds));
	jsonval_put_number(pass, "p90",
			   known_or_nan(run, run->pass_p90_seconds));
	jsonval_put(o, "pass_seconds", pass);
	jsonval_put_number(o, "first_done_seconds",
			   known_or_nan(run, run->first_done_seconds));
	jsonval_put_number(o, "last_done_seconds",
			   known_or_nan(run, run->last_done_seconds));
}

static void put_first_error(json_t *o, const struct first_error *e)
{
	json_t *v;

	if (!e->set) {
		jsonval_put_null(o, "first_error");
		return;
	}
	v = jsonval_object();
	jsonval_put_text(v, "where", e->where);
	jsonval_put_text(v, "op", e->op);
	jsonval_put_text(v, "path", e->path);
	jsonval_put_text(v, "expected", e->expected);
	jsonval_put_text(v, "actual", e->actual);
	jsonval_put_count(v, "client", e->client);
	jsonval_put(o, "first_error", v);
}

static void put_circumstances(json_t *o, const struct run_result *run)
{
	bool stamps = isfinite(run->lag_max_us);

	jsonval_put_number(o, "user_seconds",
			   known_or_nan(run, run->user_seconds));
	jsonval_put_number(o, "system_seconds",
			   known_or_nan(run, run->system_seconds));
	jsonval_put_number(o, "start_skew_us",
			   known_or_nan(run, run->start_skew_us));
	jsonval_put_number(o, "ready_seconds", run->ready_seconds);
	jsonval_put_number(o, "reap_seconds", run->reap_seconds);
	jsonval_put_number(o, "fairness",
			   known_or_nan(run, run->fairness));
	jsonval_put_number(o, "driver_share",
			   known_or_nan(run, run->driver_share));
	put_known(o, "late_ops", stamps, run->late_ops);
	jsonval_put_number(o, "lag_p50_us", run->lag_p50_us);
	jsonval_put_number(o, "lag_p99_us", run->lag_p99_us);
	jsonval_put_number(o, "lag_max_us", run->lag_max_us);
}

static json_t *build_op(const struct op_result *op)
{
	bool any = op->stats.count > 0;
	json_t *o = jsonval_object();

	jsonval_put_count(o, "count", op->stats.count);
	jsonval_put_count(o, "bytes", op->stats.bytes);
	jsonval_put_count(o, "errors", op->stats.errors);
	jsonval_put_number(o, "mean_us", any ? op->mean_us : NAN);
	jsonval_put_number(o, "p50_us", any ? op->p50_us : NAN);
	jsonval_put_number(o, "p90_us", any ? op->p90_us : NAN);
	jsonval_put_number(o, "p99_us", any ? op->p99_us : NAN);
	jsonval_put_number(o, "p999_us", any ? op->p999_us : NAN);
	jsonval_put_number(o, "max_us", any ? op->max_us : NAN);
	return o;
}

static json_t *build_client(unsigned number, const struct client_result *c)
{
	json_t *o = jsonval_object();

	jsonval_put_count(o, "client", number);
	jsonval_put_count(o, "ops", c->totals.ops);
	jsonval_put_count(o, "skipped", c->totals.skipped);
	jsonval_put_count(o, "errors", c->totals.errors);
	jsonval_put_count(o, "bytes_read", c->totals.bytes_read);
	jsonval_put_count(o, "bytes_written", c->totals.bytes_written);
	jsonval_put_number(o, "passes", c->passes);
	jsonval_put_count(o, "passes_done", c->passes_done);
	jsonval_put_number(o, "user_seconds", c->user_seconds);
	jsonval_put_number(o, "system_seconds", c->system_seconds);
	jsonval_put_number(o, "finished_seconds", c->finished_seconds);
	return o;
}

static void put_clients(json_t *o, const struct run_result *run)
{
	json_t *clients = jsonval_array();

	for (unsigned i = 0; run->per_client && i < run->clients; i++)
		jsonval_append(clients, build_client(i, &run->per_client[i]));
	jsonval_put(o, "per_client", clients);
}

json_t *json_run_build(const struct session *s, const struct run_result *run,
		       bool per_client)
{
	json_t *o = jsonval_object(), *ops = jsonval_object();

	put_identity(o, s, run);
	put_disturbance(o, run);
	put_rates(o, s, run);
	put_layout(o, run);
	put_passes(o, run);
	put_first_error(o, &run->first_error);
	put_circumstances(o, run);
	for (size_t i = 0; i < run->nops; i++)
		jsonval_put(ops, op_info(run->ops[i].code)->name,
			    build_op(&run->ops[i]));
	jsonval_put(o, "per_op", ops);
	if (per_client)
		put_clients(o, run);
	jsonval_put_null(o, "durability");
	return o;
}
