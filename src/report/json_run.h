/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One run as a JSON object. */
#ifndef REPLAY_REPORT_JSON_RUN_H
#define REPLAY_REPORT_JSON_RUN_H

#include <jansson.h>
#include <stdbool.h>

#include "stats/result.h"

/* The object for RUN; the caller's.  Aborts when out of memory. */
json_t *json_run_build(const struct session *s, const struct run_result *run,
		       bool per_client);

#endif
