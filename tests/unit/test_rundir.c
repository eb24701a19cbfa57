/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run directory: what is made, how it protects what is around it, and
 * that it goes.  Every test works in a scratch directory of its own.
 */
#include "run/rundir.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/vfs.h>

#include "scratch.h"
#include "tap.h"

static char scratch[64];

static void test_make(void)
{
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	struct stat st;
	int other;

	if (!is_int(rundir_make(&dir, fd, NULL, &err), 0, "made"))
		printf("# %s\n", err.text);
	ok(mark_is_name(dir.name), "its name is %s", dir.name);
	(void)fstatat(fd, dir.name, &st, AT_SYMLINK_NOFOLLOW);
	is_int(st.st_mode, S_IFDIR | 0700, "a directory with mode 0700");
	is_int(st.st_uid, geteuid(), "ours");
	is_int(count_entries(dir.fd), 2, "marker and fleet, nothing else");
	is_int(count_entries(dir.fleet_fd), 0, "the fleet's is empty");
	other = openat(dir.fd, RUNDIR_MARKER, O_RDWR | O_CLOEXEC);
	ok(other >= 0 && flock(other, LOCK_EX | LOCK_NB) < 0 &&
	   errno == EWOULDBLOCK, "the marker is locked");
	(void)close(other);
	(void)touch(dir.fleet_fd, "file");
	is_int(rundir_remove(&dir, false, &err), 0, "removed");
	is_int(dir.fd, -1, "closed");
	is_int(count_entries(fd), 0, "nothing is left");
	is_int(rundir_remove(&dir, false, &err), 0, "twice is fine");
	is_int(rundir_remove(NULL, false, &err), 0, "none is fine");
	scratch_remove(scratch, fd);
}

static void test_keep(void)
{
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	char path[64];

	is_int(rundir_make(&dir, fd, NULL, &err), 0, "one to be kept");
	(void)touch(dir.fleet_fd, "file");
	is_int(rundir_remove(&dir, true, &err), 0, "kept");
	snprintf(path, sizeof(path), "%s/" RUNDIR_MARKER, dir.name);
	ok(!exists(fd, path), "the marker is gone");
	is_int(rundir_remove_stale(fd, &err), 0, "so it is never stale");
	is_int(rundir_remove(&dir, false, &err), 0, "nor removed twice");
	snprintf(path, sizeof(path), "%s/fleet/file", dir.name);
	ok(exists(fd, path), "what is in it is still there");
	scratch_remove(scratch, fd);
}

static void test_umask(void)
{
	static const mode_t masks[] = { 0, 0777, 0200, 077 };
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	mode_t old = umask(0);
	size_t i;

	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		(void)umask(masks[i]);
		ok(rundir_make(&dir, fd, NULL, &err) == 0 &&
		   rundir_remove(&dir, false, &err) == 0,
		   "with umask %03o: %s", (unsigned)masks[i], err.text);
	}
	is_int(umask(old), 077, "the umask is left as it was");
	(void)fchmod(fd, 02755);
	ok(rundir_make(&dir, fd, NULL, &err) == 0 &&
	   rundir_remove(&dir, false, &err) == 0,
	   "in a set-group-ID directory: %s", err.text);
	scratch_remove(scratch, fd);
}

static int make_in_vain(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;

	become_nobody();
	need(rundir_make(&dir, fd, NULL, &err) == -EACCES);
	need(strstr(err.text, "Permission denied"));
	need(rundir_remove(&dir, false, &err) == 0);
	return 0;
}

/* Without privileges there is no clone, and all else works. */
static int make_as_nobody(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;

	become_nobody();
	need(rundir_make(&dir, fd, NULL, &err) == 0);
	need(!dir.nosymfollow && dir.clone_fd == -1);
	need(touch(dir.fleet_fd, "file") == 0);
	need(rundir_remove(&dir, false, &err) == 0);
	return 0;
}

static void test_rights(void)
{
	int fd = scratch_make(scratch, false);

	(void)fchmod(fd, 0555);
	check_in_child(make_in_vain, fd, "without the right to write");
	(void)fchmod(fd, 0777);
	check_in_child(make_as_nobody, fd, "without any privilege");
	is_int(count_entries(fd), 0, "nothing is left");
	scratch_remove(scratch, fd);
}

