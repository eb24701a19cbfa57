/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The reserve: a run stops before it fills the user's disk.  The free space
 * is looked at the more often the faster it goes.
 */
#include <inttypes.h>
#include <sys/statvfs.h>

#include "base/clock.h"
#include "run/fleet_state.h"

#define RESERVE_EVERY_NS (50 * NS_PER_MS)

/*
 * When to look again: in a quarter of the time that is left at the pace at
 * which space has gone since the last look.
 */
static void plan_next_look(struct fleet *f, uint64_t avail, uint64_t now)
{
	double gone = f->seen_free > avail ? (double)(f->seen_free - avail) : 0;
	double left = (double)avail -
		      (double)f->plan->storage->reserve_bytes;
	double ns = RESERVE_EVERY_NS;

	if (f->seen_free && gone > 0 && now > f->seen_free_ns)
		ns = left / gone * (double)(now - f->seen_free_ns) / 4;
	ns = ns < NS_PER_MS ? NS_PER_MS : ns;
	f->next_reserve = now + (ns < RESERVE_EVERY_NS ? (uint64_t)ns
						       : RESERVE_EVERY_NS);
	f->seen_free = avail;
	f->seen_free_ns = now;
}

void reserve_check(struct fleet *f, uint64_t now)
{
	const struct storage *storage = f->plan->storage;
	struct statvfs st;
	uint64_t avail;

	f->next_reserve = UINT64_MAX;
	if (!storage || !storage->reserve_bytes ||
	    fstatvfs(storage->base_fd, &st) < 0)
		return;
	avail = (uint64_t)st.f_bavail * st.f_frsize;
	plan_next_look(f, avail, now);
	if (avail < storage->reserve_bytes)
		fleet_end_run(f, RUN_RESERVE,
			      "stopped before the disk was full: %" PRIu64
			      " MB are free, %" PRIu64 " MB stay in reserve "
			      "(--no-reserve allows their use)",
			      avail / 1000000,
			      storage->reserve_bytes / 1000000);
}
