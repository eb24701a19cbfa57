/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control words stand in one table: name, how many arguments, and a function
 * for those whose arguments are not just numbers.  They have no status, and
 * numbers in them are plain: how often a loop runs is known when compiling,
 * else nothing could be said about the size of a load before it runs.
 *
 * SLEEP is dbench's control word and, with a status and perhaps a time
 * stamp, also an operation of dbench and NBENCH; both forms are read.
 */
#include "load/control.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "load/status.h"

struct control {
	const char *name;
	const char *args; /* as shown in messages */
	unsigned min, max; /* arguments */
	int (*parse)(struct parser *parser, const struct token *args,
		     unsigned nargs, struct stmt *out);
};

static int report(struct parser *parser, const struct stmt *out,
		  const struct err *err)
{
	return diag_at(parser->diag, out->at, "%s", err->text);
}

static int parse_numbers(struct parser *parser, const struct token *args,
			 unsigned nargs, struct stmt *out)
{
	struct err err;
	unsigned i;

	for (i = 0; i < nargs; i++)
		if (expr_plain(&args[i], &out->number[i], &err) < 0)
			return report(parser, out, &err);
	return 0;
}

static int parse_sleep(struct parser *parser, const struct token *args,
		       unsigned nargs, struct stmt *out)
{
	char quote[QUOTE_MAX];

	if (nargs == 2 && status_parse(&args[1]) < 0)
		return diag_at(parser->diag, out->at, "%s is not a status",
			       diag_quote(quote, args[1].s, args[1].len));
	return parse_numbers(parser, args, 1, out);
}

/*
 * The pattern of a random string: text and [sets], of which one character
 * each is drawn.  Returns how long the strings are, or -EINVAL with *WHY.
 */
static int pattern_length(const struct token *pattern, const char **why)
{
	const char *p = pattern->s;
	const char *end = p + pattern->len;
	int len = 0;

	for (; p < end; p++) {
		const char *set = p;

		if (*p == ']') {
			*why = "a ] without [";
			return -EINVAL;
		}
		if (*p == '[')
			p = memchr(set, ']', (size_t)(end - set));
		if (!p) {
			*why = "a [ is not closed";
			return -EINVAL;
		}
		if (p == set + 1) {
			*why = "a [] is empty";
			return -EINVAL;
		}
		if (++len > RANDOMSTRING_MAX) {
			*why = "a random string of more than 255 bytes";
			return -EINVAL;
		}
	}
	return len;
}

static int parse_randomstring(struct parser *parser, const struct token *args,
			      unsigned nargs unused_arg, struct stmt *out)
{
	const char *why = "an empty pattern";
	int len;

	if (parse_numbers(parser, args, 1, out) < 0)
		return -EINVAL;
	if (out->number[0] >= RANDOMSTRINGS)
		return diag_at(parser->diag, out->at,
			       "random strings have numbers from 0 to %d",
			       RANDOMSTRINGS - 1);
	len = pattern_length(&args[1], &why);
	if (len <= 0)
		return diag_at(parser->diag, out->at, "%s", why);
	out->text = args[1];
	return 0;
}

/* "FIRST-LAST", "FIRST-" or one number, into number[0] and number[1]. */
static int parse_range(const struct token *token, struct stmt *out,
		       struct err *err)
{
	const char *dash = memchr(token->s, '-', token->len);
	struct token part = *token;

	if (dash)
		part.len = (size_t)(dash - token->s);
	if (expr_plain(&part, &out->number[0], err) < 0)
		return -EINVAL;
	out->number[1] = dash ? UINT64_MAX : out->number[0];
	if (!dash || dash + 1 == token->s + token->len)
		return 0;
	part.s = dash + 1;
	part.len = token->len - part.len - 1;
	return expr_plain(&part, &out->number[1], err);
}

static int parse_include(struct parser *parser, const struct token *args,
			 unsigned nargs, struct stmt *out)
{
	char quote[QUOTE_MAX];
	struct err err;

	out->text = args[0];
	out->number[0] = 1;
	out->number[1] = UINT64_MAX;
	if (args[0].len == 0)
		return diag_at(parser->diag, out->at,
			       "INCLUDE of a file without a name");
	if (nargs == 1)
		return 0;
	if (parse_range(&args[1], out, &err) < 0)
		return report(parser, out, &err);
	if (out->number[0] == 0 || out->number[0] > out->number[1])
		return diag_at(parser->diag, out->at, "no lines are %s",
			       diag_quote(quote, args[1].s, args[1].len));
	return 0;
}

static const struct control controls[WORDS] = {
	[WORD_LOOP] = { "LOOP", "COUNT", 1, 1, parse_numbers },
	[WORD_ENDLOOP] = { "ENDLOOP", "nothing", 0, 0, parse_numbers },
	[WORD_REPEAT] = { "REPEAT", "COUNT", 1, 1, parse_numbers },
	[WORD_SLEEP] = { "SLEEP", "MICROSECONDS", 1, 2, parse_sleep },
	[WORD_SETSP] = { "SETSP", "POINT", 1, 1, parse_numbers },
	[WORD_WAITSP] = { "WAITSP", "CLIENT POINT", 2, 2, parse_numbers },
	[WORD_RANDOMSTRING] = { "RANDOMSTRING", "0..9 \"TEXT[SET]...\"", 2, 2,
				parse_randomstring },
	[WORD_WRITEPATTERN] = { "WRITEPATTERN", "TEXT", 0, 0, NULL },
	[WORD_ONCE] = { "ONCE", "nothing", 0, 0, parse_numbers },
	[WORD_END] = { "END", "nothing", 0, 0, parse_numbers },
	[WORD_INCLUDE] = { "INCLUDE", "\"FILE\" [FIRST-LAST]", 1, 2,
			   parse_include },
};

bool control_find(const struct token *name, enum word *out_word)
{
	unsigned i;

	for (i = WORD_LOOP; i < WORDS; i++)
		if (token_is(name, controls[i].name)) {
			*out_word = (enum word)i;
			return true;
		}
	/* dbench knows the operation Sleep without regard to case */
	*out_word = WORD_SLEEP;
	return !name->quoted && name->len == strlen("SLEEP") &&
	       strncasecmp(name->s, "SLEEP", name->len) == 0;
}

bool control_is_word(const struct token *name)
{
	unsigned i;

	for (i = WORD_LOOP; i < WORDS; i++)
		if (name->len == strlen(controls[i].name) &&
		    strncasecmp(name->s, controls[i].name, name->len) == 0)
			return true;
	return false;
}

int control_parse(struct parser *parser, const struct line *line,
		  unsigned first, struct stmt *out)
{
	const struct control *control = &controls[out->word];
	unsigned nargs = line->n - first;

	if (first > 1 && out->word != WORD_SLEEP)
		return diag_at(parser->diag, out->at,
			       "%s takes no time stamp", control->name);
	if (out->word == WORD_WRITEPATTERN) {
		out->text = line->rest;
		if (out->text.len == 0)
			return diag_at(parser->diag, out->at,
				       "WRITEPATTERN without a text");
		return 0;
	}
	if (nargs < control->min || nargs > control->max)
		return diag_at(parser->diag, out->at,
			       "too %s arguments: %s takes %s",
			       nargs < control->min ? "few" : "many",
			       control->name, control->args);
	return control->parse(parser, &line->tok[first], nargs, out);
}
