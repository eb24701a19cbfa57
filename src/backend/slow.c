/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The delay of the test layer `slow': a table that stands in front of the
 * chosen one and pauses after each operation it was given.
 *
 * Only submit is replaced, so what an operation consists of (a look-up, an
 * open, a stat) is not delayed one by one, and a handle that is closed at the
 * end of a pass is not at all.  A backend without a delay keeps its own table
 * and pays nothing.
 *
 * A pause shorter than what the scheduler needs to bring us back is spun, a
 * longer one slept: to an absolute time, with the least timer slack (50 us by
 * default), and in pieces, since nobody wakes us when the run stops.
 */
#include "backend/backend.h"

#include <sys/prctl.h>

#include "base/clock.h"
#include "base/macro.h"

#define SPIN_NS (100 * NS_PER_US)
#define PIECE_NS (20 * NS_PER_MS)

static void pause_for(const struct backend_env *env)
{
	uint64_t now = clock_now_ns();
	uint64_t end = now + env->delay_ns;

	while (now < end && !env->stopping(env->stopping_arg)) {
		if (env->delay_ns >= SPIN_NS)
			(void)clock_sleep_until(MIN_OF(end, now + PIECE_NS));
		now = clock_now_ns();
	}
}

/* What is BUSY was not taken; it will be submitted again. */
static enum submit slow_submit(struct backend *be, struct req *req)
{
	enum submit answer = be->delayed->submit(be, req);

	if (answer != SUBMIT_BUSY)
		pause_for(&be->env);
	return answer;
}

void slow_wrap(struct backend *be)
{
	(void)prctl(PR_SET_TIMERSLACK, 1);
	be->delayed = be->ops;
	be->slow_ops = *be->ops;
	be->slow_ops.submit = slow_submit;
	be->ops = &be->slow_ops;
}
