/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Internal to layout/: a file system by fsopen(2), option by option, so that
 * the kernel says itself, in words, what it does not like about one.
 */
#ifndef REPLAY_LAYOUT_MOUNTFS_H
#define REPLAY_LAYOUT_MOUNTFS_H

#include "base/err.h"

/*
 * A context for a file system TYPE, to be closed by the caller.  Returns a
 * descriptor, -ENODEV when the kernel has no such file system, or -errno,
 * with ERR set.
 */
int mountfs_open(const char *type, struct err *err) must_check;

/* Set KEY to VALUE, or the flag KEY when VALUE is NULL.  0 or -errno. */
int mountfs_set(int fs_fd, const char *key, const char *value,
		struct err *err) must_check;

/* Set KEY to the path of what the descriptor FD is open on.  0 or -errno. */
int mountfs_set_fd(int fs_fd, const char *key, int fd,
		   struct err *err) must_check;

/*
 * Apply a mount option as mount(8) takes it, KEY or KEY=VALUE: those that are
 * not the file system's but the mount's (noatime and its kind) go to *ATTRS,
 * the attributes for mountfs_mount().  Returns 0 or -errno.
 */
int mountfs_option(int fs_fd, const char *option, unsigned *attrs,
		   struct err *err) must_check;

/*
 * Make the file system and mount it, detached, with ATTRS (MOUNT_ATTR_*).
 * Returns the mount's descriptor or -errno.
 */
int mountfs_mount(int fs_fd, unsigned attrs, struct err *err) must_check;

#endif
