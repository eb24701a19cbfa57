/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The number of a cell with its mark, or the words that stand in its place. */
#ifndef REPLAY_REPORT_CELL_H
#define REPLAY_REPORT_CELL_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/compare.h"
#include "stats/result.h"

/*
 * V, which belongs to the cell SUM, into BUF.  Behind it stands one mark:
 *	*  the rounds were cut short
 *	!  an operation did not end as the load file says
 *	~  some round was disturbed
 * the first that applies, or a blank, so that digits stay in line.  What is
 * not finite is "- ".  A cell that has no result says "lost data ", "failed "
 * or "not run " instead.
 */
void cell_text(const struct summary_result *sum, double v, char *buf,
	       size_t size);

/*
 * The median of METRIC over the rounds.  A pass time is in seconds: of one
 * pass, or with -p of all of them.
 */
double cell_metric(const struct session *s, const struct summary_result *sum,
		   enum metric metric);

/* Which marks occur in the tables of a session. */
struct marks {
	bool partial, surprised, disturbed;
};

void cell_marks(const struct evaluation *ev, struct marks *out);

#endif
