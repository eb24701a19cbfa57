/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run directory: made, found stale, removed.  What makes it ours is
 * mark.c's; this file has the order of the steps.
 *
 * Making: the janitor hears the name, then the directory is made.  A name
 * that is taken already is taken back at once and another is tried, and as
 * the janitor leaves alone what somebody else holds locked, even dying in
 * between harms nobody.
 *
 * Where we may (CAP_SYS_ADMIN, Linux 5.14), clients work in a detached clone
 * of the mount, rooted at fleet/, that is nosuid, nodev, noexec and, unless
 * the load makes links itself, nosymfollow.  It is attached nowhere: it is
 * gone when its last descriptor is closed, however that comes about.
 * Elsewhere they work in the directory itself and openat2(2) alone keeps
 * them from following links.
 */
#include "run/rundir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/tree.h"
#include "run/janitor.h"

#define FLEET "fleet"
#define NAME_TRIES 100

#ifndef MOUNT_ATTR_NOSYMFOLLOW /* glibc before 2.35 */
#define MOUNT_ATTR_NOSYMFOLLOW 0x00200000
#endif

/*
 * Remove NAME of PARENT_FD if it is a stale run directory.  Returns 1 if it
 * was, 0 if it is something else, or -errno.
 */
static int reclaim(int parent_fd, const char *name)
{
	autoclose int dirfd = mark_open_dir(parent_fd, name);
	autoclose int marker = -1;
	int ret;

	if (dirfd < 0)
		return 0;
	marker = mark_lock(dirfd);
	if (marker == -ENOENT)
		return mark_remove_unborn(parent_fd, name, dirfd, false) == 0;
	if (marker < 0)
		return 0;
	ret = mark_remove_dir(parent_fd, name, dirfd);
	/* a janitor may have been at it at the same time */
	return ret == 0 || ret == -ENOENT ? 1 : ret;
}

/* A stream of its own over the directory FD: closing it leaves FD open. */
static DIR *open_listing(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir && copy >= 0)
		(void)close(copy);
	return dir;
}

int rundir_remove_stale(int parent_fd, struct err *err)
{
	autodir DIR *listing = open_listing(parent_fd);
	const struct dirent *d;
	int first = 0, removed = 0;
	int ret;

	if (!listing)
		return err_sys(err, -errno,
			       "cannot look for stale run directories");
	while ((d = readdir(listing))) {
		ret = mark_is_name(d->d_name) ? reclaim(parent_fd, d->d_name)
					      : 0;
		removed += ret > 0;
		if (ret < 0 && !first)
			first = err_sys(err, ret,
					"cannot remove the stale directory %s",
					d->d_name);
	}
	return first ? first : removed;
}

/* mkdirat() with mode 0700 whatever the umask; 0 or -errno. */
static int make_private_dir(int dirfd, const char *name)
{
	mode_t mask = umask(0);
	int ret = mkdirat(dirfd, name, 0700) < 0 ? -errno : 0;

	(void)umask(mask);
	return ret;
}

/* Announce a name and make the directory: 0, or -errno with ERR set. */
static int make_announced(struct rundir *dir, struct err *err)
{
	int ret;

	mark_random_name(dir->name);
	if (dir->janitor) {
		dir->watch_id = janitor_watch(dir->janitor, dir->parent_fd,
					      dir->name, err);
		if (dir->watch_id < 0)
			return dir->watch_id;
	}
	ret = make_private_dir(dir->parent_fd, dir->name);
	if (ret < 0) {
		janitor_forget(dir->janitor, dir->watch_id);
		dir->watch_id = -1;
		return err_sys(err, ret,
			       "cannot make a directory in the target");
	}
	return 0;
}

static int make_top(struct rundir *dir, struct err *err)
{
	int tries, ret = -EEXIST;

	for (tries = 0; ret == -EEXIST && tries < NAME_TRIES; tries++)
		ret = make_announced(dir, err);
	if (ret < 0) {
		dir->name[0] = '\0';
		return ret;
	}
	dir->fd = mark_open_dir(dir->parent_fd, dir->name);
	if (dir->fd == -EPERM)
		return err_set(err, -EPERM, "the directory made in the target "
			       "does not belong to us with mode 0700: no run "
			       "on file systems without owners and modes");
	if (dir->fd < 0)
		return err_sys(err, dir->fd, "cannot open %s", dir->name);
	return 0;
}

