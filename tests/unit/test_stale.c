/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Stale run directories: what counts as one, and that nothing which only
 * resembles one, or is in use, is ever touched.  Every test works in a
 * scratch directory of its own.
 */
#include "run/rundir.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "scratch.h"
#include "tap.h"

#define STALE "replay.stale0"
#define STALE_NR 20
#define SCANNERS 4

static char scratch[64];

/* Forget a run directory as a killed process does: close, remove nothing. */
static void abandon(struct rundir *dir)
{
	(void)close(dir->fleet_fd);
	if (dir->clone_fd >= 0)
		(void)close(dir->clone_fd);
	(void)close(dir->marker_fd);
	(void)close(dir->fd);
}

/* A stale directory, with files in it, called NAME. */
static void make_stale(int fd, const char *name)
{
	struct rundir dir = RUNDIR_INIT;
	struct err err = ERR_INIT;
	int inner;

	if (rundir_make(&dir, fd, NULL, &err) < 0) {
		ok(false, "cannot make %s: %s", name, err.text);
		return;
	}
	(void)touch(dir.fleet_fd, "left-over");
	inner = make_dir(dir.fleet_fd, "c0");
	(void)touch(inner, "file");
	(void)close(inner);
	(void)renameat(fd, dir.name, fd, name);
	abandon(&dir);
}

static void test_stale(void)
{
	int fd = scratch_make(scratch, false);
	struct err err = ERR_INIT;

	is_int(rundir_remove_stale(fd, &err), 0, "an empty target");
	make_stale(fd, STALE);
	make_stale(fd, "replay.Stale1");
	(void)touch(fd, "other");
	is_int(rundir_remove_stale(fd, &err), 2, "two stale ones are removed");
	is_int(count_entries(fd), 1, "with all that was in them");
	make_stale(fd, STALE);
	(void)unlinkat(fd, STALE "/fleet/c0/file", 0);
	(void)unlinkat(fd, STALE "/fleet/c0", AT_REMOVEDIR);
	(void)unlinkat(fd, STALE "/fleet/left-over", 0);
	(void)unlinkat(fd, STALE "/fleet", AT_REMOVEDIR);
	is_int(rundir_remove_stale(fd, &err), 1, "one that was half removed");
	is_int(rundir_remove_stale(fd, &err), 0, "and then none");
	scratch_remove(scratch, fd);
}

/* Where holders tell the test who holds; 0 at first. */
static volatile pid_t *holder;

/* Hold a run directory in FD until killed. */
static int hold(int fd)
{
	struct rundir dir = RUNDIR_INIT;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	need(rundir_make(&dir, fd, NULL, NULL) == 0);
	if (!*holder)
		*holder = getpid();
	pause_forever();
}

/* The same by a child that outlives the process which took the lock. */
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

/* The same in a PID namespace of its own, where pids mean nothing to us. */
static int hold_elsewhere(int fd)
{
	pid_t pid;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	need(unshare(CLONE_NEWPID) == 0);
	pid = spawn(hold, fd); /* it is 1 there, and tells us so */
	return wait_child(pid);
}

/* Wait for *HOLDER to be set. */
static bool wait_holder(void)
{
	int tries;

	for (tries = 0; tries < 5000 && !*holder; tries++)
		(void)usleep(1000);
	return *holder != 0;
}

/* A directory is alive as long as its holder, and stale afterwards. */
static void check_alive(int (*fn)(int fd), const char *what)
{
	int fd = scratch_make(scratch, false);
	struct err err = ERR_INIT;
	int removed = 0;
	pid_t pid;
	int tries;

	*holder = 0;
	pid = spawn(fn, fd);
	ok(wait_holder(), "%s: there is one", what);
	if (fn == hold_inherited && *holder > 0) {
		(void)wait_child(pid);
		pid = *holder;
	}
	is_int(rundir_remove_stale(fd, &err), 0, "it is not stale");
	is_int(count_entries(fd), 1, "it is left alone");
	(void)kill(pid, SIGKILL);
	(void)wait_child(pid);
	/* a grandchild dies a moment after its parent */
	for (tries = 0; tries < 2000 && removed == 0; tries++) {
		removed = rundir_remove_stale(fd, &err);
		(void)usleep(1000);
	}
	is_int(removed, 1, "when its holder is dead, it is stale");
	is_int(count_entries(fd), 0, "nothing is left of it");
	scratch_remove(scratch, fd);
}

