/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A finished program: where its records came from, a client's strings. */
#include "load/prog.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "load/diag.h"

void prog_free(struct prog *prog)
{
	uint32_t i;

	if (!prog)
		return;
	for (i = 0; i < prog->nfiles; i++)
		free((void *)(uintptr_t)prog->files[i].name);
	free(prog->files);
	mem_unmap(prog->image, prog->image_bytes);
	free(prog);
}

void prog_where(const struct prog *prog, uint32_t rec, char *buf, size_t size)
{
	struct place at = { .file = prog->src[rec].file,
			    .line = prog->src[rec].line };
	size_t used;

	diag_place(prog->files, at, buf, size);
	used = strlen(buf);
	diag_includes(prog->files, at.file, buf + used, size - used);
}

void prog_client_blob(const struct prog *prog, uint32_t client, char *blob)
{
	char number[16];
	size_t digits = (size_t)snprintf(number, sizeof(number), "%u", client);
	uint32_t i, j;

	for (i = 0; i < prog->ntmpls; i++) {
		const struct tmpl *tmpl = &prog->tmpls[i];
		char *p = blob + tmpl->dest;

		if (tmpl->dest == UINT32_MAX)
			continue;
		for (j = 0; j < tmpl->n; j++) {
			const struct piece *piece =
				&prog->pieces[tmpl->first + j];
			bool text = piece->kind == PIECE_TEXT;
			size_t len = text ? piece->len : digits;

			memcpy(p, text ? prog->blob + piece->off : number, len);
			p += len;
		}
		*p = '\0';
	}
}

uint64_t rec_field(const struct rec *rec, unsigned field)
{
	switch (field) {
	case FIELD_OFFSET:
		return rec->offset;
	case FIELD_LENGTH:
		return rec->length;
	case FIELD_SIZE:
		return rec->size;
	case FIELD_EXPECT:
		return rec->expect;
	case FIELD_NUM0:
		return rec->num[0];
	case FIELD_NUM1:
		return rec->num[1];
	case FIELD_NUM2:
		return rec->num2[0];
	default:
		return 0;
	}
}

void rec_set_field(struct rec *rec, unsigned field, uint64_t value)
{
	switch (field) {
	case FIELD_OFFSET:
		rec->offset = value;
		break;
	case FIELD_LENGTH:
		rec->length = value;
		break;
	case FIELD_SIZE:
		rec->size = (uint32_t)value;
		break;
	case FIELD_EXPECT:
		rec->expect = (uint32_t)value;
		break;
	case FIELD_NUM0:
		rec->num[0] = (uint32_t)value;
		break;
	case FIELD_NUM1:
		rec->num[1] = (uint32_t)value;
		break;
	case FIELD_NUM2:
		rec->num2[0] = (uint32_t)value;
		break;
	default:
		break;
	}
}
