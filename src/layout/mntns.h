/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The private mount namespace in which layers are mounted.
 *
 * It is a slave of the one we came from: what the host unmounts is unmounted
 * here too, so that no mount of the host is pinned; what we mount is seen by
 * nobody else, and it is all gone when the last process in the namespace
 * ends.  In it a small tmpfs holds our mount points.  It is mounted over
 * /proc/driver, which is in every procfs and which nobody needs here, and we
 * reach it by descriptor alone.  (Over "/", where it would hide nothing, it
 * was tried: but every path with one ".." too many then ends in it.  The
 * mounts are attached, not detached: overlay on detached layers fails on
 * Linux 6.1, and attached ones have their options in mountinfo.)
 */
#ifndef REPLAY_LAYOUT_MNTNS_H
#define REPLAY_LAYOUT_MNTNS_H

#include <stdbool.h>

#include "base/err.h"

struct mntns {
	int root_fd;          /* of that tmpfs; -1: not entered */
	int host_fd;          /* mountinfo of the namespace we came from */
	unsigned next;        /* for the names of mount points */
};

#define MNTNS_INIT { .root_fd = -1, .host_fd = -1 }
#define MNTNS_NAME_MAX 32

/* Whether we may: CAP_SYS_ADMIN in our user namespace. */
int mntns_check(struct err *err) must_check;

/*
 * Enter.  Must come after the janitor was forked, and before the descriptors
 * of bases are opened: one that was opened before belongs to a mount of the
 * old namespace, which cannot be cloned.  One-threaded processes only.
 * Returns 0 or -errno with ERR set.
 */
int mntns_enter(struct mntns *ns, struct err *err) must_check;
void mntns_done(struct mntns *ns);

/*
 * Being a slave does not help where the mounts of the host are private (no
 * systemd): what it unmounts stays mounted here.  This unmounts it here too,
 * unless we use it.  To be called now and then; when nothing has changed it
 * costs one poll(2).
 */
void mntns_follow(struct mntns *ns);

/* Whether our user namespace is the initial one. */
bool mntns_is_initial(void);

/* What the tmpfs is mounted over. */
#define MNTNS_PLACE "/proc/driver"

/*
 * Attach the detached mount MOUNT_FD at a new mount point, whose name goes to
 * NAME.  Returns 0 or -errno with ERR set.
 */
int mntns_attach(struct mntns *ns, int mount_fd,
		 char name[static MNTNS_NAME_MAX], struct err *err) must_check;

/* Open the root directory of the mount NAME, for reading and syncing. */
int mntns_open(const struct mntns *ns, const char *name) must_check;

/*
 * Unmount NAME and remove its mount point.  EBUSY is retried until
 * MNTNS_DEADLINE_S have passed (descriptors of processes that have just ended
 * are closed a little later, those of an io_uring later still); then it is
 * detached and -EBUSY is returned with ERR set.  Returns 0 or -errno.
 */
int mntns_detach(int root_fd, const char *name, struct err *err);

#define MNTNS_DEADLINE_S 10

#endif
