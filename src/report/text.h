/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the readable report, one file each; report_text() joins them.
 * It evaluates the session once, for all of them.
 */
#ifndef REPLAY_REPORT_TEXT_H
#define REPLAY_REPORT_TEXT_H

#include <stdio.h>

#include "report/report.h"
#include "stats/compare.h"

/* What was run, where, how, on which machine. */
void text_heading(const struct session *s, FILE *out);

/*
 * With several targets: a row per client count, a column per target, as
 * tables of this kind are published.
 */
void text_pivot(const struct evaluation *ev, FILE *out);

/* With several targets: each against the first, with interval and verdict. */
void text_compare(const struct evaluation *ev, FILE *out);

/* With several targets: in what the layouts differ that may matter. */
void text_differences(const struct session *s, FILE *out);

/*
 * The tables per operation and, if asked for, per client: of the last row
 * that has a result, or of all rows with `verbose`.  With several targets
 * the operations are there with `verbose` only.
 */
void text_details(const struct evaluation *ev, const struct report_opts *opts,
		  FILE *out);

/* What went wrong, and what to know before believing the numbers. */
void text_notes(const struct evaluation *ev, const struct report_opts *opts,
		FILE *out);

/* The second half of it: does anything speak against the numbers? */
void text_trust(const struct evaluation *ev, FILE *out);

/* And of that: which runs were disturbed. */
void text_disturbed(const struct session *s, FILE *out);

/* What bound the runs. */
void text_regimes(const struct evaluation *ev, FILE *out);

/* "8 clients", "8 clients on ploop, round 2". */
void text_run_name(const struct session *s, const struct run_result *run,
		   FILE *out);

/* The same without the round. */
void text_cell_name(const struct session *s, unsigned clients,
		    unsigned target, FILE *out);

#endif
