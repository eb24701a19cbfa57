/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From a request to results.
 *
 * Preparation raises limits, checks processes, space and rights, and times
 * the driver: the program is run for a moment by one client with the null
 * backend, whose cost per operation is all ours.  Execution makes a run
 * directory, waits until the disk is quiet, runs the fleet, and removes the
 * directory again, for every run; the directory of one run is never seen by
 * the next.
 */
#include "run/session.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "run/janitor.h"
#include "run/limits.h"
#include "run/pool.h"
#include "run/rundir.h"
#include "run/settle.h"

#define CALIBRATION_SECONDS 0.03

struct session_run {
	struct session_request req;
	struct janitor *janitor; /* borrowed */
	struct watch *watch;     /* borrowed */
	struct pool pool;
	int target_fd;           /* -1: the backend touches nothing */
	uint64_t reserve_bytes;
	bool left_behind;        /* a run directory could not be removed */
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

static unsigned largest_count(const struct session_request *req)
{
	unsigned most = 0;
	size_t i;

	for (i = 0; i < req->ncounts; i++)
		most = MAX_OF(most, req->counts[i]);
	return most;
}

static int open_target(struct session_run *sr, struct err *err)
{
	const char *path = sr->req.target;

	sr->target_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (sr->target_fd < 0)
		return err_sys(err, -errno, "%s", path);
	if (faccessat(sr->target_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return err_sys(err, -errno,
			       "%s: cannot make a directory in it", path);
	return 0;
}

static int check_space(struct session_run *sr, struct err *err)
{
	const struct prog_facts *facts = &sr->req.prog->facts;
	const struct limits_peak peak = {
		.clients = largest_count(&sr->req),
		.bytes_per_client = facts->peak_client_bytes,
		.bytes_shared = facts->peak_shared_bytes,
		.files_per_client = facts->peak_client_files,
		.files_shared = facts->peak_shared_files,
	};
	int ret = limits_check_space(sr->target_fd, &peak, sr->req.no_reserve,
				     &sr->reserve_bytes, err);

	return ret < 0 ? (err_prefix(err, "%s", sr->req.target), ret) : 0;
}

static int check_limits(struct session_run *sr, struct err *err)
{
	int ret = limits_raise_files(sr->req.prog->facts.max_open, err);

	if (ret < 0)
		return ret;
	return limits_check_processes(largest_count(&sr->req), err);
}

static int check_target(struct session_run *sr, struct err *err)
{
	struct err why = ERR_INIT;
	int ret = open_target(sr, err);

	if (ret < 0)
		return ret;
	if (rundir_remove_stale(sr->target_fd, &why) < 0)
		warn(sr, why.text);
	return check_space(sr, err);
}

static struct fleet_plan make_plan(const struct session_run *sr,
				   unsigned clients)
{
	const struct session_request *req = &sr->req;

	return (struct fleet_plan){
		.setup = {
			.prog = req->prog,
			.backend = req->backend,
			.env = req->env,
			.fleet_fd = -1,
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
		.target_fd = sr->target_fd,
		.progress = req->progress,
		.progress_arg = req->arg,
	};
}

/*
 * The driver's own time per operation, from a moment of the null backend.  A
 * load that kills the interpreter does so here, before anything is touched.
 */
static int time_driver(struct session_run *sr, struct err *err)
{
	struct fleet_plan plan = make_plan(sr, 1);
	struct run_result result = { .round = 0 };
	double ns = 0;
	size_t i;
	int ret;

	sr->driver_ns = NAN;
	if (touches_nothing(sr) || sr->req.prog->facts.has_waits)
		return 0;
	plan.setup.backend = &backend_null;
	plan.setup.env.xattr = false;
	plan.setup.passes = 0;
	plan.setup.skip_once = true;
	plan.setup.rate_mb_per_s = 0;
	plan.warmup_seconds = CALIBRATION_SECONDS / 3;
	plan.timelimit_seconds = CALIBRATION_SECONDS;
	plan.progress = NULL;
	ret = fleet_run(&plan, sr->watch, &result, err);
	if (ret == 0 && result.end == RUN_CLIENT_DIED)
		ret = err_set(err, -EFAULT, "%s", result.reason);
	for (i = 0; i < result.nops; i++)
		ns += (double)result.ops[i].stats.sum_ns;
	if (result.totals.ops)
		sr->driver_ns = ns / (double)result.totals.ops;
	run_result_done(&result);
	return ret;
}

int session_prepare(const struct session_request *req, struct janitor *janitor,
		    struct watch *watch, struct session_run **out,
		    struct err *err)
{
	struct session_run *sr = mem_zalloc(1, sizeof(*sr));
	int ret;

	*sr = (struct session_run){ .req = *req, .janitor = janitor,
				    .watch = watch, .target_fd = -1 };
	ret = check_limits(sr, err);
	if (ret == 0)
		ret = pool_make(&sr->pool, req->prog, req->data, req->seed,
				err);
	if (ret == 0)
		ret = time_driver(sr, err);
	if (ret == 0 && !touches_nothing(sr))
		ret = check_target(sr, err);
	if (ret < 0) {
		session_done(sr);
		return ret;
	}
	sr->runs = mem_zalloc(req->ncounts * req->rounds, sizeof(*sr->runs));
	*out = sr;
	return 0;
}

int session_target_fd(const struct session_run *sr)
{
	return sr->target_fd;
}

bool session_left_behind(const struct session_run *sr)
{
	return sr->left_behind;
}

static bool stop_asked(void *arg)
{
	const struct session_run *sr = arg;

	(void)watch_poll(sr->watch, 0);
	return sr->watch->interrupted;
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

static void say_kept(const struct session_run *sr, const struct rundir *dir)
{
	char text[4200];

	(void)snprintf(text, sizeof(text), "kept %s/%s", sr->req.target,
		       dir->name);
	warn(sr, text);
}

static int run_in(struct session_run *sr, struct rundir *dir,
		  struct fleet_plan *plan, struct run_result *run,
		  struct err *err)
{
	struct settle quiet = { .stop = stop_asked, .arg = sr };

	plan->setup.fleet_fd = dir->fleet_fd;
	plan->setup.env.no_symlinks = true;
	plan->setup.env.confined = dir->nosymfollow;
	plan->reserve_bytes = sr->reserve_bytes;
	plan->settle = true;
	settle_before(sr->target_fd, &quiet);
	if (quiet.sync_errno)
		warn(sr, "the file system could not write what was in the "
			 "cache before this run: older data may be lost");
	if (sr->watch->interrupted)
		return -EINTR;
	return fleet_run(plan, sr->watch, run, err);
}

/* One run in a directory of its own. */
static int run_in_fresh_dir(struct session_run *sr, struct fleet_plan *plan,
			    struct run_result *run, struct err *err)
{
	struct rundir dir = RUNDIR_INIT;
	struct err why = ERR_INIT;
	int ret = rundir_make(&dir, sr->target_fd, sr->janitor, err);

	if (ret < 0)
		return ret;
	ret = run_in(sr, &dir, plan, run, err);
	if (sr->req.keep)
		say_kept(sr, &dir);
	if (rundir_remove(&dir, sr->req.keep, &why) < 0) {
		warn(sr, why.text);
		sr->left_behind = true;
	}
	return ret;
}

static int run_one(struct session_run *sr, unsigned clients, unsigned round,
		   struct err *err)
{
	struct fleet_plan plan = make_plan(sr, clients);
	struct run_result *run = &sr->runs[sr->nruns];
	int ret;

	run->round = round;
	run->order = (unsigned)sr->nruns + 1;
	if (touches_nothing(sr))
		ret = fleet_run(&plan, sr->watch, run, err);
	else
		ret = run_in_fresh_dir(sr, &plan, run, err);
	if (ret < 0) {
		run_result_done(run);
		memset(run, 0, sizeof(*run));
		return ret;
	}
	estimate_share(sr, run);
	sr->nruns++;
	if (sr->req.run_done)
		sr->req.run_done(sr->req.arg, run);
	return run->end == RUN_INTERRUPTED ? -EINTR : 0;
}

int session_execute(struct session_run *sr, struct run_result **out_runs,
		    size_t *out_n, struct err *err)
{
	unsigned round;
	size_t i;
	int ret = 0;

	for (i = 0; i < sr->req.ncounts && ret == 0; i++)
		for (round = 1; round <= sr->req.rounds && ret == 0; round++)
			ret = run_one(sr, sr->req.counts[i], round, err);
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
	pool_done(&sr->pool);
	if (sr->target_fd >= 0)
		(void)close(sr->target_fd);
	free(sr);
}
