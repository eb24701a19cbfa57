/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether two programs do the same: everything but where the records came
 * from.  The compiler is deterministic, so "the same" is "the same bytes".
 */
#ifndef REPLAY_TESTS_UNIT_PROG_SAME_H
#define REPLAY_TESTS_UNIT_PROG_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "load/prog.h"

static inline bool same_bytes(const void *a, const void *b, size_t bytes)
{
	return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static inline bool same_sizes(const struct prog *a, const struct prog *b)
{
	return a->nrecs == b->nrecs && a->pass_start == b->pass_start &&
	       a->blob_bytes == b->blob_bytes &&
	       a->client_blob_bytes == b->client_blob_bytes &&
	       a->ntmpls == b->ntmpls && a->npieces == b->npieces &&
	       a->nsteps == b->nsteps && a->npatterns == b->npatterns &&
	       a->nslots == b->nslots && a->nest == b->nest &&
	       a->nkinds == b->nkinds;
}

/* What differs, or NULL. */
static inline const char *prog_difference(const struct prog *a,
					  const struct prog *b)
{
	if (!same_sizes(a, b))
		return "sizes";
	if (!same_bytes(a->recs, b->recs, a->nrecs * sizeof(*a->recs)))
		return "records";
	if (!same_bytes(a->handle_no, b->handle_no,
			a->nrecs * sizeof(*a->handle_no)))
		return "handle numbers";
	if (!same_bytes(a->steps, b->steps, a->nsteps * sizeof(*a->steps)))
		return "steps";
	if (!same_bytes(a->blob, b->blob, a->blob_bytes))
		return "strings";
	if (!same_bytes(a->tmpls, b->tmpls, a->ntmpls * sizeof(*a->tmpls)))
		return "templates";
	if (!same_bytes(a->pieces, b->pieces, a->npieces * sizeof(*a->pieces)))
		return "pieces";
	if (!same_bytes(a->patterns, b->patterns,
			a->npatterns * sizeof(*a->patterns)))
		return "patterns";
	if (!same_bytes(a->kind_code, b->kind_code, sizeof(a->kind_code)))
		return "kinds";
	if (!same_bytes(&a->facts, &b->facts, sizeof(a->facts)))
		return "facts";
	return NULL;
}

#endif