static void test_live(void)
{
	holder = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	check_alive(hold, "held by another process");
	check_alive(hold_inherited, "held by inheritance");
	if (geteuid() == 0)
		check_alive(hold_elsewhere, "held in another PID namespace");
	else
		skip(5, "needs root");
	(void)prctl(PR_SET_CHILD_SUBREAPER, 0);
}

/* Ways to make a stale directory something else. */

static void open_to_others(int fd)
{
	(void)fchmodat(fd, STALE, 0750, 0);
}

static void give_away(int fd)
{
	(void)fchownat(fd, STALE, NOBODY, NOBODY, 0);
}

static void give_marker_away(int fd)
{
	(void)fchownat(fd, STALE "/.replay", NOBODY, NOBODY, 0);
}

static void unmark(int fd)
{
	(void)unlinkat(fd, STALE "/.replay", 0);
}

static void unpublish(int fd)
{
	(void)renameat(fd, STALE "/.replay", fd, STALE "/.replay.new");
}

static void mark_by_directory(int fd)
{
	unmark(fd);
	(void)mkdirat(fd, STALE "/.replay", 0700);
}

static void mark_by_fifo(int fd)
{
	unmark(fd);
	(void)mkfifoat(fd, STALE "/.replay", 0600);
}

static void mark_by_symlink(int fd)
{
	(void)renameat(fd, STALE "/.replay", fd, STALE "/real");
	(void)symlinkat("real", fd, STALE "/.replay");
}

static void mark_by_dangling(int fd)
{
	unmark(fd);
	(void)symlinkat("made-by-following", fd, STALE "/.replay");
}

static void mark_by_own_file(int fd)
{
	unmark(fd);
	(void)touch(fd, STALE "/.replay");
}

static void mark_by_other_words(int fd)
{
	int marker = openat(fd, STALE "/.replay", O_WRONLY | O_CLOEXEC);

	(void)!write(marker, "My", 2);
	(void)close(marker);
}

static void mark_by_hard_link(int fd)
{
	(void)linkat(fd, STALE "/.replay", fd, "linked", 0);
}

static void rename_short(int fd)
{
	(void)renameat(fd, STALE, fd, "replay.abcde");
}

static void rename_long(int fd)
{
	(void)renameat(fd, STALE, fd, "replay.abcdefg");
}

static void rename_odd(int fd)
{
	(void)renameat(fd, STALE, fd, "replay.abc-ef");
}

static void rename_other(int fd)
{
	(void)renameat(fd, STALE, fd, "Replay.abcdef");
}

/* A name of ours that is a link to what would be stale under that name. */
static void hide_behind_link(int fd)
{
	(void)renameat(fd, STALE, fd, "data");
	(void)symlinkat("data", fd, STALE);
}

static void replace_by_file(int fd)
{
	(void)renameat(fd, STALE, fd, "data");
	(void)touch(fd, STALE);
}

static void replace_by_fifo(int fd)
{
	(void)renameat(fd, STALE, fd, "data");
	(void)mkfifoat(fd, STALE, 0600);
}

static const struct {
	const char *what;
	void (*fn)(int fd);
	bool root;
} look_alikes[] = {
	{ "open to the group", open_to_others, false },
	{ "somebody else's", give_away, true },
	{ "somebody else's marker", give_marker_away, true },
	{ "no marker", unmark, false },
	{ "a marker not yet published", unpublish, false },
	{ "the marker is a directory", mark_by_directory, false },
	{ "the marker is a fifo", mark_by_fifo, false },
	{ "the marker is a link to a marker", mark_by_symlink, false },
	{ "the marker is a dangling link", mark_by_dangling, false },
	{ "the marker is an empty file", mark_by_own_file, false },
	{ "the marker says something else", mark_by_other_words, false },
	{ "the marker has a second link", mark_by_hard_link, false },
	{ "a shorter name", rename_short, false },
	{ "a longer name", rename_long, false },
	{ "a name with another character", rename_odd, false },
	{ "a name with a capital", rename_other, false },
	{ "a link", hide_behind_link, false },
	{ "a file", replace_by_file, false },
	{ "a fifo", replace_by_fifo, false },
};

