/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dbench's operations, composed of primitives.
 *
 * They stand for what a file server does for its clients.  A path comes
 * from a client that does not care about case, so before most operations on
 * one the name is looked up: stat it; when it is not there, read the parent
 * for a name that differs in case only, and use that.  The work is the same,
 * call by call, as dbench's (tests/cli/dbench-calls.sh counts them).
 *
 * Every function here gets a struct req and returns its result: >= 0, or
 * -errno.  Nothing is allocated: a corrected path is built in the backend's
 * buffers, of which there are two because rename has two paths.
 */
#include "backend/backend.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/macro.h"
#include "base/tree.h"

#define DOS_ATTRIB "user.DosAttrib"
#define DOS_ATTRIB_BYTES 44

/* The last component of PATH. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Copy the parent of PATH into BUF ("." when it has none). */
static void parent_of(const char *path, char buf[static LOOKUP_BUF])
{
	size_t n = (size_t)(base_name(path) - path);

	if (n < 2) {
		memcpy(buf, ".", 2);
		return;
	}
	memcpy(buf, path, n - 1);
	buf[n - 1] = '\0';
}

/*
 * Open a directory to read it, as opendir(3) does: with a fstat after the
 * open.
 */
static int dir_open(struct backend *be, int root, const char *path)
{
	struct stat st;
	int fd = be->prim->open(be, root, path,
				     O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);

	if (fd >= 0)
		(void)be->prim->stat(be, fd, "", &st);
	return fd;
}

static ssize_t dir_read(struct backend *be, int fd)
{
	return getdents64(fd, be->dir_buf, sizeof(be->dir_buf));
}

/*
 * Read the directory FD for a name that differs from WANT in case only, and
 * stop there.  Returns the name, in the backend's buffer, or NULL.
 */
static const char *dir_find(struct backend *be, int fd, const char *want)
{
	ssize_t n, at;

	while ((n = dir_read(be, fd)) > 0) {
		for (at = 0; at < n;) {
			const struct dirent64 *d =
				(const void *)(be->dir_buf + at);

			if (strcasecmp(want, d->d_name) == 0)
				return d->d_name;
			at += d->d_reclen;
		}
	}
	return NULL;
}

/*
 * Read up to MAX entries of the directory FD, or all.  Returns whether one of
 * them matched PATTERN.  It reads on after a match: a search returns them
 * all.
 */
static bool dir_match(struct backend *be, int fd, uint32_t max,
		      const char *pattern)
{
	bool found = false;
	ssize_t n, at;

	while (max && (n = dir_read(be, fd)) > 0) {
		for (at = 0; at < n && max; max--) {
			const struct dirent64 *d =
				(const void *)(be->dir_buf + at);

			found = found || smb_match(pattern, d->d_name);
			at += d->d_reclen;
		}
	}
	return found;
}

/* Put NAME in place of the last component of the path in BUF's parent. */
static int append_name(char buf[static LOOKUP_BUF], const char *name)
{
	size_t dir = strlen(buf);
	size_t len = strlen(name);

	if (dir + 1 + len + 1 > LOOKUP_BUF)
		return -ENAMETOOLONG;
	buf[dir] = '/';
	memcpy(buf + dir + 1, name, len + 1);
	return 0;
}

/* -x: read the attribute; that it is not there is as good. */
static void xattr_read(struct backend *be, int fd)
{
	char value[DOS_ATTRIB_BYTES];

	if (be->env.xattr)
		(void)fgetxattr(fd, DOS_ATTRIB, value, sizeof(value));
}

/* -x: read the attribute, then write it. */
static int xattr_write(struct backend *be, int fd)
{
	char value[DOS_ATTRIB_BYTES] = { 0 };
	struct timespec now;

	if (!be->env.xattr)
		return 0;
	xattr_read(be, fd);
	(void)clock_gettime(CLOCK_REALTIME, &now);
	memcpy(value, &now, sizeof(now));
	if (fsetxattr(fd, DOS_ATTRIB, value, sizeof(value), 0) < 0)
		return -errno;
	return 0;
}

/*
 * -x: the same by path.  No call takes a descriptor and a path before Linux
 * 6.13, so with -x the client's working directory is where paths start.
 */
static void xattr_read_path(const char *path)
{
	char value[DOS_ATTRIB_BYTES];

	(void)lgetxattr(path, DOS_ATTRIB, value, sizeof(value));
}

/*
 * Look *PATH up without regard to case; when it exists under another
 * spelling, *PATH is changed to that, built in BUF.  Returns 0 or -errno of
 * the stat.
 */
