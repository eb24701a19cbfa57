/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What bounds a run: the page cache, the throttling of writers, or the disk.
 * Looked at while it runs, by the coordinator, a few times a second.
 */
#ifndef REPLAY_RUN_REGIME_H
#define REPLAY_RUN_REGIME_H

#include <stdbool.h>
#include <stdint.h>

#include "stats/result.h"

struct regime_watch {
	/* written by regime_begin() and regime_sample(); read by nobody else */
	unsigned dev_major, dev_minor; /* of the whole disk */
	bool has_disk;           /* ... and it can be looked at */
	bool memory;             /* the base is memory: no disk at all */
	uint32_t busy_ms;        /* io_ticks at the beginning; they wrap */
	uint64_t start_ns;
	bool has_dirty;          /* the machine's dirty memory is known: */
	bool throttled;          /* it was once enough to slow writers */
	uint64_t peak_dirty_bytes;
};

/*
 * The measured time begins.  BASE_FD is the lowest directory of the target
 * (whose device is looked at; -1: memory).
 */
void regime_begin(struct regime_watch *rw, int base_fd);

/* Some time later; cheap (one small file of /proc). */
void regime_sample(struct regime_watch *rw);

/*
 * It is over: fill in regime, peak_dirty_bytes (0: unknown) and device_busy
 * of RUN.
 *	throttled  dirty and written-back memory reached the middle between
 *	           the background and the hard limit, from where writers wait
 *	disk       else, the disk was busy at least half of the time
 *	cached     else
 *	unknown    the disk or dirty memory cannot be seen, and what can be
 *	           does not decide it
 */
void regime_end(const struct regime_watch *rw, struct run_result *run);

#endif
