/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages about load files, collected instead of printed.
 *
 * A user mends a load file faster when the mistakes come together, so
 * nothing stops at the first one; but a file of the wrong kind has an error
 * in every line, so only the first LOAD_ERRORS_MAX are kept and the rest is
 * counted.  All that goes out is printable ASCII: a load file may be hostile
 * and a terminal obeys escape sequences.
 */
#include "load/diag.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define QUOTED_BYTES 40 /* of the user's text in one message */
#define MESSAGE_MAX 4096

static bool is_safe(char c)
{
	return c >= ' ' && c <= '~';
}

/* Copy S, what is no printable ASCII as \xNN; cut where BUF ends. */
static void make_safe(char *buf, size_t size, const char *s)
{
	size_t used = 0;

	for (; *s && used + sizeof("\\xNN") <= size; s++)
		if (is_safe(*s))
			buf[used++] = *s;
		else
			used += (size_t)sprintf(buf + used, "\\x%02x",
						(unsigned char)*s);
	buf[used] = '\0';
}

void diag_place(const struct prog_file *files, struct place at, char *buf,
		size_t size)
{
	char name[PATH_MAX];

	make_safe(name, sizeof(name), files[at.file].name);
	if (at.line)
		(void)snprintf(buf, size, "%s:%u", name, at.line);
	else
		(void)snprintf(buf, size, "%s", name);
}

void diag_includes(const struct prog_file *files, uint32_t file, char *buf,
		   size_t size)
{
	const char *sep = " (included from ";
	size_t used = 0;
	struct place at;

	buf[0] = '\0';
	while (files[file].included_from != UINT32_MAX && used + 1 < size) {
		at.file = files[file].included_from;
		at.line = files[file].included_line;
		(void)snprintf(buf + used, size - used, "%s", sep);
		used += strlen(buf + used);
		diag_place(files, at, buf + used, size - used);
		used += strlen(buf + used);
		file = at.file;
		sep = ", from ";
	}
	if (used)
		(void)snprintf(buf + used, size - used, ")");
}

static void append(struct diag *diag, const char *s)
{
	size_t len = strlen(s);

	diag->text = mem_grow(diag->text, &diag->cap, diag->len + len + 1, 1);
	memcpy(diag->text + diag->len, s, len + 1);
	diag->len += len;
}

int diag_at(struct diag *diag, struct place at, const char *fmt, ...)
{
	char buf[MESSAGE_MAX];
	char text[MESSAGE_MAX / 2];
	va_list ap;

	if (diag->count++ >= LOAD_ERRORS_MAX)
		return -EINVAL;
	diag_place(diag->files->v, at, buf, sizeof(buf));
	append(diag, buf);
	append(diag, ": ");
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* file names are in some */
	make_safe(buf, sizeof(buf), text);
	append(diag, buf);
	diag_includes(diag->files->v, at.file, buf, sizeof(buf));
	append(diag, buf);
	append(diag, "\n");
	return -EINVAL;
}

void diag_finish(struct diag *diag, struct load_errors *out)
{
	char buf[64];

	if (diag->count > LOAD_ERRORS_MAX) {
		size_t more = diag->count - LOAD_ERRORS_MAX;

		(void)snprintf(buf, sizeof(buf), "%zu more error%s\n", more,
			       more == 1 ? "" : "s");
		append(diag, buf);
	}
	out->text = diag->text;
	out->count = diag->count;
	diag->text = NULL;
	diag->len = diag->cap = diag->count = 0;
}

void diag_done(struct diag *diag)
{
	free(diag->text);
	diag->text = NULL;
}

const char *diag_quote(char buf[QUOTE_MAX], const char *s, size_t len)
{
	size_t shown = MIN_OF(len, (size_t)QUOTED_BYTES);
	char *p = buf;
	size_t i;

	*p++ = '\'';
	for (i = 0; i < shown; i++)
		if (is_safe(s[i]))
			*p++ = s[i];
		else
			p += sprintf(p, "\\x%02x", (unsigned char)s[i]);
	(void)strcpy(p, shown < len ? "'..." : "'");
	return buf;
}
