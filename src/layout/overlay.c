/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * overlayfs on three directories of ours: lower, upper and work.
 *
 * What is prepared before a run belongs to the lower layer, so that writing
 * to it has to copy it up, as a container does with the files of its image.
 * But the lower directory must not change under a mounted overlay: when there
 * is something to prepare, the level is the lower directory at first, and
 * overlay_finish() mounts.
 *
 * A volatile overlay leaves a marker in its work directory, without whose
 * removal it could not be mounted again; the directories are used once only.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/tree.h"
#include "layout/level.h"
#include "layout/mountfs.h"
#include "layout/setups.h"

/* Make and open a directory of the overlay; a descriptor, kept, or -errno. */
static int make_part(struct layout *layout, size_t n, const char *name,
		     struct err *err)
{
	int ret = level_mkdir(layout, n, name, 0755, err);

	if (ret < 0)
		return ret;
	ret = tree_open(layout->levels[n - 1].names_fd, name);
	if (ret < 0)
		return err_sys(err, ret, "cannot open the directory %s", name);
	level_keep(layout, ret);
	return ret;
}

static int make_parts(struct layout *layout, size_t n, struct err *err)
{
	struct {
		const char *name;
		int *fd;
	} parts[] = {
		{ "lower", &layout->lower_fd },
		{ "upper", &layout->upper_fd },
		{ "work", &layout->work_fd },
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		*parts[i].fd = make_part(layout, n, parts[i].name, err);
		if (*parts[i].fd < 0)
			return *parts[i].fd;
	}
	return 0;
}

/* The detached overlay. */
static int make_overlay(const struct layout *layout, size_t n,
			struct err *err)
{
	autoclose int fs_fd = mountfs_open("overlay", err);
	int ret = fs_fd;

	if (ret >= 0)
		ret = mountfs_set(fs_fd, "source", "overlay", err);
	if (ret >= 0)
		ret = mountfs_set_fd(fs_fd, "lowerdir", layout->lower_fd, err);
	if (ret >= 0)
		ret = mountfs_set_fd(fs_fd, "upperdir", layout->upper_fd, err);
	if (ret >= 0)
		ret = mountfs_set_fd(fs_fd, "workdir", layout->work_fd, err);
	/* where only root outside may write attributes of "trusted" */
	if (ret >= 0 && !mntns_is_initial())
		ret = mountfs_set(fs_fd, "userxattr", NULL, err);
	if (ret >= 0 && layout->spec->levels[n].is_volatile)
		ret = mountfs_set(fs_fd, "volatile", NULL, err);
	return ret < 0 ? ret : mountfs_mount(fs_fd, level_attrs(layout), err);
}

static int mount_overlay(struct layout *layout, size_t n, struct err *err)
{
	int ret = make_overlay(layout, n, err);

	return ret < 0 ? ret : level_mount(layout, n, ret, err);
}

/* The lower directory stands for the overlay until overlay_finish(). */
static void wait_for_preparation(struct layout *layout, size_t n)
{
	layout->pending = true;
	layout->levels[n].dir_fd = layout->lower_fd;
	layout->levels[n].names_fd = layout->lower_fd;
}

/* Whether levels[N] is the topmost but for such as pass it on. */
static bool is_topmost(const struct layout *layout, size_t n)
{
	while (++n < layout->spec->nlevels) {
		if (layout->spec->levels[n].ops->setup != setup_slow)
			return false;
	}
	return true;
}

int setup_overlay(struct layout *layout, size_t n, struct err *err)
{
	struct statfs fs;
	int ret;

	if (fstatfs(layout->levels[n - 1].dir_fd, &fs) < 0)
		return err_sys(err, -errno, "cannot look at the file system "
			       "below");
	if (fs.f_type == OVERLAYFS_SUPER_MAGIC)
		return err_set(err, -EINVAL, "what is below is on overlayfs "
			       "already, and an overlay cannot be the upper "
			       "layer of another; +loop between them helps");
	ret = make_parts(layout, n, err);
	if (ret < 0)
		return ret;
	if (!layout->env.prepare_below || !is_topmost(layout, n))
		return mount_overlay(layout, n, err);
	wait_for_preparation(layout, n);
	return 0;
}

int overlay_finish(struct layout *layout, struct err *err)
{
	size_t n = layout->nlevels - 1;
	int ret;

	while (layout->spec->levels[n].ops->setup != setup_overlay)
		n--;
	ret = mount_overlay(layout, n, err);
	if (ret < 0)
		return ret;
	layout->pending = false;
	while (++n < layout->nlevels)
		level_pass_on(layout, n);
	return 0;
}
