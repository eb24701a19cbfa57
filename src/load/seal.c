/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The last pass: string numbers become places, kinds become dense, and all
 * arrays move into one mapping that is then read-only.
 *
 * One mapping, because the clients inherit it by fork(2): huge pages keep
 * its page tables, which fork copies for each of a thousand clients, small.
 * Read-only, because a client that wrote there would silently get a copy of
 * its own; so it crashes instead.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "load/build.h"

#define HUGE_PAGE (2U << 20)
#define ARRAY_ALIGN 64U

/* An array on its way into the image. */
struct part {
	const void *from;
	size_t bytes;
	const void **to; /* the member of struct prog */
};

enum { PARTS = 8 };

static uint32_t place_of(const struct build *build, uint32_t string)
{
	const struct string *s = &build->strings.v.v[string];

	/* CTL_EVAL supplies the dynamic ones; until then: the empty one */
	return s->kind == STRING_DYNAMIC ? 0 : s->place;
}

static void place_strings(struct build *build)
{
	size_t i;

	for (i = 0; i < build->recs.n; i++) {
		struct rec *rec = &build->recs.v[i];
		unsigned flags = op_info(rec->code)->flags;

		if (flags & OPF_PATH || rec->code == CTL_RANDOMSTRING)
			rec->path = place_of(build, rec->path);
		if (flags & OPF_PATH2)
			rec->path2 = place_of(build, rec->path2);
	}
	for (i = 0; i < build->steps.n; i++) {
		struct step *step = &build->steps.v[i];

		if (step->op == STEP_EXPAND)
			step->value = build->strings.v.v[step->value].place;
	}
}

/* Number the operations that occur, in the order of the table. */
static void number_kinds(struct build *build, struct prog *prog)
{
	uint8_t kind_of[OP_NR] = { 0 };
	bool used[OP_NR] = { false };
	unsigned code;
	size_t i;

	for (i = 0; i < build->recs.n; i++)
		if (!op_is_control(build->recs.v[i].code))
			used[build->recs.v[i].code] = true;
	for (code = 0; code < OP_NR; code++) {
		if (!used[code])
			continue;
		kind_of[code] = (uint8_t)prog->nkinds;
		prog->kind_code[prog->nkinds++] = (uint8_t)code;
	}
	for (i = 0; i < build->recs.n; i++)
		if (!op_is_control(build->recs.v[i].code))
			build->recs.v[i].kind = kind_of[build->recs.v[i].code];
}

static void list_parts(const struct build *build, struct prog *prog,
		       struct part parts[PARTS])
{
	const struct strings *s = &build->strings;

#define PART(array, member)                                                   \
	(struct part){ (array).v, (array).n * sizeof(*(array).v),             \
		       (const void **)&prog->member }
	parts[0] = PART(build->recs, recs);
	parts[1] = PART(build->src, src);
	parts[2] = PART(build->handle_no, handle_no);
	parts[3] = PART(build->steps, steps);
	parts[4] = PART(s->tmpls, tmpls);
	parts[5] = PART(s->pieces, pieces);
	parts[6] = PART(s->patterns, patterns);
	parts[7] = PART(s->blob, blob);
#undef PART
}

static size_t aligned(size_t bytes)
{
	return (bytes + ARRAY_ALIGN - 1) / ARRAY_ALIGN * ARRAY_ALIGN;
}

/* Copy the parts into one mapping and protect it. */
static int make_image(struct prog *prog, const struct part parts[PARTS])
{
	size_t bytes = 0;
	size_t at = 0;
	unsigned i;

	for (i = 0; i < PARTS; i++)
		bytes += aligned(parts[i].bytes);
	prog->image = mem_map_private(bytes, bytes >= HUGE_PAGE);
	if (!prog->image)
		return -errno;
	prog->image_bytes = bytes;
	for (i = 0; i < PARTS; i++) {
		char *to = (char *)prog->image + at;

		if (parts[i].bytes)
			memcpy(to, parts[i].from, parts[i].bytes);
		*parts[i].to = to;
		at += aligned(parts[i].bytes);
	}
	return mprotect(prog->image, bytes, PROT_READ) < 0 ? -errno : 0;
}

static void set_sizes(const struct build *build, struct prog *prog)
{
	const struct strings *s = &build->strings;

	prog->nrecs = (uint32_t)build->recs.n;
	prog->nsteps = (uint32_t)build->steps.n;
	prog->ntmpls = (uint32_t)s->tmpls.n;
	prog->npieces = (uint32_t)s->pieces.n;
	prog->npatterns = (uint32_t)s->patterns.n;
	prog->blob_bytes = (uint32_t)s->blob.n;
	prog->client_blob_bytes = s->client_bytes;
	prog->pass_start = build->pass_start;
	prog->nslots = build->nslots;
	prog->nest = build->nest;
	prog->facts = build->facts;
}

struct prog *seal_program(struct build *build)
{
	struct place whole = { .file = 0, .line = 0 };
	struct part parts[PARTS];
	struct prog *prog;
	struct err err;
	int rc;

	if (strings_seal(&build->strings, &err) < 0) {
		(void)diag_at(&build->diag, whole, "%s", err.text);
		return NULL;
	}
	place_strings(build);
	prog = mem_zalloc(1, sizeof(*prog));
	number_kinds(build, prog);
	set_sizes(build, prog);
	list_parts(build, prog, parts);
	rc = make_image(prog, parts);
	if (rc < 0) {
		(void)diag_at(&build->diag, whole, "no memory for it: %s",
			      strerror(-rc));
		prog_free(prog);
		return NULL;
	}
	prog->files = files_take(&build->files, &prog->nfiles);
	return prog;
}
