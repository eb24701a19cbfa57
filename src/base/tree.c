/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removal of a directory tree by descriptor.
 *
 * The walk is recursive and holds one descriptor and one small buffer of
 * names per level, nothing on the heap: it also serves the timed loop (an
 * operation removes trees).  Invariants:
 *
 *	- A directory is entered only through tree_open().  The kernel then
 *	  vouches that it is below its parent, no link and no mount point,
 *	  whatever is renamed meanwhile.  (Linux 5.6; on older kernels, or
 *	  where a seccomp filter hides openat2, nothing is removed and the
 *	  -errno is reported.)
 *	- Everything else is unlinked by name without being opened.  Should
 *	  the name mean something else by then, that is what somebody put into
 *	  a tree that is being removed.
 *	- No more than TREE_DEPTH levels are open.  A directory below the last
 *	  is renamed into the top, where a later scan finds it; each is moved
 *	  at most once per TREE_DEPTH levels of its depth.
 *
 * Directories that their owner cannot read, write or search are given those
 * rights first: loads may chmod theirs.
 */
#include "base/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Names read at once, per level: 8 KiB hold about 250. */
#define NAMES_BYTES 8192

/*
 * How often a directory is read again because removing while reading may
 * have made the kernel skip names.  No local file system tried needs it; one
 * that forgets every second block is done in as many as its size has bits.
 */
#define SCANS_MAX 32

/* Names tried in the top for a directory that is moved up. */
#define MOVE_TRIES 1000

struct walk {
	int top;          /* the directory to be emptied; borrowed */
	unsigned serial;  /* of the last name used for moving up */
	bool moved;       /* something was, since the scan of the top began */
};

/* A directory being emptied, and how its present reading went. */
struct level {
	int fd;             /* borrowed */
	unsigned depth;     /* 0: the top */
	const char *spare;  /* the entry to be left, or NULL; borrowed */
	unsigned blocks;    /* buffers of names that were read */
	bool removed;       /* anything at all */
	int first;          /* first failure, -errno, or 0 */
};

static int empty_level(struct walk *walk, struct level *level);

/*
 * RESOLVE_BENEATH cannot answer EAGAIN here: that is for ".." only, and NAME
 * is a single component.
 */
static int open_beneath(int dirfd, const char *name, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	long fd = syscall(SYS_openat2, dirfd, name, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* Whether NAME is one component that descends. */
static bool is_component(const char *name)
{
	return *name && !strchr(name, '/') && strcmp(name, ".") != 0 &&
	       strcmp(name, "..") != 0;
}

int tree_open(int dirfd, const char *name)
{
	if (!is_component(name))
		return -EINVAL;
	return open_beneath(dirfd, name, O_RDONLY);
}

/* Whether this is a directory of ours that lacks rights for us. */
static bool is_restricted(int fd, mode_t *out_mode)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISDIR(st.st_mode) ||
	    (st.st_mode & S_IRWXU) == S_IRWXU || st.st_uid != geteuid())
		return false;
	*out_mode = (st.st_mode & 07777) | S_IRWXU;
	return true;
}

/*
 * Give us the rights to a directory we cannot even open.  fchmod() refuses
 * O_PATH descriptors and fchmodat2() is 6.6; the magic link in /proc names
 * exactly this inode.  Returns an O_PATH descriptor or -errno.
 */
static int open_restricted(int dirfd, const char *name)
{
	char link[sizeof("/proc/self/fd/") + 3 * sizeof(int)];
	int fd = open_beneath(dirfd, name, O_PATH);
	mode_t mode;

	if (fd < 0)
		return fd;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (is_restricted(fd, &mode) && !chmod(link, mode))
		return fd;
	(void)close(fd);
	return -EACCES;
}

