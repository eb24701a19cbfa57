/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one form of a path: relative to the fleet's directory, components
 * separated by single slashes, no "." among them; the directory itself is
 * ".".
 *
 * Both kinds of slash separate and nothing is an escape, as in dbench.
 * What could lead out of the directory is refused here, before anything
 * runs: "..".  Lengths are counted with the longest client number put in,
 * so a path that compiles fits for every client; random strings are drawn
 * at run time and checked there, they count as one byte.
 */
#include "load/path.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "load/diag.h"

#define CLIENT_WORD "client1"
#define CLIENT_STEM 6 /* bytes of CLIENT_WORD in front of the number */

/* A path on its way into a key. */
struct building {
	struct path_key *key;
	size_t bytes;          /* as long as it can get */
	unsigned defined;      /* random strings that exist */
	struct err *err;
};

static bool is_separator(char c)
{
	return c == '/' || c == '\\';
}

/* Append LEN bytes to the key that stand for BYTES bytes of the path. */
static int append(struct building *b, const char *s, size_t len, size_t bytes)
{
	b->bytes += bytes;
	if (b->bytes > LOAD_PATH_MAX)
		return err_set(b->err, -EINVAL,
			       "a path of more than %u bytes", LOAD_PATH_MAX);
	memcpy(b->key->s + b->key->len, s, len);
	b->key->len += len;
	return 0;
}

static int append_mark(struct building *b, char what, size_t bytes)
{
	char mark[2] = { PATH_MARK, what };

	return append(b, mark, sizeof(mark), bytes);
}

/* Append what stands at S; *USED is how much of it that was. */
static int append_next(struct building *b, const char *s, size_t len,
		       size_t *used)
{
	if (len >= strlen(CLIENT_WORD) &&
	    memcmp(s, CLIENT_WORD, strlen(CLIENT_WORD)) == 0) {
		*used = strlen(CLIENT_WORD);
		return append(b, s, CLIENT_STEM, CLIENT_STEM) < 0 ||
				       append_mark(b, PATH_MARK_CLIENT,
						   PATH_CLIENT_DIGITS) < 0 ?
			       -EINVAL :
			       0;
	}
	if (len >= 2 && s[0] == '$' && isdigit((unsigned char)s[1]) &&
	    b->defined >> (s[1] - '0') & 1) {
		*used = 2;
		return append_mark(b, s[1], 1);
	}
	*used = 1;
	return append(b, s, 1, 1);
}

static int append_component(struct building *b, const char *s, size_t len)
{
	size_t before = b->bytes;
	char quote[QUOTE_MAX];
	size_t used;

	if (len == 2 && s[0] == '.' && s[1] == '.')
		return err_set(b->err, -EINVAL,
			       "'..' in a path leads out of the target");
	if (before && append(b, "/", 1, 1) < 0)
		return -EINVAL;
	before = b->bytes;
	for (; len; s += used, len -= used)
		if (append_next(b, s, len, &used) < 0)
			return -EINVAL;
	if (b->bytes - before > LOAD_NAME_MAX)
		return err_set(b->err, -EINVAL,
			       "a name of more than %u bytes in a path: %s",
			       LOAD_NAME_MAX,
			       diag_quote(quote, b->key->s, b->key->len));
	return 0;
}

/* Cut the next component out of *S; 0 at the end. */
static size_t next_component(const char **s, const char *end)
{
	const char *p;

	while (*s < end && is_separator(**s))
		(*s)++;
	for (p = *s; p < end && !is_separator(*p);)
		p++;
	return (size_t)(p - *s);
}

int path_parse(const struct token *token, unsigned defined,
	       struct path_key *key, struct err *err)
{
	struct building b = { .key = key, .defined = defined, .err = err };
	const char *s = token->s;
	const char *end = s + token->len;
	unsigned depth = 0;
	char quote[QUOTE_MAX];
	size_t len;

	key->len = 0;
	if (token->len == 0 || !is_separator(*s))
		return err_set(err, -EINVAL,
			       "%s is not a path: it must begin with / or \\",
			       diag_quote(quote, token->s, token->len));
	for (; (len = next_component(&s, end)) != 0; s += len) {
		if (len == 1 && *s == '.')
			continue;
		if (++depth > LOAD_DEPTH_MAX)
			return err_set(err, -EINVAL,
				       "a path deeper than %u directories",
				       LOAD_DEPTH_MAX);
		if (append_component(&b, s, len) < 0)
			return -EINVAL;
	}
	return depth ? 0 : append(&b, ".", 1, 1);
}
