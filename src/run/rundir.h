/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one directory that a run makes in its target.
 *
 * It is called replay.XXXXXX, has mode 0700, is opened O_NOFOLLOW and
 * checked to be ours.  In it a marker file ".replay" is held with an
 * exclusive flock(2) by the coordinator (and, by inheritance, by its
 * clients) for life; it appears under its name only after it has been
 * locked.  A directory of that name pattern, ours, 0700, whose marker can
 * be locked is stale: its run was killed together with its janitor.  flock
 * works across PID namespaces and containers that share the file system.
 *
 * Layout:   replay.XXXXXX/.replay    the marker, see mark.h
 *           replay.XXXXXX/fleet/     dbench's "/", shared by all clients
 */
#ifndef REPLAY_RUN_RUNDIR_H
#define REPLAY_RUN_RUNDIR_H

#include <stdbool.h>

#include "base/err.h"
#include "run/mark.h"

struct janitor;

struct rundir {
	int parent_fd;   /* the target; borrowed */
	int fd;          /* the run directory; -1 when closed */
	int marker_fd;   /* locked */
	int fleet_fd;    /* what clients work below (in a protected clone of
			    fleet/ where the kernel lets us make one) */
	int clone_fd;    /* keeps that clone mounted; O_PATH, or -1 */
	bool symlinks;   /* set before rundir_make(): the load makes symbolic
			    links and means to follow them */
	bool bare;       /* set before rundir_make(): there are no clients in
			    it, so there is to be no fleet/ */
	bool nosymfollow;/* the clone refuses to follow symbolic links */
	char name[RUNDIR_NAME_MAX]; /* "" when there is none */
	struct janitor *janitor; /* borrowed; may be NULL */
	int watch_id;    /* the janitor's number for it, or -1 */
};

#define RUNDIR_INIT                                                           \
	{ .parent_fd = -1, .fd = -1, .marker_fd = -1, .fleet_fd = -1,         \
	  .clone_fd = -1, .watch_id = -1 }

/*
 * Remove the stale run directories in PARENT_FD.  Directories in use, ones
 * of other users and everything else are left alone.  Returns how many were
 * removed, or -errno with ERR set when one could not be removed (the others
 * have been).
 */
int rundir_remove_stale(int parent_fd, struct err *err);

/*
 * Make the run directory in PARENT_FD and all that belongs in it; DIR is
 * RUNDIR_INIT, with `symlinks` set as the load wants it.  The JANITOR (may be
 * NULL) is told first, so that no moment of dying leaves it behind.  Returns
 * 0 or -errno with ERR set and nothing left.
 */
int rundir_make(struct rundir *dir, int parent_fd, struct janitor *janitor,
		struct err *err) must_check;

/*
 * Close the descriptors only: the directory is on storage of our own that is
 * gone with all that is in it.  DIR was made without a janitor.
 */
void rundir_abandon(struct rundir *dir);

/*
 * Remove the directory with all that is in it, or, with KEEP, only its
 * marker (what is in fleet/ stays where it is).  Closes the descriptors in
 * either case, and makes DIR RUNDIR_INIT again except for its name.  The
 * janitor is told when that went well; else it tries once more when it ends.
 * NULL and half-made directories are fine.  Returns 0 or -errno with ERR set.
 */
int rundir_remove(struct rundir *dir, bool keep, struct err *err);

#endif
