/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A thin layer over jansson.  jansson refuses strings that are not UTF-8;
 * they are escaped first, so that the only failure left is memory.
 */
#include "report/jsonval.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "report/escape.h"

static json_t *need(json_t *value)
{
	if (!value)
		abort();
	return value;
}

json_t *jsonval_object(void)
{
	return need(json_object());
}

json_t *jsonval_array(void)
{
	return need(json_array());
}

void jsonval_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, need(value)) != 0)
		abort();
}

void jsonval_put_null(json_t *object, const char *key)
{
	jsonval_put(object, key, json_null());
}

void jsonval_put_bool(json_t *object, const char *key, bool value)
{
	jsonval_put(object, key, json_boolean(value));
}

static json_t *text_value(const char *value)
{
	autofree char *text = escape_utf8(value);

	return json_string(text);
}

void jsonval_put_text(json_t *object, const char *key, const char *value)
{
	jsonval_put(object, key, value && value[0] ? text_value(value) :
						     json_null());
}

static json_t *number_value(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

void jsonval_put_number(json_t *object, const char *key, double value)
{
	jsonval_put(object, key, number_value(value));
}

/* JSON integers are signed here; what does not fit loses its last digits. */
static json_t *count_value(uint64_t value)
{
	if (value > INT64_MAX)
		return json_real((double)value);
	return json_integer((json_int_t)value);
}

void jsonval_put_count(json_t *object, const char *key, uint64_t value)
{
	jsonval_put(object, key, count_value(value));
}

void jsonval_put_nonzero(json_t *object, const char *key, uint64_t value)
{
	jsonval_put(object, key, value ? count_value(value) : json_null());
}

void jsonval_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, need(value)) != 0)
		abort();
}

void jsonval_append_text(json_t *array, const char *value)
{
	jsonval_append(array, value ? text_value(value) : json_null());
}

void jsonval_append_count(json_t *array, uint64_t value)
{
	jsonval_append(array, count_value(value));
}

void jsonval_append_number(json_t *array, double value)
{
	jsonval_append(array, number_value(value));
}
