/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The watchdog.  A client whose record and operation count have not moved
 * for watchdog_seconds is stuck: it is named with operation and line, and all
 * are killed.  Asleep by order of the load file is not stuck; waiting for
 * another client (WAITSP, LockX) is only when no client moves or sleeps.
 */
#include <signal.h>
#include <stdio.h>

#include "base/clock.h"
#include "run/fleet_state.h"

void watchdog_position(struct fleet *f, unsigned i, char *buf,
			      size_t size)
{
	const struct prog *prog = f->setup.prog;
	struct slot *slot = shm_slot(&f->shm, i);
	uint32_t pc = atomic_load_explicit(&slot->pc, memory_order_relaxed);
	char where[512];

	if (pc >= prog->nrecs)
		pc = 0;
	prog_where(prog, pc, where, sizeof(where));
	(void)snprintf(buf, size, "%s at %s",
		       op_info(prog->recs[pc].code)->name, where);
}

/* Whether client I waits for what another one does. */
static bool waits_for_another(const struct fleet *f, const struct slot *slot,
			      uint32_t pc)
{
	const struct prog *prog = f->setup.prog;

	return atomic_load(&slot->waiting) == WAIT_POINT ||
	       (pc < prog->nrecs && prog->recs[pc].code == OP_LOCKX);
}

/* Whether client I has moved, or is asleep, since it was last looked at. */
static bool has_moved(struct fleet *f, unsigned i, uint64_t now)
{
	const struct slot *slot = shm_slot(&f->shm, i);
	struct seen *seen = &f->seen[i];
	struct seen is = {
		.pc = atomic_load_explicit(&slot->pc, memory_order_relaxed),
		.moves = slot->totals.ops + slot->totals.skipped +
			 atomic_load_explicit(&slot->spins,
					      memory_order_relaxed),
		.since_ns = now,
	};

	bool ready = !f->times.open_ns &&
		     atomic_load(&slot->state) == CLIENT_READY;
	bool asleep = now < f->times.stop_ns &&
		      atomic_load(&slot->waiting) == WAIT_TIME;

	if (is.pc == seen->pc && is.moves == seen->moves && seen->since_ns &&
	    !ready && !asleep)
		return false;
	*seen = is;
	return true;
}

/* SOMEBODY: another client has moved, so waiting for one is no dead end. */
static void check_client(struct fleet *f, unsigned i, uint64_t now,
			 bool somebody)
{
	struct seen *seen = &f->seen[i];
	double still;
	char at[600];

	if (somebody &&
	    waits_for_another(f, shm_slot(&f->shm, i), seen->pc))
		seen->since_ns = now;
	still = (double)(now - seen->since_ns) / (double)NS_PER_S;
	if (still < f->plan->watchdog_seconds)
		return;
	watchdog_position(f, i, at, sizeof(at));
	fleet_end_run(f, RUN_STUCK,
		      "client %u has been in %s for %.0f s: killed", i, at,
		      still);
	fleet_kill_all(f, SIGKILL);
}

void watchdog_check(struct fleet *f, uint64_t now)
{
	bool somebody = false;
	unsigned i;

	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			somebody = has_moved(f, i, now) || somebody;
	for (i = 0; i < f->plan->clients; i++)
		if (f->pids[i] > 0)
			check_client(f, i, now, somebody);
}
