/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removal of a directory tree by descriptor.
 *
 * Nothing is reached by a path that somebody could have changed meanwhile:
 * every directory is opened with openat2(2) relative to its parent's
 * descriptor, RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV | RESOLVE_BENEATH, and
 * every other entry is unlinked without being followed.  A symbolic link is
 * removed, not what it points to; a mount point is left alone (-EXDEV, or
 * -EBUSY when it is not a directory) with everything in it.
 */
#ifndef REPLAY_BASE_TREE_H
#define REPLAY_BASE_TREE_H

/*
 * Open the directory NAME (one component) of DIRFD for reading, the safe
 * way.  Returns a descriptor, -ENOENT, -ENOTDIR or -ELOOP when NAME is no
 * directory, -EXDEV when something is mounted on it, or another -errno.
 */
int tree_open(int dirfd, const char *name);

/*
 * Remove everything below the directory DIRFD (not the directory itself),
 * which is open for reading; its file offset moves.  Goes on after a failure
 * to remove as much as it can.  Depth is not limited by descriptors: what
 * lies deeper than TREE_DEPTH levels, or than descriptors reach, is moved up
 * into DIRFD first.  What other processes remove meanwhile is no failure;
 * what they add may be left.  Returns 0 or the first -errno.  Allocates
 * nothing.
 */
int tree_empty(int dirfd);

/* The same, but leave the entry SPARE of DIRFD alone. */
int tree_empty_but(int dirfd, const char *spare);

/*
 * Remove the directory NAME (one component) of DIRFD and all that is in it.
 * Returns 0, -ENOENT when it is not there, -ENOTDIR or -ELOOP when NAME is
 * no directory (it is left alone), or the first -errno.
 */
int tree_remove(int dirfd, const char *name);

#define TREE_DEPTH 64

#endif
