/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The janitor: whenever and however the coordinator dies, its directory goes,
 * and the janitor after it; nothing else does.
 *
 * The test is the reaper of its descendants, so "no process is left" is what
 * the kernel says (wait4: ECHILD), not a search in /proc.
 */
#include "run/janitor.h"

#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include "base/clock.h"
#include "base/tree.h"
#include "run/rundir.h"
#include "scratch.h"
#include "tap.h"

#define NAME "replay.tested"
#define CLIENTS 4
#define GONE_NS (3 * NS_PER_S)

static char scratch[64];

/* What coordinators and clients tell the test. */
static struct {
	volatile int ready;          /* how many are where they should be */
	volatile pid_t client;       /* one of them */
} *board;

static void say_ready(void)
{
	__atomic_add_fetch(&board->ready, 1, __ATOMIC_SEQ_CST);
}

static bool wait_ready(int n)
{
	uint64_t end_ns = clock_now_ns() + 5 * NS_PER_S;

	while (board->ready < n && clock_now_ns() < end_ns)
		(void)usleep(500);
	return board->ready >= n;
}

/*
 * Reap descendants until there are none.  Returns the nanoseconds that took,
 * or 0 if it took too long.
 */
static uint64_t reap_all(void)
{
	uint64_t start_ns = clock_now_ns();

	while (clock_now_ns() - start_ns < GONE_NS) {
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return clock_now_ns() - start_ns;
		(void)usleep(100);
	}
	return 0;
}

/* Start FN in a process group of its own. */
static pid_t spawn_group(int (*fn)(int fd), int fd)
{
	pid_t pid;

	board->ready = 0;
	board->client = 0;
	pid = spawn(fn, fd);
	(void)setpgid(pid, pid);
	return pid;
}

/* The stages at which coordinators are killed. */

static int stop_started(int fd)
{
	struct janitor *janitor;

	(void)fd;
	need(janitor_start(&janitor, NULL) == 0);
	say_ready();
	pause_forever();
}

static int stop_announced(int fd)
{
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(janitor_watch(janitor, fd, NAME, NULL) >= 0);
	say_ready();
	pause_forever();
}

static int stop_made(int fd)
{
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(janitor_watch(janitor, fd, NAME, NULL) >= 0);
	need(mkdirat(fd, NAME, 0700) == 0);
	say_ready();
	pause_forever();
}

static int stop_unpublished(int fd)
{
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(janitor_watch(janitor, fd, NAME, NULL) >= 0);
	need(mkdirat(fd, NAME, 0700) == 0);
	need(touch(fd, NAME "/.replay.new") == 0);
	say_ready();
	pause_forever();
}

static int stop_complete(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	need(touch(dir.fleet_fd, "file") == 0);
	say_ready();
	pause_forever();
}

static int stop_several(int fd)
{
	struct rundir a = RUNDIR_INIT, b = RUNDIR_INIT, c = RUNDIR_INIT;
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&a, fd, janitor, NULL) == 0);
	need(rundir_make(&b, fd, janitor, NULL) == 0);
	need(rundir_make(&c, fd, janitor, NULL) == 0);
	need(rundir_remove(&b, false, NULL) == 0);
	say_ready();
	pause_forever();
}

static const struct {
	const char *what;
	int (*fn)(int fd);
	int entries;         /* in the target before the kill */
} stages[] = {
	{ "when the janitor runs", stop_started, 0 },
	{ "when it is announced", stop_announced, 0 },
	{ "when it is made", stop_made, 1 },
	{ "before the marker appears", stop_unpublished, 1 },
	{ "when it is complete", stop_complete, 1 },
	{ "with several, one removed", stop_several, 2 },
};

static void check_stage(size_t i, bool group)
{
	int fd = scratch_make(scratch, false);
	pid_t pid = spawn_group(stages[i].fn, fd);
	bool ready = wait_ready(1);
	int before = count_entries(fd);
	uint64_t ns;

	(void)kill(group ? -pid : pid, SIGKILL);
	ns = reap_all();
	ok(ready && before == stages[i].entries && ns &&
	   count_entries(fd) == 0, "%s killed %s: all gone in %.1f ms",
	   group ? "group" : "coordinator", stages[i].what, (double)ns / 1e6);
	scratch_remove(scratch, fd);
}

static void test_stages(void)
{
	size_t i;

	for (i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		check_stage(i, false);
		check_stage(i, true);
	}
}

