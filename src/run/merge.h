/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the clients' slots to the result of a run. */
#ifndef REPLAY_RUN_MERGE_H
#define REPLAY_RUN_MERGE_H

#include "run/shm.h"
#include "stats/result.h"

/* What the coordinator knows about the time of a run. */
struct run_times {
	uint64_t fork_ns;    /* before the first fork */
	uint64_t ready_ns;   /* the last client was ready */
	uint64_t open_ns;    /* the gate opened; 0: never */
	uint64_t measure_ns; /* the measured window began */
	uint64_t stop_ns;    /* its end, planned or early; with passes the
				last client's end when all have done them */
	uint64_t reaped_ns;  /* the last client was reaped */
	bool pass_mode;
};

/*
 * The first client whose sync said that data is lost goes to RESULT, unless
 * a loss is known already.  Before the closing sync, which comes later.
 */
void merge_lost(const struct shm *shm, const struct prog *prog,
		struct run_result *result);

/*
 * Fill in everything that comes from slots and times.  Call it when no
 * client writes any more.  RESULT->sync_seconds
 * and lost_errno must be set before.
 */
void merge_slots(const struct shm *shm, const struct prog *prog,
		 const struct run_times *times, struct run_result *result);

#endif
