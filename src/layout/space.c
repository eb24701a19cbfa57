/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes, from the topmost level down to the base.
 *
 * A computed size is comfortable: it has spare room, and room for the copies
 * that a copying file system makes of what is overwritten.  A size that the
 * user gave is refused only if the contents alone cannot be in it, for then
 * the run is certain to fail.
 *
 * A sparse image counts as a whole on the level below: in time the file
 * system in it uses every block.
 */
#include "layout/space.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fdio.h"
#include "base/macro.h"
#include "base/sat.h"
#include "base/units.h"
#include "layout/fstype.h"
#include "layout/setups.h"

/* What an image takes beyond its size: ext2's and ext3's indirect blocks. */
#define INDIRECT_PART 1024

/* Directories of ours on top of a level (run directory, upper, work...). */
#define FILES_OWN 16
#define BLOCK 4096

/* The part of a tmpfs, and of memory, that stays free. */
#define SPARE_PART 10

struct sizing {
	const struct target_spec *spec;
	struct space_plan *plan;
	bool force;
	bool in_image;         /* what is wanted is an image, not the clients'
				  files */
	size_t said;           /* length of plan->arithmetic */
};

static void say(struct sizing *sz, const char *fmt, ...) printf_like(2, 3);

/* Go on with the arithmetic; what does not fit is cut. */
static void say(struct sizing *sz, const char *fmt, ...)
{
	char *text = sz->plan->arithmetic;
	size_t size = sizeof(sz->plan->arithmetic);
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text + sz->said, size - sz->said, fmt, ap);
	va_end(ap);
	if (n > 0)
		sz->said = MIN_OF(sz->said + (size_t)n, size - 1);
}

/* NEED does not go where there is ROOM; unless it is to be tried. */
static int refuse(const struct sizing *sz, uint64_t need, uint64_t room,
		  struct err *err)
{
	char there[32], lack[32];

	if (sz->force)
		return 0;
	return err_set(err, -ENOSPC, "%s: it has room for %s, %s too little "
		       "(--no-reserve tries it)", sz->plan->arithmetic,
		       units_bytes_iec(room, there, sizeof(there)),
		       units_bytes_iec(need - room, lack, sizeof(lack)));
}

/* The size that the user gave to the image of levels[I]. */
static int take_given(struct sizing *sz, size_t i, const struct fstype *fs,
		      struct err *err)
{
	const struct space_need *need = &sz->plan->need[i];
	uint64_t size = sz->spec->levels[i].size_bytes;
	uint64_t room = fstype_room(fs, size, need->files);
	char given[32], min[32];

	sz->plan->size[i] = size;
	(void)units_bytes_iec(size, given, sizeof(given));
	if (fs && size < fs->min_bytes)
		return err_set(err, -EINVAL, "loop: size= is %s, and %s needs "
			       "at least %s", given, fs->name,
			       units_bytes_iec(fs->min_bytes, min,
					       sizeof(min)));
	say(sz, " -> image %s (given)", given);
	if (need->bytes > room)
		return refuse(sz, need->bytes, room, err);
	return 0;
}

static void take_computed(struct sizing *sz, size_t i, const char *name,
			  const struct fstype *fs)
{
	const struct space_need *need = &sz->plan->need[i];
	uint64_t want = fstype_size(fs, need->bytes, need->files);
	uint64_t size = MAX_OF(want, SPACE_DEFAULT_MIN);
	char own[32], image[32];

	sz->plan->size[i] = size;
	(void)units_bytes_iec(size, image, sizeof(image));
	if (size > want)
		say(sz, " -> image %s (the least)", image);
	else
		say(sz, " + %s%s %s -> image %s", name,
		    fs && fs->copies > 1 ? " and its copies" : "",
		    units_bytes_iec(want - MIN_OF(want, need->bytes), own,
				    sizeof(own)), image);
}

/* An image that exists: its length is the base's size already. */
static int take_existing(struct sizing *sz, size_t i, struct err *err)
{
	uint64_t size = sz->plan->size[0];
	uint64_t need = sz->plan->need[i].bytes;
	char length[32];

	sz->plan->size[i] = size;
	say(sz, " -> image %s (it exists)",
	    units_bytes_iec(size, length, sizeof(length)));
	return need > size ? refuse(sz, need, size, err) : 0;
}

/* What an image of SIZE bytes takes on the level below, OPS. */
static uint64_t image_takes(uint64_t size, const struct layer_ops *ops)
{
	return ops == &layer_tmpfs ? size
				   : sat_add(size, size / INDIRECT_PART);
}

