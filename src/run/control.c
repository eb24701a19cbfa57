/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control records: loops, sleeps, meeting points, random strings, and the
 * evaluation of arguments that are not constant.
 *
 * All of it is outside the path of an ordinary operation: a program without
 * such records never gets here, and an operation with a random offset pays
 * for its own CTL_EVAL only.
 *
 * CTL_EVAL copies the record that follows into the client, runs a few steps
 * of an accumulator machine that fill in fields, and hands the copy to the
 * interpreter in place of the original.  A result that cannot be executed
 * (a transfer larger than the buffers, an offset past 2^63-1, a path that
 * left the rules) is not: it is counted as an error, EINVAL.
 */
#include "run/control.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Rounds of a loop between two looks at the clock. */
#define SPINS_PER_TICK 1024

#define EXPANDED_BYTES (LOAD_PATH_MAX + 1)

void control_start_pass(struct client *cl)
{
	cl->pass_start_ns = cl->now;
	memset(cl->prev, 0, sizeof(cl->prev));
}

/* sequence points of a later pass are later */
static uint64_t point(const struct client *cl, uint64_t n)
{
	return cl->slot->passes_done << 32 | (n & UINT32_MAX);
}

static void set_point(struct client *cl, uint64_t n)
{
	atomic_store_explicit(&cl->slot->sp, point(cl, n),
			      memory_order_release);
	(void)atomic_fetch_add(&cl->gate->points, 1);
	futex_wake_all(&cl->gate->points);
}

/* A client that has ended, or is not in this fleet, is not waited for. */
static bool point_reached(const struct client *cl, uint64_t who, uint64_t n)
{
	struct slot *other;

	if (who >= cl->shm->clients)
		return true;
	other = shm_slot(cl->shm, (unsigned)who);
	return atomic_load_explicit(&other->sp, memory_order_acquire) >=
		       point(cl, n) ||
	       atomic_load(&other->state) >= CLIENT_DONE;
}

static bool wait_point(struct client *cl, uint64_t who, uint64_t n)
{
	bool go_on = true;

	atomic_store_explicit(&cl->slot->waiting, WAIT_POINT,
			      memory_order_relaxed);
	for (;;) {
		uint32_t seen = atomic_load(&cl->gate->points);

		if (point_reached(cl, who, n) || !go_on)
			break;
		futex_wait(&cl->gate->points, seen, 50 * NS_PER_MS);
		go_on = client_tick(cl);
	}
	atomic_store_explicit(&cl->slot->waiting, WAIT_NOT,
			      memory_order_relaxed);
	return go_on && client_tick(cl);
}

/* Draw a random string: "text[set]text" with one character of each set. */
static void draw_string(struct client *cl, unsigned index, const char *from)
{
	char *to = cl->strings[index];
	char *end = to + RANDOMSTRING_MAX;
	const char *set;
	size_t n;

	while (*from && to < end) {
		if (*from != '[') {
			*to++ = *from++;
			continue;
		}
		set = from + 1;
		n = strcspn(set, "]");
		if (n)
			*to++ = set[rng_below(&cl->rng, n)];
		from = set + n + (set[n] == ']');
	}
	*to = '\0';
}

static void start_loop(struct client *cl, const struct rec *rec, uint32_t *pc)
{
	cl->loops[rec->handle] = rec->offset;
	if (!rec->offset)
		*pc = rec->path;
}

static void end_loop(struct client *cl, const struct rec *rec, uint32_t *pc)
{
	if (--cl->loops[rec->handle])
		*pc = rec->path;
	if (++cl->spins % SPINS_PER_TICK)
		return;
	atomic_store_explicit(&cl->slot->spins, cl->spins,
			      memory_order_relaxed);
	if (!client_tick(cl))
		cl->stopped = true;
}

/* Returns false when the value does not fit. */
static bool set_field(struct rec *rec, unsigned field, uint64_t value)
{
	rec_set_field(rec, field, value);
	switch (field) {
	case FIELD_OFFSET:
	case FIELD_LENGTH:
		return value <= INT64_MAX;
	case FIELD_SIZE:
	case FIELD_EXPECT:
		return value <= LOAD_IO_MAX;
	default:
		return true;
	}
}

/* One piece of a template into BUF; returns its length. */
static size_t expand_piece(struct client *cl, const struct piece *p, char *buf,
			   size_t room)
{
	const char *from = cl->prog->blob + p->off;
	char number[12];
	size_t n = p->len;

	if (p->kind == PIECE_CLIENT) {
		n = (size_t)snprintf(number, sizeof(number), "%u", cl->id);
		from = number;
	} else if (p->kind == PIECE_RANDOM) {
		from = cl->strings[p->off];
		n = strlen(from);
	}
	if (n < room)
		memcpy(buf, from, n);
	return n;
}

/* What the compiler checked in constant paths, for one made here. */
static bool path_is_good(const char *path)
{
	const char *at = path;

	if (!*path || *path == '/')
		return false;
	while (*at) {
		size_t n = strcspn(at, "/");

		if (n > LOAD_NAME_MAX || (n == 2 && !memcmp(at, "..", 2)))
			return false;
		at += n;
		at += *at == '/';
	}
	return true;
}

