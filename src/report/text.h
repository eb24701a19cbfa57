/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the readable report, one file each; report_text() joins them. */
#ifndef REPLAY_REPORT_TEXT_H
#define REPLAY_REPORT_TEXT_H

#include <stdio.h>

#include "report/report.h"
#include "stats/result.h"

/* What was run, where, how, on which machine. */
void text_heading(const struct session *s, FILE *out);

/*
 * The tables per operation and, if asked for, per client: of the last row
 * that has a result, or of all rows with `verbose`.
 */
void text_details(const struct session *s, const struct report_opts *opts,
		  FILE *out);

/* What went wrong, and what to know before believing the numbers. */
void text_notes(const struct session *s, const struct report_opts *opts,
		FILE *out);

#endif
