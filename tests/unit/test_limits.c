/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks before a run: what fits passes, what does not is refused with the
 * arithmetic. */
#include "run/limits.h"

#include <sys/resource.h>
#include <sys/statvfs.h>

#include "scratch.h"
#include "tap.h"

#define MIB (UINT64_C(1) << 20)

static int raise_within(int unused)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 1000 };
	struct err err = ERR_INIT;

	(void)unused;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return CHILD_SKIP; /* valgrind keeps some for itself */
	need(limits_raise_files(100, &err) == 0);
	need(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	need(limit.rlim_cur >= 200 && limit.rlim_max == 1000);
	need(limits_raise_files(1, &err) == 0);
	need(getrlimit(RLIMIT_NOFILE, &limit) == 0);
	need(limit.rlim_cur >= 200);
	return 0;
}

static int raise_beyond(int unused)
{
	struct rlimit limit = { .rlim_cur = 20, .rlim_max = 1000 };
	struct err err = ERR_INIT;

	(void)unused;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return CHILD_SKIP;
	/* root may raise it unless CAP_SYS_RESOURCE was taken from it */
	if (geteuid() == 0 && limits_raise_files(2000, &err) == 0)
		need(setrlimit(RLIMIT_NOFILE, &limit) == 0);
	become_nobody();
	need(limits_raise_files(2000, &err) == -EMFILE);
	need(strstr(err.text, "2000 files") && strstr(err.text, "is 1000"));
	need(limits_raise_files(UINT64_MAX, &err) == -EMFILE);
	return 0;
}

static int few_processes(int unused)
{
	struct rlimit limit = { .rlim_cur = 5, .rlim_max = 100 };
	struct err err = ERR_INIT;

	(void)unused;
	become_nobody();
	need(setrlimit(RLIMIT_NPROC, &limit) == 0);
	need(limits_check_processes(1000, &err) == -EAGAIN);
	need(strstr(err.text, "1000 clients") && strstr(err.text, "ulimit"));
	need(strstr(err.text, "is 100 "));
	return 0;
}

static void test_processes(void)
{
	struct err err = ERR_INIT;

	is_int(limits_check_processes(1, &err), 0, "one process more");
	is_int(limits_check_processes(4000000000U, &err), -EAGAIN,
	       "four thousand million more");
	ok(strstr(err.text, "4000000000 clients"), "%s", err.text);
	check_in_child(few_processes, -1, "the user's limit");
}

/* Write TEXT to DIR/NAME. */
static void put(int dirfd, const char *name, const char *text)
{
	int fd = openat(dirfd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			0644);

	(void)!write(fd, text, strlen(text));
	(void)close(fd);
}

static void test_cgroup(void)
{
	struct err err = ERR_INIT;
	char path[64];
	int fd = scratch_make(path, true);

	(void)mkdirat(fd, "a", 0755);
	(void)mkdirat(fd, "a/b", 0755);
	put(fd, "a/b/pids.current", "3\n");
	put(fd, "a/b/pids.max", "max\n");
	is_int(limits_check_pids(path, "/a/b", 1000, &err), 0, "no limit");
	put(fd, "a/pids.current", "30\n");
	put(fd, "a/pids.max", "100\n");
	is_int(limits_check_pids(path, "/a/b", 62, &err), 0, "just enough");
	is_int(limits_check_pids(path, "/a/b", 63, &err), -EAGAIN,
	       "the limit of a group above ours");
	ok(strstr(err.text, "/a/pids.max is 100 and 30 exist: 1 too many"),
	   "%s", err.text);
	is_int(limits_check_pids(path, "/a/", 63, &err), -EAGAIN, "our own");
	is_int(limits_check_pids(path, "/", 63, &err), 0, "not one below");
	is_int(limits_check_pids(path, "", 63, &err), 0, "nor by no path");
	is_int(limits_check_pids(path, "/a/x/y", 63, &err), -EAGAIN,
	       "a group that is gone: those above count");
	put(fd, "pids.current", "1");
	put(fd, "pids.max", "2");
	is_int(limits_check_pids(path, "/a/b", 1, &err), -EAGAIN, "the root");
	scratch_remove(path, fd);
}

static char scratch[64];

/* 64 MiB and 100 inodes, one of them the root's. */
static int check_tmpfs(int unused)
{
	struct limits_peak peak = { .clients = 4,
				    .bytes_per_client = 40000000 };
	struct err err = ERR_INIT;
	uint64_t reserve = 1;
	int fd;

	(void)unused;
	(void)leave_mounts(scratch);
	need(mount("none", scratch, "tmpfs", 0, "size=64m,nr_inodes=100") == 0);
	need((fd = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) >= 0);
	need(limits_check_space(fd, &peak, false, &reserve, &err) == -ENOSPC);
	printf("# %s\n", err.text);
	need(strstr(err.text, "4 clients x 38.1 MiB + shared 0 B = 153 MiB"));
	need(strstr(err.text, "64.0 MiB are free, of which 3.20 MiB stay in "
			      "reserve: 91.8 MiB too little"));
	need(reserve == 0);
	need(limits_check_space(fd, &peak, true, &reserve, &err) == 0);
	need(reserve == 0);
	peak.bytes_per_client = 15 * MIB;
	need(limits_check_space(fd, &peak, false, &reserve, &err) == 0);
	need(reserve == 64 * MIB / 20);
	peak.bytes_shared = MIB;
	need(limits_check_space(fd, &peak, false, &reserve, &err) == -ENOSPC);
	peak.bytes_shared = 0;
	peak.files_per_client = 20;
	need(limits_check_space(fd, &peak, false, &reserve, &err) == 0);
	peak.files_shared = 20;
	need(limits_check_space(fd, &peak, false, &reserve, &err) == -ENOSPC);
	printf("# %s\n", err.text);
	need(strstr(err.text, "x 20 files + shared 20 = 100 files"));
	need(limits_check_space(fd, &peak, true, &reserve, &err) == 0);
	return 0;
}

static void test_space(void)
{
	struct limits_peak peak = { .clients = 4 };
	struct err err = ERR_INIT;
	uint64_t reserve = 0;
	struct statvfs fs;
	int fd = scratch_make(scratch, false);

	is_int(limits_check_space(fd, &peak, false, &reserve, &err), 0,
	       "nothing fits");
	(void)fstatvfs(fd, &fs);
	ok(reserve <= 1024 * MIB &&
	   reserve <= fs.f_blocks * fs.f_frsize / 20, "the reserve is %llu",
	   (unsigned long long)reserve);
	peak.bytes_per_client = UINT64_MAX / 2;
	is_int(limits_check_space(fd, &peak, false, &reserve, &err), -ENOSPC,
	       "a sum beyond 64 bits");
	is_int(limits_check_space(-1, &peak, false, &reserve, &err), -EBADF,
	       "no target");
	if (can_mount())
		check_in_child(check_tmpfs, -1, "a small file system");
	else
		skip(1, "needs root");
	scratch_remove(scratch, fd);
}

int main(void)
{
	check_in_child(raise_within, -1, "the soft limit is raised");
	check_in_child(raise_beyond, -1, "the hard limit");
	test_processes();
	test_cgroup();
	test_space();
	return done_testing();
}
