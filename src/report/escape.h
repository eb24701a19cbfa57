/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Names may be any bytes; what is printed may not.  Bytes that cannot be
 * shown become the four characters \xHH.
 */
#ifndef REPLAY_REPORT_ESCAPE_H
#define REPLAY_REPORT_ESCAPE_H

#include "base/macro.h"

/*
 * S for a terminal: control characters, and what the locale cannot print,
 * are escaped.  The caller frees it; NULL becomes "".
 */
char *escape_text(const char *s) must_check
	__attribute__((returns_nonnull));

/*
 * S as valid UTF-8: bytes that are not are escaped, everything else stays,
 * control characters too (JSON has its own escapes for them).  The caller
 * frees it; NULL becomes "".
 */
char *escape_utf8(const char *s) must_check
	__attribute__((returns_nonnull));

#endif
