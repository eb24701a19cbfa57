/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan and its execution: all runs in their order, one after the other,
 * each on a target that is built for it and in a fresh run directory.
 *
 * Everything that can be checked is checked by session_prepare(), before a
 * run is made.  That includes building every target with layers once and
 * taking it down again, which touches nothing of the user's: images have no
 * names, and mounts are seen by nobody else.
 */
#ifndef REPLAY_RUN_SESSION_H
#define REPLAY_RUN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "load/prog.h"
#include "run/fleet.h"
#include "run/plan.h"
#include "stats/result.h"

struct janitor;
struct target_spec;

/* What was asked for; all pointers are borrowed. */
struct session_request {
	const struct prog *prog;
	const struct backend_ops *backend;
	struct backend_env env;     /* the options of operations */
	const struct target_spec *specs; /* of the targets */
	struct target_info *infos;  /* filled in, but for name and spec */
	size_t ntargets;
	const unsigned *counts;
	size_t ncounts;
	unsigned rounds;
	double timelimit_seconds, warmup_seconds;
	uint64_t passes;            /* 0: timed */
	uint64_t seed;
	double rate_mb_per_s;       /* 0: none */
	const char *data;           /* --data */
	double watchdog_seconds;
	bool no_reserve, keep, cold;
	/* called as things happen; each may be NULL */
	void (*run_begins)(void *arg, const struct planned_run *planned);
	void (*progress)(void *arg, const struct live *live);
	void (*run_done)(void *arg, const struct run_result *run);
	void (*warn)(void *arg, const char *text);
	void *arg;
};

struct session_run;

/*
 * Check everything, open the targets, build each once, make the data,
 * measure the driver.  Returns 0 and *OUT; -EINTR when the user interrupted
 * it; or -errno with ERR set and nothing touched.
 */
int session_prepare(const struct session_request *req, struct janitor *janitor,
		    struct watch *watch, struct session_run **out,
		    struct err *err) must_check;

/* How many runs are planned. */
size_t session_planned(const struct session_run *sr);

/*
 * Execute the plan.  *OUT_RUNS (owned by SR) has the *OUT_N runs that were
 * made, also those that could not be set up (RUN_FAILED); these do not end
 * it.  Returns 0 when the plan was completed, or -EINTR when the user
 * interrupted it.
 */
int session_execute(struct session_run *sr, struct run_result **out_runs,
		    size_t *out_n) must_check;

/*
 * Whether something could not be removed (a run directory, a mount, a loop
 * device); it has been said what and why.
 */
bool session_left_behind(const struct session_run *sr);

void session_done(struct session_run *sr);

#endif
