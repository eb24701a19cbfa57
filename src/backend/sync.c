/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plain backend: every primitive is one system call, made here and now.
 *
 * Confinement.  No path has a ".." or begins with "/" (the compiler refuses
 * them, the interpreter those it makes), so only a symbolic link could lead
 * out of the directory it starts at.  Where the kernel lets us, that
 * directory is in a mount of our own that follows none (run/rundir.c), and
 * plain openat(2) is as safe as it gets.  Elsewhere opens go through
 * openat2(2) (Linux 5.6) with RESOLVE_BENEATH, and RESOLVE_NO_SYMLINKS when
 * the load makes no links itself; the look under the rename lock that this
 * takes costs 5 to 10 % of an open on tmpfs.  The other calls have no such
 * flags; they never follow a final link (unlink, rename and mkdir by
 * definition, stat and utimensat by flag).
 *
 * Interruptions.  A call is repeated after EINTR unless the run is stopping.
 * A short write is continued, because the reason it was short (a full disk)
 * is only told by the next call; a short read on a file is its end.
 */
#include "backend/backend.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macro.h"

/* openat2 says EAGAIN when a rename races with it; three more tries. */
#define OPEN_TRIES 4

static bool interrupted(struct backend *be)
{
	return errno == EINTR && !be->env.stopping(be->env.stopping_arg);
}

/* openat2(2) that stays below ROOT. */
static int open_beneath(struct backend *be, int root, const char *path,
			int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (unsigned int)flags | O_CLOEXEC,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS |
			   (be->env.no_symlinks ? RESOLVE_NO_SYMLINKS : 0),
	};
	int tries = OPEN_TRIES;
	long fd;

	do
		fd = syscall(SYS_openat2, root, path, &how, sizeof(how));
	while (unlikely(fd < 0) &&
	       ((errno == EAGAIN && --tries) || interrupted(be)));
	return fd < 0 ? -errno : (int)fd;
}

static int sync_open(struct backend *be, int root, const char *path, int flags,
		     mode_t mode)
{
	int fd;

	if (!be->env.confined)
		return open_beneath(be, root, path, flags, mode);
	do
		fd = openat(root, path, flags | O_CLOEXEC, mode);
	while (unlikely(fd < 0) && interrupted(be));
	return fd < 0 ? -errno : fd;
}

/* close(2) is never repeated: the descriptor is gone even after EINTR. */
static int sync_close(struct backend *be unused_arg, int fd)
{
	return close(fd) < 0 && errno != EINTR ? -errno : 0;
}

static int sync_stat(struct backend *be unused_arg, int root, const char *path,
		     struct stat *st)
{
	int flags = AT_SYMLINK_NOFOLLOW | (*path ? 0 : AT_EMPTY_PATH);

	return fstatat(root, path, st, flags) < 0 ? -errno : 0;
}

static int sync_mkdir(struct backend *be unused_arg, int root,
		      const char *path, mode_t mode)
{
	return mkdirat(root, path, mode) < 0 ? -errno : 0;
}

static int sync_unlink(struct backend *be unused_arg, int root,
		       const char *path, int flags)
{
	return unlinkat(root, path, flags) < 0 ? -errno : 0;
}

static int sync_rename(struct backend *be unused_arg, int root,
		       const char *from, const char *to)
{
	return renameat(root, from, root, to) < 0 ? -errno : 0;
}

static int64_t sync_read(struct backend *be, int fd, void *buf, size_t n,
			 uint64_t offset)
{
	ssize_t got;

	do
		got = pread(fd, buf, n, (off_t)offset);
	while (unlikely(got < 0) && interrupted(be));
	return got < 0 ? -errno : got;
}

/* The rest of a write of which only DONE bytes were taken. */
static int64_t finish_write(struct backend *be, int fd, const char *data,
			    size_t n, uint64_t offset)
{
	size_t done = 0;

	while (done < n) {
		ssize_t put = pwrite(fd, data + done, n - done,
				     (off_t)(offset + done));

		if (put < 0 && !interrupted(be))
			return -errno;
		if (put == 0)
			break;
		if (put > 0)
			done += (size_t)put;
	}
	return (int64_t)done;
}

static int64_t sync_write(struct backend *be, int fd, const void *data,
			  size_t n, uint64_t offset)
{
	ssize_t put = pwrite(fd, data, n, (off_t)offset);
	int64_t rest;

	if (likely(put == (ssize_t)n))
		return put;
	if (put < 0 && !interrupted(be))
		return -errno;
	if (put < 0)
		put = 0;
	rest = finish_write(be, fd, (const char *)data + put, n - (size_t)put,
			    offset + (uint64_t)put);
	return rest < 0 ? rest : put + rest;
}

static int sync_fsync(struct backend *be, int fd)
{
	int r;

	do
		r = fsync(fd);
	while (unlikely(r < 0) && interrupted(be));
	return r < 0 ? -errno : 0;
}

static int sync_fdatasync(struct backend *be, int fd)
{
	int r;

	do
		r = fdatasync(fd);
	while (unlikely(r < 0) && interrupted(be));
	return r < 0 ? -errno : 0;
}

const struct prim_ops prim_sync = {
	.open = sync_open,
	.close = sync_close,
	.stat = sync_stat,
	.mkdir = sync_mkdir,
	.unlink = sync_unlink,
	.rename = sync_rename,
	.read = sync_read,
	.write = sync_write,
	.fsync = sync_fsync,
	.fdatasync = sync_fdatasync,
};

/* Fail before the run, not in its first operation, where openat2 is not. */
static int sync_start(struct backend *be unused_arg, struct err *err)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC };
	long fd = syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	if (fd < 0)
		return err_sys(err, -errno,
			       "openat2(2) does not work here (it needs Linux "
			       "5.6 and a seccomp profile that knows it)");
	(void)close((int)fd);
	return 0;
}

const struct backend_ops backend_sync = {
	.name = "sync",
	.help = "plain system calls, one at a time",
	.open = sync_start,
	.submit = smb_submit,
	.prim = &prim_sync,
};
