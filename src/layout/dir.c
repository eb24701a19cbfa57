/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The levels that are no file system of their own: the directory a target
 * stands on, a bind mount (what OpenVZ called simfs), and the delay for tests.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "layout/level.h"
#include "layout/setups.h"

/*
 * The descriptor is opened anew for every run: syncfs(2) reports an error to
 * each that was open when it happened, and those of the runs before are not
 * this run's.
 */
int setup_dir(struct layout *layout, size_t n, struct err *err)
{
	struct level *level = &layout->levels[n];
	int fd = openat(layout->env.base_fd, ".",
			O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, -errno, "cannot open the directory");
	level_keep(layout, fd);
	level->dir_fd = fd;
	level->names_fd = layout->env.scratch_fd;
	return 0;
}

/* A detached clone of the directory NAME of DIRFD. */
static int clone_dir(int dirfd, const char *name, unsigned attrs,
		     struct err *err)
{
	struct mount_attr attr = { .attr_set = attrs };
	autoclose int fd = open_tree(dirfd, name,
				     OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);

	if (fd < 0)
		return err_sys(err, -errno, "cannot clone the mount below");
	if (mount_setattr(fd, "", AT_EMPTY_PATH, &attr, sizeof(attr)) < 0)
		return err_sys(err, -errno,
			       "cannot protect the clone of the mount below");
	return take_fd(&fd);
}

int setup_bind(struct layout *layout, size_t n, struct err *err)
{
	int ret = level_mkdir(layout, n, "bind", 0700, err);

	if (ret == 0)
		ret = clone_dir(layout->levels[n - 1].names_fd, "bind",
				level_attrs(layout), err);
	return ret < 0 ? ret : level_mount(layout, n, ret, err);
}

/* The level below goes on, with the same descriptors; only slower. */
int setup_slow(struct layout *layout, size_t n, struct err *err)
{
	(void)err;
	level_pass_on(layout, n);
	layout->op_delay_ns += (uint64_t)(layout->spec->levels[n].op_us *
					  (double)NS_PER_US);
	return 0;
}
