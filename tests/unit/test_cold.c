/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Dropping caches: what is in the page cache before and after. */
#include "run/cold.h"

#include <sys/mman.h>

#include "scratch.h"
#include "tap.h"

#define PAGES 64

/*
 * Somebody else may drop the machine's caches at the same time, so what must
 * stay in memory is tried a few times.
 */
#define TRIES 10

static char path[64];    /* the directory that is dropped */
static char outside[64]; /* another */
static int outside_fd;

/* Pages of a file that are in memory; -1: it cannot be told. */
static int resident(int dirfd, const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	unsigned char in[PAGES];
	int n = -1;
	void *p;

	if (fd < 0)
		return -1;
	p = mmap(NULL, PAGES * page, PROT_READ, MAP_SHARED, fd, 0);
	if (p != MAP_FAILED && mincore(p, PAGES * page, in) == 0) {
		n = 0;
		for (int i = 0; i < PAGES; i++)
			n += in[i] & 1;
	}
	if (p != MAP_FAILED)
		(void)munmap(p, PAGES * page);
	(void)close(fd);
	return n;
}

/* A file whose pages are in memory, and clean. */
static bool make_file(int dirfd, const char *name)
{
	size_t size = PAGES * (size_t)sysconf(_SC_PAGESIZE);
	char *data = calloc(1, size);
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	bool good = fd >= 0 && data && write(fd, data, size) == (ssize_t)size &&
		    fsync(fd) == 0;

	free(data);
	if (fd >= 0)
		(void)close(fd);
	return good;
}

/* Drop TOP's; whether the pages of another file have stayed. */
static bool leaves_alone(int top, int dirfd, const char *name)
{
	bool stayed = false;

	for (int i = 0; i < TRIES && !stayed; i++) {
		need(make_file(dirfd, name));
		need(cold_drop_files(top, NULL) == 0);
		stayed = resident(dirfd, name) == PAGES;
	}
	return stayed;
}

/* Whether this is a file system whose pages can be dropped at all. */
static bool can_be_dropped(int dirfd)
{
	bool good = false;
	int fd;

	for (int i = 0; i < TRIES && !good; i++)
		good = make_file(dirfd, "probe") &&
		       resident(dirfd, "probe") == PAGES;
	fd = openat(dirfd, "probe", O_RDONLY | O_CLOEXEC);
	good = good && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
	       resident(dirfd, "probe") == 0;
	(void)close(fd);
	(void)unlinkat(dirfd, "probe", 0);
	return good;
}

/* The checks are made in children: one that fails leaves the rest to us. */
static int drop_files(int top)
{
	int sub = make_dir(top, "sub");
	int deeper = make_dir(sub, "deeper");

	need(make_file(top, "a") && make_file(sub, "b"));
	need(make_file(deeper, "c") && touch(deeper, "empty") == 0);
	need(cold_drop_files(top, NULL) == 0);
	need(resident(top, "a") == 0);
	need(resident(sub, "b") == 0);
	need(resident(deeper, "c") == 0);
	need(cold_drop_files(top, NULL) == 0);
	return 0;
}

/* Links lead out; a FIFO blocks who opens it, a socket cannot be opened. */
static int other_types(int top)
{
	char target[80];

	snprintf(target, sizeof(target), "%s/kept", outside);
	need(symlinkat(target, top, "link") == 0);
	need(symlinkat(outside, top, "dirlink") == 0);
	need(mkfifoat(top, "fifo", 0600) == 0);
	need(mknodat(top, "socket", S_IFSOCK | 0600, 0) == 0);
	need(leaves_alone(top, outside_fd, "kept"));
	return 0;
}

/* Deeper than descriptors reach. */
static int deep_tree(int top)
{
	int deep = make_dir(top, "deep");
	int fd = dup(deep), below;

	for (int i = 0; i < 700; i++) {
		need((below = make_dir(fd, "d")) >= 0);
		(void)close(fd);
		fd = below;
	}
	need(make_file(fd, "last"));
	need(cold_drop_files(deep, NULL) == 0);
	need(resident(fd, "last") == 0);
	return 0;
}

static int cross_mounts(int top)
{
	int fd;

	if (!can_mount())
		return CHILD_SKIP;
	need(mkdirat(top, "mounted", 0700) == 0);
	need(make_file(top, "below"));
	(void)leave_mounts(path);
	need(mount(outside, "mounted", NULL, MS_BIND, NULL) == 0);
	need((fd = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	need(leaves_alone(fd, fd, "mounted/kept"));
	need(resident(fd, "below") == 0);
	return 0;
}

/* A file that may not be read is a failure, and no reason to stop. */
static int unreadable(int top)
{
	struct err err = ERR_INIT;
	int fd;

	become_nobody();
	need((fd = make_dir(top, "unreadable")) >= 0);
	for (char name[2] = "a"; name[0] <= 'z'; name[0]++)
		need(make_file(fd, name));
	need(fchmodat(fd, "k", 0, 0) == 0);
	need(cold_drop_files(fd, &err) == -EACCES);
	need(strcmp(err.text,
		    "cannot drop the cache of k: Permission denied") == 0);
	for (char name[2] = "a"; name[0] <= 'z'; name[0]++)
		need(name[0] == 'k' || resident(fd, name) == 0);
	return 0;
}

static int drop_as_nobody(int top)
{
	int fd;

	become_nobody();
	need(!cold_whole_machine());
	need((fd = make_dir(top, "nobody")) >= 0);
	need(make_file(fd, "a"));
	need(cold_drop(fd, NULL) == 0);
	need(resident(fd, "a") == 0);
	return 0;
}

static int drop_machine(int top)
{
	if (!cold_whole_machine())
		return CHILD_SKIP;
	need(make_file(top, "whole"));
	need(cold_drop(top, NULL) == 0);
	need(resident(top, "whole") == 0);
	return 0;
}

static void test_bad_fd(void)
{
	struct err err = ERR_INIT;

	is_int(cold_drop_files(-1, &err), -EBADF, "no directory");
	is_str(err.text, "cannot drop the cache of .: Bad file descriptor",
	       "... and its message");
}

int main(void)
{
	int fd = scratch_make(path, false);

	outside_fd = scratch_make(outside, false);
	(void)fchmod(fd, 0777);
	if (has_openat2() && can_be_dropped(fd)) {
		check_in_child(drop_files, fd, "by file, three levels");
		check_in_child(other_types, fd, "no link is followed");
		check_in_child(cross_mounts, fd, "nor a mount entered");
		check_in_child(unreadable, fd, "a file that may not be read");
		check_in_child(drop_as_nobody, fd, "without rights, by file");
		check_in_child(drop_machine, fd, "with them, all");
		check_in_child(deep_tree, fd, "700 levels");
		test_bad_fd();
	} else {
		skip(1, "no page cache to be dropped by file here");
	}
	scratch_remove(path, fd);
	scratch_remove(outside, outside_fd);
	return done_testing();
}
