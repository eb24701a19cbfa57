/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * "12.345678901" to nanoseconds, exactly: through a double, a stamp of some
 * months would lose its nanoseconds, and a dump would not be the same load.
 * What is finer than a nanosecond is cut off.
 */
#include "load/stamp.h"

#include <errno.h>

#include "base/clock.h"
#include "load/diag.h"

#define STAMP_MAX_S UINT64_C(1000000000) /* thirty years, as in units.h */

int stamp_parse(const struct token *token, uint64_t *out_ns, struct err *err)
{
	const char *p = token->s;
	const char *end = p + token->len;
	uint64_t unit = NS_PER_S / 10;
	uint64_t seconds = 0;
	uint64_t ns = 0;
	char quote[QUOTE_MAX];

	for (; p < end && *p >= '0' && *p <= '9'; p++)
		if (seconds <= STAMP_MAX_S)
			seconds = seconds * 10 + (uint64_t)(*p - '0');
	if (p < end && *p == '.')
		for (p++; p < end && *p >= '0' && *p <= '9'; p++) {
			ns += (uint64_t)(*p - '0') * unit;
			unit /= 10;
		}
	if (p < end)
		return err_set(err, -EINVAL,
			       "%s is neither a time stamp nor an operation",
			       diag_quote(quote, token->s, token->len));
	if (seconds > STAMP_MAX_S)
		return err_set(err, -EINVAL,
			       "the time stamp %s is more than thirty years",
			       diag_quote(quote, token->s, token->len));
	*out_ns = seconds * NS_PER_S + ns;
	return 0;
}
