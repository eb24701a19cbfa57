/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Quiet before a run, and the closing sync after it.
 *
 * A run that starts while the kernel still writes back what the one before
 * it left measures both.
 */
#ifndef REPLAY_RUN_SETTLE_H
#define REPLAY_RUN_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/macro.h"
#include "stats/chain.h"

#define SETTLE_MAX_SECONDS 5.0

struct settle {
	/* in */
	double max_seconds;        /* bound of the waiting; 0: the default */
	bool (*stop)(void *arg);   /* asked at every poll: give up?  or NULL */
	void *arg;
	/* out */
	int sync_errno;            /* what a sync said, positive, or 0: what
				      was written before us may be lost */
	uint64_t sync_ns;          /* of all levels */
	uint64_t wait_ns;          /* after the sync */
	uint64_t writeback_bytes;  /* still being written when we went on;
				      UINT64_MAX: unknown */
	bool quiet;                /* false: bound reached, told to stop, or
				      unknown */
};

/*
 * The levels of a target, topmost first: a directory on each file system that
 * takes part, open so that it can be synced (not O_PATH).
 */
struct levels {
	int fds[CHAIN_MAX];
	unsigned n;
};

/*
 * Sync all LEVELS, inner to outer, then wait until the machine writes nothing
 * back.  Only the waiting is bounded: a sync cannot be interrupted.
 */
void settle_before(const struct levels *levels, struct settle *settle);

/*
 * Sync all LEVELS, inner to outer, and say how long each took in OUT_NS (one
 * per level).  Goes on after a failure.  Returns 0 or the first -errno, with
 * *OUT_FAILED (may be NULL) the level: data that was counted may not have
 * reached the disk (Linux 5.8; before that syncfs(2) never says so).  Called
 * once: a second sync would not report the same loss again.
 */
int settle_after(const struct levels *levels, uint64_t out_ns[CHAIN_MAX],
		 unsigned *out_failed) must_check;

#endif
