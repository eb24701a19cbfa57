/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Files, as far as space is concerned.
 *
 * A file takes what lies below its end, but no more than the blocks that
 * writes touched, so that a byte written at one terabyte does not count as
 * one; and it takes that until it has neither a name nor a handle.  Where
 * the model does not know, it errs upwards: files under a renamed directory
 * stay counted for ever, what an operation with status * removes stays.
 *
 * A name with random strings is one name as long as the strings keep their
 * values.  When it is used again after one of them was drawn anew, the file
 * it had is "past": it stays, nobody can name it any more.  How many such
 * files there are is bounded by how often that happens and by how many
 * values the name can have.
 */
#include "load/model.h"

#include <stdlib.h>
#include <string.h>

#include "base/sat.h"

#define BLOCK UINT64_C(4096)

static uint64_t round_up(uint64_t bytes)
{
	return sat_add(bytes, BLOCK - 1) / BLOCK * BLOCK;
}

/* Shared files are written by all clients: only their end is a bound. */
static uint64_t file_bytes(const struct file *file)
{
	uint64_t bytes = round_up(file->size);

	if (file->directory)
		return BLOCK;
	return file->side == SIDE_CLIENT ? MIN_OF(bytes, file->written) : bytes;
}

static void add_total(struct model *model, enum model_side side,
		      uint64_t bytes, uint64_t files)
{
	struct model_total *total = &model->total[side];

	total->bytes = sat_add(total->bytes, bytes);
	total->files = sat_add(total->files, files);
	total->peak_bytes = MAX_OF(total->peak_bytes, total->bytes);
	total->peak_files = MAX_OF(total->peak_files, total->files);
}

static void take_total(struct model *model, enum model_side side,
		       uint64_t bytes, uint64_t files)
{
	struct model_total *total = &model->total[side];

	/* A saturated total stays: what was in it is not known. */
	if (total->bytes != UINT64_MAX)
		total->bytes -= MIN_OF(total->bytes, bytes);
	if (total->files != UINT64_MAX)
		total->files -= MIN_OF(total->files, files);
}

static void init_name(struct model *model, uint32_t n)
{
	struct name *name = &model->names[n];
	const char *key = dict_bytes(&model->strings->keys, n);
	size_t len = dict_len(&model->strings->keys, n);
	size_t i;

	name->file = NO_FILE;
	name->retired_at = UINT32_MAX;
	/* Each client draws its own strings: its dynamic names are its own. */
	name->side = model->strings->v.v[n].kind == STRING_SHARED ?
			     SIDE_SHARED :
			     SIDE_CLIENT;
	for (i = 0; i + 1 < len; i++)
		if (key[i] == PATH_MARK && key[i + 1] != PATH_MARK_CLIENT)
			name->randoms |= 1U << (key[i + 1] - PATH_MARK_RANDOM);
}

void model_init(struct model *model, const struct strings *strings,
		uint32_t nslots)
{
	uint32_t n;

	*model = (struct model){ .strings = strings, .nslots = nslots };
	model->names = mem_zalloc(strings->v.n, sizeof(*model->names));
	model->slots = mem_zalloc(nslots, sizeof(*model->slots));
	for (n = 0; n < strings->v.n; n++)
		init_name(model, n);
	for (n = 0; n < nslots; n++)
		model->slots[n] = NO_FILE;
}

void model_done(struct model *model)
{
	free(model->names);
	free(model->slots);
	VEC_FREE(&model->files);
	VEC_FREE(&model->free);
}

static uint32_t new_file(struct model *model, enum model_side side,
			 bool directory)
{
	struct file file = { .links = 1,
			     .born = model->walks,
			     .directory = directory,
			     .side = side };
	uint32_t f;

	if (model->free.n) {
		f = model->free.v[--model->free.n];
		model->files.v[f] = file;
	} else {
		f = (uint32_t)model->files.n;
		*VEC_PUSH(&model->files) = file;
	}
	add_total(model, side, file_bytes(&file), 1);
	model->changed = true;
	return f;
}

/* Forget a file that nothing leads to. */
static void drop_if_unused(struct model *model, uint32_t f)
{
	const struct file *file = &model->files.v[f];

	if (file->links || file->opens)
		return;
	take_total(model, file->side, file_bytes(file), 1);
	*VEC_PUSH(&model->free) = f;
	model->changed = true;
}

static void unlink_file(struct model *model, struct name *name)
{
	uint32_t f = name->file;

	if (f == NO_FILE)
		return;
	name->file = NO_FILE;
	model->files.v[f].links = 0;
	model->changed = true;
	drop_if_unused(model, f);
}

static uint64_t values_of(const struct model *model, const struct name *name)
{
	uint64_t values = 1;
	unsigned i;

	for (i = 0; i < RANDOMSTRINGS; i++)
		if (name->randoms >> i & 1)
			values = sat_mul(values, model->variety[i]);
	return values;
}