static int make_on_full(int unused)
{
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	int fd, filler;

	(void)unused;
	(void)leave_mounts(scratch);
	need(mkdir("full", 0755) == 0);
	need(mount("none", "full", "tmpfs", 0, "size=4k") == 0);
	need((fd = open("full", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	filler = openat(fd, "filler", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	need(write(filler, scratch, 1) == 1);
	need(close(filler) == 0);
	need(rundir_make(&dir, fd, NULL, &err) == -ENOSPC);
	need(strstr(err.text, "marker"));
	need(count_entries(fd) == 1);
	return 0;
}

static void test_full(void)
{
	int fd = scratch_make(scratch, false);

	if (can_mount())
		check_in_child(make_on_full, fd, "on a full file system");
	else
		skip(1, "needs root");
	scratch_remove(scratch, fd);
}

static long open_beneath(int fd, const char *path)
{
	uint64_t how[3] = { O_RDONLY | O_CLOEXEC, 0, 0x08 /* BENEATH */ };

	return syscall(SYS_openat2, fd, path, how, sizeof(how));
}

/* Symbolic links planted in the fleet's directory, seen by a client. */
static void check_planted(const struct rundir *dir)
{
	int fd = dir->fleet_fd;
	struct statfs fs;

	(void)symlinkat("../../outside", fd, "link");
	(void)touch(fd, "file");
	(void)mkdirat(fd, "dir", 0755);
	ok(openat(fd, "link/precious", O_RDONLY) < 0 && errno == ELOOP,
	   "not followed by an open");
	ok(mkdirat(fd, "link/new", 0755) < 0 && errno == ELOOP,
	   "... a mkdir");
	ok(unlinkat(fd, "link/precious", 0) < 0 && errno == ELOOP,
	   "... an unlink");
	ok(renameat(fd, "file", fd, "link/file") < 0 && errno == ELOOP,
	   "... a rename to");
	ok(renameat(fd, "link/precious", fd, "file2") < 0 && errno == ELOOP,
	   "... or a rename from");
	ok(renameat(fd, "file", fd, "dir/file") == 0 &&
	   unlinkat(fd, "dir/file", 0) == 0, "a rename within works");
	ok(fstatfs(fd, &fs) == 0 && fs.f_bsize > 0, "statfs works");
	ok(count_entries(fd) == 2, "reading works");
	ok(fsync(fd) == 0 && syncfs(fd) == 0, "fsync and syncfs work");
	ok(close((int)open_beneath(fd, "dir")) == 0, "openat2 works");
}

/* What is the same with and without a clone. */
static void test_planted(void)
{
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;

	(void)mkdirat(fd, "outside", 0755);
	(void)touch(fd, "outside/precious");
	is_int(rundir_make(&dir, fd, NULL, &err), 0, "one with a planted link");
	if (dir.nosymfollow)
		check_planted(&dir);
	else
		skip(10, "needs CAP_SYS_ADMIN and Linux 5.14");
	(void)symlinkat("../outside", dir.fd, "top-link");
	(void)symlinkat("../../../outside", dir.fleet_fd, "dir/deep-link");
	is_int(rundir_remove(&dir, false, &err), 0, "it is removed");
	is_int(count_entries(fd), 1, "all of it");
	ok(exists(fd, "outside/precious"), "and nothing behind the links");
	dir = (struct rundir)RUNDIR_INIT;
	dir.symlinks = true;
	is_int(rundir_make(&dir, fd, NULL, &err), 0, "a load with links");
	(void)symlinkat("real", dir.fleet_fd, "link");
	(void)mkdirat(dir.fleet_fd, "real", 0755);
	ok(!dir.nosymfollow && mkdirat(dir.fleet_fd, "link/x", 0755) == 0,
	   "may follow its own");
	is_int(rundir_remove(&dir, false, &err), 0, "it is removed, too");
	scratch_remove(scratch, fd);
}

/* Where holders tell the test who holds; 0 at first. */
static volatile pid_t *holder;

/* Make a run directory, leave a child that has it open, and be killed. */
static int hold_inherited(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	pid_t pid;

	need(rundir_make(&dir, fd, NULL, NULL) == 0);
	need((pid = fork()) >= 0);
	if (pid == 0)
		pause_forever();
	*holder = pid;
	(void)kill(getpid(), SIGKILL);
	return 0;
}

/* The clone must not keep the file system busy once nobody works in it. */
static int unmount_after(int unused)
{
	struct rundir dir = RUNDIR_INIT;
	int fd;

	(void)unused;
	(void)leave_mounts(scratch);
	need(mount("none", scratch, "tmpfs", 0, NULL) == 0);
	need((fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	need(rundir_make(&dir, fd, NULL, NULL) == 0);
	need(umount(scratch) < 0 && errno == EBUSY);
	need(rundir_remove(&dir, false, NULL) == 0);
	*holder = 0;
	wait_child(spawn(hold_inherited, fd)); /* makes one and is killed */
	need(close(fd) == 0);
	need(umount(scratch) < 0 && errno == EBUSY);
	need(*holder > 0 && kill(*holder, SIGKILL) == 0);
	(void)wait_child(*holder);
	need(umount(scratch) == 0);
	return 0;
}

static int unmount_as_reaper(int fd)
{
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	return unmount_after(fd);
}

static void test_unmount(void)
{
	int fd = scratch_make(scratch, false);

	if (can_mount())
		check_in_child(unmount_as_reaper, -1,
		       "the clone goes away with its last descriptor");
	else
		skip(1, "needs root");
	scratch_remove(scratch, fd);
}

static void test_moved(void)
{
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	char name[RUNDIR_NAME_MAX];

	is_int(rundir_make(&dir, fd, NULL, &err), 0, "one to be moved away");
	(void)touch(dir.fleet_fd, "file");
	memcpy(name, dir.name, sizeof(name));
	(void)renameat(fd, name, fd, "moved");
	(void)mkdirat(fd, name, 0700);
	is_int(rundir_remove(&dir, false, &err), -ESTALE,
	       "somebody has put another directory in its place");
	ok(exists(fd, name), "that one is left alone");
	ok(strstr(err.text, name), "the error names it: %s", err.text);
	scratch_remove(scratch, fd);
}

static void test_names(void)
{
	char a[RUNDIR_NAME_MAX], b[RUNDIR_NAME_MAX];
	int i, good = 0, same = 0;

	for (i = 0; i < 1000; i++) {
		mark_random_name(a);
		mark_random_name(b);
		good += mark_is_name(a) && strlen(a) == 13;
		same += strcmp(a, b) == 0;
	}
	is_int(good, 1000, "random names are of the pattern");
	is_int(same, 0, "and differ");
	ok(!mark_is_name("replay.") && !mark_is_name("") &&
	   !mark_is_name("replay") && !mark_is_name("replay.abcde/") &&
	   !mark_is_name("replay.abcdef\n"), "others are not");
}

int main(void)
{
	if (!has_openat2()) {
		skip(1, "no openat2 here");
		return done_testing();
	}
	holder = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	test_names();
	test_make();
	test_keep();
	test_umask();
	test_rights();
	test_full();
	test_planted();
	test_unmount();
	test_moved();
	return done_testing();
}
