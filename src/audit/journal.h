/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of ext3 and ext4. */
#ifndef REPLAY_AUDIT_JOURNAL_H
#define REPLAY_AUDIT_JOURNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/macro.h"

/*
 * Read the super block of the ext2, ext3 or ext4 on FD, a block device or an
 * image, open for reading.  *OUT_BYTES is 0 where there is no journal, or
 * where its size is not known: it is on a device of its own.  Returns 0,
 * -EINVAL when there is no such file system, or the -errno of the reading.
 */
int journal_read(int fd, bool *out_has, uint64_t *out_bytes) must_check;

/*
 * The same for the mounted one on the block device DEV.  Its super block is
 * read where our rights allow it; else /sys says whether it has a journal,
 * and the size stays 0.  Both results stay false and 0 where nothing is known.
 */
void journal_find(dev_t dev, bool *out_has, uint64_t *out_bytes);

#endif
