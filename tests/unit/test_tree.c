/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Removal of trees: everything goes that should, and nothing else, whatever
 * is planted in the tree or done to it meanwhile.
 */
#include "base/tree.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"
#include "scratch.h"
#include "tap.h"

#define DEEP 3000
#define MANY 1000

static char scratch[64];

/* NAME is a directory with one file of somebody else's. */
static void make_precious(int fd)
{
	int dir = make_dir(fd, "precious");

	(void)touch(dir, "file");
	(void)close(dir);
}

static void test_names(int fd)
{
	is_int(tree_remove(fd, ""), -EINVAL, "no name");
	is_int(tree_remove(fd, "."), -EINVAL, "the directory itself");
	is_int(tree_remove(fd, ".."), -EINVAL, "its parent");
	is_int(tree_remove(fd, "a/b"), -EINVAL, "two components");
	is_int(tree_remove(fd, "none"), -ENOENT, "a name that is not there");
	is_int(tree_open(fd, ".."), -EINVAL, "opening the parent");
	is_int(tree_open(fd, "none"), -ENOENT, "opening what is not there");
}

static void test_kinds(int fd)
{
	static const char *const odd[] = { "-rf", "a\nb", "\xff\xfe", " ",
					   "*", "..." };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int dir = make_dir(fd, "kinds");
	char longest[256];
	size_t i;

	memset(longest, 'x', 255);
	longest[255] = '\0';
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		(void)touch(dir, odd[i]);
	(void)touch(dir, longest);
	(void)mkfifoat(dir, "fifo", 0600);
	(void)symlinkat("nowhere", dir, "dangling");
	(void)symlinkat("loop", dir, "loop");
	(void)symlinkat("..", dir, "up");
	(void)symlinkat(scratch, dir, "absolute");
	(void)symlinkat("../precious", dir, "link");
	(void)symlinkat("../precious/file", dir, "file-link");
	(void)close(make_dir(dir, "empty"));
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/kinds/sock",
		 scratch);
	(void)bind(sock, (void *)&addr, sizeof(addr));
	(void)close(sock);
	is_int(count_entries(dir), 16, "one of each kind is there");
	(void)close(dir);
	is_int(tree_remove(fd, "kinds"), 0, "all kinds are removed");
	ok(!exists(fd, "kinds"), "... and the directory");
	ok(exists(fd, "precious/file"), "what links pointed to is untouched");
}

static void test_no_directory(int fd)
{
	int ret;

	(void)symlinkat("precious", fd, "link");
	(void)touch(fd, "file");
	(void)mkfifoat(fd, "fifo", 0600);
	ret = tree_remove(fd, "link");
	ok(ret == -ENOTDIR || ret == -ELOOP, "a link is no directory: %d", ret);
	is_int(tree_remove(fd, "file"), -ENOTDIR, "a file is no directory");
	is_int(tree_remove(fd, "fifo"), -ENOTDIR, "a fifo is no directory");
	ok(exists(fd, "link") && exists(fd, "file") && exists(fd, "fifo"),
	   "they are left alone");
	ok(exists(fd, "precious/file"), "and what is behind the link, too");
	(void)unlinkat(fd, "link", 0);
	(void)unlinkat(fd, "file", 0);
	(void)unlinkat(fd, "fifo", 0);
}

static void test_many(int fd)
{
	int dir = make_dir(fd, "many");
	char name[32];
	int i;

	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "file-with-number-%d", i);
		(void)touch(dir, name);
	}
	is_int(count_entries(dir), MANY, "many entries are there");
	is_int(tree_empty_but(dir, "file-with-number-77"), 0, "emptied");
	is_int(count_entries(dir), 1, "one was spared");
	is_int(tree_empty(dir), 0, "emptied again");
	is_int(count_entries(dir), 0, "nothing is left");
	is_int(tree_empty(dir), 0, "an empty one is fine");
	(void)close(dir);
	is_int(tree_remove(fd, "many"), 0, "and the directory");
}

