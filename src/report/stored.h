/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stored result as far as --show needs it.  All text in it is as it was in
 * the document: it must be escaped before it is printed.
 */
#ifndef REPLAY_REPORT_STORED_H
#define REPLAY_REPORT_STORED_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/mem.h"

#define STORED_TARGETS_MAX 256
#define STORED_CELLS_MAX 256000

/* One object of the summary. */
struct stored_cell {
	unsigned clients;
	size_t target;          /* index in stored->targets */
	double mb_per_s;        /* medians; NAN: none */
	double durable_mb_per_s;
	bool counts;            /* some round counts, or it is not known */
	bool partial, surprised, disturbed, lost, failed;
};

struct stored {
	const char *path;       /* borrowed */
	json_t *doc;            /* owned; the strings below are in it */
	VEC(const char *) targets; /* names */
	VEC(struct stored_cell) cells;
};

/*
 * Read the file PATH.  Returns 0, or -errno with ERR set, beginning with
 * PATH; release with stored_done() in either case.
 */
int stored_read(struct stored *stored, const char *path,
		struct err *err) must_check;
void stored_done(struct stored *stored);

/*
 * The value at the path KEYS ("plan.flags", "runs.0.backend"); NULL where
 * there is none.  The document's.
 */
json_t *stored_value(const struct stored *stored, const char *keys);

#endif
