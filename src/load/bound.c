/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The most that computed numbers can be.
 *
 * A number that is drawn has a bound of its own.  One that is relative grows
 * from operation to operation; for each index, what an operation does to the
 * running number is either "it becomes c" or "it grows by d".  Both compose
 * along a loop's body and have a closed form for n rounds, so two walks over
 * the records give, at every operation, the bound of the last round: the
 * first finds what one round of each loop does, the second applies it.
 *
 * Bounds go into the records' own fields, which CTL_EVAL overwrites in its
 * copy: later passes and the interpreter's buffers can take a record's size
 * as the most it will move.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "load/build.h"
#include "load/parse.h"
#include "base/sat.h"

/* What happens to the running number of one index. */
struct effect {
	bool sets;      /* it becomes value; else it grows by value */
	uint64_t value;
};

struct bounding {
	struct build *build;
	struct effect (*loops)[LOAD_PARAMS_MAX]; /* one round, by CTL_LOOP's
						    order; owned */
	size_t nloops;

	/* while walking: */
	size_t loop;                       /* loops met so far */
	size_t open[LOAD_NEST_MAX];        /* open ones, by order */
	uint64_t count[LOAD_NEST_MAX];     /* their rounds */
	uint64_t saved[LOAD_NEST_MAX][LOAD_PARAMS_MAX];
	unsigned depth;
	uint64_t now[LOAD_PARAMS_MAX];     /* second walk: bounds here */
	size_t next;                       /* in build->computed */
	int rc;
};

/* What a step leaves at most in the accumulator that is at most ACC. */
static uint64_t apply_step(const struct bounding *b, const struct step *step,
			   uint64_t acc)
{
	switch (step->op) {
	case STEP_RANDOM:
		return UINT64_MAX;
	case STEP_MOD:
		return MIN_OF(acc, step->value - 1);
	case STEP_ALIGN:
		return acc - acc % step->value;
	case STEP_ADD:
		return sat_add(acc, step->value);
	case STEP_PREV:
		return b->now[step->index];
	case STEP_CHILD:
		return sat_add(acc, LOAD_CLIENTS_MAX - 1);
	case STEP_CHILDREN:
		return sat_add(acc, LOAD_CLIENTS_MAX);
	case STEP_STRING:
		return b->build->string_bound[step->index];
	default:
		return step->value;
	}
}

static uint64_t apply_steps(const struct bounding *b, const struct computed *c)
{
	uint64_t acc = 0;
	unsigned i;

	for (i = 0; i < c->nsteps; i++)
		acc = apply_step(b, &b->build->steps.v[c->first + i], acc);
	return acc;
}

/* The computed number at INDEX of the record, or NULL. */
static const struct computed *find_computed(const struct bounding *b,
					    uint32_t rec, unsigned index)
{
	const struct build *build = b->build;
	size_t i;

	for (i = b->next; i < build->computed.n; i++) {
		const struct computed *c = &build->computed.v[i];

		if (c->rec != rec)
			return NULL;
		if (c->nsteps && c->index == index && c->field != FIELD_CONST)
			return c;
	}
	return NULL;
}

/* A number that is not computed. */
static uint64_t plain_number(const struct bounding *b, uint32_t rec,
			     char letter)
{
	if (letter == 'h')
		return b->build->handle_no.v[rec];
	return rec_field(&b->build->recs.v[rec], letter_field(letter));
}

static struct effect effect_of(const struct bounding *b, uint32_t rec,
			       unsigned index)
{
	const struct rec *op = &b->build->recs.v[rec];
	char letter = parse_letter(op_info(op->code)->sig, index);
	const struct computed *c = find_computed(b, rec, index);
	struct effect effect = { .sets = !c || !c->relative };

	/* In the first walk now[] is 0: relative ones give their growth. */
	if (c)
		effect.value = apply_steps(b, c);
	else if (letter)
		effect.value = plain_number(b, rec, letter);
	return effect;
}

/* FIRST, then SECOND. */
static struct effect compose(struct effect first, struct effect second)
{
	if (second.sets)
		return second;
	first.value = sat_add(first.value, second.value);
	return first;
}

static struct effect repeat(struct effect once, uint64_t count)
{
	if (count == 0)
		return (struct effect){ .sets = false };
	if (!once.sets)
		once.value = sat_mul(once.value, count);
	return once;
}

/* Step over the computed things of a record. */
static void pass_computed(struct bounding *b, uint32_t rec)
{
	while (b->next < b->build->computed.n &&
	       b->build->computed.v[b->next].rec == rec)
		b->next++;
}

/* First walk: fold the effect of one record into the open loop. */
static void gather(struct bounding *b, uint32_t i)
{
	const struct rec *rec = &b->build->recs.v[i];
	struct effect *outer;
	const struct effect *inner;
	unsigned k;

	if (rec->code == CTL_LOOP) {
		b->open[b->depth] = b->loop++;
		b->count[b->depth++] = rec->offset;
		return;
	}
	if (rec->code == CTL_ENDLOOP) {
		inner = b->loops[b->open[--b->depth]];
		if (b->depth == 0)
			return;
		outer = b->loops[b->open[b->depth - 1]];
		for (k = 0; k < LOAD_PARAMS_MAX; k++)
			outer[k] = compose(outer[k],
					   repeat(inner[k],
						  b->count[b->depth]));
		return;
	}
	if (op_is_control(rec->code))
		return;
	if (b->depth) {
		outer = b->loops[b->open[b->depth - 1]];
		for (k = 0; k < LOAD_PARAMS_MAX; k++)
			outer[k] = compose(outer[k], effect_of(b, i, k));
	}
	pass_computed(b, i);
}