/* A client: make files and never stop. */
static int make_files(int fd)
{
	char name[32];
	unsigned i;

	board->client = getpid();
	say_ready();
	for (i = 0;; i++) {
		snprintf(name, sizeof(name), "%d-%u", (int)getpid(), i % 1000);
		(void)close(openat(fd, name, O_WRONLY | O_CREAT | O_CLOEXEC,
				   0644));
	}
	return 0;
}

/* A coordinator with clients that outlive it. */
static int run_fleet(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;
	int i;

	need(setpgid(0, 0) == 0);
	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	for (i = 0; i < CLIENTS; i++)
		(void)spawn(make_files, dir.fleet_fd);
	pause_forever();
}

static void test_group(void)
{
	int fd = scratch_make(scratch, true);
	pid_t pid = spawn_group(run_fleet, fd);
	uint64_t ns;

	ok(wait_ready(CLIENTS), "clients are at work");
	(void)kill(-pid, SIGKILL);
	ns = reap_all();
	ok(ns > 0, "the group is killed: all gone in %.1f ms",
	   (double)ns / 1e6);
	is_int(count_entries(fd), 0, "nothing is left");
	scratch_remove(scratch, fd);
}

static void test_survivors(void)
{
	int fd = scratch_make(scratch, true);
	pid_t pid = spawn_group(run_fleet, fd);

	ok(wait_ready(CLIENTS), "clients are at work");
	(void)kill(pid, SIGKILL);
	(void)wait_child(pid);
	(void)usleep(100 * 1000);
	is_int(count_entries(fd), 1, "while clients live, so does theirs");
	(void)kill(-pid, SIGKILL);
	ok(reap_all() > 0, "when they die, the janitor goes");
	is_int(count_entries(fd), 0, "and nothing is left");
	scratch_remove(scratch, fd);
}

/* The only descendant of this process that is called like a janitor. */
static pid_t find_janitor(void)
{
	char path[64], comm[32];
	int pid = 0, found = 0;
	FILE *children, *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children",
		 (int)getpid());
	children = fopen(path, "re");
	while (children && fscanf(children, "%d", &pid) == 1) {
		snprintf(path, sizeof(path), "/proc/%d/comm", pid);
		in = fopen(path, "re");
		if (in && fscanf(in, "%31s", comm) == 1 &&
		    strcmp(comm, "replay-janitor") == 0)
			found = pid;
		if (in)
			(void)fclose(in);
	}
	if (children)
		(void)fclose(children);
	return found;
}

static int outlive_janitor(int fd)
{
	struct rundir dir = RUNDIR_INIT, next = RUNDIR_INIT;
	struct err err = ERR_INIT;
	struct janitor *janitor;
	pid_t pid;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, &err) == 0);
	need((pid = find_janitor()) > 0);
	need(kill(pid, SIGKILL) == 0);
	(void)usleep(20 * 1000);
	need(touch(dir.fleet_fd, "file") == 0);
	need(janitor_watch(janitor, fd, NAME, &err) == -EPIPE);
	need(strstr(err.text, "janitor"));
	need(rundir_make(&next, fd, janitor, &err) == -EPIPE);
	need(rundir_remove(&dir, false, &err) == 0);
	janitor_stop(janitor);
	janitor_stop(NULL);
	return 0;
}

