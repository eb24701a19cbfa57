/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading a result that was written once, by this program or by whatever
 * claims to be it.  A document that parses and has schema 1 is accepted; of
 * what is in it everything may be missing, of another type, or absurd, and
 * is unknown then.  Bounds on its size and on the numbers of targets and
 * counts keep time and memory bounded; jansson bounds the depth.
 */
#include "report/stored.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "report/escape.h"
#include "report/show.h"

#define KEY_SIZE 64

static int parse(struct stored *stored, const char *text, size_t len,
		 struct err *err)
{
	json_error_t error;
	autofree char *what = NULL;

	stored->doc = json_loadb(text, len, 0, &error);
	if (stored->doc)
		return 0;
	what = escape_text(error.text);
	return err_set(err, -EINVAL, "%s:%d: no JSON: %s", stored->path,
		       error.line, what);
}

static int load(struct stored *stored, struct err *err)
{
	autoclose int fd = open(stored->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	autofree char *text = NULL;
	ssize_t len;

	if (fd < 0)
		return err_sys(err, -errno, "%s", stored->path);
	len = fdio_read_all(fd, SHOW_FILE_MAX, &text);
	if (len == -EFBIG)
		return err_set(err, -EFBIG, "%s: longer than %d MiB",
			       stored->path, SHOW_FILE_MAX >> 20);
	if (len < 0)
		return err_sys(err, (int)len, "%s", stored->path);
	return parse(stored, text, (size_t)len, err);
}

static int check_schema(const struct stored *stored, struct err *err)
{
	json_t *schema = json_object_get(stored->doc, "schema");

	if (!json_is_integer(schema))
		return err_set(err, -EINVAL, "%s: no results of replay",
			       stored->path);
	if (json_integer_value(schema) != 1)
		return err_set(err, -EINVAL,
			       "%s: has schema %lld, only 1 is known",
			       stored->path,
			       (long long)json_integer_value(schema));
	return 0;
}

json_t *stored_value(const struct stored *stored, const char *keys)
{
	json_t *value = stored->doc;
	char key[KEY_SIZE];

	for (;;) {
		size_t len = strcspn(keys, ".");

		(void)snprintf(key, sizeof(key), "%.*s", (int)len, keys);
		if (json_is_array(value))
			value = json_array_get(value, strtoul(key, NULL, 10));
		else
			value = json_object_get(value, key);
		if (!keys[len])
			return value;
		keys += len + 1;
	}
}

/* NAN for what is no number. */
static double get_number(const json_t *value)
{
	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* The index of the target NAME, which is added when it is new. */
static size_t find_target(struct stored *stored, const char *name)
{
	size_t i;

	for (i = 0; i < stored->targets.n; i++)
		if (strcmp(stored->targets.v[i], name) == 0)
			return i;
	if (i < STORED_TARGETS_MAX)
		*VEC_PUSH(&stored->targets) = name;
	return i;
}

static bool is_positive(const json_t *o, const char *key)
{
	return get_number(json_object_get(o, key)) > 0;
}

static bool is_true(const json_t *o, const char *key)
{
	return json_is_true(json_object_get(o, key));
}

static double get_median(const json_t *o, const char *key)
{
	double v = get_number(json_object_get(json_object_get(o, key),
					      "median"));

	return isfinite(v) && v >= 0 ? v : NAN;
}

static void fill_cell(struct stored_cell *cell, const json_t *o)
{
	cell->mb_per_s = get_median(o, "mb_per_s");
	cell->durable_mb_per_s = get_median(o, "durable_mb_per_s");
	cell->counts = is_positive(o, "rounds") ||
		       !json_is_number(json_object_get(o, "rounds"));
	cell->partial = is_true(o, "partial");
	cell->surprised = is_positive(o, "errors");
	cell->disturbed = is_positive(o, "disturbed_rounds");
	cell->lost = is_true(o, "lost_data");
	cell->failed = is_positive(o, "failed_rounds");
}

/* Add a cell, if the object O says of what it is. */
static int add_cell(struct stored *stored, const json_t *o, struct err *err)
{
	const json_t *clients = json_object_get(o, "clients");
	const char *name = json_string_value(json_object_get(o, "target"));
	json_int_t count = json_integer_value(clients);
	struct stored_cell *cell;
	size_t target;

	if (!name || count < 1 || count > UINT32_MAX)
		return 0;
	target = find_target(stored, name);
	if (target >= STORED_TARGETS_MAX)
		return err_set(err, -E2BIG, "%s: more than %d targets",
			       stored->path, STORED_TARGETS_MAX);
	cell = VEC_PUSH(&stored->cells);
	cell->clients = (unsigned)count;
	cell->target = target;
	fill_cell(cell, o);
	return 0;
}

static int read_cells(struct stored *stored, struct err *err)
{
	json_t *summary = stored_value(stored, "summary");
	size_t n = json_array_size(summary);

	if (n > STORED_CELLS_MAX)
		return err_set(err, -E2BIG, "%s: too many results",
			       stored->path);
	for (size_t i = 0; i < n; i++) {
		int ret = add_cell(stored, json_array_get(summary, i), err);

		if (ret < 0)
			return ret;
	}
	return 0;
}

/* In the order of the file: also those that have no cell. */
static int read_targets(struct stored *stored, struct err *err)
{
	json_t *targets = stored_value(stored, "targets");
	size_t n = json_array_size(targets);

	for (size_t i = 0; i < n; i++) {
		json_t *o = json_array_get(targets, i);
		const char *name =
			json_string_value(json_object_get(o, "name"));

		if (name && find_target(stored, name) >= STORED_TARGETS_MAX)
			return err_set(err, -E2BIG, "%s: more than %d targets",
				       stored->path, STORED_TARGETS_MAX);
	}
	return 0;
}

int stored_read(struct stored *stored, const char *path, struct err *err)
{
	int ret;

	*stored = (struct stored){ .path = path };
	ret = load(stored, err);
	if (ret == 0)
		ret = check_schema(stored, err);
	if (ret == 0)
		ret = read_targets(stored, err);
	if (ret == 0)
		ret = read_cells(stored, err);
	return ret;
}

void stored_done(struct stored *stored)
{
	json_decref(stored->doc);
	stored->doc = NULL;
	VEC_FREE(&stored->targets);
	VEC_FREE(&stored->cells);
}
