/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Storage layouts: a base and a stack of layers, built afresh for every run.
 *
 *	spec     the text, parsed and checked
 *	space    how large everything must be
 *	layout   build it, level by level; tear it down
 *
 * A level is a directory descriptor.  Each layer's setup function makes its
 * own level out of the one below it and pushes what undoes it.
 */
#ifndef REPLAY_LAYOUT_LAYOUT_H
#define REPLAY_LAYOUT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "layout/mntns.h"
#include "layout/space.h"
#include "layout/spec.h"
#include "layout/undo.h"
#include "stats/chain.h"

enum layer_flag {
	LAYER_BASE = 1,      /* stands first, and only there */
	LAYER_MOUNTS = 2,    /* needs the namespace and CAP_SYS_ADMIN */
	LAYER_FS = 4,        /* a file system of our own: no reserve in it */
	LAYER_NAMES = 8,     /* makes named directories in the level below */
	LAYER_MEMORY = 16,   /* takes memory, not disk */
	LAYER_TEST = 32,     /* for tests only */
	LAYER_ANON = 64,     /* makes an anonymous file in the level below */
};

struct layout;

/* A level that has been built.  The undo stack owns its descriptors. */
struct level {
	int dir_fd;          /* its root: can be read, synced, cloned */
	int names_fd;        /* where directories may be made in it; for a
				directory of the user's the scratch directory,
				or -1 when there is none */
	char mount[MNTNS_NAME_MAX]; /* mount point, "" when none of ours */
	int image_fd;        /* the image it is in, or (an image as the base)
				that the loop above is to be in; -1: none */
	int loop;            /* number of its loop device; -1: none */
	uint64_t errors;     /* that its ext4 had counted when mounted */
	struct chain_link link; /* kind and what the layer itself knows;
				   audit/ adds what can be seen */
};

enum layer_key_flag {
	KEY_REPEATS = 1,     /* may be given several times */
	KEY_NEEDED = 2,      /* the layer is nothing without it */
	KEY_TEST = 4,        /* for tests only */
};

/* One key of a layer; the parser sees to what its flags demand. */
struct layer_key {
	const char *name;
	const char *value;   /* what it is in help: "SIZE"; NULL: has none */
	const char *help;    /* a few words */
	unsigned flags;      /* enum layer_key_flag */

	/*
	 * Put VALUE (not empty; NULL when there is none) into SPEC.  Returns
	 * 0, or -EINVAL with ERR saying what is wrong with the value.
	 */
	int (*read)(struct layer_spec *spec, const char *value,
		    struct err *err);
};

#define LAYER_KEYS_MAX 16 /* of one layer */

struct layer_ops {
	const char *name;
	const char *help;    /* a line */
	unsigned flags;      /* enum layer_flag */
	const struct layer_key *keys; /* nameless one at the end; or NULL */

	/*
	 * Whether it can stand on levels[0..n-1] of SPEC, and is complete in
	 * itself; part of parsing, looks at nothing.  NULL: on anything.
	 */
	int (*fits)(const struct target_spec *spec, size_t level,
		    struct err *err);

	/*
	 * Whether this machine and our rights allow it; changes nothing.
	 * NULL: always.
	 */
	int (*check)(const struct layer_spec *spec, struct err *err);

	/*
	 * Make levels[N] of LAYOUT, on top of levels[N-1].  The undo stack
	 * undoes what was done also when it fails half-way.
	 */
	int (*setup)(struct layout *layout, size_t n, struct err *err);
};

/* The registry, bases first, in the order of --list-layers. */
extern const struct layer_ops *const layers[];
extern const size_t layers_nr;

/* Find by name; NULL when there is none. */
const struct layer_ops *layer_find(const char *name);

/* What a layout is built with; borrowed for its life. */
struct layout_env {
	struct mntns *ns;      /* entered, if any level needs it; or NULL */
	int base_fd;           /* the base directory, or the one the image is
				  in; -1: tmpfs */
	int scratch_fd;        /* a private directory in it where names may be
				  made; -1: not needed, see layout_scratch() */
	const struct space_plan *space;
	bool prepare_below;    /* something is done before the gate that is to
				  be in the lower layer of an overlay */
	bool symlinks;         /* the load makes symbolic links */

	/*
	 * Whether building is to stop; NULL: never.  Asked in every step that
	 * can take long (allocating, copying, mkfs), at least every 50 ms or
	 * every 64 MiB; from true on the build fails with -EINTR.
	 */
	bool (*stop)(void *arg);
	void *stop_arg;
};

struct layout {
	const struct target_spec *spec; /* borrowed */
	struct layout_env env;
	struct level levels[LEVELS_MAX];
	size_t nlevels;        /* built so far */
	struct undo undo;
	uint64_t op_delay_ns;  /* of slow */
	bool pending;          /* the topmost overlay waits for
				  layout_finish() */
	int lower_fd, upper_fd, work_fd; /* of the pending overlay */
	struct err left;     /* after layout_build() has failed: the first
				thing that it could not undo; code 0: nothing
				was left */
};

/*
 * Whether SPEC can be built here: rights, devices, tools, kernel support.
 * Nothing is touched.  Returns 0 or -errno with ERR naming layer and lack.
 */
int layout_check(const struct target_spec *spec, struct err *err) must_check;

/*
 * Whether SPEC needs a scratch directory in its base: some layer makes names
 * in it, or its file system has no anonymous files (O_TMPFILE).
 */
bool layout_scratch(const struct target_spec *spec, int base_fd);

/*
 * Build all levels.  LAYOUT need not be initialised.  With
 * env->prepare_below and an overlay on top, the topmost level is the lower
 * directory until layout_finish().  Returns 0, or -errno with ERR set (naming
 * the layer) and everything undone; what could not be is told by LAYOUT->left.
 * -EINTR, "interrupted", is env->stop()'s.
 */
int layout_build(struct layout *layout, const struct target_spec *spec,
		 const struct layout_env *env, struct err *err) must_check;

/*
 * Mount what waits for the preparation; the topmost level's dir_fd and
 * mount change.  Nothing when nothing is pending.  Returns 0 or -errno.
 */
int layout_finish(struct layout *layout, struct err *err) must_check;

/* The topmost level. */
static inline struct level *layout_top(struct layout *layout)
{
	return &layout->levels[layout->nlevels - 1];
}

/*
 * What the file systems of the layout have to say after a run: one that went
 * read-only, errors it has counted (ext4), a loop device that lost its image.
 * Returns 0, or -EIO with ERR: what was synced may be lost.
 */
int layout_inspect(const struct layout *layout, struct err *err) must_check;

/*
 * Undo everything, topmost first.  Nobody may have anything open in it any
 * more.  Returns 0 or the first failure, with ERR (may be NULL) of that.
 */
int layout_teardown(struct layout *layout, struct err *err);

#endif
