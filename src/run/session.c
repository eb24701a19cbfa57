/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a request to results.
 *
 * Preparation raises limits, checks processes, space and rights, tries every
 * layout, and times the driver: the program is run for a moment by one client
 * with the null backend, whose cost per operation is all ours.  Execution
 * builds the target, waits until the disk is quiet, runs the fleet, and
 * removes it all again, for every run of the plan; what one run made is never
 * seen by the next.
 *
 * A run that cannot be set up is a failed run, not the end: the others of a
 * long comparison are worth having.
 */
#include "run/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/calibrate.h"
#include "run/janitor.h"
#include "run/limits.h"
#include "run/pool.h"
#include "run/target.h"

struct session_run {
	struct session_request req;
	struct janitor *janitor; /* borrowed */
	struct watch *watch;     /* borrowed */
	struct pool pool;
	struct mntns ns;         /* entered when a target has layers */
	struct target *targets;  /* owned; NULL: the backend touches nothing */
	struct plan plan;
	bool left_behind;        /* something could not be removed */
	double driver_ns;        /* per operation; NAN: not known */
	struct run_result *runs;
	size_t nruns;
};

static void warn(const struct session_run *sr, const char *text)
{
	if (sr->req.warn)
		sr->req.warn(sr->req.arg, text);
}

static bool touches_nothing(const struct session_run *sr)
{
	return sr->req.backend->moves_nothing;
}

static bool stop_asked(void *arg)
{
	struct session_run *sr = arg;

	(void)watch_poll(sr->watch, 0);
	mntns_follow(&sr->ns);
	return sr->watch->interrupted;
}

static unsigned largest_count(const struct session_request *req)
{
	unsigned most = 0;
	size_t i;

	for (i = 0; i < req->ncounts; i++)
		most = MAX_OF(most, req->counts[i]);
	return most;
}

static int check_limits(struct session_run *sr, struct err *err)
{
	int ret = limits_raise_files(sr->req.prog->facts.max_open, err);

	if (ret < 0)
		return ret;
	return limits_check_processes(largest_count(&sr->req), err);
}

/* Bases are opened in the namespace, so it is entered before. */
static int enter_namespace(struct session_run *sr, struct err *err)
{
	size_t i;
	int ret;

	for (i = 0; i < sr->req.ntargets; i++)
		if (spec_has(&sr->req.specs[i], LAYER_MOUNTS))
			break;
	if (i == sr->req.ntargets)
		return 0;
	ret = mntns_check(err);
	if (ret < 0)
		return err_prefix(err, "%s", sr->req.specs[i].text);
	return mntns_enter(&sr->ns, err);
}

static int open_target(struct session_run *sr, size_t i, struct err *err)
{
	const struct prog_facts *facts = &sr->req.prog->facts;
	const struct limits_peak peak = {
		.clients = largest_count(&sr->req),
		.bytes_per_client = facts->peak_client_bytes,
		.bytes_shared = facts->peak_shared_bytes,
		.files_per_client = facts->peak_client_files,
		.files_shared = facts->peak_shared_files,
	};
	struct target *target = &sr->targets[i];

	target->ns = &sr->ns;
	target->janitor = sr->janitor;
	target->prepare = sr->req.prog->pass_start > 0;
	target->force = sr->req.no_reserve;
	target->stop = stop_asked;
	target->stop_arg = sr;
	return target_open(target, &peak, err);
}

static int open_targets(struct session_run *sr, struct err *err)
{
	size_t i;
	int ret;

	sr->targets = mem_zalloc(sr->req.ntargets, sizeof(*sr->targets));
	for (i = 0; i < sr->req.ntargets; i++) {
		sr->targets[i] = (struct target)TARGET_INIT;
		sr->targets[i].spec = &sr->req.specs[i];
		target_hold(&sr->targets[i]);
	}
	ret = enter_namespace(sr, err);
	for (i = 0; i < sr->req.ntargets && ret == 0; i++)
		ret = open_target(sr, i, err);
	return ret;
}

/* Whatever WHY says about what was left behind. */
static void note_left(struct session_run *sr, int ret, const struct err *why)
{
	if (ret >= 0)
		return;
	warn(sr, why->text);
	sr->left_behind = true;
}

/* Build target I once, to see whether that works and what it is like. */
static int try_target(struct session_run *sr, size_t i, struct err *err)
{
	struct target_info *info = &sr->req.infos[i];
	struct target *target = &sr->targets[i];
	struct target_run *tr;
	struct err why = ERR_INIT;
	char path[64];
	int ret;

	info->is_test = spec_is_test(target->spec);
	info->is_volatile = spec_is_volatile(target->spec);
	if (!target_has_layers(target)) {
		target_describe_base(target, info);
		return 0;
	}
	tr = mem_zalloc(1, sizeof(*tr));
	ret = target_build(target, tr, err);
	note_left(sr, tr->left.code, &tr->left);
	if (ret == 0) {
		ret = target_finish(tr, path, sizeof(path), err);
		if (ret == 0)
			target_describe(tr, info);
		note_left(sr, target_remove(tr, false, &why), &why);
	}
	free(tr);
	return stop_asked(sr) ? -EINTR : ret;
}

