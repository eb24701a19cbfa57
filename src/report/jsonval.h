/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON values the way the reports need them: what is unknown is null, every
 * string is valid UTF-8, running out of memory aborts (as in base/mem), so
 * that building a document is a list of calls without error paths.
 */
#ifndef REPLAY_REPORT_JSONVAL_H
#define REPLAY_REPORT_JSONVAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* New objects and arrays; the caller's until they are put somewhere. */
json_t *jsonval_object(void);
json_t *jsonval_array(void);

/* Put a value into an object, which owns it from then on. */
void jsonval_put(json_t *object, const char *key, json_t *value);
void jsonval_put_null(json_t *object, const char *key);
void jsonval_put_bool(json_t *object, const char *key, bool value);
/* NULL and "" are null. */
void jsonval_put_text(json_t *object, const char *key, const char *value);
/* Not finite is null. */
void jsonval_put_number(json_t *object, const char *key, double value);
void jsonval_put_count(json_t *object, const char *key, uint64_t value);
/* 0 is null. */
void jsonval_put_nonzero(json_t *object, const char *key, uint64_t value);

void jsonval_append(json_t *array, json_t *value);
/* NULL is null, "" is "". */
void jsonval_append_text(json_t *array, const char *value);
void jsonval_append_count(json_t *array, uint64_t value);
/* Not finite is null. */
void jsonval_append_number(json_t *array, double value);

#endif
