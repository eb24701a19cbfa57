/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A target while the program runs: its base is opened once, its layout and
 * its run directory are built for each run and removed after it.
 */
#ifndef REPLAY_RUN_TARGET_H
#define REPLAY_RUN_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "layout/layout.h"
#include "run/limits.h"
#include "run/rundir.h"
#include "run/settle.h"
#include "stats/result.h"

struct janitor;

/* What stays the same for all runs on it. */
struct target {
	const struct target_spec *spec; /* borrowed */
	struct mntns *ns;        /* borrowed; NULL: nobody has layers */
	struct janitor *janitor; /* borrowed */
	bool symlinks;           /* the load makes symbolic links */
	bool prepare;            /* it does something before the gate */
	bool force;              /* --no-reserve */
	bool (*stop)(void *arg); /* asked while something long is done: is it
				    to be given up?  or NULL */
	void *stop_arg;

	int host_fd;             /* the base, O_PATH, from before the namespace
				    was entered: the host must see that it is
				    in use; or -1 */

	/* set by target_open() */
	int base_fd;             /* directory of the user's; -1: memory */
	struct space_plan space; /* without layers unused */
	uint64_t reserve_bytes;  /* to stay free on the base; 0: none */
};

#define TARGET_INIT { .base_fd = -1, .host_fd = -1 }

/* Built for one run. */
struct target_run {
	struct target *target;   /* borrowed */
	struct rundir scratch;   /* in the base, for what layers name there */
	struct layout layout;
	bool built;
	int loop_ids[LEVELS_MAX];/* of loop devices, at the janitor; or -1 */
	struct rundir dir;       /* on the topmost level */
	double setup_seconds;
	struct err left;         /* what a failed target_build() could not
				    undo; code 0: nothing is left */
};

/*
 * Keep the base of TARGET (its spec is set) in use in the namespace that we
 * are in; to be called before another one is entered.  Failing is no error.
 */
void target_hold(struct target *target);

/*
 * Check and open: rights, tools, the base, sizes, space.  PEAK is what the
 * clients have there at most.  Changes nothing.  Returns 0 or -errno with ERR
 * set.  Release with target_close() in either case.
 */
int target_open(struct target *target, const struct limits_peak *peak,
		struct err *err) must_check;
void target_close(struct target *target);

/* Remove stale run directories in the base, see rundir_remove_stale(). */
int target_remove_stale(const struct target *target, struct err *err);

/* Whether SPEC, and TARGET, is more than a directory of the user's. */
bool target_spec_has_layers(const struct target_spec *spec);
bool target_has_layers(const struct target *target);

/*
 * Build layout and run directory.  Returns 0, -EINTR when it was to be given
 * up, or -errno with ERR set; in both cases undone, but for TR->left.  TR need
 * not be initialised and must stay where it is.
 */
int target_build(struct target *target, struct target_run *tr,
		 struct err *err) must_check;

/*
 * The preamble is done: mount what waits for that, and write to PATH where
 * the clients go on, below the namespace's root; or nothing.  Returns 0 or
 * -errno with ERR set.
 */
int target_finish(struct target_run *tr, char *path, size_t size,
		  struct err *err) must_check;

/* A directory on each file system of TR, topmost first; borrowed. */
void target_levels(const struct target_run *tr, struct levels *levels);

/* Fill in INFO's chain from a target that is built, or from a base alone. */
void target_describe(const struct target_run *tr, struct target_info *info);
void target_describe_base(const struct target *target,
			  struct target_info *info);

/*
 * Remove all of it; KEEP leaves the run directory of a target without layers.
 * Returns 0 or the first -errno with ERR (may be NULL) set.
 */
int target_remove(struct target_run *tr, bool keep, struct err *err);

#endif
