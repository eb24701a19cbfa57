/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Settling: sync, then poll until writeback is quiet.
 *
 * syncfs(2) waits for the pages of one file system, so there is one for each
 * level of the target.  What that leaves under writeback belongs to others:
 * another disk, the layout of the target before.  The one figure for all of
 * them is nr_writeback in /proc/vmstat, the pages of the machine that are
 * being written.  Quiet means that it is small and no longer falling; on a
 * machine where somebody else keeps writing it never is, and the bound ends
 * the wait.  (Dirty pages that nobody writes yet are not waited for: without
 * a sync they may stay for half a minute, and syncing file systems that are
 * not ours is not ours to do.)
 */
#include "run/settle.h"

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fdio.h"

#define POLL_NS (20 * NS_PER_MS)

/* What may be under writeback in a machine at rest: logs, a browser. */
#define SMALL_BYTES (UINT64_C(1) << 20)

int settle_after(const struct levels *levels, uint64_t out_ns[CHAIN_MAX],
		 unsigned *out_failed)
{
	uint64_t start_ns = clock_now_ns();
	int ret, first = 0;
	unsigned i;

	for (i = 0; i < levels->n; i++) {
		ret = syncfs(levels->fds[i]) < 0 ? -errno : 0;
		if (ret < 0 && !first) {
			first = ret;
			if (out_failed)
				*out_failed = i;
		}
		out_ns[i] = clock_now_ns() - start_ns;
		start_ns += out_ns[i];
	}
	return first;
}

/* Bytes under writeback in the whole machine; UINT64_MAX: unknown. */
static uint64_t writeback_bytes(void)
{
	uint64_t pages;

	if (fdio_read_key("/proc/vmstat", "nr_writeback", &pages) < 0)
		return UINT64_MAX;
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Poll until it is quiet, the time is over or we are told to stop. */
static void wait_quiet(struct settle *settle, uint64_t deadline_ns)
{
	uint64_t before = UINT64_MAX;
	uint64_t now;

	for (;;) {
		now = writeback_bytes();
		settle->writeback_bytes = now;
		settle->quiet = now == 0 || (now <= SMALL_BYTES &&
					     now >= before);
		if (settle->quiet || now == UINT64_MAX)
			return;
		if (clock_now_ns() >= deadline_ns ||
		    (settle->stop && settle->stop(settle->arg)))
			return;
		before = now;
		(void)clock_sleep_until(clock_now_ns() + POLL_NS);
	}
}

void settle_before(const struct levels *levels, struct settle *settle)
{
	double max_seconds = settle->max_seconds > 0 ? settle->max_seconds
						     : SETTLE_MAX_SECONDS;
	uint64_t each_ns[CHAIN_MAX];
	uint64_t start_ns = clock_now_ns();

	settle->sync_errno = -settle_after(levels, each_ns, NULL);
	settle->sync_ns = clock_now_ns() - start_ns;
	start_ns += settle->sync_ns;
	wait_quiet(settle, start_ns + (uint64_t)(max_seconds * 1e9));
	settle->wait_ns = clock_now_ns() - start_ns;
}