static int ignore_signals(int fd)
{
	static const int sent[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE };
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;
	size_t i;
	pid_t pid;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	need((pid = find_janitor()) > 0);
	need(getsid(pid) == pid && getpgid(pid) == pid);
	for (i = 0; i < sizeof(sent) / sizeof(sent[0]); i++)
		need(kill(pid, sent[i]) == 0);
	(void)usleep(20 * 1000);
	need(rundir_remove(&dir, false, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	need(rundir_remove(&dir, false, NULL) == 0);
	janitor_stop(janitor);
	need(find_janitor() == 0);
	return 0;
}

/* A forgotten process: it does nothing but have what it inherited. */
static int hold_copies(int unused)
{
	(void)unused;
	pause_forever();
}

static int stop_with_watch(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;
	pid_t pid;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	(void)close(dir.marker_fd);
	/* a process that has a copy of our end must not delay the end */
	pid = spawn(hold_copies, -1);
	janitor_stop(janitor);
	need(kill(pid, SIGKILL) == 0);
	(void)wait_child(pid);
	return 0;
}

static int keep_and_die(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	need(touch(dir.fleet_fd, "file") == 0);
	need(rundir_remove(&dir, true, NULL) == 0);
	(void)kill(getpid(), SIGKILL);
	return 0;
}

static int watch_many(int fd)
{
	struct err err = ERR_INIT;
	struct janitor *janitor;
	int i;

	need(janitor_start(&janitor, NULL) == 0);
	need(janitor_watch(janitor, fd, "../precious", &err) == -EINVAL);
	need(janitor_watch(janitor, fd, "precious", &err) == -EINVAL);
	for (i = 0; i < JANITOR_WATCHES; i++)
		need(janitor_watch(janitor, fd, NAME, &err) == i);
	need(janitor_watch(janitor, fd, NAME, &err) == -ENOSPC);
	janitor_forget(janitor, 5);
	janitor_forget(janitor, -1);
	janitor_forget(janitor, 5);
	janitor_forget(NULL, 0);
	need(janitor_watch(janitor, fd, NAME, &err) == 5);
	janitor_stop(janitor);
	return 0;
}

static void check_child(int (*fn)(int fd), int want, int entries,
			const char *what)
{
	int fd = scratch_make(scratch, false);

	board->ready = 0;
	is_int(in_child(fn, fd), want, what);
	ok(reap_all() > 0, "... no process is left");
	is_int(count_entries(fd), entries, "... what should be is there");
	scratch_remove(scratch, fd);
}

static void test_life(void)
{
	check_child(outlive_janitor, 0, 0, "a janitor that is killed");
	check_child(ignore_signals, 0, 0, "a janitor that is signalled");
	check_child(stop_with_watch, 0, 0, "one that ends with work to do");
	check_child(keep_and_die, 128 + SIGKILL, 1, "a directory to be kept");
	check_child(watch_many, 0, 0, "as many as it can watch");
}

/* What has the announced name when the coordinator dies need not be ours. */

static void put_link(int fd)
{
	(void)mkdirat(fd, "precious", 0700);
	(void)touch(fd, "precious/file");
	(void)symlinkat("precious", fd, NAME);
}

static void put_open_directory(int fd)
{
	(void)mkdirat(fd, NAME, 0755);
	(void)touch(fd, NAME "/file");
}

static void put_foreign(int fd)
{
	(void)mkdirat(fd, NAME, 0700);
	(void)touch(fd, NAME "/file");
	(void)fchownat(fd, NAME, NOBODY, NOBODY, 0);
}

static void put_file(int fd)
{
	(void)touch(fd, NAME);
}

static const struct {
	const char *what;
	void (*put)(int fd);
	const char *left;
	bool root;
} strangers[] = {
	{ "a link", put_link, "precious/file", false },
	{ "a directory open to others", put_open_directory, NAME "/file",
	  false },
	{ "somebody else's directory", put_foreign, NAME "/file", true },
	{ "a file", put_file, NAME, false },
};

static void test_strangers(void)
{
	size_t i;
	pid_t pid;
	int fd;

	for (i = 0; i < sizeof(strangers) / sizeof(strangers[0]); i++) {
		if (strangers[i].root && !can_be_nobody()) {
			skip(1, "needs root");
			continue;
		}
		fd = scratch_make(scratch, false);
		pid = spawn_group(stop_announced, fd);
		(void)wait_ready(1);
		strangers[i].put(fd);
		(void)kill(pid, SIGKILL);
		ok(reap_all() > 0 && exists(fd, strangers[i].left) &&
		   exists(fd, NAME), "left alone: %s", strangers[i].what);
		scratch_remove(scratch, fd);
	}
}

/* Somebody's live directory that has, by some accident, the same name. */
static void test_live(void)
{
	int fd = scratch_make(scratch, false);
	struct rundir dir = RUNDIR_INIT;
	pid_t pid = spawn_group(stop_announced, fd);

	(void)wait_ready(1);
	is_int(rundir_make(&dir, fd, NULL, NULL), 0, "one that is alive");
	(void)touch(dir.fleet_fd, "file");
	(void)renameat(fd, dir.name, fd, NAME);
	(void)kill(pid, SIGKILL);
	ok(reap_all() > 0, "the janitor gives up after a while");
	ok(exists(fd, NAME "/fleet/file"), "and has not touched it");
	memcpy(dir.name, NAME, sizeof(NAME));
	is_int(rundir_remove(&dir, false, NULL), 0, "so it can be removed");
	scratch_remove(scratch, fd);
}

/* The marker's lock may outlive the end of file by a moment. */
static void test_last_breath(void)
{
	int fd = scratch_make(scratch, false);
	pid_t pid = spawn_group(stop_made, fd);
	int marker;

	(void)wait_ready(1);
	marker = openat(fd, NAME, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)close(mark_create(marker));
	(void)close(marker);
	marker = openat(fd, NAME "/" RUNDIR_MARKER, O_RDWR | O_CLOEXEC);
	ok(flock(marker, LOCK_EX | LOCK_NB) == 0, "somebody has the lock");
	(void)kill(pid, SIGKILL);
	(void)wait_child(pid);
	(void)usleep(50 * 1000);
	is_int(count_entries(fd), 1, "so the janitor waits");
	(void)close(marker);
	ok(reap_all() > 0, "until it is released");
	is_int(count_entries(fd), 0, "and then does its work");
	scratch_remove(scratch, fd);
}

/* Have FD as standard output, too, a client that has not, and be killed. */
static int hold_pipe(int fd)
{
	struct janitor *janitor;

	need(dup2(fd, STDOUT_FILENO) == STDOUT_FILENO);
	need(janitor_start(&janitor, NULL) == 0);
	if (fork() == 0) {
		board->client = getpid();
		(void)close(fd);
		(void)close(STDOUT_FILENO);
		say_ready();
		pause_forever();
	}
	say_ready();
	pause_forever();
}

/* Readers of our output must see its end even while the janitor waits. */
static void test_pipe(void)
{
	struct pollfd end = { .events = POLLIN };
	uint64_t start_ns;
	int pair[2];
	pid_t pid;

	if (pipe2(pair, O_CLOEXEC) < 0)
		abort();
	pid = spawn_group(hold_pipe, pair[1]);
	(void)close(pair[1]);
	end.fd = pair[0];
	ok(wait_ready(2) && poll(&end, 1, 0) == 0,
	   "a pipe is open as long as the coordinator");
	start_ns = clock_now_ns();
	(void)kill(pid, SIGKILL);
	ok(poll(&end, 1, 1000) == 1 && end.revents == POLLHUP,
	   "then the reader is told");
	printf("# after %.2f ms\n", (double)(clock_now_ns() - start_ns) / 1e6);
	ok(waitpid(-1, NULL, 0) == pid && waitpid(-1, NULL, WNOHANG) == 0,
	   "though the janitor is still there");
	if (board->client > 0)
		(void)kill(board->client, SIGKILL);
	ok(reap_all() > 0, "nobody is left");
	(void)close(pair[0]);
}

/* What is mounted for a run can be unmounted as soon as it is over. */
static int unmount_after(int unused)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;
	int fd;

	(void)unused;
	need(janitor_start(&janitor, NULL) == 0);
	(void)leave_mounts(scratch);
	need(mount("none", scratch, "tmpfs", 0, NULL) == 0);
	need((fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	need(rundir_make(&dir, fd, janitor, NULL) == 0);
	need(rundir_remove(&dir, false, NULL) == 0);
	need(close(fd) == 0);
	need(umount(scratch) == 0);
	janitor_stop(janitor);
	return 0;
}

static void test_unmount(void)
{
	int fd = scratch_make(scratch, false);

	if (can_mount())
		check_in_child(unmount_after, -1,
		       "a forgotten directory keeps no file system busy");
	else
		skip(1, "needs root");
	scratch_remove(scratch, fd);
}

/* Make and remove directories for ever. */
static int churn(int fd)
{
	struct rundir dir = RUNDIR_INIT;
	struct janitor *janitor;

	need(janitor_start(&janitor, NULL) == 0);
	say_ready();
	for (;;) {
		dir = (struct rundir)RUNDIR_INIT;
		need(rundir_make(&dir, fd, janitor, NULL) == 0);
		need(touch(dir.fleet_fd, "file") == 0);
		need(rundir_remove(&dir, false, NULL) == 0);
	}
	return 0;
}

/* Killed at whatever moment, again and again. */
static void test_any_moment(void)
{
	int fd = scratch_make(scratch, true);
	uint64_t ns, worst_ns = 0;
	unsigned bad = 0, i;
	pid_t pid;

	for (i = 0; i < 100; i++) {
		pid = spawn_group(churn, fd);
		(void)wait_ready(1);
		(void)usleep(i * 37 % 1000);
		(void)kill(pid, SIGKILL);
		ns = reap_all();
		bad += ns == 0 || count_entries(fd) != 0;
		worst_ns = ns > worst_ns ? ns : worst_ns;
	}
	is_int(bad, 0, "killed at 100 moments, nothing is ever left");
	printf("# the slowest was gone in %.1f ms\n", (double)worst_ns / 1e6);
	scratch_remove(scratch, fd);
}

int main(void)
{
	if (!has_openat2()) {
		skip(1, "no openat2 here");
		return done_testing();
	}
	board = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* whatever whoever started us prefers */
	(void)signal(SIGPIPE, SIG_DFL);
	test_stages();
	test_group();
	test_survivors();
	test_life();
	test_strangers();
	test_live();
	test_last_breath();
	test_pipe();
	test_unmount();
	test_any_moment();
	return done_testing();
}
