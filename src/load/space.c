/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The most that a load's files can take, before it runs.
 *
 * The records are walked in the order of execution against a model of the
 * files.  Offsets and sizes are bounds already (bound.c), so a loop's body
 * need not be walked for its numbers, only for what one round leaves to the
 * next: it is walked a second time if names changed, and so is the whole
 * pass if it leaves files behind.  That is an estimate, meant for refusing a
 * load that would fill the disk: it should be high rather than low, and it
 * must not take long whatever the text says, so second walks and searches
 * through all names draw on a budget.
 */
#include <stdlib.h>
#include <string.h>

#include "load/build.h"
#include "load/model.h"
#include "base/sat.h"
#include "load/status.h"

#define WALK_BUDGET 2000000U /* records or names: some 20 ms */
#define BLOCK UINT64_C(4096)

struct round {
	uint64_t times;   /* executions of the body in a pass */
	bool again;       /* this is the second walk */
	bool changed;     /* names changed outside the loop before it */
};

struct walking {
	struct build *build;
	struct model model;
	struct round rounds[LOAD_NEST_MAX + 1];
	unsigned depth;
};

static void walk_open(struct walking *w, const struct rec *rec,
		      struct moment now)
{
	bool directory = (rec->num[0] & NT_OPTION_DIRECTORY) != 0;
	uint32_t file;

	if (status_must_fail(rec->want))
		return;
	file = model_create(&w->model, rec->path, directory, now);
	if (rec->num[1] == NT_OVERWRITE || rec->num[1] == NT_OVERWRITE_IF)
		model_truncate(&w->model, file);
	model_bind(&w->model, rec->handle, file);
}

/* Whether anything in a record is known only while running. */
static bool is_computed(const struct build *build, uint32_t rec)
{
	size_t i;

	if (build->computed.n == 0)
		return false;
	i = build_computed(build, rec);
	return i < build->computed.n && build->computed.v[i].rec == rec;
}

/* The bytes of the blocks that a write touches, all its executions. */
static uint64_t touched_bytes(struct walking *w, const struct rec *rec,
			      uint32_t file, struct moment now)
{
	uint64_t last = rec->offset + rec->size - 1;

	/* The same ones every time ... */
	if (!is_computed(w->build, now.rec))
		return (last / BLOCK - rec->offset / BLOCK + 1) * BLOCK;
	/* ... or others every time, and in every pass */
	if (w->model.files.v[file].born != w->model.walks)
		return UINT64_MAX;
	return sat_mul(((rec->size + BLOCK - 2) / BLOCK + 1) * BLOCK,
		       now.times);
}

static void walk_write(struct walking *w, const struct rec *rec,
		       struct moment now)
{
	uint32_t file = w->model.slots[rec->handle];

	if (file == NO_FILE || rec->size == 0 || status_must_fail(rec->want))
		return;
	model_write(&w->model, file, sat_add(rec->offset, rec->size),
		    touched_bytes(w, rec, file, now));
}

/* Operations that remove something, if they certainly do. */
static void walk_removal(struct walking *w, const struct rec *rec,
			 struct moment now)
{
	if (rec->want != WANT_OK)
		return;
	if (rec->code == OP_DELTREE)
		model_deltree(&w->model, rec->path);
	else if (rec->code == OP_RENAME)
		model_rename(&w->model, rec->path, rec->path2, now);
	else
		model_unlink(&w->model, rec->path, now);
}

static void walk_operation(struct walking *w, uint32_t i)
{
	const struct rec *rec = &w->build->recs.v[i];
	struct moment now = { .rec = i,
			      .times = w->rounds[w->depth].times };

	switch (rec->code) {
	case OP_NTCREATEX:
		walk_open(w, rec, now);
		break;
	case OP_CLOSE:
		model_release(&w->model, rec->handle);
		break;
	case OP_WRITEX:
		walk_write(w, rec, now);
		break;
	case OP_MKDIR:
		(void)model_create(&w->model, rec->path, true, now);
		break;
	case OP_UNLINK:
	case OP_RMDIR:
	case OP_RENAME:
	case OP_DELTREE:
		walk_removal(w, rec, now);
		break;
	default:
		break;
	}
}

