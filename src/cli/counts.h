/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The list of client counts, "-n 1,2,4,...,64".
 *
 * Items are decimal numbers, ranges A-B, and ellipses "...", with blanks
 * around them if need be.  An ellipsis stands between at least two numbers
 * and an end.  With three or more numbers before it they and the end must
 * fit exactly one progression, arithmetic or geometric; with two, the
 * progression is geometric when the second is a multiple (at least twofold)
 * of the first and the end lies on it, arithmetic otherwise.  Progressions
 * ascend.  The end of an ellipsis or of a range is also the first number
 * of a progression that comes next: 1,2,...,4,6,...,10 is 1 2 4 6 8 10, and
 * 1-4,8,...,32 is 1 2 3 4 8 16 32.
 *
 * The order is kept, a descending list is fine; a count given twice is not.
 */
#ifndef REPLAY_CLI_COUNTS_H
#define REPLAY_CLI_COUNTS_H

#include <stddef.h>

#include "base/err.h"

#define CLIENTS_MAX 100000U /* clients in one run */
#define COUNTS_MAX 1000U    /* rows in one table */

/*
 * Parse TEXT.  Returns 0, *OUT (the caller frees it) and *OUT_N, or -EINVAL
 * with ERR naming the item that is wrong.
 */
int counts_parse(const char *text, unsigned **out, size_t *out_n,
		 struct err *err) must_check;

#endif
