/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internal to layout/: what the setup functions share.  Each of these pushes
 * its own inverse.
 */
#ifndef REPLAY_LAYOUT_LEVEL_H
#define REPLAY_LAYOUT_LEVEL_H

#include "layout/layout.h"

/* Have FD closed by the undo stack. */
void level_keep(struct layout *layout, int fd);

/*
 * Make the directory NAME with MODE, whatever the umask, where levels[N - 1]
 * allows names.  Returns 0 or -errno with ERR set.
 */
int level_mkdir(struct layout *layout, size_t n, const char *name,
		unsigned mode, struct err *err) must_check;

/* The attributes that every mount of ours has. */
unsigned level_attrs(const struct layout *layout);

/*
 * Attach MOUNT_FD, which is closed in any case, and make its root levels[N].
 * Returns 0 or -errno with ERR set.
 */
int level_mount(struct layout *layout, size_t n, int mount_fd,
		struct err *err) must_check;

/* Make levels[N] the same directory as the level below, no mount of its own. */
void level_pass_on(struct layout *layout, size_t n);

/*
 * How many errors the file system of LEVEL has counted in its life: ext4 on a
 * loop device, 0 for all others.
 */
uint64_t level_errors(const struct level *level);

/* Put the layer in front of ERR, by its place too if there are several. */
int level_blame(const struct target_spec *spec, size_t n, struct err *err);

/* Mount the pending overlay and make it the topmost levels. */
int overlay_finish(struct layout *layout, struct err *err) must_check;

#endif
