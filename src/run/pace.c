/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Schedules: time stamps of the load file and the target rate of -R.
 *
 * Due times are absolute, counted from the start of the pass or from the
 * gate, so that being late once does not make all that follows late: the
 * client catches up.  How late each one started is recorded (the lag), also
 * the oversleeping of a timer; one that was due already when the client got
 * there is counted as late.
 */
#include "base/clock.h"
#include "run/control.h"

/* Longest single sleep: how soon a stop is noticed when nobody signals. */
#define SLICE_NS (100 * NS_PER_MS)

/* Further than any run: thirty years. */
#define DUE_MAX_NS 1e18

static void sleep_until(struct client *cl, uint64_t due_ns)
{
	uint64_t until = cl->now + SLICE_NS;

	if (until > due_ns)
		until = due_ns;
	if (until > cl->boundary)
		until = cl->boundary;
	(void)clock_sleep_until(until);
}

bool pace_sleep_until(struct client *cl, uint64_t due_ns)
{
	bool go_on = true;

	atomic_store_explicit(&cl->slot->waiting, WAIT_TIME,
			      memory_order_relaxed);
	while (go_on && cl->now < due_ns) {
		sleep_until(cl, due_ns);
		go_on = client_tick(cl);
	}
	atomic_store_explicit(&cl->slot->waiting, WAIT_NOT,
			      memory_order_relaxed);
	return go_on;
}

bool pace_until(struct client *cl, uint64_t due_ns)
{
	uint64_t lag;

	if (!client_tick(cl))
		return false;
	if (cl->now > due_ns)
		cl->slot->late_ops++;
	else if (!pace_sleep_until(cl, due_ns))
		return false;
	lag = cl->now - due_ns;
	hist_record(cl->slot->lag, LAG_BITS, lag);
	if (lag > cl->slot->lag_max_ns)
		cl->slot->lag_max_ns = lag;
	return true;
}

bool pace_bytes(struct client *cl)
{
	const struct slot *slot = cl->slot;
	uint64_t moved = slot->totals.bytes_read + slot->totals.bytes_written +
			 slot->warmup.bytes_read + slot->warmup.bytes_written;

	double due = (double)moved * cl->rate_ns_per_byte;

	if (!cl->gate_passed)
		return true;
	if (due > DUE_MAX_NS)
		due = DUE_MAX_NS;
	return pace_until(cl, cl->pace_start_ns + (uint64_t)due);
}
