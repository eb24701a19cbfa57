/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is made of the runs, as JSON. */
#ifndef REPLAY_REPORT_JSON_SUMMARY_H
#define REPLAY_REPORT_JSON_SUMMARY_H

#include <jansson.h>

#include "stats/compare.h"

/*
 * The array of all cells, client counts outside and targets inside; the
 * caller's.  Aborts when out of memory.
 */
json_t *json_summary_build(const struct evaluation *ev);

#endif
