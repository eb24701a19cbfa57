/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What makes a directory one of ours: its name, owner, mode and marker, and
 * how such a directory is removed.  Shared by the coordinator (rundir) and
 * the janitor.
 */
#ifndef REPLAY_RUN_MARK_H
#define REPLAY_RUN_MARK_H

#include <stdbool.h>

#include "base/macro.h"

#define RUNDIR_MARKER ".replay"
#define RUNDIR_PREFIX "replay."
#define RUNDIR_NAME_MAX 16

/* Make up a name, "replay." and six random letters and digits. */
void mark_random_name(char name[static RUNDIR_NAME_MAX]);

/* Whether NAME is of that pattern. */
bool mark_is_name(const char *name);

/*
 * Open the directory NAME of PARENT_FD if it is of that pattern, a directory
 * in the same mount, ours and closed to everybody else.  Returns a
 * descriptor, -EPERM when it is somebody else's or open to others, or the
 * -errno of tree_open().
 */
int mark_open_dir(int parent_fd, const char *name) must_check;

/*
 * Make the marker in the directory DIRFD, locked before it appears under its
 * name, and on disk afterwards.  Returns its descriptor, which holds the
 * lock for as long as it or a copy of it is open anywhere, or -errno.
 */
int mark_create(int dirfd) must_check;

/*
 * Lock an existing marker.  Returns its descriptor; -EWOULDBLOCK when
 * somebody holds it (the run is alive, or being cleared away); -ENOENT when
 * there is none; -EPERM when what has its name is no marker of ours; or
 * another -errno.
 */
int mark_lock(int dirfd) must_check;

/*
 * Remove the directory NAME of PARENT_FD, open as DIRFD, the marker last: a
 * removal that is itself cut short leaves a stale directory, not garbage.
 * Returns 0 or the first -errno; -ESTALE when NAME is no longer DIRFD (then
 * DIRFD has been emptied all the same).
 */
int mark_remove_dir(int parent_fd, const char *name, int dirfd) must_check;

/*
 * Remove the directory NAME of PARENT_FD, open as DIRFD, whose run died
 * before its marker appeared: there is only a marker in it that was not
 * finished and that nobody holds.  ANNOUNCED: it is known to be ours, so it
 * may be empty as well.  If not, it must have that marker (-ENOENT: an empty
 * directory may be anybody's), and one younger than a minute is left alone
 * (-EBUSY): its run may be about to lock it.  Returns 0 or -errno;
 * -ENOTEMPTY when it is something else.
 */
int mark_remove_unborn(int parent_fd, const char *name, int dirfd,
		       bool announced) must_check;

#endif