static int look_up(struct backend *be, int root, const char **path,
		   char buf[static LOOKUP_BUF])
{
	const struct prim_ops *prim = be->prim;
	const char *name;
	struct stat st;
	int ret = prim->stat(be, root, *path, &st);
	int fd;

	if (ret == 0 && unlikely(be->env.xattr))
		xattr_read_path(*path);
	if (likely(ret == 0) || !be->env.resolve)
		return ret;
	parent_of(*path, buf);
	fd = dir_open(be, root, buf);
	if (fd < 0)
		return ret;
	name = dir_find(be, fd, base_name(*path));
	if (name) {
		ret = append_name(buf, name);
		*path = buf;
	}
	(void)prim->close(be, fd);
	return ret;
}

/* look_up() whose result does not matter: the operation will find out. */
static const char *resolve(struct backend *be, int root, const char *path)
{
	if (be->env.resolve)
		(void)look_up(be, root, &path, be->path_buf);
	return path;
}

/* -S: what was done to PATH is made durable through its parent. */
static int sync_parent(struct backend *be, int root, const char *path)
{
	const struct prim_ops *prim = be->prim;
	char parent[LOOKUP_BUF];
	int fd, ret;

	parent_of(path, parent);
	fd = prim->open(be, root, parent, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	ret = prim->fdatasync(be, fd);
	(void)prim->close(be, fd);
	return ret;
}

static int64_t after_change(struct backend *be, int root, const char *path,
			    int ret)
{
	if (ret == 0 && be->env.sync_dir)
		return sync_parent(be, root, path);
	return ret;
}

/* What the disposition means for a file, as open(2) flags. */
static int open_flags(uint32_t disposition)
{
	switch (disposition) {
	case NT_OPEN:
		return O_RDWR;
	case NT_OVERWRITE:
	case NT_OVERWRITE_IF:
		return O_RDWR | O_CREAT | O_TRUNC;
	case NT_SUPERSEDE:
	case NT_CREATE:
	case NT_OPEN_IF:
		return O_RDWR | O_CREAT;
	default:
		return O_RDWR;
	}
}

/* Open PATH; a directory, or a file we may not write, for reading only. */
static int open_leniently(struct backend *be, int root, const char *path,
			  int flags)
{
	const struct prim_ops *prim = be->prim;
	int sync = be->env.sync_open ? O_SYNC : 0;
	int fd = prim->open(be, root, path, flags | sync, 0600);

	if (fd == -EISDIR)
		return prim->open(be, root, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd == -EACCES && (flags & O_ACCMODE) == O_RDWR)
		return prim->open(be, root, path, O_RDONLY | sync, 0);
	return fd;
}

static int64_t smb_ntcreatex(struct backend *be, struct req *req)
{
	const struct prim_ops *prim = be->prim;
	const char *path = resolve(be, req->root, req->path);
	int flags = open_flags(req->rec->num[1]);
	struct stat st = { .st_mode = 0 };
	int fd, ret;

	if (req->rec->num[0] & NT_OPTION_DIRECTORY) {
		(void)prim->mkdir(be, req->root, path, 0700);
		flags = O_RDONLY | O_DIRECTORY;
	}
	fd = open_leniently(be, req->root, path, flags);
	if (fd < 0)
		return fd;
	ret = prim->stat(be, fd, "", &st);
	if (ret == 0 && !S_ISDIR(st.st_mode))
		ret = xattr_write(be, fd);
	if (ret < 0) {
		(void)prim->close(be, fd);
		return ret;
	}
	req->out_fd = fd;
	return 0;
}

static int64_t smb_close(struct backend *be, struct req *req)
{
	return be->prim->close(be, req->fd);
}

static int64_t smb_readx(struct backend *be, struct req *req)
{
	return be->prim->read(be, req->fd, req->buf, req->rec->size,
				   req->rec->offset);
}

static int64_t smb_writex(struct backend *be, struct req *req)
{
	int64_t ret = be->prim->write(be, req->fd, req->data,
					   req->rec->size, req->rec->offset);
	int synced;

	if (unlikely(be->env.sync_write) && ret >= 0) {
		synced = be->prim->fsync(be, req->fd);
		if (synced < 0)
			return synced;
	}
	return ret;
}

static int64_t smb_flush(struct backend *be, struct req *req)
{
	return be->prim->fsync(be, req->fd);
}

static int64_t set_lock(struct backend *be, struct req *req, short type)
{
	struct flock lock = {
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)req->rec->offset,
		.l_len = (off_t)req->rec->length,
	};
	int ret;

	do
		ret = fcntl(req->fd, F_SETLKW, &lock);
	while (ret < 0 && errno == EINTR &&
	       !be->env.stopping(be->env.stopping_arg));
	return ret < 0 ? -errno : 0;
}

static int64_t smb_lockx(struct backend *be, struct req *req)
{
	return set_lock(be, req, F_WRLCK);
}

static int64_t smb_unlockx(struct backend *be, struct req *req)
{
	return set_lock(be, req, F_UNLCK);
}

