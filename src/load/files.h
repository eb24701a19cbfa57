/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load files of one program: which, from where, and their texts. */
#ifndef REPLAY_LOAD_FILES_H
#define REPLAY_LOAD_FILES_H

#include "base/err.h"
#include "base/mem.h"
#include "load/diag.h"
#include "load/load.h"

/* A text that an INCLUDE read; kept, because the next may name it again. */
struct included {
	char *name;       /* owned: as the INCLUDE says */
	char *beside;     /* owned: the including file */
	struct text text; /* owned */
};

struct files {
	struct file_list list;            /* names owned */
	VEC(const struct text *) texts;   /* parallel to list */
	VEC(struct included *) cache;     /* owned */
	uint64_t included_bytes;          /* of all texts in it */
	const struct load_source *source; /* borrowed */
};

/* Note that TEXT is read, included at FROM (file UINT32_MAX: not included).
 * Returns its index in the list. */
uint32_t files_add(struct files *files, const struct text *text,
		   struct place from);

/* The text an INCLUDE at FROM names, or NULL with ERR set. */
const struct text *files_include(struct files *files, const char *name,
				 struct place from, struct err *err);

/* Hand the list over, with the checksums. */
struct prog_file *files_take(struct files *files, uint32_t *out_n);

void files_done(struct files *files);

#endif
