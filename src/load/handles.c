/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Handles: who opens what is used, and slots for the interpreter's table.
 *
 * A life of a handle number begins with an open when the number is not
 * possibly open, and ends with a Close that is certainly executed after it:
 * one in the same round of the same loop's body.  Without such a Close it
 * lasts to the end of the pass (for the preamble, to its end), and, being
 * open when the next round of its loops begins, it counts from where the
 * outermost of them starts.  Lives that overlap in the text get different
 * slots; a slot is used again after a life has certainly ended.
 *
 * An open that must fail begins nothing: it has slot 0, which nobody reads.
 *
 * What is refused: a handle that no line above can have opened, or that a
 * line above has certainly closed.  What only may be closed (in a later
 * round of a loop, after an open with status *) is left to run time, where
 * such an operation is skipped and counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "load/build.h"
#include "load/huge.h"
#include "load/status.h"

struct life {
	uint32_t from;  /* record: the slot is taken here */
	uint32_t until; /* record: and free after this one; NO_RECORD: to the
			   end of the preamble or pass */
	uint32_t loop;  /* innermost loop of the open, or NO_RECORD */
	uint16_t slot;
};

enum number_state {
	NUMBER_UNUSED,
	NUMBER_OPEN,   /* possibly */
	NUMBER_CLOSED, /* certainly, by record `by` */
	NUMBER_FAILED  /* only opens that must fail so far, the last is `by` */
};

/* What is known of a handle number; in a table with open addressing. */
struct number {
	uint32_t no;
	uint32_t era; /* 1: preamble, 2: pass; older ones count as unused */
	enum number_state state;
	uint32_t life; /* of NUMBER_OPEN */
	uint32_t by;
};

struct handles {
	struct build *build;
	struct number *table; /* owned */
	size_t mask, used;
	VEC(struct life) lives;
	uint32_t *life_of;    /* owned; by record: its life, or NO_RECORD */
	uint32_t era;
	uint32_t loops[LOAD_NEST_MAX];
	unsigned depth;
	int rc;
};

static struct number *probe(const struct handles *h, uint32_t no)
{
	size_t at = (no * UINT32_C(0x9e3779b1)) >> 7 & h->mask;

	while (h->table[at].era && h->table[at].no != no)
		at = (at + 1) & h->mask;
	return &h->table[at];
}

static void grow(struct handles *h)
{
	struct number *old = h->table;
	size_t n = old ? h->mask + 1 : 0;
	size_t i;

	h->mask = n ? n * 2 - 1 : 255;
	h->table = mem_zalloc(h->mask + 1, sizeof(*h->table));
	for (i = 0; i < n; i++)
		if (old[i].era)
			*probe(h, old[i].no) = old[i];
	free(old);
}

/* The entry of a handle number, made if need be. */
static struct number *number_of(struct handles *h, uint32_t no)
{
	struct number *number;

	if (h->used * 2 >= h->mask)
		grow(h);
	number = probe(h, no);
	if (!number->era)
		h->used++;
	if (number->era != h->era)
		*number = (struct number){ .no = no, .era = h->era };
	return number;
}

static uint32_t current_loop(const struct handles *h)
{
	return h->depth ? h->loops[h->depth - 1] : NO_RECORD;
}

static void open_handle(struct handles *h, uint32_t rec)
{
	struct number *number = number_of(h, h->build->handle_no.v[rec]);
	unsigned want = h->build->recs.v[rec].want;

	if (status_must_fail(want)) {
		if (number->state == NUMBER_UNUSED) {
			number->state = NUMBER_FAILED;
			number->by = rec;
		}
		return;
	}
	if (number->state != NUMBER_OPEN) {
		number->state = NUMBER_OPEN;
		number->life = (uint32_t)h->lives.n;
		*VEC_PUSH(&h->lives) = (struct life){ .from = rec,
						      .until = NO_RECORD,
						      .loop = current_loop(h) };
	}
	h->life_of[rec] = number->life;
}

static void refuse(struct handles *h, uint32_t rec, const struct number *number)
{
	struct build *build = h->build;
	struct place at = build_place(build, rec);
	struct place by = build_place(build, number->by);
	char where[512];

	h->rc = -EINVAL;
	if (number->state == NUMBER_UNUSED) {
		(void)diag_at(&build->diag, at, "no line above opens handle %u",
			      number->no);
		return;
	}
	(void)snprintf(where, sizeof(where), "line %u", by.line);
	if (by.file != at.file)
		diag_place(build->files.list.v, by, where, sizeof(where));
	(void)diag_at(&build->diag, at, "handle %u is not open here: %s %s",
		      number->no, where,
		      number->state == NUMBER_CLOSED ?
			      "closes it" :
			      "opens it, but is to fail");
}