static int64_t smb_mkdir(struct backend *be, struct req *req)
{
	const char *path = resolve(be, req->root, req->path);

	return be->prim->mkdir(be, req->root, path, 0777);
}

static int64_t smb_rmdir(struct backend *be, struct req *req)
{
	const char *path = resolve(be, req->root, req->path);
	int ret = be->prim->unlink(be, req->root, path, AT_REMOVEDIR);

	return after_change(be, req->root, path, ret);
}

/* Removing nothing is as good: the load starts with it in an empty place. */
static int64_t smb_deltree(struct backend *be, struct req *req)
{
	int fd = be->prim->open(be, req->root, req->path,
				     O_RDONLY | O_DIRECTORY | O_NONBLOCK, 0);
	int ret;

	if (fd == -ENOENT)
		return 0;
	if (fd < 0)
		return fd;
	ret = tree_empty(fd);
	(void)be->prim->close(be, fd);
	return ret;
}

static int64_t smb_unlink(struct backend *be, struct req *req)
{
	const char *path = resolve(be, req->root, req->path);
	int ret = be->prim->unlink(be, req->root, path, 0);

	return after_change(be, req->root, path, ret);
}

static int64_t smb_rename(struct backend *be, struct req *req)
{
	const char *from = req->path;
	const char *to = req->path2;
	int ret;

	if (be->env.resolve) {
		(void)look_up(be, req->root, &from, be->path_buf);
		(void)look_up(be, req->root, &to, be->path_buf2);
	}
	ret = be->prim->rename(be, req->root, from, to);
	return after_change(be, req->root, to, ret);
}

/*
 * Without a wildcard this is the look-up alone.  With one the parent is read
 * up to the maximum count of entries, matching them; dbench reads, but does
 * not match.
 */
static int64_t smb_find_first(struct backend *be, struct req *req)
{
	const char *path = req->path;
	bool found;
	int fd;
	int ret = 0;

	if (be->env.resolve)
		ret = look_up(be, req->root, &path, be->path_buf);
	if (!smb_has_wildcard(req->path))
		return ret;
	parent_of(req->path, be->path_buf);
	fd = dir_open(be, req->root, be->path_buf);
	if (fd < 0)
		return fd;
	found = dir_match(be, fd, req->rec->num[1], base_name(req->path));
	(void)be->prim->close(be, fd);
	return found ? 0 : -ENOENT;
}

static int64_t smb_query_path(struct backend *be, struct req *req)
{
	const char *path = req->path;

	return look_up(be, req->root, &path, be->path_buf);
}

static int64_t smb_query_file(struct backend *be, struct req *req)
{
	struct stat st;

	xattr_read(be, req->fd);
	return be->prim->stat(be, req->fd, "", &st);
}

static int64_t smb_query_fs(struct backend *be unused_arg, struct req *req)
{
	struct statfs st;

	return fstatfs(req->root, &st) < 0 ? -errno : 0;
}

static int64_t smb_set_file(struct backend *be, struct req *req)
{
	struct timespec times[2] = { { .tv_nsec = 0 }, { .tv_nsec = 0 } };
	struct stat st;
	int ret;

	xattr_read(be, req->fd);
	ret = be->prim->stat(be, req->fd, "", &st);
	if (ret < 0)
		return ret;
	times[0].tv_sec = st.st_atime - 10;
	times[1].tv_sec = st.st_mtime - 12;
	if (utimensat(req->opened_root, req->opened_as, times,
		      AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return xattr_write(be, req->fd);
}

typedef int64_t smb_fn(struct backend *be, struct req *req);

/* clang-format off */
static smb_fn *const smb_table[OP_NR] = {
	[OP_NTCREATEX] = smb_ntcreatex,
	[OP_CLOSE] = smb_close,
	[OP_READX] = smb_readx,
	[OP_WRITEX] = smb_writex,
	[OP_FLUSH] = smb_flush,
	[OP_LOCKX] = smb_lockx,
	[OP_UNLOCKX] = smb_unlockx,
	[OP_MKDIR] = smb_mkdir,
	[OP_RMDIR] = smb_rmdir,
	[OP_DELTREE] = smb_deltree,
	[OP_UNLINK] = smb_unlink,
	[OP_RENAME] = smb_rename,
	[OP_FIND_FIRST] = smb_find_first,
	[OP_QUERY_PATH] = smb_query_path,
	[OP_QUERY_FILE] = smb_query_file,
	[OP_QUERY_FS] = smb_query_fs,
	[OP_SET_FILE] = smb_set_file,
};
/* clang-format on */

enum submit smb_submit(struct backend *be, struct req *req)
{
	req->ret = smb_table[req->rec->code](be, req);
	return SUBMIT_DONE;
}