static int make_marker(struct rundir *dir, struct err *err)
{
	dir->marker_fd = mark_create(dir->fd);
	if (dir->marker_fd < 0)
		return err_sys(err, dir->marker_fd,
			       "cannot make and lock the marker %s/%s",
			       dir->name, RUNDIR_MARKER);
	return 0;
}

/*
 * A detached clone of the directory FD, with NOSYMFOLLOW unless FOLLOW, as
 * an O_PATH descriptor, or -1 where that is not possible.
 */
static int clone_protected(int fd, bool follow)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
			    MOUNT_ATTR_NOEXEC |
			    (follow ? 0 : MOUNT_ATTR_NOSYMFOLLOW),
	};
	int clone = open_tree(fd, "", AT_EMPTY_PATH | OPEN_TREE_CLONE |
					      OPEN_TREE_CLOEXEC);

	if (clone < 0)
		return -1;
	if (!mount_setattr(clone, "", AT_EMPTY_PATH, &attr, sizeof(attr)))
		return clone;
	(void)close(clone);
	return -1;
}

/* Let clients work in a clone if there can be one. */
static void protect_fleet(struct rundir *dir)
{
	int clone = clone_protected(dir->fleet_fd, dir->symlinks);
	int fd;

	if (clone < 0)
		return;
	/* one that can be read and synced, too */
	fd = openat(clone, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		(void)close(clone);
		return;
	}
	(void)close(dir->fleet_fd);
	dir->fleet_fd = fd;
	dir->clone_fd = clone;
	dir->nosymfollow = !dir->symlinks;
}

static int make_fleet(struct rundir *dir, struct err *err)
{
	int ret = make_private_dir(dir->fd, FLEET);

	if (ret < 0)
		return err_sys(err, ret, "cannot make %s/%s", dir->name, FLEET);
	dir->fleet_fd = tree_open(dir->fd, FLEET);
	if (dir->fleet_fd < 0)
		return err_sys(err, dir->fleet_fd, "cannot open %s/%s",
			       dir->name, FLEET);
	protect_fleet(dir);
	return 0;
}

int rundir_make(struct rundir *dir, int parent_fd, struct janitor *janitor,
		struct err *err)
{
	int ret;

	dir->parent_fd = parent_fd;
	dir->janitor = janitor;
	ret = make_top(dir, err);
	if (ret == 0)
		ret = make_marker(dir, err);
	if (ret == 0 && !dir->bare)
		ret = make_fleet(dir, err);
	if (ret < 0)
		(void)rundir_remove(dir, false, NULL);
	return ret;
}

static void close_all(struct rundir *dir)
{
	int *const fds[] = { &dir->fleet_fd, &dir->clone_fd, &dir->marker_fd,
			     &dir->fd };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(fds); i++) {
		cleanup_close(fds[i]);
		*fds[i] = -1;
	}
	dir->nosymfollow = false;
}

void rundir_abandon(struct rundir *dir)
{
	close_all(dir);
	dir->parent_fd = -1;
}

int rundir_remove(struct rundir *dir, bool keep, struct err *err)
{
	int ret = 0;

	if (!dir)
		return 0;
	if (dir->fd >= 0 && keep)
		ret = unlinkat(dir->fd, RUNDIR_MARKER, 0) < 0 ? -errno : 0;
	else if (dir->fd >= 0)
		ret = mark_remove_dir(dir->parent_fd, dir->name, dir->fd);
	else if (dir->parent_fd >= 0 && dir->name[0]) /* could not open it */
		(void)unlinkat(dir->parent_fd, dir->name, AT_REMOVEDIR);
	close_all(dir);
	/* what has the name now, if anything, is not for the janitor */
	if (ret == -ESTALE || ret == -ENOENT)
		janitor_forget(dir->janitor, dir->watch_id);
	if (ret == -ESTALE)
		return err_set(err, ret, "cannot remove %s: somebody has moved "
			       "it away and put something else in its place",
			       dir->name);
	if (ret < 0)
		return err_sys(err, ret, "cannot remove %s%s%s", dir->name,
			       keep ? "/" : "", keep ? RUNDIR_MARKER : "");
	janitor_forget(dir->janitor, dir->watch_id);
	dir->watch_id = -1;
	dir->parent_fd = -1;
	return 0;
}
