/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dropping caches.
 *
 * The machine's are dropped by writing 3 to drop_caches: pages first, then
 * dentries and inodes.  That forgets clean pages only, and not those of an
 * inode that something still needs; the second time, what the first has let go
 * of goes as well.
 *
 * Without that right, each file's pages are dropped by posix_fadvise(2);
 * names and inodes stay in memory.  The tree is walked by paths relative to
 * its top, each opened by openat2(2) so that the kernel vouches for it, and
 * directories still to be read are kept in a list: neither descriptors nor
 * the stack limit how deep it may be, only PATH_MAX does.
 */
#include "run/cold.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define DROP_CACHES "/proc/sys/vm/drop_caches"

struct walk {
	int top;            /* borrowed */
	VEC(char *) todo;   /* directories below it to be read yet; owned */
	struct err *err;    /* borrowed, may be NULL */
	int first;          /* first failure, -errno, or 0 */
};

/* That it can be opened says more than its mode: it may be mounted ro. */
bool cold_whole_machine(void)
{
	autoclose int fd = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);

	return fd >= 0;
}

/* The kernel ignores what is not written at the beginning of the file. */
static int drop_machine(struct err *err)
{
	autoclose int fd = open(DROP_CACHES, O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < 2; i++)
		if (fd < 0 || pwrite(fd, "3\n", 2, 0) < 0)
			return err_sys(err, -errno, "cannot drop the caches");
	return 0;
}

/* What has gone or become something else meanwhile is no failure. */
static bool is_moot(int ret)
{
	return ret == -ENOENT || ret == -ENOTDIR || ret == -ELOOP ||
	       ret == -EXDEV; /* a mount on top of it is another's */
}

static void note_failure(struct walk *walk, int ret, const char *path)
{
	if (ret < 0 && !is_moot(ret) && !walk->first)
		walk->first = err_sys(walk->err, ret,
				      "cannot drop the cache of %s", path);
}

/* Open PATH below the top; never blocks, not even on a FIFO. */
static int open_below(const struct walk *walk, const char *path, int flags)
{
	struct open_how how = {
		.flags = (unsigned)flags | O_RDONLY | O_NOFOLLOW | O_NONBLOCK |
			 O_NOCTTY | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS |
			   RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV,
	};
	long fd = syscall(SYS_openat2, walk->top, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static void drop_file(struct walk *walk, const char *path)
{
	autoclose int fd = open_below(walk, path, 0);

	note_failure(walk, fd < 0 ? fd : -posix_fadvise(fd, 0, 0,
							POSIX_FADV_DONTNEED),
		     path);
}

/* What it is, where the directory does not say. */
static unsigned char type_of(int dirfd, const struct dirent *d)
{
	struct stat st;

	if (d->d_type != DT_UNKNOWN)
		return d->d_type;
	if (fstatat(dirfd, d->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return (unsigned char)IFTODT(st.st_mode);
}

/* One entry of the directory PATH. */
static void visit(struct walk *walk, const char *path, int dirfd,
		  const struct dirent *d)
{
	unsigned char type = type_of(dirfd, d);
	autofree char *below = NULL;

	if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
		return;
	below = strcmp(path, ".") == 0 ? mem_strdup(d->d_name)
				       : mem_printf("%s/%s", path, d->d_name);
	if (type == DT_REG)
		drop_file(walk, below);
	else if (type == DT_DIR)
		*VEC_PUSH(&walk->todo) = take(below);
}

static void read_dir(struct walk *walk, const char *path)
{
	autoclose int fd = open_below(walk, path, O_DIRECTORY);
	autodir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *d;

	if (!dir) {
		note_failure(walk, fd < 0 ? fd : -errno, path);
		return;
	}
	(void)take_fd(&fd); /* DIR has it */
	while ((d = readdir(dir)) != NULL)
		visit(walk, path, dirfd(dir), d);
}

int cold_drop_files(int dirfd, struct err *err)
{
	struct walk walk = { .top = dirfd, .err = err };

	*VEC_PUSH(&walk.todo) = mem_strdup(".");
	while (walk.todo.n) {
		autofree char *path = walk.todo.v[--walk.todo.n];

		read_dir(&walk, path);
	}
	VEC_FREE(&walk.todo);
	return walk.first;
}

int cold_drop(int dirfd, struct err *err)
{
	return cold_whole_machine() ? drop_machine(err)
				    : cold_drop_files(dirfd, err);
}
