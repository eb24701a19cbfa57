/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What most layers do: make directories in the level below, and mount.
 *
 * The undo stack closes the descriptor of a mount's root before it unmounts,
 * since it was pushed after: an open one would keep the mount busy.
 */
#include "layout/level.h"

#include <errno.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/tree.h"

void level_keep(struct layout *layout, int fd)
{
	const struct undo_arg arg = { .fd = fd };

	undo_push(&layout->undo, undo_close, &arg);
}

static int undo_mkdir(const struct undo_arg *arg, struct err *err)
{
	int ret = tree_remove(arg->fd, arg->name);

	return ret < 0 ? err_sys(err, ret, "cannot remove the directory %s",
				 arg->name)
		       : 0;
}

static int undo_mount(const struct undo_arg *arg, struct err *err)
{
	return mntns_detach(arg->fd, arg->name, err);
}

/*
 * Whether levels[N] goes with a file system of ours on or below it, so that
 * there is no need to remove what is in it, file by file.
 */
static bool is_doomed(const struct layout *layout, size_t n)
{
	bool doomed = false;

	for (size_t i = 0; i <= n; i++)
		doomed |= layout->spec->levels[i].ops->flags & LAYER_FS;
	return doomed;
}

int level_mkdir(struct layout *layout, size_t n, const char *name,
		unsigned mode, struct err *err)
{
	struct undo_arg arg = { .fd = layout->levels[n - 1].names_fd };
	mode_t mask;
	int ret;

	if (arg.fd < 0)
		return err_set(err, -EBADF, "no place for the directory %s",
			       name);
	mask = umask(0);
	ret = mkdirat(arg.fd, name, mode) < 0 ? -errno : 0;
	(void)umask(mask);
	if (ret < 0)
		return err_sys(err, ret, "cannot make the directory %s", name);
	(void)snprintf(arg.name, sizeof(arg.name), "%s", name);
	if (!is_doomed(layout, n - 1))
		undo_push(&layout->undo, undo_mkdir, &arg);
	return 0;
}

unsigned level_attrs(const struct layout *layout)
{
	return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
	       (layout->env.symlinks ? 0 : MOUNT_ATTR_NOSYMFOLLOW);
}

int level_mount(struct layout *layout, size_t n, int mount_fd,
		struct err *err)
{
	autoclose int owned_fd = mount_fd;
	struct level *level = &layout->levels[n];
	struct undo_arg arg = { .fd = layout->env.ns->root_fd };
	int ret;

	ret = mntns_attach(layout->env.ns, owned_fd, level->mount, err);
	if (ret < 0) {
		level->mount[0] = '\0';
		return ret;
	}
	(void)snprintf(arg.name, sizeof(arg.name), "%s", level->mount);
	undo_push(&layout->undo, undo_mount, &arg);
	ret = mntns_open(layout->env.ns, level->mount);
	if (ret < 0)
		return err_sys(err, ret, "cannot open what was mounted");
	level->dir_fd = level->names_fd = ret;
	level_keep(layout, ret);
	return 0;
}

void level_pass_on(struct layout *layout, size_t n)
{
	const struct level *below = &layout->levels[n - 1];
	struct level *level = &layout->levels[n];

	level->dir_fd = below->dir_fd;
	level->names_fd = below->names_fd;
	memcpy(level->mount, below->mount, sizeof(level->mount));
}

int level_blame(const struct target_spec *spec, size_t n, struct err *err)
{
	const char *name = spec->levels[n].ops->name;

	if (n == 0 || spec->nlevels <= 2)
		return err_prefix(err, "%s", name);
	return err_prefix(err, "%s (layer %zu)", name, n);
}
