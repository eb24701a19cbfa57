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

#define SETTLE_MAX_SECONDS 5.0

struct settle {
	/* in */
	double max_seconds;        /* bound of the waiting; 0: the default */
	bool (*stop)(void *arg);   /* asked at every poll: give up?  or NULL */
	void *arg;
	/* out */
	int sync_errno;            /* what the sync said, positive, or 0: what
				      was written before us may be lost */
	uint64_t sync_ns;
	uint64_t wait_ns;          /* after the sync */
	uint64_t writeback_bytes;  /* still being written when we went on;
				      UINT64_MAX: unknown */
	bool quiet;                /* false: bound reached, told to stop, or
				      unknown */
};

/*
 * Sync the file system of TARGET_FD (a descriptor that can be synced, not
 * O_PATH), then wait until the machine writes nothing back.  Only the waiting
 * is bounded: a sync cannot be interrupted.
 */
void settle_before(int target_fd, struct settle *settle);

/*
 * Sync the file system of TARGET_FD and say how long it took.  Returns 0 or
 * -errno: data that was counted may not have reached the disk (Linux 5.8;
 * before that syncfs(2) never says so).  Called once: a second sync would
 * not report the same loss again.
 */
int settle_after(int target_fd, uint64_t *out_ns) must_check;

#endif
