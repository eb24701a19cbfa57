/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A model of the files a load makes: names, files, sizes, what is open.
 * Names are numbers of strings.
 */
#ifndef REPLAY_LOAD_MODEL_H
#define REPLAY_LOAD_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "load/strings.h"

#define NO_FILE UINT32_MAX

enum model_side {
	SIDE_SHARED, /* one for all clients */
	SIDE_CLIENT, /* one for each client */
	SIDES
};

struct model_total {
	uint64_t bytes, files;
	uint64_t peak_bytes, peak_files;
};

/* What is behind a name or a handle, or both. */
struct file {
	uint64_t size;
	uint64_t written; /* bytes of all blocks that writes touched */
	uint32_t opens;
	uint32_t links;   /* 0 or 1: a name leads to it */
	uint32_t born;    /* model.walks when it was made */
	bool directory;
	enum model_side side;
};

struct name {
	uint32_t file;       /* NO_FILE: none */
	enum model_side side;
	/* of names with random strings: */
	unsigned randoms;    /* bit i: contains $i */
	uint64_t draw;       /* sum of model.draws when it was last used */
	uint64_t past;       /* files under earlier values of the name */
	uint64_t past_bytes; /* the largest of them */
	uint64_t counted;    /* bytes of the past that are in the total */
	uint32_t retired_at; /* record that last made a file past */
};

struct model {
	const struct strings *strings;   /* borrowed */
	struct name *names;              /* owned, one for each string */
	VEC(struct file) files;
	VEC(uint32_t) free;              /* files of no use any more */
	uint32_t *slots;                 /* owned; by handle slot: its file */
	uint32_t nslots;
	uint64_t draws[RANDOMSTRINGS];   /* times $i has been drawn */
	uint64_t variety[RANDOMSTRINGS]; /* values it can have */
	struct model_total total[SIDES];
	uint32_t walks;                  /* through the program so far */
	uint64_t budget;                 /* steps of work that are left */
	bool changed;                    /* names or files came or went */
};

/* Where in the program we are. */
struct moment {
	uint32_t rec;
	uint64_t times; /* executions of this record in a pass */
};

void model_init(struct model *model, const struct strings *strings,
		uint32_t nslots);
void model_done(struct model *model);

/* Make what NAME names, if it is not there; returns it. */
uint32_t model_create(struct model *model, uint32_t name, bool directory,
		      struct moment now);
void model_truncate(struct model *model, uint32_t file);
void model_write(struct model *model, uint32_t file, uint64_t end,
		 uint64_t touched);
void model_unlink(struct model *model, uint32_t name, struct moment now);
void model_rename(struct model *model, uint32_t from, uint32_t to,
		  struct moment now);
void model_deltree(struct model *model, uint32_t name);

/* Handles: bind a slot to a file, release it, release all. */
void model_bind(struct model *model, uint32_t slot, uint32_t file);
void model_release(struct model *model, uint32_t slot);
void model_release_all(struct model *model);

/* $i gets another value. */
void model_draw(struct model *model, unsigned index);

#endif
