/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libsmartcols computes the widths.  It is told that there is no terminal,
 * since it would shorten cells to fit one: half a number is worse than a
 * long line.  The table goes through a string to lose the blanks with which
 * it pads the last column.
 */
#include "report/table.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

struct table {
	struct libscols_table *cols; /* owned */
	struct libscols_line *line;  /* current row; the table's */
	size_t cell;                 /* next cell in it */
};

/* libsmartcols fails only for want of memory. */
static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

struct table *table_new(void)
{
	struct table *table = mem_zalloc(1, sizeof(*table));

	table->cols = need(scols_new_table());
	(void)scols_table_set_termforce(table->cols, SCOLS_TERMFORCE_NEVER);
	/* cells are escaped already; it would escape the escapes */
	(void)scols_table_enable_noencoding(table->cols, 1);
	if (scols_table_set_column_separator(table->cols, "  ") != 0)
		abort();
	return table;
}

void table_free(struct table *table)
{
	if (!table)
		return;
	scols_unref_table(table->cols);
	free(table);
}

void table_column(struct table *table, const char *title, bool left)
{
	(void)need(scols_table_new_column(table->cols, title, 0,
					  left ? 0 : SCOLS_FL_RIGHT));
}

void table_row(struct table *table)
{
	table->line = need(scols_table_new_line(table->cols, NULL));
	table->cell = 0;
}

void table_cell(struct table *table, const char *text)
{
	if (scols_line_set_data(table->line, table->cell++, text) != 0)
		abort();
}

void table_print(struct table *table, FILE *out)
{
	autofree char *text = NULL;
	const char *line, *end;

	if (scols_table_is_empty(table->cols))
		return;
	if (scols_print_table_to_string(table->cols, &text) != 0 || !text)
		abort();
	for (line = text; *line; line = *end ? end + 1 : end) {
		size_t len;

		end = strchrnul(line, '\n');
		len = (size_t)(end - line);
		while (len && line[len - 1] == ' ')
			len--;
		(void)fprintf(out, "%.*s\n", (int)len, line);
	}
}
