/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the passes over a program share: fields by number, and where the
 * computed things of a record are.
 */
#include "load/build.h"

#include <stdlib.h>

#include "load/huge.h"

/* Short lines; loads of longer ones just use less of it. */
#define BYTES_PER_RECORD 48

void build_reserve(struct build *build, size_t bytes)
{
	size_t n = bytes / BYTES_PER_RECORD + 1;

	build->recs.v = huge_alloc(n * sizeof(*build->recs.v));
	build->src.v = huge_alloc(n * sizeof(*build->src.v));
	build->handle_no.v = huge_alloc(n * sizeof(*build->handle_no.v));
	build->recs.cap = build->src.cap = build->handle_no.cap = n;
}

void build_free(struct build *build)
{
	diag_done(&build->diag);
	files_done(&build->files);
	strings_done(&build->strings);
	VEC_FREE(&build->recs);
	VEC_FREE(&build->src);
	VEC_FREE(&build->handle_no);
	VEC_FREE(&build->computed);
	VEC_FREE(&build->steps);
	free(build->saves);
	free(build);
}

size_t build_computed(const struct build *build, uint32_t rec)
{
	size_t low = 0;
	size_t high = build->computed.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (build->computed.v[mid].rec < rec)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

unsigned letter_field(char letter)
{
	switch (letter) {
	case 'o':
		return FIELD_OFFSET;
	case 'n':
		return FIELD_LENGTH;
	case 's':
		return FIELD_SIZE;
	case 'e':
		return FIELD_EXPECT;
	case 'x':
		return FIELD_NUM0;
	case 'y':
		return FIELD_NUM1;
	case 'z':
		return FIELD_NUM2;
	default:
		return FIELD_CONST;
	}
}