static int plan_loop(struct sizing *sz, size_t i, struct err *err)
{
	const struct layer_spec *loop = &sz->spec->levels[i];
	const char *name = loop->fs ? loop->fs : FSTYPE_DEFAULT;
	const struct fstype *fs = fstype_find(name);
	const struct layer_ops *below = sz->spec->levels[i - 1].ops;
	int ret = 0;

	if (below == &layer_image)
		ret = take_existing(sz, i, err);
	else if (loop->size_bytes)
		ret = take_given(sz, i, fs, err);
	else
		take_computed(sz, i, name, fs);
	sz->plan->need[i - 1] = (struct space_need){
		.bytes = image_takes(sz->plan->size[i], below),
		.files = 1,
	};
	sz->in_image = true;
	return ret;
}

/*
 * What the clients change is copied to the upper directory, and is in the
 * lower one still.  An image is made in the upper directory at once.
 */
static void plan_overlay(struct sizing *sz, size_t i)
{
	const struct space_need *need = &sz->plan->need[i];
	struct space_need *below = &sz->plan->need[i - 1];
	char twice[32];

	*below = *need;
	if (sz->in_image)
		return;
	below->bytes = sat_add(sat_mul(need->bytes, 2), FILES_OWN * BLOCK);
	below->files = sat_add(sat_mul(need->files, 2), FILES_OWN);
	say(sz, " x 2 for overlay = %s",
	    units_bytes_iec(below->bytes, twice, sizeof(twice)));
}

static int plan_level(struct sizing *sz, size_t i, struct err *err)
{
	const struct layer_ops *ops = sz->spec->levels[i].ops;

	if (ops == &layer_loop)
		return plan_loop(sz, i, err);
	if (ops == &layer_overlay)
		plan_overlay(sz, i);
	else
		sz->plan->need[i - 1] = sz->plan->need[i];
	return 0;
}

/* A tmpfs has no structures of its own in it. */
static int plan_tmpfs(struct sizing *sz, struct err *err)
{
	uint64_t given = sz->spec->levels[0].size_bytes;
	uint64_t need = sz->plan->need[0].bytes;
	uint64_t size = sat_add(need, need / SPARE_PART);
	char all[32], limit[32];

	say(sz, " -> %s in memory", units_bytes_iec(need, all, sizeof(all)));
	size -= size % BLOCK;
	sz->plan->size[0] = given ? given : MAX_OF(size, SPACE_DEFAULT_MIN);
	if (!given || need <= given)
		return 0;
	say(sz, ", tmpfs %s (given)",
	    units_bytes_iec(given, limit, sizeof(limit)));
	return refuse(sz, need, given, err);
}

static int plan_base(struct sizing *sz, struct err *err)
{
	const struct layer_ops *ops = sz->spec->levels[0].ops;
	char all[32];

	if (ops == &layer_tmpfs)
		return plan_tmpfs(sz, err);
	say(sz, ops == &layer_image ? " -> %s for a private copy"
				    : " -> %s on the base",
	    units_bytes_iec(sz->plan->need[0].bytes, all, sizeof(all)));
	return 0;
}

/* How long an existing image is. */
static int measure_image(struct sizing *sz, struct err *err)
{
	const struct layer_spec *base = &sz->spec->levels[0];
	struct stat st;

	if (base->ops != &layer_image)
		return 0;
	if (stat(base->path, &st) < 0)
		return err_sys(err, -errno, "%.300s", base->path);
	sz->plan->size[0] = (uint64_t)st.st_size;
	return 0;
}

int space_plan(const struct target_spec *spec, const struct space_need *peak,
	       bool force, struct space_plan *plan, struct err *err)
{
	struct sizing sz = { .spec = spec, .plan = plan, .force = force };
	struct space_need *top = &plan->need[spec->nlevels - 1];
	char bytes[32];
	int ret;

	*plan = (struct space_plan){ .arithmetic = "" };
	top->bytes = sat_add(peak->bytes, FILES_OWN * BLOCK);
	top->files = sat_add(peak->files, FILES_OWN);
	ret = measure_image(&sz, err);
	if (ret < 0)
		return ret;
	say(&sz, "clients' files %s",
	    units_bytes_iec(top->bytes, bytes, sizeof(bytes)));
	for (size_t i = spec->nlevels - 1; i > 0; i--) {
		ret = plan_level(&sz, i, err);
		if (ret < 0)
			return ret;
	}
	return plan_base(&sz, err);
}