static int check_targets(struct session_run *sr, struct err *err)
{
	struct err why = ERR_INIT;
	size_t i;
	int ret;

	if (touches_nothing(sr))
		return 0;
	ret = open_targets(sr, err);
	for (i = 0; i < sr->req.ntargets && ret == 0; i++) {
		if (target_remove_stale(&sr->targets[i], &why) < 0)
			warn(sr, why.text);
		ret = try_target(sr, i, err);
	}
	return ret;
}

static struct fleet_plan make_fleet_plan(const struct session_run *sr,
					 unsigned clients)
{
	const struct session_request *req = &sr->req;

	return (struct fleet_plan){
		.setup = {
			.prog = req->prog,
			.backend = req->backend,
			.env = req->env,
			.fleet_fd = -1,
			.late_dirfd = sr->ns.root_fd,
			.passes = req->passes,
			.seed = req->seed,
			.rate_mb_per_s = req->rate_mb_per_s,
			.pool = sr->pool.bytes,
			.pool_mask = sr->pool.mask,
			.patterns = sr->pool.patterns,
		},
		.clients = clients,
		.warmup_seconds = req->warmup_seconds,
		.timelimit_seconds = req->timelimit_seconds,
		.watchdog_seconds = req->watchdog_seconds,
		.progress = req->progress,
		.progress_arg = req->arg,
	};
}

static int time_driver(struct session_run *sr, struct err *err)
{
	struct fleet_plan plan = make_fleet_plan(sr, 1);

	sr->driver_ns = NAN;
	if (touches_nothing(sr) || sr->req.prog->facts.has_waits)
		return 0;
	return calibrate_driver(&plan, sr->watch, &sr->driver_ns, err);
}

int session_prepare(const struct session_request *req, struct janitor *janitor,
		    struct watch *watch, struct session_run **out,
		    struct err *err)
{
	struct session_run *sr = mem_zalloc(1, sizeof(*sr));
	int ret;

	*sr = (struct session_run){ .req = *req, .janitor = janitor,
				    .watch = watch, .ns = MNTNS_INIT };
	ret = check_limits(sr, err);
	if (ret == 0)
		ret = pool_make(&sr->pool, req->prog, req->data, req->seed,
				err);
	if (ret == 0)
		ret = time_driver(sr, err);
	if (ret == 0)
		ret = check_targets(sr, err);
	if (ret < 0) {
		session_done(sr);
		return ret;
	}
	plan_make(&sr->plan, req->counts, req->ncounts, req->rounds,
		  (unsigned)req->ntargets, req->seed);
	sr->runs = mem_zalloc(sr->plan.n, sizeof(*sr->runs));
	*out = sr;
	return 0;
}

size_t session_planned(const struct session_run *sr)
{
	return sr->plan.n;
}

bool session_left_behind(const struct session_run *sr)
{
	return sr->left_behind;
}

/* The driver's part of the CPU time that the clients used. */
static void estimate_share(const struct session_run *sr,
			   struct run_result *run)
{
	double cpu = run->user_seconds + run->system_seconds;

	if (cpu > 0)
		run->driver_share = (double)run->totals.ops * sr->driver_ns /
				    1e9 / cpu;
	if (run->driver_share > 1)
		run->driver_share = 1;
}

static void say_kept(const struct session_run *sr, const struct target_run *tr)
{
	char text[4200];

	(void)snprintf(text, sizeof(text), "kept %s/%s",
		       tr->target->spec->levels[0].path, tr->dir.name);
	warn(sr, text);
}

/* What finishing a prepared target needs. */
struct finishing {
	struct target_run *tr;
	struct storage *storage;
};

static int finish(void *arg, char *path, size_t size, struct err *err)
{
	struct finishing *finishing = arg;
	int ret = target_finish(finishing->tr, path, size, err);

	if (ret == 0)
		target_levels(finishing->tr, &finishing->storage->levels);
	return ret;
}

/* Wait until the disk is quiet; -EINTR when the user does not want to. */
static int settle(struct session_run *sr, const struct storage *storage,
		  double *out_seconds)
{
	struct settle quiet = { .stop = stop_asked, .arg = sr };

	settle_before(&storage->levels, &quiet);
	*out_seconds = (double)(quiet.sync_ns + quiet.wait_ns) / 1e9;
	if (quiet.sync_errno)
		warn(sr, "the file system could not write what was in the "
			 "cache before this run: older data may be lost");
	return sr->watch->interrupted ? -EINTR : 0;
}

/* What the file systems noticed themselves. */
static void inspect(const struct target_run *tr, struct run_result *run)
{
	struct err why = ERR_INIT;

	if (layout_inspect(&tr->layout, &why) == 0 || run->lost_errno)
		return;
	run->lost_errno = EIO;
	run->durable_mb_per_s = NAN;
	(void)snprintf(run->lost_what, sizeof(run->lost_what), "%.*s",
		       (int)sizeof(run->lost_what) - 1, why.text);
}

