/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Error objects: formatting into a fixed buffer, nothing else.  An overlong
 * text is cut, never lost.  glibc's strerrorname_np() (2.32) supplies the
 * symbolic names, so that there is no table of our own to keep complete.
 */
#include "base/err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void set_text(struct err *err, int code, const char *fmt, va_list ap)
	printf_like(3, 0);

static void set_text(struct err *err, int code, const char *fmt, va_list ap)
{
	err->code = code;
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	set_text(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int err_sys(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	if (!err)
		return code;
	va_start(ap, fmt);
	set_text(err, code, fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s",
		       strerror(-code));
	return code;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
	char old[ERR_TEXT_MAX];
	va_list ap;
	size_t used;

	if (!err)
		return -EINVAL;
	(void)snprintf(old, sizeof(old), "%s", err->text);
	va_start(ap, fmt);
	(void)vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	(void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", old);
	return err->code;
}

const char *err_name(int errnum)
{
	const char *name = strerrorname_np(errnum);

	return name ? name : "E?";
}
