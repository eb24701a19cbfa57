/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The signals of the coordinator, for the life of the process. */
#ifndef REPLAY_RUN_WATCH_H
#define REPLAY_RUN_WATCH_H

#include <stdbool.h>

#include "base/err.h"

struct watch {
	int signal_fd;      /* INT, TERM, HUP, CHLD */
	bool interrupted;   /* one of the first three came: stop */
	bool twice;         /* ... again: end at once */
	int signal;         /* which */
};

int watch_init(struct watch *watch, struct err *err) must_check;
void watch_done(struct watch *watch);

/* Wait up to TIMEOUT_MS for a signal and note it.  Returns true when a
 * child may have changed state. */
bool watch_poll(struct watch *watch, int timeout_ms);

#endif
