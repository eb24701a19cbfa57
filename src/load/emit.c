/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Operations to records: arguments into fields by the signature, with the
 * limits each kind of number has.  What is computed while running is noted
 * beside the record (struct computed) with its steps.
 */
#include "load/emit.h"

#include <errno.h>

#include "op/op.h"

/* An operation on its way into its record. */
struct emitting {
	struct build *build;
	const struct stmt *stmt;
	struct rec rec;
	uint32_t handle_no;
	uint32_t index; /* the record's */
	bool computed;  /* some of it is, while running */
};

struct rec *emit_record(struct build *build, unsigned code, struct place at)
{
	struct rec *rec = VEC_PUSH(&build->recs);

	rec->code = (uint8_t)code;
	*VEC_PUSH(&build->src) = (struct rec_src){ .line = at.line,
						   .file = at.file };
	*VEC_PUSH(&build->handle_no) = 0;
	return rec;
}

static uint8_t flags_of(unsigned op_flags)
{
	unsigned flags = 0;

	if (op_flags & OPF_HANDLE)
		flags |= REC_HANDLE;
	if (op_flags & OPF_BIND)
		flags |= REC_BIND;
	if (op_flags & OPF_UNBIND)
		flags |= REC_UNBIND;
	if (op_flags & (OPF_READS | OPF_WRITES))
		flags |= REC_IO;
	if (op_flags & OPF_WRITES)
		flags |= REC_WRITES;
	return (uint8_t)flags;
}

static struct computed *add_computed(struct emitting *e, unsigned field,
				     unsigned index)
{
	struct computed *c = VEC_PUSH(&e->build->computed);

	e->computed = true;
	c->rec = e->index;
	c->field = (uint8_t)field;
	c->index = (uint8_t)index;
	c->first = (uint32_t)e->build->steps.n;
	return c;
}

static int emit_computed(struct emitting *e, char letter, unsigned index)
{
	const struct expr *expr = &e->stmt->param[index];
	struct build *build = e->build;
	struct computed *c;
	unsigned i;

	if (letter == 'h' && !expr_is_relative(expr))
		return diag_at(&build->diag, e->stmt->at,
			       "a handle must be a number");
	if (letter == 'e' && expr->steps[0].op == STEP_RANDOM)
		return diag_at(&build->diag, e->stmt->at,
			       "the expected size cannot be random: "
			       "* alone expects any");
	c = add_computed(e, letter_field(letter), index);
	c->nsteps = (uint8_t)expr->nsteps;
	c->relative = expr_is_relative(expr);
	for (i = 0; i < expr->nsteps; i++)
		*VEC_PUSH(&build->steps) = expr->steps[i];
	return 0;
}

static int emit_plain(struct emitting *e, char letter, uint64_t value)
{
	struct diag *diag = &e->build->diag;

	if (letter == 's' && value > LOAD_IO_MAX)
		return diag_at(diag, e->stmt->at,
			       "more than %u bytes in one transfer",
			       LOAD_IO_MAX);
	if (value >= UINT32_MAX && letter == 'e')
		return diag_at(diag, e->stmt->at,
			       "more bytes expected than can be moved");
	if (value > UINT32_MAX && letter != 'o' && letter != 'n')
		return diag_at(diag, e->stmt->at,
			       "the %s is more than 4294967295",
			       letter == 'h' ? "handle" : "number");
	if (letter == 'h')
		e->handle_no = (uint32_t)value;
	else
		rec_set_field(&e->rec, letter_field(letter), value);
	return 0;
}

static int emit_param(struct emitting *e, unsigned index)
{
	const struct expr *expr = &e->stmt->param[index];
	char letter = e->stmt->letter[index];

	if (letter == 'e' && expr_is_any(expr)) {
		e->rec.expect = EXPECT_ANY;
		return 0;
	}
	if (expr->nsteps)
		return emit_computed(e, letter, index);
	return emit_plain(e, letter, expr->value);
}

static int emit_path(struct emitting *e, unsigned which, unsigned defined)
{
	struct strings *strings = &e->build->strings;
	struct err err;
	uint32_t n;

	n = strings_path(strings, &e->stmt->path[which], defined, &err);
	if (n == STRING_BAD)
		return diag_at(&e->build->diag, e->stmt->at, "%s", err.text);
	if (which)
		e->rec.path2 = n;
	else
		e->rec.path = n;
	if (strings->v.v[n].kind == STRING_DYNAMIC)
		add_computed(e, which ? FIELD_PATH2 : FIELD_PATH, 0)->string =
			n;
	return 0;
}

/* What no single number shows. */
static int check_ranges(struct emitting *e)
{
	const struct rec *rec = &e->rec;
	bool io = (rec->flags & REC_IO) != 0;
	bool range = rec->code == OP_LOCKX || rec->code == OP_UNLOCKX;
	uint64_t length = io ? rec->size : rec->length;

	if (!io && !range)
		return 0;
	if (rec->offset > INT64_MAX || length > INT64_MAX - rec->offset)
		return diag_at(&e->build->diag, e->stmt->at,
			       "offset and length go beyond 2^63-1");
	if (io && rec->want == WANT_OK && rec->expect != EXPECT_ANY &&
	    rec->expect > rec->size && !e->computed)
		return diag_at(&e->build->diag, e->stmt->at,
			       "%u bytes expected of a transfer of %u",
			       rec->expect, rec->size);
	return 0;
}

static int emit_arguments(struct emitting *e, unsigned defined)
{
	const struct op_info *info = op_info(e->stmt->code);
	unsigned i;

	if (info->flags & OPF_PATH && emit_path(e, 0, defined) < 0)
		return -EINVAL;
	if (info->flags & OPF_PATH2 && emit_path(e, 1, defined) < 0)
		return -EINVAL;
	for (i = 0; i < e->stmt->nparams; i++)
		if (emit_param(e, i) < 0)
			return -EINVAL;
	return check_ranges(e);
}

int emit_operation(struct build *build, const struct stmt *stmt,
		   unsigned defined)
{
	struct emitting e = { .build = build,
			      .stmt = stmt,
			      .index = (uint32_t)build->recs.n };
	int rc;

	e.rec.code = (uint8_t)stmt->code;
	e.rec.want = (uint8_t)stmt->want;
	e.rec.flags = flags_of(op_info(stmt->code)->flags);
	rc = emit_arguments(&e, defined);
	/* After a mistake too, so that loops keep their bodies. */
	*emit_record(build, stmt->code, stmt->at) = e.rec;
	build->handle_no.v[e.index] = e.handle_no;
	return rc;
}