/* Expand a template into the scratch string of FIELD; false: not usable. */
static bool expand(struct client *cl, unsigned field, uint64_t tmpl_index)
{
	const struct tmpl *t = &cl->prog->tmpls[tmpl_index];
	uint32_t second = field == FIELD_PATH2;
	uint32_t at = cl->prog->client_blob_bytes + second * EXPANDED_BYTES;
	char *buf = (char *)cl->blobs[1] + at;
	size_t used = 0;
	uint32_t i;

	for (i = 0; i < t->n; i++) {
		const struct piece *p = &cl->prog->pieces[t->first + i];

		used += expand_piece(cl, p, buf + used, EXPANDED_BYTES - used);
		if (used >= EXPANDED_BYTES)
			return false;
	}
	buf[used] = '\0';
	if (second)
		cl->scratch.path2 = at | STR_CLIENT;
	else
		cl->scratch.path = at | STR_CLIENT;
	return path_is_good(buf);
}

size_t control_dynamic_bytes(const struct prog *prog)
{
	uint32_t i;

	for (i = 0; i < prog->nsteps; i++)
		if (prog->steps[i].op == STEP_EXPAND)
			return (size_t)(2 + prog->nslots) * EXPANDED_BYTES;
	return 0;
}

const char *control_keep_path(struct client *cl, uint16_t slot,
			      const char *path)
{
	char *kept = (char *)cl->blobs[1] + cl->prog->client_blob_bytes +
		     (size_t)(2 + slot) * EXPANDED_BYTES;

	strcpy(kept, path);
	return kept;
}

/* FNV-1a; only handles with dynamic paths pay for it. */
uint32_t control_salt(const char *path)
{
	uint32_t hash = UINT32_C(2166136261);

	while (*path)
		hash = (hash ^ (unsigned char)*path++) * UINT32_C(16777619);
	return hash;
}

/* One step; returns false when the operation cannot be executed. */
static bool run_step(struct client *cl, const struct step *step, uint64_t *acc)
{
	switch (step->op) {
	case STEP_CONST:
		*acc = step->value;
		return true;
	case STEP_RANDOM:
		*acc = rng_next(&cl->rng);
		return true;
	case STEP_MOD:
		*acc %= step->value;
		return true;
	case STEP_ALIGN:
		*acc -= *acc % step->value;
		return true;
	case STEP_ADD:
		*acc += step->value;
		return true;
	case STEP_PREV:
		*acc = cl->prev[step->index];
		return true;
	case STEP_CHILD:
		*acc += cl->id;
		return true;
	case STEP_CHILDREN:
		*acc += cl->shm->clients;
		return true;
	case STEP_STRING:
		*acc = strtoull(cl->strings[step->index], NULL, 0);
		return true;
	case STEP_STORE:
		return set_field(&cl->scratch, step->index, *acc);
	case STEP_EXPAND:
		return expand(cl, step->index, step->value);
	default: /* STEP_SAVE */
		cl->prev[step->index] =
			step->value == FIELD_CONST
				? *acc
				: rec_field(&cl->scratch,
					    (unsigned)step->value);
		return true;
	}
}

/* A transfer must fit into the buffers, a range below 2^63. */
static bool ranges_are_good(const struct client *cl, const struct rec *rec)
{
	const struct prog_facts *facts = &cl->prog->facts;
	uint64_t most = rec->flags & REC_WRITES ? facts->max_write
						: facts->max_read;

	if (rec->flags & REC_IO)
		return rec->size <= most &&
		       rec->offset <= INT64_MAX - (uint64_t)rec->size;
	if (op_info(rec->code)->flags & OPF_PATH)
		return true;
	return rec->offset <= INT64_MAX && rec->length <= INT64_MAX &&
	       rec->offset + rec->length <= INT64_MAX;
}

static const struct rec *evaluate(struct client *cl, const struct rec *rec,
				  uint32_t *pc)
{
	const struct step *step = &cl->prog->steps[rec->offset];
	const struct step *end = step + rec->length;
	uint64_t acc = 0;
	bool good = true;

	cl->scratch = cl->prog->recs[*pc];
	atomic_store_explicit(&cl->slot->pc, *pc, memory_order_relaxed);
	(*pc)++;
	for (; step < end; step++)
		good &= run_step(cl, step, &acc);
	if (good && ranges_are_good(cl, &cl->scratch))
		return &cl->scratch;
	cl->req.path = prog_str(cl->blobs, cl->scratch.path);
	client_error(cl, &cl->scratch, -EINVAL);
	if (!client_tick(cl))
		cl->stopped = true;
	return NULL;
}

const struct rec *control_step(struct client *cl, const struct rec *rec,
			       uint32_t *pc)
{
	bool go_on = true;

	switch (rec->code) {
	case CTL_LOOP:
		start_loop(cl, rec, pc);
		break;
	case CTL_ENDLOOP:
		end_loop(cl, rec, pc);
		break;
	case CTL_SLEEP:
		go_on = client_tick(cl) &&
			pace_sleep_until(cl, cl->now + rec->offset * 1000);
		break;
	case CTL_SETSP:
		set_point(cl, rec->offset);
		break;
	case CTL_WAITSP:
		go_on = wait_point(cl, rec->offset, rec->length);
		break;
	case CTL_RANDOMSTRING:
		draw_string(cl, rec->handle, cl->prog->blob + rec->path);
		break;
	case CTL_WRITEPATTERN:
		cl->pool = cl->setup->patterns[rec->path];
		cl->pool_mask = 0;
		break;
	case CTL_STAMP:
		if (cl->rate_ns_per_byte <= 0)
			go_on = pace_until(cl, cl->pass_start_ns +
						       rec->offset);
		break;
	default: /* CTL_EVAL */
		return evaluate(cl, rec, pc);
	}
	if (!go_on)
		cl->stopped = true;
	return NULL;
}