static unsigned counted;

static int count_visit(const char *path, const struct stat *st, int type,
		       struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)type;
	(void)ftw;
	counted++;
	return 0;
}

/* Everything below the scratch directory, links not followed. */
static unsigned count_all(void)
{
	counted = 0;
	(void)nftw(scratch, count_visit, 32, FTW_PHYS);
	return counted;
}

static void test_look_alikes(void)
{
	struct err err = ERR_INIT;
	unsigned before;
	size_t i;
	int fd;

	for (i = 0; i < sizeof(look_alikes) / sizeof(look_alikes[0]); i++) {
		if (look_alikes[i].root && !can_be_nobody()) {
			skip(1, "needs root");
			continue;
		}
		fd = scratch_make(scratch, true);
		make_stale(fd, STALE);
		look_alikes[i].fn(fd);
		before = count_all();
		ok(rundir_remove_stale(fd, &err) == 0 &&
		   count_all() == before, "left alone: %s (%u entries)",
		   look_alikes[i].what, before);
		scratch_remove(scratch, fd);
	}
}

static int scan_mounted(int unused)
{
	int fd = leave_mounts(scratch);
	struct err err = ERR_INIT;

	(void)unused;
	make_stale(fd, STALE);
	need(mkdir("replay.mount1", 0700) == 0);
	need(mount(STALE, "replay.mount1", "none", MS_BIND, NULL) == 0);
	need(rename(STALE, "data") == 0);
	need(rundir_remove_stale(fd, &err) == 0);
	need(exists(fd, "replay.mount1/fleet/c0/file"));
	need(umount("replay.mount1") == 0 && rmdir("replay.mount1") == 0);
	/* and a mount somebody made within a stale one */
	need(rename("data", STALE) == 0);
	need(mount("none", STALE "/fleet/c0", "tmpfs", 0, NULL) == 0);
	need(touch(fd, STALE "/fleet/c0/precious") == 0);
	need(rundir_remove_stale(fd, &err) == -EXDEV);
	need(strstr(err.text, STALE));
	need(exists(fd, STALE "/fleet/c0/precious"));
	need(exists(fd, STALE "/.replay"));
	need(!exists(fd, STALE "/fleet/left-over"));
	need(umount(STALE "/fleet/c0") == 0);
	need(rundir_remove_stale(fd, &err) == 1);
	return 0;
}

static void test_mounts(void)
{
	int fd = scratch_make(scratch, false);

	if (can_mount())
		check_in_child(scan_mounted, -1,
		       "mount points, on it and in it, are left alone");
	else
		skip(1, "needs root");
	is_int(count_entries(fd), 0, "nothing is left");
	scratch_remove(scratch, fd);
}

static int scan(int fd)
{
	struct err err = ERR_INIT;
	int ret = rundir_remove_stale(fd, &err);

	if (ret < 0)
		printf("# %s\n", err.text);
	return ret < 0 ? 255 : ret;
}

static void test_scanners(void)
{
	int fd = scratch_make(scratch, false);
	pid_t pid[SCANNERS];
	int sum = 0, failed = 0;
	char name[32];
	int i, ret;

	for (i = 0; i < STALE_NR; i++) {
		snprintf(name, sizeof(name), "replay.many%02d", i);
		make_stale(fd, name);
	}
	for (i = 0; i < SCANNERS; i++)
		pid[i] = spawn(scan, fd);
	for (i = 0; i < SCANNERS; i++) {
		ret = wait_child(pid[i]);
		failed += ret > STALE_NR;
		sum += ret;
	}
	is_int(failed, 0, "scanners at once do not disturb each other");
	is_int(sum, STALE_NR, "each directory is removed by exactly one");
	is_int(count_entries(fd), 0, "nothing is left");
	scratch_remove(scratch, fd);
}

int main(void)
{
	if (!has_openat2()) {
		skip(1, "no openat2 here");
		return done_testing();
	}
	test_stale();
	test_live();
	test_look_alikes();
	test_mounts();
	test_scanners();
	return done_testing();
}
