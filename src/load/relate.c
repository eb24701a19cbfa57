/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which operation comes before one that says +N.
 *
 * "+N" is the same-index number of the client's previous operation, of
 * whatever name, plus N.  Records have no branches but LOOP, so almost every
 * operation has one predecessor: the one above it.  The first operation of a
 * loop's body has also the last one of the body, and it is the first of
 * every loop that opens right above it.  At the start of the preamble and of
 * the pass there is none and the numbers are 0.
 *
 * Only operations that can be such a predecessor save their numbers at run
 * time (build->saves).  A relative handle is resolved here, because slots
 * are given out when compiling: all predecessors must agree.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "load/build.h"
#include "load/parse.h"

struct open_loop {
	uint32_t start;  /* the CTL_LOOP */
	uint32_t before; /* operation before it, or NO_RECORD */
	unsigned fresh;  /* as it was before it */
};

struct relating {
	struct build *build;
	uint32_t *last;    /* by CTL_LOOP: the operation that its body ends
			      with, or NO_RECORD */
	uint32_t previous; /* the operation above, or NO_RECORD */
	struct open_loop loops[LOAD_NEST_MAX];
	unsigned depth;
	unsigned fresh;    /* innermost loops without an operation so far */
	size_t next;       /* in build->computed */
};

/*
 * Walk through the records: maintains previous and loops.  Returns whether
 * the record is an operation.
 */
static bool walk(struct relating *r, uint32_t i)
{
	const struct rec *rec = &r->build->recs.v[i];
	const struct open_loop *loop;

	switch (rec->code) {
	case CTL_LOOP:
		r->loops[r->depth++] = (struct open_loop){
			.start = i, .before = r->previous, .fresh = r->fresh
		};
		r->fresh++;
		return false;
	case CTL_ENDLOOP:
		loop = &r->loops[--r->depth];
		if (r->fresh)
			r->fresh--;
		else
			r->last[loop->start] = r->previous;
		/* After a loop that never runs, all is as before it. */
		if (r->build->recs.v[loop->start].offset == 0) {
			r->previous = loop->before;
			r->fresh = loop->fresh;
		}
		return false;
	case CTL_ONCE_END:
		r->previous = NO_RECORD;
		return false;
	default:
		return !op_is_control(rec->code);
	}
}

static void begin(struct relating *r)
{
	r->previous = NO_RECORD;
	r->depth = r->fresh = 0;
	r->next = 0;
}

/* The number at INDEX of operation REC, if it is known when compiling. */
static bool known_number(struct relating *r, uint32_t rec, unsigned index,
			 uint64_t *out)
{
	const struct build *build = r->build;
	const struct rec *op = &build->recs.v[rec];
	char letter = parse_letter(op_info(op->code)->sig, index);
	size_t i;

	*out = 0;
	if (letter == '\0')
		return true;
	if (letter == 'h') {
		*out = build->handle_no.v[rec];
		return true;
	}
	for (i = build_computed(build, rec);
	     i < build->computed.n && build->computed.v[i].rec == rec; i++)
		if (build->computed.v[i].field == letter_field(letter))
			return false;
	*out = rec_field(op, letter_field(letter));
	return true;
}

static int refuse_handle(struct relating *r, uint32_t rec)
{
	return diag_at(&r->build->diag, build_place(r->build, rec),
		       "a handle +N must have one value, "
		       "here it depends on what ran before");
}

/* Resolve a relative handle through the operation above. */
static int resolve_handle(struct relating *r, const struct computed *c)
{
	const struct step *add = &r->build->steps.v[c->first + 1];
	uint64_t value = 0;

	if (add->op != STEP_ADD)
		return refuse_handle(r, c->rec);
	if (r->previous != NO_RECORD &&
	    !known_number(r, r->previous, c->index, &value))
		return refuse_handle(r, c->rec);
	if (value > UINT32_MAX || add->value > UINT32_MAX - value)
		return diag_at(&r->build->diag, build_place(r->build, c->rec),
			       "the handle is more than 4294967295");
	r->build->handle_no.v[c->rec] = (uint32_t)(value + add->value);
	return 0;
}

/* C can follow OPERATION: a handle must not change by that, a number is
 * to be saved there. */
static int relate(struct relating *r, const struct computed *c,
		  uint32_t operation)
{
	const struct step *add = &r->build->steps.v[c->first + 1];
	uint64_t value;

	if (operation == NO_RECORD)
		return 0;
	if (c->field != FIELD_CONST) {
		r->build->saves[operation] |= (uint16_t)(1U << c->index);
		return 0;
	}
	if (!known_number(r, operation, c->index, &value) ||
	    value > UINT32_MAX ||
	    value + add->value != r->build->handle_no.v[c->rec])
		return refuse_handle(r, c->rec);
	return 0;
}

/* Relate C to all that can come before it. */
static int relate_all(struct relating *r, const struct computed *c)
{
	int rc = relate(r, c, r->previous);
	unsigned i;

	for (i = 0; i < r->fresh && rc == 0; i++)
		rc = relate(r, c, r->last[r->loops[r->depth - 1 - i].start]);
	return rc;
}

/* One walk that does DO_RELATIVE for everything that says +N. */
static int walk_all(struct relating *r,
		    int (*do_relative)(struct relating *r,
				       const struct computed *c))
{
	struct build *build = r->build;
	uint32_t i;
	int rc = 0;

	begin(r);
	for (i = 0; i < build->recs.n; i++) {
		if (!walk(r, i))
			continue;
		for (; r->next < build->computed.n &&
		       build->computed.v[r->next].rec == i;
		     r->next++)
			if (build->computed.v[r->next].relative &&
			    do_relative(r, &build->computed.v[r->next]) < 0)
				rc = -EINVAL;
		r->previous = i;
		r->fresh = 0;
	}
	return rc;
}

static int resolve_if_handle(struct relating *r, const struct computed *c)
{
	return c->field == FIELD_CONST ? resolve_handle(r, c) : 0;
}

int relate_records(struct build *build)
{
	struct relating r = { .build = build };
	size_t i;
	int rc;

	for (i = 0; i < build->computed.n; i++)
		if (build->computed.v[i].relative)
			break;
	if (i == build->computed.n)
		return 0;
	build->saves = mem_zalloc(build->recs.n, sizeof(*build->saves));
	r.last = mem_zalloc(build->recs.n, sizeof(*r.last));
	for (i = 0; i < build->recs.n; i++)
		r.last[i] = NO_RECORD;
	rc = walk_all(&r, resolve_if_handle);
	if (rc == 0)
		rc = walk_all(&r, relate_all);
	free(r.last);
	return rc;
}
