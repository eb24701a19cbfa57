/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One run: fork the clients, let them get ready, open the gate, watch them,
 * stop them, reap them, merge what they counted.
 *
 * The coordinator is one thread and prints nothing from here; progress goes
 * through a callback.  INT, TERM and HUP are blocked in it and read from a
 * signalfd, so that there is no signal handler at all.
 */
#ifndef REPLAY_RUN_FLEET_H
#define REPLAY_RUN_FLEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "run/client.h"
#include "stats/result.h"

/* The signals of the coordinator, for the life of the process. */
struct watch {
	int signal_fd;      /* INT, TERM, HUP, CHLD */
	bool interrupted;   /* one of the first three came: stop */
	bool twice;         /* ... again: end at once */
	int signal;         /* which */
};

int watch_init(struct watch *watch, struct err *err) must_check;
void watch_done(struct watch *watch);

/* Wait up to TIMEOUT_MS for a signal and note it.  Returns true when a
 * child may have changed state. */
bool watch_poll(struct watch *watch, int timeout_ms);

struct live {                    /* what the progress line shows */
	const char *phase;       /* "preparing", "warm-up", "execute", ... */
	double elapsed_seconds, total_seconds; /* total 0: unknown */
	double mb_per_s;
	uint64_t ops, errors;
};

struct fleet_plan {
	struct client_setup setup;   /* the same for all clients */
	unsigned clients;
	double warmup_seconds, timelimit_seconds; /* not with passes */
	double watchdog_seconds;     /* no progress for so long: stuck */
	int target_fd;               /* for the reserve and the syncs */
	uint64_t reserve_bytes;      /* stop when less is free; 0: no limit */
	bool settle;                 /* wait for quiet before the gate, sync
					after the stop: a real disk is used */
	void (*progress)(void *arg, const struct live *live); /* or NULL */
	void *progress_arg;
};

/*
 * Execute one run and fill RESULT (free with run_result_done()).  Returns 0
 * when there is a result, however the run ended (result->end); -errno with
 * ERR set when no client could be started.  No process is left in any case.
 */
int fleet_run(const struct fleet_plan *plan, struct watch *watch,
	      struct run_result *result, struct err *err) must_check;

#endif