/* A chain of DEPTH directories, some with a file and a link. */
static void make_chain(int fd, const char *top, int depth)
{
	int dir = make_dir(fd, top);
	int i, sub;

	for (i = 0; i < depth && dir >= 0; i++) {
		if (i % 10 == 0) {
			(void)touch(dir, "f");
			(void)symlinkat("..", dir, "l");
		}
		sub = make_dir(dir, "d");
		(void)close(dir);
		dir = sub;
	}
	ok(dir >= 0, "a chain of %d directories is made", depth);
	(void)close(dir);
}

static int limit_descriptors(rlim_t n)
{
	struct rlimit limit = { .rlim_cur = n, .rlim_max = n };

	return setrlimit(RLIMIT_NOFILE, &limit);
}

static int remove_chain_256(int fd)
{
	need(limit_descriptors(256) == 0);
	need(tree_remove(fd, "chain") == 0);
	return 0;
}

static int remove_chain_few(int fd)
{
	int low = dup(fd);

	/* room for the one that is the top, one below it and one below that */
	need(limit_descriptors((rlim_t)low + 3) == 0);
	(void)close(low);
	need(tree_remove(fd, "chain") == 0);
	return 0;
}

static void test_deep(void)
{
	char path[64];
	int fd = scratch_make(path, true);

	make_chain(fd, "chain", DEEP);
	check_in_child(remove_chain_256, fd,
	       "deeper than there are descriptors (256)");
	ok(!exists(fd, "chain"), "nothing is left of it");
	make_chain(fd, "chain", 200);
	check_in_child(remove_chain_few, fd, "with hardly any descriptor");
	ok(!exists(fd, "chain"), "nothing is left of it");
	scratch_remove(path, fd);
}

/* Directories without rights on many levels, and below the last open one. */
static int remove_restricted(int fd)
{
	static const mode_t modes[] = { 0, 0100, 0200, 0300, 0400, 0500, 0600 };
	int top, dir, sub, i;

	become_nobody();
	top = make_dir(fd, "mine");
	need(top >= 0);
	dir = dup(top);
	for (i = 0; i < 2 * TREE_DEPTH; i++) {
		need(touch(dir, "f") == 0);
		need((sub = make_dir(dir, "d")) >= 0);
		need(i == 0 || fchmod(dir, modes[i % 7]) == 0);
		(void)close(dir);
		dir = sub;
	}
	(void)close(dir);
	need(tree_empty(top) == 0);
	need(count_entries(top) == 0);
	(void)close(top);
	need(unlinkat(fd, "mine", AT_REMOVEDIR) == 0);
	return 0;
}

static int remove_foreign(int fd)
{
	become_nobody();
	need(tree_remove(fd, "foreign") == -EACCES);
	return 0;
}

static void test_rights(int fd)
{
	int dir = make_dir(fd, "rights");

	(void)fchmod(dir, 0777);
	check_in_child(remove_restricted, dir,
	       "unreadable and unwritable directories of ours");
	if (can_be_nobody()) {
		(void)close(make_dir(dir, "foreign"));
		(void)touch(dir, "foreign/file");
		(void)fchmodat(dir, "foreign", 0700, 0);
		check_in_child(remove_foreign, dir, "somebody else's");
		ok(exists(dir, "foreign/file"), "... is left alone");
	} else {
		skip(2, "needs root");
	}
	(void)close(dir);
	is_int(tree_remove(fd, "rights"), 0, "cleared");
}

