/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How large must every level be?  From the top down: what the clients have
 * on disk at their peak decides the size of the topmost file system, its
 * image is a file on the level below, and so on to the base.
 */
#ifndef REPLAY_LAYOUT_SPACE_H
#define REPLAY_LAYOUT_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "layout/spec.h"

/* What is wanted of a level. */
struct space_need {
	uint64_t bytes;        /* every file rounded up to blocks of 4 KiB,
				  and a block for every directory */
	uint64_t files;        /* files and directories */
};

struct space_plan {
	uint64_t size[LEVELS_MAX]; /* of image or tmpfs; 0: has none */
	struct space_need need[LEVELS_MAX]; /* on each level; [0]: the base */
	char arithmetic[512];  /* how they came about, in one line */
};

/*
 * Compute PLAN for SPEC and the clients' peak PEAK.  Sizes that were given
 * are kept, and refused when they cannot hold what is wanted, unless FORCE
 * (--no-reserve), and in any case when mkfs would refuse them; the others are
 * computed: what is wanted, with room for the file system's own structures
 * and for what overwriting costs it, and at least SPACE_DEFAULT_MIN and what
 * the file system demands.  Pure arithmetic: looks at nothing but an existing
 * image's length.  Returns 0, -ENOSPC with the arithmetic in ERR, -EINVAL, or
 * the -errno of the image.
 */
int space_plan(const struct target_spec *spec, const struct space_need *peak,
	       bool force, struct space_plan *plan,
	       struct err *err) must_check;

/* Images that nobody gave a size are not smaller than this. */
#define SPACE_DEFAULT_MIN (UINT64_C(1) << 30)

/*
 * Check that the memory of the machine (MemAvailable of /proc/meminfo and the
 * limits of our cgroups) can hold a tmpfs with BYTES in it and keep a tenth
 * of itself free.  Returns 0 or -ENOMEM with the arithmetic in ERR.
 */
int space_check_memory(uint64_t bytes, struct err *err) must_check;

/*
 * The part of it that is for one cgroup, the directory DIR of version 1 or 2;
 * one without a limit, or that is none, has room.
 */
int space_check_cgroup(const char *dir, uint64_t bytes,
		       struct err *err) must_check;

#endif
