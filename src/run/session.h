/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan and its execution: all runs in their order, one after the other,
 * each in a fresh run directory.
 *
 * Order: client count outside, rounds inside.  Everything that can be
 * checked is checked by session_prepare(), before anything is touched.
 */
#ifndef REPLAY_RUN_SESSION_H
#define REPLAY_RUN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "load/prog.h"
#include "run/fleet.h"
#include "stats/result.h"

struct janitor;

/* What was asked for; all pointers are borrowed. */
struct session_request {
	const struct prog *prog;
	const struct backend_ops *backend;
	struct backend_env env;     /* the options of operations */
	const char *target;         /* directory */
	const unsigned *counts;
	size_t ncounts;
	unsigned rounds;
	double timelimit_seconds, warmup_seconds;
	uint64_t passes;            /* 0: timed */
	uint64_t seed;
	double rate_mb_per_s;       /* 0: none */
	const char *data;           /* --data */
	double watchdog_seconds;
	bool no_reserve, keep;
	/* called as things happen; each may be NULL */
	void (*progress)(void *arg, const struct live *live);
	void (*run_done)(void *arg, const struct run_result *run);
	void (*warn)(void *arg, const char *text);
	void *arg;
};

struct session_run;

/*
 * Check everything, open the target, make the data, measure the driver.
 * Returns 0 and *OUT, or -errno with ERR set and nothing touched.
 */
int session_prepare(const struct session_request *req, struct janitor *janitor,
		    struct watch *watch, struct session_run **out,
		    struct err *err) must_check;

/* The opened target, for target_describe(); -1 with the null backend. */
int session_target_fd(const struct session_run *sr);

/*
 * Execute the plan.  *OUT_RUNS (owned by SR) has the *OUT_N runs that were
 * made.  Returns 0 when the plan was completed, -EINTR when the user
 * interrupted it, or the -errno (ERR set) of what stopped it.
 */
int session_execute(struct session_run *sr, struct run_result **out_runs,
		    size_t *out_n, struct err *err) must_check;

/* Whether a run directory could not be removed; it has been said why. */
bool session_left_behind(const struct session_run *sr);

void session_done(struct session_run *sr);

#endif
