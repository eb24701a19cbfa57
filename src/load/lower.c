/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CTL_EVAL records for what is computed while running.
 *
 * Most programs compute nothing and are left alone.  Otherwise all records
 * are copied once, each operation that computes or must save numbers with
 * its CTL_EVAL before it, and the loops' targets follow their records.  The
 * steps of an operation are in the order: compute and store each number in
 * the order of the text, expand paths, save.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "load/build.h"
#include "load/emit.h"
#include "load/parse.h"

struct lowering {
	struct build *build;   /* its arrays are the new ones */
	struct build old;      /* the old arrays */
	uint32_t *moved;       /* owned; where each old record went: its
				  CTL_EVAL if it has one */
	size_t next;           /* in build->computed */
};

static void add_step(struct lowering *l, enum step_op op, unsigned index,
		     uint64_t value)
{
	*VEC_PUSH(&l->build->steps) = (struct step){ .op = (uint8_t)op,
						     .index = (uint8_t)index,
						     .value = value };
}

static void lower_computed(struct lowering *l, const struct computed *c)
{
	unsigned i;

	if (c->field == FIELD_CONST)
		return; /* a handle, resolved when compiling */
	if (c->nsteps == 0) {
		/* seal puts the template's number in place of the string */
		add_step(l, STEP_EXPAND, c->field, c->string);
		return;
	}
	for (i = 0; i < c->nsteps; i++)
		*VEC_PUSH(&l->build->steps) = l->old.steps.v[c->first + i];
	add_step(l, STEP_STORE, c->field, 0);
}

/* Save number INDEX of an operation for those that say +N after it. */
static void lower_save(struct lowering *l, uint32_t rec, unsigned index)
{
	const struct rec *op = &l->old.recs.v[rec];
	char letter = parse_letter(op_info(op->code)->sig, index);

	if (letter && letter != 'h') {
		add_step(l, STEP_SAVE, index, letter_field(letter));
		return;
	}
	add_step(l, STEP_CONST, 0, letter ? l->old.handle_no.v[rec] : 0);
	add_step(l, STEP_SAVE, index, FIELD_CONST);
}

/* The steps of an operation; returns how many there are. */
static size_t lower_steps(struct lowering *l, uint32_t rec)
{
	const struct build *build = l->build;
	unsigned saves = build->saves ? build->saves[rec] : 0;
	size_t before = build->steps.n;
	unsigned i;

	for (; l->next < build->computed.n &&
	       build->computed.v[l->next].rec == rec;
	     l->next++)
		lower_computed(l, &build->computed.v[l->next]);
	for (i = 0; saves >> i; i++)
		if (saves >> i & 1)
			lower_save(l, rec, i);
	return build->steps.n - before;
}

static void lower_record(struct lowering *l, uint32_t i)
{
	struct place at = build_place(&l->old, i);
	uint32_t first = (uint32_t)l->build->steps.n;
	size_t steps = lower_steps(l, i);
	struct rec *eval;

	l->moved[i] = (uint32_t)l->build->recs.n;
	if (steps) {
		eval = emit_record(l->build, CTL_EVAL, at);
		eval->offset = first;
		eval->length = steps;
	}
	*emit_record(l->build, l->old.recs.v[i].code, at) = l->old.recs.v[i];
	l->build->handle_no.v[l->build->recs.n - 1] = l->old.handle_no.v[i];
}

static void move_targets(struct lowering *l)
{
	struct build *build = l->build;
	uint32_t i;

	for (i = 0; i < build->recs.n; i++)
		if (build->recs.v[i].code == CTL_LOOP ||
		    build->recs.v[i].code == CTL_ENDLOOP)
			build->recs.v[i].path =
				l->moved[build->recs.v[i].path];
	build->pass_start = l->moved[build->pass_start];
}

int lower_records(struct build *build)
{
	struct lowering l = { .build = build };
	uint32_t i;

	if (build->computed.n == 0)
		return 0;
	l.old.recs.v = take(build->recs.v);
	l.old.recs.n = build->recs.n;
	l.old.src.v = take(build->src.v);
	l.old.handle_no.v = take(build->handle_no.v);
	l.old.steps.v = take(build->steps.v);
	build->recs.n = build->recs.cap = 0;
	build->src.n = build->src.cap = 0;
	build->handle_no.n = build->handle_no.cap = 0;
	build->steps.n = build->steps.cap = 0;
	l.moved = mem_zalloc(l.old.recs.n, sizeof(*l.moved));
	for (i = 0; i < l.old.recs.n; i++)
		lower_record(&l, i);
	move_targets(&l);
	free(l.moved);
	free(l.old.recs.v);
	free(l.old.src.v);
	free(l.old.handle_no.v);
	free(l.old.steps.v);
	if (build->steps.n < UINT32_MAX)
		return 0;
	return diag_at(&build->diag, (struct place){ .file = 0 },
		       "more computed numbers than a program can have");
}
