/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loop devices: loop(4) of Linux 5.8 (LOOP_CONFIGURE), set up and
 * checked in one step, always with autoclear, so that the kernel lets go of
 * them when we are killed.  A device that we did not make is never touched.
 */
#ifndef REPLAY_LAYOUT_LOOPDEV_H
#define REPLAY_LAYOUT_LOOPDEV_H

#include <limits.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"

struct loopdev {
	int number;            /* of /dev/loopN; -1: none */
	int fd;                /* keeps it: autoclear comes with its close */
	char path[64];         /* "/dev/loopN", or a node of our own */
	bool dio;              /* in effect, as sysfs says after the attach */
	char write_cache[16];  /* queue/write_cache, after the attach */
};

/* Room for the path of an image, and for what sysfs says of it. */
#define LOOPDEV_IMAGE_MAX (PATH_MAX + 32)

#define LOOPDEV_INIT { .number = -1, .fd = -1 }

/* Whether there are loop devices that we may use; -errno with ERR if not. */
int loopdev_check(struct err *err) must_check;

/*
 * Attach the image IMAGE_FD (open for reading and writing; the kernel keeps
 * its own reference) to a free device.  A number that somebody else takes
 * between asking and attaching is asked for again, with a deadline.  Where
 * /dev has no node for the number one is made in NODE_DIRFD.
 *
 * DIO: direct I/O must be in effect afterwards, -EINVAL with the reason if the
 * file system below cannot.  The write cache must be "write back" afterwards:
 * a switched-off one sticks to a number across attachments (seen on 6.18) and
 * would make this image lie about its flushes; it is set right, or refused.
 * WRITE_THROUGH (a test) switches it off instead.
 */
int loopdev_attach(struct loopdev *loop, int image_fd, bool dio,
		   bool write_through, int node_dirfd,
		   struct err *err) must_check;

/*
 * The image that device NUMBER has attached, by its path; one without a name
 * has "#INODE (deleted)" as the last part.  Returns the length, -ENOENT or
 * -ENODEV when it has none, or -errno.
 */
ssize_t loopdev_image(int number, char *buf, size_t size) must_check;

/* What device NUMBER says of its write cache.  Returns the length or -errno. */
ssize_t loopdev_write_cache(int number, char *buf, size_t size) must_check;

/*
 * Say that device NUMBER has a write cache to be flushed ("write back"), or
 * that it has none ("write through").  Returns 0 or -errno.
 */
int loopdev_set_write_cache(int number, bool write_through) must_check;

/*
 * Let go of it, and wait (bounded) until the kernel has: udev and the like
 * may have it open for a moment.  With WRITE_THROUGH the write cache of the
 * number is set right first.  -EBUSY with ERR when somebody holds on to it:
 * then it goes when they do.
 */
int loopdev_detach(int number, int fd, bool write_through, struct err *err);

#endif