/* The file of a dynamic name becomes past. */
static void retire(struct model *model, struct name *name, struct moment now)
{
	uint64_t bytes = file_bytes(&model->files.v[name->file]);
	uint64_t before = name->past;

	name->past_bytes = MAX_OF(name->past_bytes, bytes);
	/* The loops around it are walked again: count them once. */
	if (name->retired_at != now.rec)
		name->past = MIN_OF(sat_add(before, now.times),
				    values_of(model, name));
	name->retired_at = now.rec;
	unlink_file(model, name);
	bytes = sat_mul(name->past, name->past_bytes);
	add_total(model, name->side, bytes - name->counted,
		  name->past - before);
	name->counted = bytes;
}

/* A name that is about to be used. */
static struct name *use_name(struct model *model, uint32_t n,
			     struct moment now)
{
	struct name *name = &model->names[n];
	uint64_t draw = 0;
	unsigned i;

	if (!name->randoms)
		return name;
	for (i = 0; i < RANDOMSTRINGS; i++)
		if (name->randoms >> i & 1)
			draw += model->draws[i];
	if (draw != name->draw && name->file != NO_FILE)
		retire(model, name, now);
	name->draw = draw;
	return name;
}

uint32_t model_create(struct model *model, uint32_t n, bool directory,
		      struct moment now)
{
	struct name *name = use_name(model, n, now);

	if (name->file == NO_FILE)
		name->file = new_file(model, name->side, directory);
	return name->file;
}

/* Set a file's extent, keeping the totals right. */
static void resize(struct model *model, uint32_t f, uint64_t size,
		   uint64_t written)
{
	struct file *file = &model->files.v[f];
	uint64_t before = file_bytes(file);
	uint64_t after;

	file->size = size;
	file->written = written;
	after = file_bytes(file);
	if (after > before)
		add_total(model, file->side, after - before, 0);
	else
		take_total(model, file->side, before - after, 0);
}

void model_truncate(struct model *model, uint32_t f)
{
	if (model->files.v[f].size)
		model->changed = true;
	resize(model, f, 0, 0);
}

void model_write(struct model *model, uint32_t f, uint64_t end,
		 uint64_t touched)
{
	const struct file *file = &model->files.v[f];

	resize(model, f, MAX_OF(file->size, end),
	       sat_add(file->written, touched));
}

void model_unlink(struct model *model, uint32_t n, struct moment now)
{
	unlink_file(model, use_name(model, n, now));
}

/* Whether name N is below DIR. */
static bool is_below(const struct model *model, uint32_t n, uint32_t dir)
{
	const struct dict *keys = &model->strings->keys;
	size_t len = dict_len(keys, dir);

	if (len == 1 && *dict_bytes(keys, dir) == '.')
		return n != dir;
	return dict_len(keys, n) > len && dict_bytes(keys, n)[len] == '/' &&
	       memcmp(dict_bytes(keys, n), dict_bytes(keys, dir), len) == 0;
}

/* Whether there is the will to look at all names. */
static bool can_scan(struct model *model)
{
	if (model->budget < model->strings->v.n)
		return false;
	model->budget -= model->strings->v.n;
	return true;
}

void model_deltree(struct model *model, uint32_t dir)
{
	uint32_t n;

	if (!can_scan(model))
		return;
	for (n = 0; n < model->strings->v.n; n++) {
		struct name *name = &model->names[n];

		if ((name->file == NO_FILE && !name->past) ||
		    !is_below(model, n, dir))
			continue;
		unlink_file(model, name);
		take_total(model, name->side, name->counted, name->past);
		name->past = name->counted = 0;
		name->retired_at = UINT32_MAX;
	}
}

/* Files below a directory that is renamed: they stay, without a name. */
static void lose_names(struct model *model, uint32_t dir)
{
	uint32_t n;

	if (!can_scan(model))
		return;
	for (n = 0; n < model->strings->v.n; n++)
		if (model->names[n].file != NO_FILE && is_below(model, n, dir))
			model->names[n].file = NO_FILE;
}

void model_rename(struct model *model, uint32_t from, uint32_t to,
		  struct moment now)
{
	struct name *old = use_name(model, from, now);
	struct name *new = use_name(model, to, now);
	uint32_t f = old->file;

	if (old == new)
		return;
	if (f == NO_FILE || model->files.v[f].directory)
		lose_names(model, from);
	if (f == NO_FILE)
		return;
	unlink_file(model, new);
	old->file = NO_FILE;
	new->file = f;
	model->changed = true;
}

void model_release(struct model *model, uint32_t slot)
{
	uint32_t f = model->slots[slot];

	if (f == NO_FILE)
		return;
	model->slots[slot] = NO_FILE;
	model->files.v[f].opens--;
	drop_if_unused(model, f);
}

void model_bind(struct model *model, uint32_t slot, uint32_t f)
{
	model->files.v[f].opens++;
	model_release(model, slot);
	model->slots[slot] = f;
}

void model_release_all(struct model *model)
{
	uint32_t slot;

	for (slot = 0; slot < model->nslots; slot++)
		model_release(model, slot);
}

void model_draw(struct model *model, unsigned index)
{
	model->draws[index]++;
	model->changed = true;
}
