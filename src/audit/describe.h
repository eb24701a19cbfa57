/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a directory stands on, as far as it can be seen from its descriptor:
 * file system, device, mount options, size, free space, journal.
 */
#ifndef REPLAY_AUDIT_DESCRIBE_H
#define REPLAY_AUDIT_DESCRIBE_H

#include "stats/chain.h"

/*
 * Fill in fs, device, source, mount_options, size_bytes, free_bytes,
 * free_inodes and the journal of LINK from the directory FD; the other
 * members are left alone.  What cannot be seen stays unknown.
 */
void describe_dir(int fd, struct chain_link *link);

#endif