/* Returns the record to go on with. */
static uint32_t enter_loop(struct walking *w, uint32_t i)
{
	const struct rec *rec = &w->build->recs.v[i];
	struct round *outer = &w->rounds[w->depth];

	if (rec->offset == 0)
		return rec->path;
	w->rounds[++w->depth] = (struct round){
		.times = sat_mul(outer->times, rec->offset),
		.again = rec->offset == 1,
		.changed = w->model.changed,
	};
	w->model.changed = false;
	return i + 1;
}

static uint32_t leave_loop(struct walking *w, uint32_t i)
{
	uint32_t body = w->build->recs.v[i].path;
	struct round *round = &w->rounds[w->depth];

	if (!round->again && w->model.changed &&
	    w->model.budget >= i - body) {
		w->model.budget -= i - body;
		round->again = true;
		return body;
	}
	w->model.changed |= round->changed;
	w->depth--;
	return i + 1;
}

/* Walk records FIRST to END. */
static void walk(struct walking *w, uint32_t first, uint32_t end)
{
	uint32_t i = first;

	w->model.walks++;
	w->depth = 0;
	w->rounds[0] = (struct round){ .times = 1 };
	while (i < end) {
		const struct rec *rec = &w->build->recs.v[i];

		if (rec->code == CTL_LOOP) {
			i = enter_loop(w, i);
			continue;
		}
		if (rec->code == CTL_ENDLOOP) {
			i = leave_loop(w, i);
			continue;
		}
		if (rec->code == CTL_RANDOMSTRING)
			model_draw(&w->model, rec->handle);
		else
			walk_operation(w, i);
		i++;
	}
	model_release_all(&w->model);
}

/* How many values a RANDOMSTRING pattern can draw. */
static uint64_t pattern_values(const char *p, size_t len)
{
	const char *end = p + len;
	uint64_t values = 1;

	while ((p = memchr(p, '[', (size_t)(end - p))) != NULL) {
		const char *close = memchr(p, ']', (size_t)(end - p));

		if (!close)
			break;
		values = sat_mul(values, (uint64_t)(close - p - 1));
		p = close;
	}
	return values;
}

static void count_values(struct walking *w)
{
	const struct dict *keys = &w->build->strings.keys;
	uint32_t i;

	for (i = 0; i < w->build->recs.n; i++) {
		const struct rec *rec = &w->build->recs.v[i];
		uint64_t *values = &w->model.variety[rec->handle %
						     RANDOMSTRINGS];

		if (rec->code == CTL_RANDOMSTRING)
			*values = sat_add(*values,
					  pattern_values(
						  dict_bytes(keys, rec->path),
						  dict_len(keys, rec->path)));
	}
}

/* Whether the pass left something that its next execution would meet. */
static bool leaves_files(const struct model *model, const uint64_t before[])
{
	return model->total[SIDE_CLIENT].files > before[SIDE_CLIENT] ||
	       model->total[SIDE_SHARED].files > before[SIDE_SHARED];
}

void space_estimate(struct build *build)
{
	struct walking w = { .build = build };
	struct prog_facts *facts = &build->facts;
	uint32_t n = (uint32_t)build->recs.n;
	uint64_t before[SIDES];

	model_init(&w.model, &build->strings, build->nslots);
	w.model.budget = WALK_BUDGET;
	count_values(&w);
	walk(&w, 0, build->pass_start);
	before[SIDE_CLIENT] = w.model.total[SIDE_CLIENT].files;
	before[SIDE_SHARED] = w.model.total[SIDE_SHARED].files;
	walk(&w, build->pass_start, n);
	if (leaves_files(&w.model, before) && w.model.budget >= n) {
		w.model.budget -= n;
		walk(&w, build->pass_start, n);
	}
	facts->peak_client_bytes = w.model.total[SIDE_CLIENT].peak_bytes;
	facts->peak_client_files = w.model.total[SIDE_CLIENT].peak_files;
	facts->peak_shared_bytes = w.model.total[SIDE_SHARED].peak_bytes;
	facts->peak_shared_files = w.model.total[SIDE_SHARED].peak_files;
	model_done(&w.model);
}
