/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stored results, side by side. */
#ifndef REPLAY_REPORT_SHOW_H
#define REPLAY_REPORT_SHOW_H

#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

#define SHOW_FILE_MAX (64 << 20) /* bytes in a file that is read */

/*
 * Read the N results in FILES (JSON documents of schema 1) and print to OUT
 * what each is of, in what they differ, and their MB/s and durable MB/s, a
 * row for each client count that occurs, a column for each target of each
 * file.  They were not interleaved, so nothing is concluded.
 *
 * The files may be anything: keys that are missing or of another type are
 * unknown values, what cannot be read is refused.  Nothing is printed then.
 * Returns 0, or -errno with ERR set and naming the file; -EIO when OUT could
 * not be written.
 */
int report_show(char *const *files, size_t n, FILE *out,
		struct err *err) must_check;

#endif