static int remove_mounts(int unused)
{
	int fd = leave_mounts(scratch);
	int dir = make_dir(fd, "mounts");

	(void)unused;
	need(dir >= 0 && mkdir("mounts/tmpfs", 0755) == 0);
	need(mkdir("mounts/bind", 0755) == 0);
	need(mkdir("mounts/goes", 0755) == 0 && touch(dir, "goes/f") == 0);
	need(mount("none", "mounts/tmpfs", "tmpfs", 0, "size=1m") == 0);
	need(touch(dir, "tmpfs/file") == 0);
	need(mount("precious", "mounts/bind", "none", MS_BIND, NULL) == 0);
	need(tree_remove(fd, "mounts") == -EXDEV);
	need(exists(dir, "tmpfs/file") && exists(dir, "bind/file"));
	need(!exists(dir, "goes"));
	need(tree_open(dir, "bind") == -EXDEV);
	need(tree_remove(dir, "bind") == -EXDEV);
	need(umount("mounts/tmpfs") == 0 && umount("mounts/bind") == 0);
	need(touch(dir, "file") == 0);
	need(mount("precious/file", "mounts/file", "none", MS_BIND, NULL) == 0);
	need(tree_remove(fd, "mounts") == -EBUSY);
	need(exists(dir, "file") && !exists(dir, "bind"));
	need(umount("mounts/file") == 0);
	need(tree_remove(fd, "mounts") == 0);
	return 0;
}

static void test_mounts(int fd)
{
	if (!can_mount()) {
		skip(2, "needs root");
		return;
	}
	check_in_child(remove_mounts, fd, "mount points are not entered");
	ok(exists(fd, "precious/file"), "what is mounted is untouched");
}

/* Swap "victim" and "swap" (a link to what is precious) until killed. */
static int swap_forever(int fd)
{
	for (;;)
		(void)renameat2(fd, "race/victim", fd, "race/swap",
				RENAME_EXCHANGE);
	return 0;
}

/* Whether a removal may fail so while somebody swaps what is removed. */
static bool is_lost_race(int ret)
{
	return ret == -ENOTEMPTY || ret == -EISDIR || ret == -ENOTDIR ||
	       ret == -ELOOP;
}

static void test_race(int fd)
{
	uint64_t end_ns = clock_now_ns() + 300 * NS_PER_MS;
	pid_t pid = spawn(swap_forever, fd);
	unsigned rounds = 0, lost = 0;
	int ret = 0;

	for (; clock_now_ns() < end_ns && !ret; rounds++) {
		(void)mkdirat(fd, "race", 0755);
		(void)symlinkat("../precious", fd, "race/swap");
		(void)mkdirat(fd, "race/victim", 0755);
		(void)touch(fd, "race/victim/f");
		while (is_lost_race(ret = tree_remove(fd, "race")))
			lost++;
	}
	(void)kill(pid, SIGKILL);
	(void)wait_child(pid);
	is_int(ret, 0, "a directory is swapped for a link while removed");
	printf("# %u rounds, %u lost and repeated\n", rounds, lost);
	ok(!exists(fd, "race"), "all removed in the end");
	ok(exists(fd, "precious/file"), "never through the link");
}

static int remove_shared(int fd)
{
	int ret = tree_remove(fd, "shared");

	return ret != 0 && ret != -ENOENT;
}

static void test_two_at_once(int fd)
{
	int dir = make_dir(fd, "shared");
	char name[32];
	pid_t pid[2];
	int i;

	for (i = 0; i < 1000; i++) {
		snprintf(name, sizeof(name), "%d", i);
		if (i % 2)
			(void)touch(dir, name);
		else
			(void)close(make_dir(dir, name));
	}
	(void)close(dir);
	for (i = 0; i < 2; i++)
		pid[i] = spawn(remove_shared, fd);
	is_int(wait_child(pid[0]), 0, "one of two that remove the same");
	is_int(wait_child(pid[1]), 0, "the other");
	ok(!exists(fd, "shared"), "it is gone");
}

int main(void)
{
	int fd;

	if (!has_openat2()) {
		skip(1, "no openat2 here");
		return done_testing();
	}
	fd = scratch_make(scratch, false);
	make_precious(fd);
	test_names(fd);
	test_kinds(fd);
	test_no_directory(fd);
	test_many(fd);
	test_deep();
	test_rights(fd);
	test_mounts(fd);
	test_race(fd);
	test_two_at_once(fd);
	is_int(count_entries(fd), 1, "only what is precious is left");
	scratch_remove(scratch, fd);
	return done_testing();
}