/* Second walk: entering a loop, the bounds of its last round. */
static void enter_loop(struct bounding *b, uint64_t count)
{
	const struct effect *round = b->loops[b->loop++];
	unsigned k;

	memcpy(b->saved[b->depth], b->now, sizeof(b->now));
	b->count[b->depth++] = count;
	for (k = 0; k < LOAD_PARAMS_MAX; k++) {
		if (round[k].sets)
			b->now[k] = MAX_OF(b->now[k], round[k].value);
		else if (count)
			b->now[k] = sat_add(b->now[k], sat_mul(round[k].value,
							       count - 1));
	}
}

static void leave_loop(struct bounding *b)
{
	if (b->count[--b->depth] == 0)
		memcpy(b->now, b->saved[b->depth], sizeof(b->now));
}

static bool has_step(const struct bounding *b, const struct computed *c,
		     unsigned op)
{
	unsigned i;

	for (i = 0; i < c->nsteps; i++)
		if (b->build->steps.v[c->first + i].op == op)
			return true;
	return false;
}

/* Put a bound into its record; refuse sizes without a reasonable one. */
static void store_bound(struct bounding *b, const struct computed *c,
			uint64_t bound)
{
	struct build *build = b->build;
	struct place at = build_place(build, c->rec);

	if (c->field == FIELD_SIZE && bound > LOAD_IO_MAX) {
		if (has_step(b, c, STEP_RANDOM) && !has_step(b, c, STEP_MOD))
			b->rc = diag_at(&build->diag, at,
					"a random size needs a limit, "
					"as in *%%65536");
		else
			b->rc = diag_at(&build->diag, at,
					"the size can become %" PRIu64
					", more than the %u bytes of one "
					"transfer",
					bound, LOAD_IO_MAX);
		return;
	}
	if (c->field == FIELD_EXPECT)
		bound = MIN_OF(bound, UINT32_MAX - 1);
	else if (c->field != FIELD_OFFSET && c->field != FIELD_LENGTH)
		bound = MIN_OF(bound, UINT32_MAX);
	rec_set_field(&build->recs.v[c->rec], c->field, bound);
}

static void apply(struct bounding *b, uint32_t i)
{
	const struct rec *rec = &b->build->recs.v[i];
	uint64_t after[LOAD_PARAMS_MAX];
	const struct computed *c;
	unsigned k;

	if (rec->code == CTL_LOOP)
		enter_loop(b, rec->offset);
	else if (rec->code == CTL_ENDLOOP)
		leave_loop(b);
	else if (rec->code == CTL_ONCE_END)
		memset(b->now, 0, sizeof(b->now));
	if (op_is_control(rec->code))
		return;
	for (k = 0; k < LOAD_PARAMS_MAX; k++)
		after[k] = effect_of(b, i, k).value;
	for (k = 0; k < LOAD_PARAMS_MAX; k++) {
		c = find_computed(b, i, k);
		if (c)
			store_bound(b, c, after[k]);
	}
	memcpy(b->now, after, sizeof(after));
	pass_computed(b, i);
}

static void walk_all(struct bounding *b,
		     void (*visit)(struct bounding *b, uint32_t i))
{
	uint32_t i;

	b->loop = 0;
	b->depth = 0;
	b->next = 0;
	memset(b->now, 0, sizeof(b->now));
	for (i = 0; i < b->build->recs.n; i++)
		visit(b, i);
}

/* The most that a random string of PATTERN can be as a number: of each set
 * the largest digit.  UINT64_MAX if it need not be a number. */
static uint64_t pattern_bound(const char *p, size_t len)
{
	const char *end = p + len;
	char digits[RANDOMSTRING_MAX];
	size_t n = 0;
	uint64_t value;

	for (; p < end && n < sizeof(digits); p++) {
		const char *close = *p == '[' ?
					    memchr(p, ']', (size_t)(end - p)) :
					    NULL;

		if (!close) {
			digits[n++] = *p;
			continue;
		}
		digits[n] = '0';
		for (p++; p < close; p++) {
			if (*p < '0' || *p > '9')
				return UINT64_MAX;
			digits[n] = MAX_OF(digits[n], *p);
		}
		n++;
	}
	if (units_parse_u64(digits, n, &value) < 0)
		return UINT64_MAX;
	return value;
}

static void bound_strings(struct build *build)
{
	size_t i;

	for (i = 0; i < build->recs.n; i++) {
		const struct rec *rec = &build->recs.v[i];
		uint64_t *bound = &build->string_bound[rec->handle %
						       RANDOMSTRINGS];
		uint64_t value;

		if (rec->code != CTL_RANDOMSTRING)
			continue;
		value = pattern_bound(dict_bytes(&build->strings.keys,
						 rec->path),
				      dict_len(&build->strings.keys,
					       rec->path));
		*bound = MAX_OF(*bound, value);
	}
}

int bound_records(struct build *build)
{
	struct bounding b = { .build = build };
	size_t i;

	if (build->computed.n == 0)
		return 0;
	for (i = 0; i < build->recs.n; i++)
		b.nloops += build->recs.v[i].code == CTL_LOOP;
	b.loops = mem_zalloc(b.nloops, sizeof(*b.loops));
	bound_strings(build);
	walk_all(&b, gather);
	walk_all(&b, apply);
	free(b.loops);
	return b.rc;
}
