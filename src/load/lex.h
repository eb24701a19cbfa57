/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes to lines, lines to words. */
#ifndef REPLAY_LOAD_LEX_H
#define REPLAY_LOAD_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/macro.h"
#include "load/prog.h"

/* A word; points into the text, not terminated. */
struct token {
	const char *s;
	size_t len;
	bool quoted; /* stood in double quotes, which are not part of it */
};

struct line {
	uint32_t no;    /* 1-based */
	const char *s;  /* the line without its end */
	size_t len;
	unsigned n;     /* words; 0 for an empty line or a comment */
	struct token tok[LOAD_TOKENS_MAX];
	struct token rest; /* after WRITEPATTERN and one blank */
};

/* Where reading stands in a text. */
struct lexer {
	const char *p;
	const char *end;
	uint32_t no;   /* number of the line before p */
	bool has_nul;  /* somewhere in the text: look for it line by line */
};

void lex_init(struct lexer *lex, const char *bytes, size_t len);

/* The next line, not yet split; false at the end. */
bool lex_line(struct lexer *lex, struct line *out_line);

/*
 * Split a line into words.  Returns 0, or -EINVAL and a static text that
 * says what is wrong.
 */
int lex_split(const struct lexer *lex, struct line *line,
	      const char **out_why) must_check;

static inline bool token_is(const struct token *token, const char *s)
{
	return !token->quoted && strlen(s) == token->len &&
	       memcmp(s, token->s, token->len) == 0;
}

#endif
