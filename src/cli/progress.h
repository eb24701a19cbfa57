/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line on standard error. */
#ifndef REPLAY_CLI_PROGRESS_H
#define REPLAY_CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/fleet.h"

struct progress {
	bool on;
	bool terminal;   /* rewrite one line; otherwise one line a second */
	bool drawn;      /* something is on the line */
	double last;     /* elapsed seconds at the last plain line */
	size_t run, runs;/* which of how many, from 1; 0: none yet */
	unsigned clients;
	const char *target; /* NULL: there is only one; borrowed */
};

/* WANT: 1 yes, 0 no, -1 when standard error is a terminal. */
void progress_init(struct progress *p, int want, size_t runs);

/* Show LIVE; cheap when progress is off. */
void progress_show(struct progress *p, const struct live *live);

/* Clear the line before something else is printed. */
void progress_clear(struct progress *p);

#endif
