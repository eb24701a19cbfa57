/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The program while it is being built; private to load/.
 *
 * compile.c appends records; then come, in this order, the passes over all
 * of them, each in a file of its own:
 *
 *	relate   which operation can precede one that says +N
 *	bound    the most that computed numbers can be
 *	handles  who opens what is used; slots
 *	facts    counts
 *	space    the most that the files can take
 *	lower    CTL_EVAL records for what is computed while running
 *	seal     final places, one read-only mapping
 *
 * Until lower there are no CTL_EVAL records; until seal, rec.path and
 * rec.path2 of operations are numbers of strings.
 */
#ifndef REPLAY_LOAD_BUILD_H
#define REPLAY_LOAD_BUILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/mem.h"
#include "load/diag.h"
#include "load/expr.h"
#include "load/files.h"
#include "load/prog.h"
#include "load/strings.h"

#define NO_RECORD UINT32_MAX

/* A number or a path of an operation that is computed while running. */
struct computed {
	uint32_t rec;
	uint8_t field;    /* enum field; FIELD_CONST for a handle */
	uint8_t index;    /* of a number: its place after the paths */
	uint8_t nsteps;   /* 0 for a path */
	bool relative;    /* begins with STEP_PREV */
	uint32_t first;   /* in build.steps */
	uint32_t string;  /* of a path */
};

struct build {
	struct diag diag;
	struct files files;
	struct strings strings;

	/* parallel arrays, all of them recs.n long */
	VEC(struct rec) recs;
	VEC(struct rec_src) src;
	VEC(uint32_t) handle_no;

	VEC(struct computed) computed; /* in the order of the records */
	VEC(struct step) steps;
	uint16_t *saves;       /* owned, by relate: bit i of saves[rec]: its
				  number i is wanted later; NULL: none is */
	uint32_t pass_start;
	uint32_t nest;         /* deepest LOOP nesting */
	uint32_t nslots;
	uint64_t string_bound[RANDOMSTRINGS]; /* most that $i is as a number */
	struct prog_facts facts;
};

/* Where a record came from, for messages. */
static inline struct place build_place(const struct build *build, uint32_t rec)
{
	return (struct place){ .file = build->src.v[rec].file,
			       .line = build->src.v[rec].line };
}

/* Make room for the records that a text of BYTES is likely to have. */
void build_reserve(struct build *build, size_t bytes);

/* Free everything; the struct too. */
void build_free(struct build *build);

/* The first computed thing of REC or of a later record. */
size_t build_computed(const struct build *build, uint32_t rec);

/* The field behind a letter of a signature; FIELD_CONST for a handle. */
unsigned letter_field(char letter);

/*
 * The passes.  They report mistakes to build->diag; -EINVAL from those that
 * return something means that there were any.
 */
int relate_records(struct build *build) must_check;
int bound_records(struct build *build) must_check;
int handles_assign(struct build *build) must_check;
void facts_count(struct build *build);
void space_estimate(struct build *build);
int lower_records(struct build *build) must_check;
struct prog *seal_program(struct build *build) must_check;

#endif
