/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The janitor: a process that removes the run directory when the
 * coordinator cannot.
 *
 * It is forked before everything else, leaves the session and process group
 * (setsid), ignores the terminal's signals and sleeps on a socket whose
 * other end is held by the coordinator and, through fork, by its clients.
 * The end of file therefore means that all of them are gone, however they
 * died; what had been announced and not taken back is removed then, by
 * descriptor.  Mounts and loop devices are the kernel's to remove; the
 * janitor only sees to it that this does not take long.
 */
#ifndef REPLAY_RUN_JANITOR_H
#define REPLAY_RUN_JANITOR_H

#include "base/err.h"

struct janitor;

#define JANITOR_WATCHES 64 /* directories and devices announced at once */

/*
 * Fork the janitor.  Call it before other processes are forked and before
 * other descriptors are opened.  Returns 0 and *OUT, or -errno with ERR.
 */
int janitor_start(struct janitor **out, struct err *err) must_check;

/*
 * Announce that NAME (one component, of the pattern of mark.h) in the
 * directory PARENT_FD will be made and is to be removed if we die.  The
 * janitor has it, with a copy of the descriptor, when this returns.  Returns
 * a number to take it back with, or -errno with ERR set (-EPIPE: the janitor
 * itself is gone).
 */
int janitor_watch(struct janitor *janitor, int parent_fd, const char *name,
		  struct err *err) must_check;

/*
 * Announce the loop device NUMBER, which is ours and has its image attached:
 * if we die, the kernel shall let go of it quickly, see lastflush.h.  Returns
 * a number to take it back with (janitor_forget(), before the device is let
 * go of), or -errno with ERR set.
 */
int janitor_watch_loop(struct janitor *janitor, int number,
		       struct err *err) must_check;

/*
 * Take announcement ID back: the directory has been removed, or is to be
 * kept.  When this returns the janitor has closed its copy of the parent, so
 * that what is mounted there can be unmounted.  Negative IDs are fine.
 */
void janitor_forget(struct janitor *janitor, int id);

/*
 * End the janitor and reap it; what is still announced it removes first.
 * NULL is fine.
 */
void janitor_stop(struct janitor *janitor);

#endif
