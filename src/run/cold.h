/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --cold: caches are dropped before a run. */
#ifndef REPLAY_RUN_COLD_H
#define REPLAY_RUN_COLD_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Whether the whole machine's caches can be dropped: /proc/sys/vm/drop_caches
 * can be written.  Changes nothing.
 */
bool cold_whole_machine(void);

/*
 * Drop clean pages, dentries and inodes; what is dirty must have been synced
 * before.  The whole machine's, twice (the same data may be in the cache of an
 * image and of the file system in it), where that is allowed; else of every
 * file below the directory DIRFD, with posix_fadvise(2).  Returns 0 or -errno
 * with ERR set.
 */
int cold_drop(int dirfd, struct err *err) must_check;

/*
 * The second way only: the pages of all files below DIRFD, which must not be
 * an O_PATH descriptor.  No link is followed and no other mount entered.
 * Goes on after a failure (a file that we may not read) to drop as much as it
 * can.  Returns 0 or the first -errno with ERR set.
 */
int cold_drop_files(int dirfd, struct err *err) must_check;

#endif