static void use_handle(struct handles *h, uint32_t rec)
{
	struct number *number = number_of(h, h->build->handle_no.v[rec]);
	struct life *life;

	if (number->state != NUMBER_OPEN) {
		refuse(h, rec, number);
		return;
	}
	h->life_of[rec] = number->life;
	life = &h->lives.v[number->life];
	if (!(op_info(h->build->recs.v[rec].code)->flags & OPF_UNBIND) ||
	    life->loop != current_loop(h))
		return;
	life->until = rec;
	number->state = NUMBER_CLOSED;
	number->by = rec;
}

/* Lives that begin in a loop and may still be open when it starts again
 * must have their slots from its start. */
static void widen_lives(struct handles *h, uint32_t first_life, uint32_t start)
{
	size_t i;

	for (i = first_life; i < h->lives.n; i++)
		if (h->lives.v[i].until == NO_RECORD)
			h->lives.v[i].from = start;
}

static void find_lives(struct handles *h)
{
	const struct build *build = h->build;
	uint32_t first_life = 0; /* of the outermost loop */
	uint32_t i;

	for (i = 0; i < build->recs.n; i++) {
		const struct rec *rec = &build->recs.v[i];
		unsigned flags = op_info(rec->code)->flags;

		if (rec->code == CTL_LOOP) {
			if (h->depth == 0)
				first_life = (uint32_t)h->lives.n;
			h->loops[h->depth++] = i;
		} else if (rec->code == CTL_ENDLOOP) {
			if (--h->depth == 0)
				widen_lives(h, first_life, h->loops[0]);
		} else if (rec->code == CTL_ONCE_END) {
			h->era++;
		} else if (flags & OPF_BIND) {
			open_handle(h, i);
		} else if (flags & OPF_HANDLE) {
			use_handle(h, i);
		}
	}
}

static int by_start(const void *a, const void *b)
{
	const struct life *const *x = a;
	const struct life *const *y = b;

	if ((*x)->from != (*y)->from)
		return (*x)->from < (*y)->from ? -1 : 1;
	/* Not by address alone: the order decides the slots. */
	return *x < *y ? -1 : *x > *y;
}

/* The lives in the order in which they need slots; the caller frees it. */
static struct life **sort_lives(struct handles *h)
{
	struct life **order = mem_zalloc(h->lives.n + 1, sizeof(struct life *));
	bool sorted = true;
	size_t i;

	for (i = 0; i < h->lives.n; i++) {
		order[i] = &h->lives.v[i];
		if (i && order[i]->from < order[i - 1]->from)
			sorted = false;
	}
	if (!sorted)
		qsort(order, h->lives.n, sizeof(struct life *), by_start);
	return order;
}

struct slot_pool {
	VEC(uint16_t) free;
	uint32_t n;     /* slots that exist */
	uint32_t floor; /* slots that live to the end of the preamble */
};

static int take_slot(struct handles *h, struct slot_pool *pool,
		     struct life *life)
{
	if (pool->free.n) {
		life->slot = pool->free.v[--pool->free.n];
		return 0;
	}
	if (pool->n > LOAD_SLOTS_MAX)
		return diag_at(&h->build->diag,
			       build_place(h->build, life->from),
			       "more than %d handles open at once",
			       LOAD_SLOTS_MAX);
	life->slot = (uint16_t)pool->n++;
	return 0;
}

/* At the end of the preamble every slot is free again. */
static void free_all(struct slot_pool *pool)
{
	uint32_t i;

	pool->free.n = 0;
	for (i = pool->n; i > 1; i--)
		*VEC_PUSH(&pool->free) = (uint16_t)(i - 1);
}

static int assign_slots(struct handles *h)
{
	struct build *build = h->build;
	struct life **order = sort_lives(h);
	struct slot_pool pool = { .n = 1 };
	size_t next = 0;
	uint32_t i;
	int rc = 0;

	for (i = 0; i < build->recs.n && rc == 0; i++) {
		uint32_t life = h->life_of[i];

		while (next < h->lives.n && order[next]->from == i && rc == 0)
			rc = take_slot(h, &pool, order[next++]);
		if (build->recs.v[i].code == CTL_ONCE_END)
			free_all(&pool);
		if (life == NO_RECORD)
			continue;
		build->recs.v[i].handle = h->lives.v[life].slot;
		if (h->lives.v[life].until == i)
			*VEC_PUSH(&pool.free) = h->lives.v[life].slot;
	}
	build->nslots = pool.n;
	build->facts.max_open = pool.n - 1;
	VEC_FREE(&pool.free);
	free(order);
	return rc;
}

int handles_assign(struct build *build)
{
	struct handles h = { .build = build, .era = 1 };
	size_t i;
	int rc;

	grow(&h);
	h.life_of = huge_alloc(build->recs.n * sizeof(*h.life_of));
	for (i = 0; i < build->recs.n; i++)
		h.life_of[i] = NO_RECORD;
	find_lives(&h);
	rc = h.rc;
	if (rc == 0)
		rc = assign_slots(&h);
	free(h.table);
	free(h.life_of);
	VEC_FREE(&h.lives);
	return rc;
}
