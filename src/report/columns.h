/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The columns of the main table, as one table: the writers walk it.
 */
#ifndef REPLAY_REPORT_COLUMNS_H
#define REPLAY_REPORT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/compare.h"

/* One row: a client count on a target. */
struct row {
	const struct session *s;          /* borrowed */
	const struct cell *cell;          /* borrowed */
	const struct summary_result *sum; /* that of the cell */
};

struct column {
	const char *title;
	bool left; /* aligned left; the others right */

	/* whether this session has the column; NULL: always */
	bool (*wanted)(const struct session *s);

	/* print the cell; only called for rows that have a result, unless
	   `always` */
	void (*print)(const struct row *row, char *buf, size_t size);

	/* also print rows that have none; the others get "-" there */
	bool always;
};

extern const struct column report_columns[];
extern const size_t report_columns_nr;

/* The text of a cell, into BUF. */
void column_text(const struct column *column, const struct row *row,
		 char *buf, size_t size);

#endif