static int run_in(struct session_run *sr, struct target_run *tr,
		  struct fleet_plan *plan, struct run_result *run,
		  struct err *err)
{
	struct storage storage = {
		.base_fd = tr->target->base_fd,
		.reserve_bytes = tr->target->reserve_bytes,
		.ns = &sr->ns,
		.cold_fd = sr->req.cold ? tr->dir.fleet_fd : -1,
	};
	struct finishing finishing = { tr, &storage };
	double settle_seconds;
	int ret;

	target_levels(tr, &storage.levels);
	plan->storage = &storage;
	plan->prepared = finish;
	plan->prepared_arg = &finishing;
	plan->setup.fleet_fd = tr->dir.fleet_fd;
	plan->setup.env.no_symlinks = !tr->target->symlinks;
	plan->setup.env.confined = tr->dir.nosymfollow;
	plan->setup.env.delay_ns = tr->layout.op_delay_ns;
	ret = settle(sr, &storage, &settle_seconds);
	if (ret < 0)
		return ret;
	ret = fleet_run(plan, sr->watch, run, err);
	run->settle_seconds = settle_seconds;
	if (ret == 0)
		inspect(tr, run);
	return ret;
}

/* One run on a target of its own. */
static int run_on_target(struct session_run *sr, struct target *target,
			 struct fleet_plan *plan, struct run_result *run,
			 struct err *err)
{
	struct target_run *tr = mem_zalloc(1, sizeof(*tr));
	struct err why = ERR_INIT;
	uint64_t start_ns;
	int ret = target_build(target, tr, err);

	note_left(sr, tr->left.code, &tr->left);
	if (ret == 0) {
		ret = stop_asked(sr) ? -EINTR
				     : run_in(sr, tr, plan, run, err);
		if (sr->req.keep)
			say_kept(sr, tr);
		start_ns = clock_now_ns();
		note_left(sr, target_remove(tr, sr->req.keep, &why), &why);
		if (target_has_layers(target)) {
			run->setup_seconds = tr->setup_seconds;
			run->teardown_seconds =
				(double)(clock_now_ns() - start_ns) / 1e9;
		}
	}
	free(tr);
	return stop_asked(sr) && ret < 0 ? -EINTR : ret;
}

/* It could not be set up: a result that says so and has no numbers. */
static void fail_run(struct run_result *run, const struct err *err)
{
	run_result_done(run);
	run_result_init(run);
	run->end = RUN_FAILED;
	(void)snprintf(run->reason, sizeof(run->reason), "%.*s",
		       (int)sizeof(run->reason) - 1, err->text);
}

/* What is the same for every run, however it went. */
static void finish_run(struct session_run *sr,
		       const struct planned_run *planned,
		       struct run_result *run)
{
	const struct target_info *info = &sr->req.infos[planned->target];

	run->clients = planned->clients;
	run->round = planned->round;
	run->target = planned->target;
	run->order = (unsigned)++sr->nruns;
	run_result_limit(run, touches_nothing(sr), target_is_volatile(info));
	if (sr->req.run_done)
		sr->req.run_done(sr->req.arg, run);
}

static int run_one(struct session_run *sr, const struct planned_run *planned)
{
	struct fleet_plan plan = make_fleet_plan(sr, planned->clients);
	struct run_result *run = &sr->runs[sr->nruns];
	struct err err = ERR_INIT;
	int ret;

	if (sr->req.run_begins)
		sr->req.run_begins(sr->req.arg, planned);
	if (touches_nothing(sr))
		ret = fleet_run(&plan, sr->watch, run, &err);
	else
		ret = run_on_target(sr, &sr->targets[planned->target], &plan,
				    run, &err);
	if (ret == -EINTR) {
		run_result_done(run);
		return ret;
	}
	if (ret < 0)
		fail_run(run, &err);
	else
		estimate_share(sr, run);
	finish_run(sr, planned, run);
	return run->end == RUN_INTERRUPTED ? -EINTR : 0;
}

int session_execute(struct session_run *sr, struct run_result **out_runs,
		    size_t *out_n)
{
	size_t i;
	int ret = 0;

	for (i = 0; i < sr->plan.n && ret == 0; i++)
		ret = run_one(sr, &sr->plan.runs[i]);
	*out_runs = sr->runs;
	*out_n = sr->nruns;
	return ret;
}

void session_done(struct session_run *sr)
{
	size_t i;

	if (!sr)
		return;
	for (i = 0; i < sr->nruns; i++)
		run_result_done(&sr->runs[i]);
	free(sr->runs);
	for (i = 0; sr->targets && i < sr->req.ntargets; i++)
		target_close(&sr->targets[i]);
	free(sr->targets);
	plan_done(&sr->plan);
	mntns_done(&sr->ns);
	pool_done(&sr->pool);
	free(sr);
}
