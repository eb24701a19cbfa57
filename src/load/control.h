/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The control words: LOOP, SLEEP, ONCE, ... */
#ifndef REPLAY_LOAD_CONTROL_H
#define REPLAY_LOAD_CONTROL_H

#include <stdbool.h>

#include "load/parse.h"

/* Find a control word as written in load files. */
bool control_find(const struct token *name, enum word *out_word);

/* Whether it would be one in capital letters. */
bool control_is_word(const struct token *name);

/*
 * Parse the arguments, which begin with word FIRST of the line, of
 * out->word.  Returns 0, or -EINVAL with the mistake reported.
 */
int control_parse(struct parser *parser, const struct line *line,
		  unsigned first, struct stmt *out) must_check;

#endif
