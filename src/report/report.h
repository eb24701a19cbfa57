/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Printing results.  All writers read the same struct session and write to
 * a stream the caller owns; none of them keeps state.
 */
#ifndef REPLAY_REPORT_REPORT_H
#define REPLAY_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "stats/result.h"

/* How much is printed. */
struct report_opts {
	bool per_client; /* the clients one by one */
	bool verbose;    /* the operations of every row, not of the last (of
			    none with several targets) */
	bool quiet;      /* the table (several targets: and the comparison)
			    and what went wrong, nothing else */
};

/*
 * The readable report: a heading that says what was run, the table (one row
 * per client count), the table per operation, notes and errors; with several
 * targets before it a column for each, the comparison with its verdicts, and
 * what differs between them.  Plain
 * ASCII but for names in a UTF-8 locale; control characters in names are
 * escaped.  Returns 0 or -errno when OUT could not be written.
 */
int report_text(const struct session *s, const struct report_opts *opts,
		FILE *out);

/*
 * The same as one JSON document (schema 1, see replay(1)); unknown values
 * are null.  Of OPTS only per_client matters.  Returns 0 or -errno.
 */
int report_json(const struct session *s, const struct report_opts *opts,
		FILE *out);

/* report_json() into FILE: temporary file beside it, fsync, rename. */
int report_json_file(const struct session *s, const struct report_opts *opts,
		     const char *path, struct err *err) must_check;

/* One finished run as a single line, for --progress and --verbose. */
void report_run_line(const struct session *s, const struct run_result *run,
		     FILE *out);

/* Fill in what is known about this machine. */
void host_describe(struct host_info *host);

#endif
