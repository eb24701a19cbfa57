/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time: nanoseconds of CLOCK_MONOTONIC in a uint64_t, everywhere.  One read
 * is a vDSO call, 20 to 35 ns on the machines tried; the timed loop makes
 * one per operation.
 */
#ifndef REPLAY_BASE_CLOCK_H
#define REPLAY_BASE_CLOCK_H

#include <errno.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

static inline uint64_t clock_now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static inline struct timespec clock_timespec(uint64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / NS_PER_S),
				  .tv_nsec = (long)(ns % NS_PER_S) };
}

/* Sleep until an absolute time; returns early (EINTR) on a signal. */
static inline int clock_sleep_until(uint64_t deadline_ns)
{
	struct timespec ts = clock_timespec(deadline_ns);

	return -clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

#endif
