/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one run in the coordinator, shared by the files that make it
 * up: fleet.c (its stages), watchdog.c (clients that are stuck), reserve.c
 * (the space that is left).  Nobody else includes this.
 */
#ifndef REPLAY_RUN_FLEET_STATE_H
#define REPLAY_RUN_FLEET_STATE_H

#include "run/fleet.h"
#include "run/merge.h"
#include "run/regime.h"

/* What the watchdog remembers of a client. */
struct seen {
	uint64_t moves;        /* operations and rounds of empty loops */
	uint32_t pc;
	uint64_t since_ns;
};

struct fleet {
	const struct fleet_plan *plan;
	struct client_setup setup;
	struct watch *watch;
	struct run_result *result;
	struct shm shm;
	pid_t *pids;           /* 0: reaped or never forked */
	unsigned alive;
	struct seen *seen;
	struct run_times times;
	uint64_t seen_free, seen_free_ns; /* bytes at the last look */
	uint64_t next_reserve, next_progress, next_watchdog, next_nudge;
	struct regime_watch regime;
	uint64_t next_follow;
	uint64_t next_regime;  /* UINT64_MAX: not in the measured time */
	const char *phase;
};

/* Whether the run is being ended before its time. */
static inline bool fleet_is_ending(const struct fleet *f)
{
	return f->result->end != RUN_COMPLETE;
}

/* The run ends here, for the first reason that is given. */
void fleet_end_run(struct fleet *f, enum run_end end, const char *fmt, ...)
	printf_like(3, 4);

void fleet_kill_all(struct fleet *f, int sig);

/* "WriteX at client.txt:1234": what client I is, or was, doing. */
void watchdog_position(struct fleet *f, unsigned i, char *buf, size_t size);

/* Look at all clients, about once a second; ends the run if one is stuck. */
void watchdog_check(struct fleet *f, uint64_t now);

/*
 * Look at the space that is left, and plan the next look (next_reserve); ends
 * the run at the reserve.
 */
void reserve_check(struct fleet *f, uint64_t now);

#endif
