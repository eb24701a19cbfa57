/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of a load file: plain, random, relative, from a random string. */
#ifndef REPLAY_LOAD_EXPR_H
#define REPLAY_LOAD_EXPR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "load/lex.h"
#include "load/prog.h"

#define EXPR_STEPS_MAX 16 /* steps of one number */

struct expr {
	uint64_t value;  /* of a plain number (nsteps is 0) */
	unsigned nsteps; /* what computes the others */
	struct step steps[EXPR_STEPS_MAX];
};

/*
 * Parse a number.  Bit i of DEFINED says that random string $i exists,
 * INDEX is the number's place among the operation's numbers: where +N looks
 * in the previous operation.  Returns 0 or -EINVAL with ERR set.
 */
int expr_parse(const struct token *token, unsigned defined, unsigned index,
	       struct expr *out, struct err *err) must_check;

/* A plain number only.  Returns 0 or -EINVAL with ERR set. */
int expr_plain(const struct token *token, uint64_t *out,
	       struct err *err) must_check;

/* Whether the steps look at the previous operation. */
static inline bool expr_is_relative(const struct expr *expr)
{
	return expr->nsteps && expr->steps[0].op == STEP_PREV;
}

/* '*' and nothing else. */
static inline bool expr_is_any(const struct expr *expr)
{
	return expr->nsteps == 1 && expr->steps[0].op == STEP_RANDOM;
}

#endif
