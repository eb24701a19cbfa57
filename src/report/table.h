/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plain text table, the little of libsmartcols that the reports need. */
#ifndef REPLAY_REPORT_TABLE_H
#define REPLAY_REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/macro.h"

struct table; /* opaque */

/* An empty table.  Runs out of memory by aborting, like base/mem. */
struct table *table_new(void) must_check __attribute__((returns_nonnull));
void table_free(struct table *table);

/* Add a column before the first row; LEFT aligned or right. */
void table_column(struct table *table, const char *title, bool left);

/* Start a row, and fill its cells from left to right; TEXT is copied. */
void table_row(struct table *table);
void table_cell(struct table *table, const char *text);

/*
 * Print it: two blanks between columns, no rules, nothing cut whatever the
 * terminal's width, no blanks at the ends of lines.
 */
void table_print(struct table *table, FILE *out);

#endif
