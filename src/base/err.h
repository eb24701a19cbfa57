/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The caller-owned error object.
 *
 * A function that can fail during set-up takes a last argument
 * "struct err *", fills it once at the place where the fact is known and
 * returns the negative code, so that failing is a single return statement:
 *
 *	if (fd < 0)
 *		return err_set(err, -errno, "cannot open %s", path);
 *
 * Callers may put context in front with err_prefix().  The object has a
 * fixed size and no pointers: it works out of memory, in a forked child and
 * inside shared memory.  Nobody below cli/ prints.
 */
#ifndef REPLAY_BASE_ERR_H
#define REPLAY_BASE_ERR_H

#include <stdarg.h>

#include "base/macro.h"

#define ERR_TEXT_MAX 1024

struct err {
	int code;                /* negative errno of the failure; 0: none */
	char text[ERR_TEXT_MAX]; /* one line, no newline at its end */
};

#define ERR_INIT { .code = 0, .text = "" }

/*
 * Record a failure.  CODE is a negative errno; when it is one of the system
 * (not -EINVAL used for our own complaints) the caller puts the reason in
 * the text itself or uses err_sys().  Returns CODE.  ERR may be NULL.
 */
int err_set(struct err *err, int code, const char *fmt, ...) printf_like(3, 4);

/* As err_set() with ": strerror(-CODE)" appended to the text. */
int err_sys(struct err *err, int code, const char *fmt, ...) printf_like(3, 4);

/* Put "context: " in front of what is recorded.  Returns the code. */
int err_prefix(struct err *err, const char *fmt, ...) printf_like(2, 3);

/*
 * The symbolic name of an errno ("ENOSPC"), or "E?" when it is not known.
 * ERRNUM is positive.  The result is static or in a static table.
 */
const char *err_name(int errnum);

#endif
