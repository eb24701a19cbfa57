/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Number expressions become steps of the accumulator machine in prog.h.
 *
 *	4096 0x1000 4K     a plain number, no steps
 *	*%m/a+k            RANDOM, then MOD m, ALIGN a, ADD k as they stand
 *	+N                 PREV, ADD N
 *	+child             PREV, CHILD
 *	+num_children      PREV, CHILDREN
 *	$3                 STRING 3, once a RANDOMSTRING 3 stands above
 *
 * A load has a million and a half plain numbers, so those have a short way.
 */
#include "load/expr.h"

#include <ctype.h>
#include <errno.h>

#include "base/units.h"
#include "load/diag.h"

#define SURE_DIGITS 19 /* any decimal number of so many fits 64 bits */

/* A plain decimal number without a leading zero, which is nearly all. */
static bool parse_short(const char *s, size_t len, uint64_t *out)
{
	uint64_t v = 0;
	size_t i;

	if (len == 0 || len > SURE_DIGITS || (s[0] == '0' && len > 1))
		return false;
	for (i = 0; i < len; i++) {
		unsigned digit = (unsigned)s[i] - '0';

		if (digit > 9)
			return false;
		v = v * 10 + digit;
	}
	*out = v;
	return true;
}

static int parse_bytes(const char *s, size_t len, uint64_t *out,
		       struct err *err)
{
	char quote[QUOTE_MAX];
	int rc;

	if (parse_short(s, len, out))
		return 0;
	rc = units_parse_u64(s, len, out);
	if (rc == -ERANGE)
		return err_set(err, -EINVAL, "%s is too large a number",
			       diag_quote(quote, s, len));
	if (rc < 0)
		return err_set(err, -EINVAL, "%s is not a number",
			       diag_quote(quote, s, len));
	return 0;
}

int expr_plain(const struct token *token, uint64_t *out, struct err *err)
{
	char quote[QUOTE_MAX];

	if (token->quoted)
		return err_set(err, -EINVAL, "%s is not a number",
			       diag_quote(quote, token->s, token->len));
	return parse_bytes(token->s, token->len, out, err);
}

static void add_step(struct expr *expr, enum step_op op, unsigned index,
		     uint64_t value)
{
	expr->steps[expr->nsteps++] = (struct step){
		.op = (uint8_t)op, .index = (uint8_t)index, .value = value
	};
}

static int qualifier_op(char c)
{
	switch (c) {
	case '%':
		return STEP_MOD;
	case '/':
		return STEP_ALIGN;
	case '+':
		return STEP_ADD;
	default:
		return -EINVAL;
	}
}

/* The qualifiers after a '*': any number of them, from left to right. */
static int parse_random(const struct token *token, struct expr *out,
			struct err *err)
{
	const char *p = token->s + 1;
	const char *end = token->s + token->len;
	char quote[QUOTE_MAX];
	uint64_t value;

	add_step(out, STEP_RANDOM, 0, 0);
	while (p < end) {
		const char *digits = p + 1;
		int op = qualifier_op(*p);

		if (op < 0)
			return err_set(err, -EINVAL,
				       "%s: after * come %%N, /N and +N",
				       diag_quote(quote, token->s,
						  token->len));
		for (p = digits; p < end && qualifier_op(*p) < 0;)
			p++;
		if (parse_bytes(digits, (size_t)(p - digits), &value, err) < 0)
			return -EINVAL;
		if (value == 0 && op != STEP_ADD)
			return err_set(err, -EINVAL, "%s divides by zero",
				       diag_quote(quote, token->s,
						  token->len));
		if (out->nsteps == EXPR_STEPS_MAX)
			return err_set(err, -EINVAL,
				       "%s has too many parts",
				       diag_quote(quote, token->s,
						  token->len));
		add_step(out, (enum step_op)op, 0, value);
	}
	return 0;
}

static int parse_relative(const struct token *token, unsigned index,
			  struct expr *out, struct err *err)
{
	uint64_t value;

	add_step(out, STEP_PREV, index, 0);
	if (token_is(token, "+child")) {
		add_step(out, STEP_CHILD, 0, 0);
		return 0;
	}
	if (token_is(token, "+num_children")) {
		add_step(out, STEP_CHILDREN, 0, 0);
		return 0;
	}
	if (parse_bytes(token->s + 1, token->len - 1, &value, err) < 0)
		return -EINVAL;
	add_step(out, STEP_ADD, 0, value);
	return 0;
}

/* The random string named by "$0" to "$9", or -1. */
static int string_index(const struct token *token, unsigned defined)
{
	int index;

	if (token->len != 2 || token->s[0] != '$' ||
	    !isdigit((unsigned char)token->s[1]))
		return -1;
	index = token->s[1] - '0';
	return defined >> index & 1 ? index : -1;
}

int expr_parse(const struct token *token, unsigned defined, unsigned index,
	       struct expr *out, struct err *err)
{
	int string;

	out->nsteps = 0;
	out->value = 0;
	if (token->quoted || token->len == 0)
		return expr_plain(token, &out->value, err);
	if (token->s[0] == '*')
		return parse_random(token, out, err);
	if (token->s[0] == '+')
		return parse_relative(token, index, out, err);
	string = string_index(token, defined);
	if (string < 0)
		return expr_plain(token, &out->value, err);
	add_step(out, STEP_STRING, (unsigned)string, 0);
	return 0;
}
