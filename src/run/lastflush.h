/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loop devices of a run that was killed: let go of them quickly.
 *
 * When the last process of the namespace is gone the kernel unmounts what is
 * in it, and each file system syncs to its image first.  The image has no
 * name: as soon as it is let go of its blocks are freed.  Syncing a gigabyte
 * of it took 3 to 5 seconds where the disk does 330 MB/s, all of it for
 * nothing.  So the janitor declares the write cache of these devices "write
 * through", which drops the flushes (0.5 to 1.4 s then), and right after they
 * are gone "write back" again, for that setting stays with a device number
 * (seen on Linux 6.18) and must not be found by whoever has it next.
 */
#ifndef REPLAY_RUN_LASTFLUSH_H
#define REPLAY_RUN_LASTFLUSH_H

#include <stdbool.h>

#include "base/macro.h"

/* One device that is ours, as long as its image is still this one. */
struct lastflush {
	int number;            /* of /dev/loopN */
	char image[256];       /* name in its loop/backing_file in sysfs */
	char sequence[32];     /* its diskseq */
};

/* Note what device NUMBER has attached now.  Returns 0 or -errno. */
int lastflush_note(struct lastflush *lf, int number) must_check;

/*
 * Drop the flushes of the N devices in LF that still have the image noted,
 * wait (bounded) until they have let go of it, and set each right at once
 * when it has.  Others are left alone.
 */
void lastflush_release(struct lastflush *lf, unsigned n);

#endif
