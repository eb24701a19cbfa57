/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trying again until a deadline: what the kernel or udev hold for a moment
 * longer is free after a millisecond as a rule, so the first pauses are short
 * and the later ones do not keep a processor busy.
 */
#ifndef REPLAY_LAYOUT_RETRY_H
#define REPLAY_LAYOUT_RETRY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/macro.h"

#define RETRY_FIRST_NS NS_PER_MS
#define RETRY_LAST_NS (50 * NS_PER_MS)

struct retry {
	uint64_t deadline_ns;
	uint64_t pause_ns;
};

static inline struct retry retry_for(unsigned seconds)
{
	return (struct retry){
		.deadline_ns = clock_now_ns() + seconds * NS_PER_S,
		.pause_ns = RETRY_FIRST_NS,
	};
}

/* Pause; false, at once, when the time is over. */
static inline bool retry_again(struct retry *retry)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns >= retry->deadline_ns)
		return false;
	(void)clock_sleep_until(now_ns + retry->pause_ns);
	retry->pause_ns = MIN_OF(2 * retry->pause_ns, RETRY_LAST_NS);
	return true;
}

#endif
