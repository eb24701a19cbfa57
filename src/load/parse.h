/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words to statements. */
#ifndef REPLAY_LOAD_PARSE_H
#define REPLAY_LOAD_PARSE_H

#include <stdint.h>

#include "load/diag.h"
#include "load/expr.h"
#include "load/lex.h"

/* What a line can be. */
enum word {
	WORD_OPERATION,
	WORD_LOOP,         /* number[0]: count */
	WORD_ENDLOOP,
	WORD_REPEAT,       /* number[0]: count */
	WORD_SLEEP,        /* number[0]: microseconds */
	WORD_SETSP,        /* number[0]: point */
	WORD_WAITSP,       /* number[0]: client, number[1]: point */
	WORD_RANDOMSTRING, /* number[0]: index, text: pattern */
	WORD_WRITEPATTERN, /* text */
	WORD_ONCE,
	WORD_END,
	WORD_INCLUDE,      /* text: file, number[0], number[1]: lines */
	WORDS
};

/* A line understood; tokens point into the text. */
struct stmt {
	struct place at;
	enum word word;
	uint64_t stamp_ns; /* 0: none */
	uint64_t number[2];
	struct token text;

	/* of an operation */
	unsigned code;     /* enum op_code */
	unsigned want;     /* enum want */
	struct token path[2];
	unsigned nparams;
	char letter[LOAD_PARAMS_MAX]; /* of each number, in the signature */
	struct expr param[LOAD_PARAMS_MAX];
};

/* State of the parser. */
struct parser {
	struct diag *diag;   /* borrowed */
	unsigned defined;    /* bit i: RANDOMSTRING i has been seen */
	uint8_t codes[256];  /* operation + 1 by hash of its name, or 0 */
};

/*
 * Understand a line that has been split.  Returns 0, or with the mistake
 * reported -EINVAL, or -ENOTSUP when the rest of the file is no better.
 */
int parse_line(struct parser *parser, const struct line *line, uint32_t file,
	       struct stmt *out) must_check;

/* The letter of number I (after the paths) in a signature; 0: there is none.
 * See struct op_info. */
char parse_letter(const char *sig, unsigned i);

#endif
