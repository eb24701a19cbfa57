/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lexer: one pass over the bytes, words are pointers into them, nothing
 * is copied or allocated.
 *
 * Words are separated by spaces and tabs.  A word that begins with a double
 * quote reaches to the next one, whatever is between; there are no escapes
 * (a backslash is dbench's path separator).  Lines end with LF or CR LF; the
 * last one may lack its end.  A line whose first word begins with # is a
 * comment.  WRITEPATTERN is the one word the lexer knows: its text is free,
 * so splitting stops there.
 */
#include "load/lex.h"

#include <endian.h>
#include <errno.h>

void lex_init(struct lexer *lex, const char *bytes, size_t len)
{
	/* Editors on Windows put a byte order mark in front. */
	if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) {
		bytes += 3;
		len -= 3;
	}
	*lex = (struct lexer){ .p = bytes,
			       .end = bytes + len,
			       .has_nul = memchr(bytes, 0, len) != NULL };
}

bool lex_line(struct lexer *lex, struct line *out_line)
{
	const char *stop;

	if (lex->p == lex->end)
		return false;
	stop = memchr(lex->p, '\n', (size_t)(lex->end - lex->p));
	if (!stop)
		stop = lex->end;
	out_line->no = ++lex->no;
	out_line->s = lex->p;
	out_line->len = (size_t)(stop - lex->p);
	out_line->n = 0;
	lex->p = stop == lex->end ? stop : stop + 1;
	while (out_line->len && out_line->s[out_line->len - 1] == '\r')
		out_line->len--;
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Where a bare word ends; a table, because most bytes of a load come here. */
static const bool ends_word[256] = { [' '] = true, ['\t'] = true,
				     ['"'] = true };

/*
 * Go on over bytes that cannot end a word, eight at a time: all that end one
 * are below '#', and hardly any others are.
 */
static const char *skip_plain(const char *p, const char *end)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	uint64_t v, low;

	for (; end - p >= (ptrdiff_t)sizeof(v); p += sizeof(v)) {
		memcpy(&v, p, sizeof(v));
		v = le64toh(v);
		/* a high bit for each byte below '#'; the first is right */
		low = (v - ones * '#') & ~v & (ones * 0x80);
		if (low)
			return p + __builtin_ctzll(low) / 8;
	}
	return p;
}

/* The word that begins at P, which is no blank.  Returns where it ends. */
static const char *take_bare(const char *p, const char *end, struct token *out)
{
	const char *start = p;

	p = skip_plain(p, end);
	while (p < end && !ends_word[(unsigned char)*p])
		p++;
	*out = (struct token){ .s = start, .len = (size_t)(p - start) };
	return p;
}

/* As take_bare() for a word in quotes; NULL when they are not closed. */
static const char *take_quoted(const char *p, const char *end,
			       struct token *out)
{
	const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));

	if (!close)
		return NULL;
	*out = (struct token){ .s = p + 1,
			       .len = (size_t)(close - p - 1),
			       .quoted = true };
	return close + 1;
}

static int fail(const char **out_why, const char *why)
{
	*out_why = why;
	return -EINVAL;
}

/* What stands after WRITEPATTERN and one blank. */
static void take_rest(struct line *line, const char *p, const char *end)
{
	if (p < end)
		p++;
	line->rest = (struct token){ .s = p, .len = (size_t)(end - p) };
}

int lex_split(const struct lexer *lex, struct line *line,
	      const char **out_why)
{
	const char *p = line->s;
	const char *end = p + line->len;
	struct token *tok;

	line->n = 0;
	if (line->len > LOAD_LINE_MAX)
		return fail(out_why, "the line is longer than 1 MiB");
	if (lex->has_nul && memchr(p, 0, line->len))
		return fail(out_why, "a NUL byte");
	for (;;) {
		while (p < end && is_blank(*p))
			p++;
		if (p == end || (*p == '#' && line->n == 0))
			return 0;
		if (line->n == LOAD_TOKENS_MAX)
			return fail(out_why, "more than 19 words");
		tok = &line->tok[line->n++];
		p = *p == '"' ? take_quoted(p, end, tok) :
				take_bare(p, end, tok);
		if (!p)
			return fail(out_why, "a quote is not closed");
		if (p < end && !is_blank(*p))
			return fail(out_why, "no blank beside a quoted word");
		if (line->n == 1 && token_is(tok, "WRITEPATTERN")) {
			take_rest(line, p, end);
			return 0;
		}
	}
}
