/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Making arbitrary bytes printable.  The UTF-8 decoder is strict: overlong
 * forms, surrogates and what lies beyond U+10FFFF are bad bytes, since JSON
 * parsers refuse them.  It does not depend on the locale.
 */
#include "report/escape.h"

#include <langinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <wctype.h>

#include "base/mem.h"

#define ESCAPED_BYTES 4 /* of "\xHH" */

/*
 * Decode the character at S (NUL-terminated, not at its end) into *OUT.
 * Returns its length in bytes or 0 when it is not valid.
 */
static size_t decode_utf8(const unsigned char *s, uint32_t *out)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = *s < 0x80		? 1 :
		     *s >> 5 == 0x6	? 2 :
		     *s >> 4 == 0xe	? 3 :
		     *s >> 3 == 0x1e	? 4 :
					  0;
	uint32_t c;

	if (len < 2) {
		*out = *s;
		return len;
	}
	c = *s & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		/* a NUL ends here as well: it is no continuation byte */
		if (s[i] >> 6 != 2)
			return 0;
		c = c << 6 | (s[i] & 0x3fU);
	}
	if (c < lowest[len] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*out = c;
	return len;
}

/* Whether a terminal may be sent C. */
static bool is_printable(uint32_t c, bool utf8)
{
	if (c < 0x80)
		return c >= 0x20 && c < 0x7f;
	return utf8 && iswprint((wint_t)c);
}

static char *escape(const char *text, bool only_invalid, bool utf8)
{
	const unsigned char *s = (const unsigned char *)(text ? text : "");
	char *out = mem_zalloc(strlen((const char *)s) + 1, ESCAPED_BYTES);
	char *p = out;

	while (*s) {
		uint32_t c = 0;
		size_t len = decode_utf8(s, &c);

		if (len && (only_invalid || is_printable(c, utf8))) {
			p = mempcpy(p, s, len);
			s += len;
			continue;
		}
		p += sprintf(p, "\\x%02x", *s);
		s++;
	}
	return out;
}

char *escape_text(const char *s)
{
	bool utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;

	return escape(s, false, utf8);
}

char *escape_utf8(const char *s)
{
	return escape(s, true, true);
}
