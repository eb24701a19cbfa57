/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Scratch directories and children for unit tests that work on real files.
 *
 * What a child does must not touch the counters of tap.h: it says need() and
 * its exit status is checked by the parent.  Mounts are made only in a child
 * that has left our mount namespace, so none can be forgotten.
 */
#ifndef REPLAY_TESTS_UNIT_SCRATCH_H
#define REPLAY_TESTS_UNIT_SCRATCH_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

#define NOBODY 65534
#define CHILD_SKIP 77 /* exit status: what this needs is not to be had */

#define LIBRARY __attribute__((unused)) static

/* In a child: fail the whole of it unless COND. */
#define need(cond)                                                            \
	do {                                                                  \
		if (!(cond)) {                                                \
			printf("# %s:%d: not so: %s (%s)\n", __FILE__,        \
			       __LINE__, #cond, strerror(errno));             \
			(void)fflush(stdout);                                 \
			_exit(1);                                             \
		}                                                             \
	} while (0)

LIBRARY int remove_visit(const char *path, const struct stat *st, int type,
			 struct FTW *ftw)
{
	(void)st;
	(void)ftw;
	return type == FTW_DP ? rmdir(path) : unlink(path);
}

/*
 * A fresh directory: its descriptor, its path in PATH (at least 64 bytes).
 * FAST: in memory if possible; a mkdir takes ext4 a millisecond or two when
 * it has thousands of groups to choose from.
 */
LIBRARY int scratch_make(char *path, bool fast)
{
	const char *tmp = getenv("TMPDIR");
	int fd;

	if (fast && access("/dev/shm", W_OK) == 0)
		tmp = "/dev/shm";
	snprintf(path, 64, "%s/replay-unit.XXXXXX",
		 tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(path) || chmod(path, 0755) < 0)
		abort();
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		abort();
	return fd;
}

/* Remove it with nftw(3), not with what is being tested. */
LIBRARY void scratch_remove(const char *path, int fd)
{
	(void)close(fd);
	(void)nftw(path, remove_visit, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

/* Wait for one child: its exit status, or 128 + the signal it died of. */
LIBRARY int wait_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return 255;
	return WIFEXITED(status) ? WEXITSTATUS(status)
				 : 128 + WTERMSIG(status);
}

/* What no process of a test outlives, should the test itself be killed. */
#define LIFE_SECONDS 60

/* Fork a child that runs FN(FD) and exits with what it returns. */
LIBRARY pid_t spawn(int (*fn)(int fd), int fd)
{
	pid_t pid;

	(void)fflush(stdout);
	pid = fork();
	if (pid == 0) {
		(void)alarm(LIFE_SECONDS);
		_exit(fn(fd));
	}
	if (pid < 0)
		abort();
	return pid;
}

/* In a child: wait to be killed. */
__attribute__((unused, noreturn)) static void pause_forever(void)
{
	(void)alarm(LIFE_SECONDS);
	for (;;)
		(void)pause();
}

LIBRARY int in_child(int (*fn)(int fd), int fd)
{
	return wait_child(spawn(fn, fd));
}

/* One check: the child that runs FN(FD) ends well, or says it cannot. */
LIBRARY void check_in_child(int (*fn)(int fd), int fd, const char *name)
{
	int status = in_child(fn, fd);

	if (status == CHILD_SKIP)
		skip(1, "cannot be tried here");
	else
		is_int(status, 0, name);
}

LIBRARY int touch(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			0644);

	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

LIBRARY bool exists(int dirfd, const char *name)
{
	return faccessat(dirfd, name, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/* Entries of a directory, "." and ".." not counted; -1: it cannot be read. */
LIBRARY int count_entries(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char buf[4096] __attribute__((aligned(8)));
	int n = -2;
	ssize_t got, at;

	if (fd < 0)
		return -1;
	while ((got = getdents64(fd, buf, sizeof(buf))) > 0)
		for (at = 0; at < got; n++)
			at += *(unsigned short *)(void *)(buf + at + 16);
	(void)close(fd);
	return got < 0 ? -1 : n;
}

/* Make and open a directory. */
LIBRARY int make_dir(int dirfd, const char *name)
{
	if (mkdirat(dirfd, name, 0755) < 0)
		return -1;
	return openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Whether mounting can be tried at all. */
LIBRARY bool can_mount(void)
{
	return geteuid() == 0;
}

/* Whether we are root where NOBODY exists: not so under "unshare -r". */
LIBRARY bool can_be_nobody(void)
{
	FILE *in = fopen("/proc/self/uid_map", "re");
	unsigned count = 0;

	if (!in)
		return false;
	if (fscanf(in, "%*u %*u %u", &count) != 1)
		count = 0;
	(void)fclose(in);
	return geteuid() == 0 && count > NOBODY;
}

/*
 * Whether directories can be opened as we do it: Linux 5.6, no seccomp filter
 * against it, not under valgrind before 3.20.
 */
LIBRARY bool has_openat2(void)
{
	uint64_t how[3] = { O_PATH | O_CLOEXEC, 0, 0 };
	long fd = syscall(SYS_openat2, AT_FDCWD, ".", how, sizeof(how));

	if (fd >= 0)
		(void)close((int)fd);
	return fd >= 0;
}

/*
 * In a child: from here on mounts are ours alone.  Descriptors from before
 * still lead to the old ones, so PATH is opened anew, and made the working
 * directory.  In a chroot whose root is no mount point that cannot be had.
 */
LIBRARY int leave_mounts(const char *path)
{
	int fd;

	need(unshare(CLONE_NEWNS) == 0);
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(CHILD_SKIP);
	need((fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	need(fchdir(fd) == 0);
	return fd;
}

/* In a child: become a user without rights, if we are not yet. */
LIBRARY void become_nobody(void)
{
	if (geteuid() != 0)
		return;
	if (!can_be_nobody())
		_exit(CHILD_SKIP);
	need(setgid(NOBODY) == 0);
	need(setuid(NOBODY) == 0);
	/* a chroot may be closed to everybody but root */
	if (access("/proc/self/fd", X_OK) < 0)
		_exit(CHILD_SKIP);
}

#endif
