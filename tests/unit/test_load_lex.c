/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bytes to lines, lines to words. */
#include "load/lex.h"

#include "tap.h"

/* The words of the first line as "a|b|c", or what is wrong. */
static const char *words(const char *bytes, size_t len)
{
	static char out[4096];
	struct lexer lex;
	struct line line;
	const char *why;
	size_t used = 0;
	unsigned i;

	lex_init(&lex, bytes, len);
	if (!lex_line(&lex, &line))
		return "(end)";
	if (lex_split(&lex, &line, &why) < 0)
		return why;
	out[0] = '\0';
	for (i = 0; i < line.n; i++)
		used += (size_t)snprintf(out + used, sizeof(out) - used,
					 "%s%s%.*s%s", i ? "|" : "",
					 line.tok[i].quoted ? "<" : "",
					 (int)line.tok[i].len, line.tok[i].s,
					 line.tok[i].quoted ? ">" : "");
	return out;
}

static void test_words(void)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "", "(end)" },
		{ "\n", "" },
		{ "a b", "a|b" },
		{ "  a\t b \r\n", "a|b" },
		{ "a \"b c\" d\n", "a|<b c>|d" },
		{ "a \"\" d", "a|<>|d" },
		{ "\"a\"", "<a>" },
		{ "# a \"b", "" },
		{ "  #a", "" },
		{ "a #b", "a|#b" },
		{ "\xef\xbb\xbf" "a b", "a|b" },
		{ "a \"b", "a quote is not closed" },
		{ "a \"b\nc\"", "a quote is not closed" },
		{ "a \"b\"c", "no blank beside a quoted word" },
		{ "a b\"c\"", "no blank beside a quoted word" },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19",
		  "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17|18|19" },
		{ "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20",
		  "more than 19 words" },
		{ "WRITEPATTERN a \"b c\"d", "WRITEPATTERN" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		is_str(words(cases[i].text, strlen(cases[i].text)),
		       cases[i].want, cases[i].text);
	is_str(words("a\0b", 3), "a NUL byte", "NUL in a line");
	is_str(words("a\n\0b", 4), "a", "NUL in another line");
}

static void test_rest(void)
{
	static const char text[] = "WRITEPATTERN  a \"b \r\r\nx";
	struct lexer lex;
	struct line line;
	const char *why;

	lex_init(&lex, text, strlen(text));
	ok(lex_line(&lex, &line), "a line");
	is_int(lex_split(&lex, &line, &why), 0, "its words");
	ok(line.rest.len == 6 && memcmp(line.rest.s, " a \"b ", 6) == 0,
	   "all after one blank, without the line's end");
}

static void test_numbers(void)
{
	static const char text[] = "a\n\nb\r\nc";
	struct lexer lex;
	struct line line;
	unsigned n = 0;

	lex_init(&lex, text, strlen(text));
	while (lex_line(&lex, &line))
		is_int(line.no, ++n, "line number");
	is_int(n, 4, "four lines, the last without an end");
}

static void test_long(void)
{
	static char text[LOAD_LINE_MAX + 2];

	memset(text, 'x', sizeof(text));
	ok(strcmp(words(text, LOAD_LINE_MAX + 1),
		  "the line is longer than 1 MiB") == 0, "a line too long");
	text[LOAD_LINE_MAX] = '\n';
	ok(words(text, LOAD_LINE_MAX + 1)[0] == 'x', "the longest line");
}

int main(void)
{
	test_words();
	test_rest();
	test_numbers();
	test_long();
	return done_testing();
}
