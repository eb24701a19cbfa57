/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The base in memory: a tmpfs of ours, of a fixed size, its own for a run. */
#include <inttypes.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "layout/level.h"
#include "layout/mountfs.h"
#include "layout/setups.h"

/* A detached tmpfs for BYTES; its inodes are limited by memory alone. */
static int make_tmpfs(uint64_t bytes, unsigned attrs, struct err *err)
{
	autoclose int fs_fd = mountfs_open("tmpfs", err);
	char size[32];
	int ret = fs_fd;

	(void)snprintf(size, sizeof(size), "%" PRIu64, bytes);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "source", "replay", err);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "mode", "0700", err);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "size", size, err);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "nr_inodes", "0", err);
	return ret < 0 ? ret : mountfs_mount(fs_fd, attrs, err);
}

int setup_tmpfs(struct layout *layout, size_t n, struct err *err)
{
	int ret = make_tmpfs(layout->env.space->size[n], level_attrs(layout),
			     err);

	return ret < 0 ? ret : level_mount(layout, n, ret, err);
}
