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
#include "layout/mntns.h"
#include "run/client.h"
#include "run/settle.h"
#include "run/watch.h"
#include "stats/result.h"

struct live {                    /* what the progress line shows */
	const char *phase;       /* "preparing", "warm-up", "execute", ... */
	double elapsed_seconds, total_seconds; /* total 0: unknown */
	double mb_per_s;
	uint64_t ops, errors;
};

/* What lies below the clients; all descriptors are borrowed. */
struct storage {
	struct levels levels;        /* for the syncs */
	int base_fd;                 /* the lowest directory, whose disk and
					free space are watched; -1: memory */
	uint64_t reserve_bytes;      /* stop when less is free there; 0: no
					limit */
	struct mntns *ns;            /* to follow the host's unmounts */
	int cold_fd;                 /* --cold: drop the caches before the
					gate, if only file by file then of
					those below it; -1: leave them */
};

struct fleet_plan {
	struct client_setup setup;   /* the same for all clients */
	unsigned clients;
	double warmup_seconds, timelimit_seconds; /* not with passes */
	double watchdog_seconds;     /* no progress for so long: stuck */
	struct storage *storage;     /* NULL: nothing is touched, so there is
					nothing to be quiet or to be synced */
	/*
	 * What the clients do before the gate (ONCE) is done; NULL: nothing
	 * to be done then.  May change STORAGE, and write to PATH another
	 * directory, below setup.late_dirfd, where the clients are to go on.
	 * Returns 0 or -errno with ERR set: then the run has failed.
	 */
	int (*prepared)(void *arg, char *path, size_t size, struct err *err);
	void *prepared_arg;
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
