/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The file systems that can be made on an image: their mkfs, its arguments,
 * what they demand.  One table; a name that is not in it works as well, if
 * there are a mkfs.NAME and a driver, with mkfs's own defaults and a cautious
 * guess at what it keeps for itself.
 */
#ifndef REPLAY_LAYOUT_FSTYPE_H
#define REPLAY_LAYOUT_FSTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define FSTYPE_DEFAULT "ext4"
#define FSTYPE_ARGS_MAX 8
#define FSTYPE_SHARES_MAX 9

/* Of images from so many bytes on, at most this part is not for files. */
struct fstype_share {
	uint64_t from_bytes;
	double lost;              /* 0..1; never more than that of the row
				     before it */
};

struct fstype {
	const char *name;         /* also for fsopen(2) */
	const char *mkfs;         /* program: "mkfs.ext4" */
	const char *args[FSTYPE_ARGS_MAX]; /* quiet, no questions, no discard,
					nothing lazy; NULL at the end */
	const char *package;      /* Debian's, for the complaint */
	const char *mount_option; /* keeps the kernel from discarding unasked,
				     which would make a preallocated image
				     sparse; NULL: it does not */
	uint64_t min_bytes;       /* smallest image that mkfs accepts, and
				     gives a journal */
	struct fstype_share shares[FSTYPE_SHARES_MAX]; /* journal, tables and
				     the like; lost 0 at the end */
	uint64_t bytes_per_file;  /* inode and name, beyond the shares */
	double copies;            /* of contents that are overwritten in small
				     pieces, at the worst */
	const char *inodes_option;/* "-N": mkfs option for the number of
				     inodes; NULL: they are not limited */
	uint64_t bytes_per_inode; /* one inode for so many bytes; 0: no limit */
};

/* The row of NAME, or NULL: not in the table. */
const struct fstype *fstype_find(const char *name);

/* Every row, for --list-layers and tests. */
extern const struct fstype fstypes[];
extern const size_t fstypes_nr;

/*
 * How many bytes of contents FILES files can have in an image of SIZE bytes;
 * rather too few than too many.  FS is NULL for one that is not in the table.
 */
uint64_t fstype_room(const struct fstype *fs, uint64_t size, uint64_t files);

/*
 * The size of an image that is comfortable for FILES files of BYTES in all,
 * as they are overwritten: a whole number of MiB, and what mkfs accepts.
 */
uint64_t fstype_size(const struct fstype *fs, uint64_t bytes, uint64_t files);

/*
 * Whether NAME can be made and mounted here: mkfs in $PATH (and the sbin
 * directories), and a driver in the kernel (fsopen(2) loads the module).
 * Needs CAP_SYS_ADMIN.  Returns 0, or -ENOENT / -ENODEV with ERR saying which
 * of the two is missing and which package has it.
 */
int fstype_check(const char *name, struct err *err) must_check;

/* What is wanted of mkfs; all pointers are borrowed. */
struct fstype_job {
	const char *device;       /* path of a block device, or an image */
	uint64_t size;            /* of it, in bytes */
	uint64_t files;           /* that must have room */
	char *const *extra;       /* arguments before the device; NULL at the
				     end; or NULL */
	bool (*stop)(void *arg);  /* asked every 50 ms; NULL: never stop */
	void *stop_arg;
};

/*
 * Make a file system NAME as JOB says.  Fork and exec, no shell, standard
 * output thrown away, standard error into ERR when it fails.  Returns 0,
 * -ENOENT without a mkfs, -EIO when it failed, -EINTR when JOB->stop() said
 * so and it was killed, with all that it has started, or -errno.
 */
int fstype_make(const char *name, const struct fstype_job *job,
		struct err *err) must_check;

#endif