/* tree_open() with the rights to empty what was opened. */
static int open_to_empty(int dirfd, const char *name)
{
	int fd = open_beneath(dirfd, name, O_RDONLY);
	int path_fd;
	mode_t mode;

	if (fd >= 0 && is_restricted(fd, &mode))
		(void)fchmod(fd, mode);
	if (fd != -EACCES)
		return fd;
	path_fd = open_restricted(dirfd, name);
	if (path_fd < 0)
		return path_fd;
	fd = openat(path_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	(void)close(path_fd);
	return fd;
}

/* Rename NAME of FD into the top under a name that is free there. */
static int rename_to_top(struct walk *walk, int fd, const char *name)
{
	char fresh[32];
	unsigned i;

	for (i = 0; i < MOVE_TRIES; i++) {
		(void)snprintf(fresh, sizeof(fresh), ".deep-%u",
			       ++walk->serial);
		if (!renameat(fd, name, walk->top, fresh)) {
			walk->moved = true;
			return 0;
		}
		if (errno != ENOTEMPTY && errno != EEXIST && errno != ENOTDIR)
			return -errno;
	}
	return -EEXIST;
}

/*
 * Moving a directory rewrites its "..", for which the kernel wants the right
 * to write it.
 */
static int move_up(struct walk *walk, int fd, const char *name)
{
	int ret = rename_to_top(walk, fd, name);
	int path_fd;

	if (ret == -EACCES) {
		path_fd = open_restricted(fd, name);
		if (path_fd < 0)
			return path_fd;
		(void)close(path_fd);
		ret = rename_to_top(walk, fd, name);
	}
	return ret == -ENOENT ? 0 : ret;
}

/* Remove what is, or was a moment ago, a directory. */
static int remove_dir(struct walk *walk, const struct level *level,
		      const char *name)
{
	struct level sub = { .fd = -EMFILE, .depth = level->depth + 1 };
	int ret;

	if (level->depth < TREE_DEPTH)
		sub.fd = open_to_empty(level->fd, name);
	if (sub.fd == -EMFILE && level->depth > 0)
		return move_up(walk, level->fd, name);
	if (sub.fd < 0)
		return sub.fd;
	ret = empty_level(walk, &sub);
	(void)close(sub.fd);
	if (!unlinkat(level->fd, name, AT_REMOVEDIR))
		return 0;
	return ret && errno != ENOENT ? ret : -errno;
}

static int remove_file(int dirfd, const char *name)
{
	return unlinkat(dirfd, name, 0) < 0 ? -errno : 0;
}

/*
 * Remove one entry.  What its type says may be unknown or no longer true, so
 * each of the two ways leads over to the other.
 */
static int remove_entry(struct walk *walk, const struct level *level,
			const struct dirent64 *d)
{
	int ret = -EISDIR;

	if (d->d_type != DT_DIR)
		ret = remove_file(level->fd, d->d_name);
	/* EPERM: what POSIX, unlike Linux, says for a directory */
	if (ret == -EISDIR || (ret == -EPERM && d->d_type == DT_UNKNOWN))
		ret = remove_dir(walk, level, d->d_name);
	if (ret == -ENOTDIR || ret == -ELOOP)
		ret = remove_file(level->fd, d->d_name);
	return ret;
}

static bool is_spared(const struct level *level, const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       (level->spare && strcmp(name, level->spare) == 0);
}

/* Remove the entries in BYTES of names. */
static void remove_block(struct walk *walk, struct level *level,
			 const char *names, size_t bytes)
{
	const char *end = names + bytes;
	const struct dirent64 *d;
	int ret;

	for (; names < end; names += d->d_reclen) {
		d = (const void *)names;
		if (is_spared(level, d->d_name))
			continue;
		ret = remove_entry(walk, level, d);
		level->removed |= ret == 0;
		if (ret && ret != -ENOENT && !level->first)
			level->first = ret;
	}
}

/* Read the directory once, removing. */
static void scan_level(struct walk *walk, struct level *level)
{
	char names[NAMES_BYTES] __attribute__((aligned(8)));
	ssize_t n = lseek(level->fd, 0, SEEK_SET);

	level->blocks = 0;
	level->removed = false;
	level->first = 0;
	while (n >= 0) {
		n = getdents64(level->fd, names, sizeof(names));
		if (n <= 0)
			break;
		level->blocks++;
		remove_block(walk, level, names, (size_t)n);
	}
	/* ENOENT: somebody else has removed the directory itself */
	if (n < 0 && errno != ENOENT && !level->first)
		level->first = -errno;
}

/*
 * Read until nothing is left to do.  A directory whose names fit into one
 * buffer has been listed whole before the first was removed.
 */
static int empty_level(struct walk *walk, struct level *level)
{
	unsigned scans = 0;
	bool moved;

	do {
		if (level->depth == 0)
			walk->moved = false;
		scan_level(walk, level);
		moved = level->depth == 0 && walk->moved;
		scans += !moved;
	} while (moved || (level->removed && level->blocks > 1 &&
			   scans < SCANS_MAX));
	return level->first;
}

int tree_empty_but(int dirfd, const char *spare)
{
	struct walk walk = { .top = dirfd };
	struct level top = { .fd = dirfd, .spare = spare };

	return empty_level(&walk, &top);
}

int tree_empty(int dirfd)
{
	return tree_empty_but(dirfd, NULL);
}

int tree_remove(int dirfd, const char *name)
{
	int fd, ret;

	if (!is_component(name))
		return -EINVAL;
	fd = open_to_empty(dirfd, name);
	if (fd < 0)
		return fd;
	ret = tree_empty(fd);
	(void)close(fd);
	if (!unlinkat(dirfd, name, AT_REMOVEDIR))
		return 0;
	return ret ? ret : -errno;
}
