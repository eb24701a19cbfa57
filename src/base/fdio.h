/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files, whole; and how mountinfo writes a name. */
#ifndef REPLAY_BASE_FDIO_H
#define REPLAY_BASE_FDIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/err.h"

/*
 * Read a small text file (proc, sys) into BUF, NUL-terminated, final white
 * space cut.  Returns the length or -errno (-EFBIG: it does not fit whole);
 * BUF is "" then.
 */
ssize_t fdio_read_small(const char *path, char *buf, size_t size) must_check;

/*
 * All that can be read from FD, from where it stands, into *OUT with a NUL
 * behind it; the caller frees that.  Returns the length or -errno (-EFBIG:
 * more than MAX bytes); *OUT is NULL then.
 */
ssize_t fdio_read_all(int fd, size_t max, char **out) must_check;

/*
 * Undo the escapes of mountinfo and fstab in S, in place: "\040" is a blank.
 * What is no backslash with three octal digits stays.
 */
void fdio_unescape(char *s);

/*
 * The number after KEY (a colon and blanks between them) at the start of a
 * line of a file such as /proc/meminfo or /proc/vmstat; a unit after it is
 * ignored.  Returns 0, -ENOENT when there is no such line, or -errno.
 */
int fdio_read_key(const char *path, const char *key, uint64_t *out)
	must_check;

/*
 * Replace a file: what WRITE prints goes to a temporary file beside PATH,
 * is synced and renamed over it; PATH is untouched on failure.  An existing
 * file keeps its mode (and its owner, for root).  Links are followed; what
 * is no regular file (a pipe, /dev/stdout) is written to instead.  WRITE
 * returns 0 or -errno.  Returns 0 or -errno with ERR set.
 */
int fdio_replace(const char *path, int (*write)(FILE *out, void *arg),
		 void *arg, struct err *err) must_check;

/*
 * Whether fdio_replace() of PATH can be expected to work: looks, changes
 * nothing.  Returns 0 or -errno with ERR set.
 */
int fdio_can_replace(const char *path, struct err *err) must_check;

#endif
