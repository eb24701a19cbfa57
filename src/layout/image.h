/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internal to layout/: image files.  They have no name (O_TMPFILE, or made
 * and unlinked at once), so that they go with their last descriptor.
 */
#ifndef REPLAY_LAYOUT_IMAGE_H
#define REPLAY_LAYOUT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Where an image is made, and whether to go on with it. */
struct image_place {
	int dir_fd;            /* borrowed, as the next */
	int names_fd;          /* for a moment's name where DIR_FD can have no
				  file without one; -1: none */
	bool (*stop)(void *arg); /* from layout_env; NULL: never */
	void *stop_arg;
};

/* Whether files without a name can be made in the directory DIRFD. */
bool image_can_be_anonymous(int dirfd);

/*
 * An image of SIZE bytes.  All its blocks are allocated, unless SPARSE.
 * Returns a descriptor, or -errno with ERR set: -ENOSPC says how much was
 * wanted and how much there is, -EINTR comes from stop().
 */
int image_make(const struct image_place *place, uint64_t size, bool sparse,
	       struct err *err) must_check;

/*
 * A copy, likewise, of the file FROM_FD, which is only read.  Blocks are
 * shared where the file system can (reflink), holes stay holes.
 */
int image_copy(const struct image_place *place, int from_fd,
	       struct err *err) must_check;

/* The bytes that are allocated to it. */
uint64_t image_allocated(int fd);

#define IMAGE_TYPE_MAX 32

/*
 * The file system in the image FD, by the name of its driver, into TYPE.
 * Refused with ERR: no file system, a partition table, swap, encryption, a
 * part of a RAID or of a volume group.  Returns 0 or -errno.
 */
int image_probe(int fd, char type[static IMAGE_TYPE_MAX],
		struct err *err) must_check;

/*
 * Whether FD, an image or the device it is on, has the file system FS of our
 * table and nothing else in it, as mkfs was asked for.  What is called ext4
 * may do without all that is new in it.  One that is not in the table is left
 * to its driver to judge.  Returns 0, or -EINVAL with ERR naming the mkfs.
 */
int image_verify(int fd, const char *fs, struct err *err) must_check;

#endif
