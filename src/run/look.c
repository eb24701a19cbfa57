/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading /proc: the times and the I/O of every process.
 *
 * Everybody is seen when a kernel thread is: those are in the first PID
 * namespace, belong to root, and are hidden where anything is.
 *
 * Costs about 16 us a process of others and 10 us one of ours or a kernel
 * thread when the machine is idle, twice that when it is busy: 4 to 9 ms
 * where there are 270 and 60.
 */
#include "run/look.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

#define KTHREADD 2                      /* the parent of kernel threads */
#define PF_KTHREAD UINT64_C(0x00200000) /* include/linux/sched.h */

/* Read a file of /proc; BUF is NUL-terminated.  Returns 0 or -errno. */
static int read_at(int dirfd, const char *name, char *buf, size_t size)
{
	autoclose int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -errno;
	got = read(fd, buf, size - 1);
	if (got < 0)
		return -errno;
	buf[got] = '\0';
	return 0;
}

/*
 * "PID (NAME) STATE PPID ...", proc_pid_stat(5); a name may have blanks and
 * parentheses.
 */
static bool parse_stat(const char *text, struct proc *proc)
{
	const char *rest = strrchr(text, ')');
	unsigned long long flags, user, system, started;
	long long kin_user, kin_system;

	if (!rest || sscanf(rest + 1,
			    " %*c %d %*d %*d %*d %*d %llu %*u %*u %*u %*u"
			    " %llu %llu %lld %lld %*d %*d %*d %*d %llu",
			    &proc->ppid, &flags, &user, &system, &kin_user,
			    &kin_system, &started) != 7)
		return false;
	proc->is_kernel = (flags & PF_KTHREAD) != 0;
	proc->started = started;
	proc->use[USE_TIME] = (int64_t)(user + system);
	proc->use[USE_USER] = (int64_t)user;
	proc->use[USE_KIN_TIME] = kin_user + kin_system;
	proc->use[USE_KIN_USER] = kin_user;
	return true;
}

/* The number after KEY in a file of such lines; 0 without. */
static int64_t number_after(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (int64_t)strtoull(at + strlen(key), NULL, 10) : 0;
}

/*
 * Storage I/O.  What was written and deleted before it got there is no I/O.
 * A process that has just ended has none.
 */
static void read_io(int proc_fd, struct proc *proc)
{
	char name[32], text[512];
	int ret;

	(void)snprintf(name, sizeof(name), "%d/io", proc->pid);
	ret = read_at(proc_fd, name, text, sizeof(text));
	proc->has_io = ret == 0;
	proc->hides_io = ret == -EACCES || ret == -EPERM;
	if (ret < 0)
		return;
	proc->use[USE_READ] = number_after(text, "\nread_bytes: ");
	proc->use[USE_WRITTEN] =
		number_after(text, "\nwrite_bytes: ") -
		number_after(text, "\ncancelled_write_bytes: ");
}

/* Read one process; none when it has just ended. */
static void look_at(struct look *look, int proc_fd, pid_t pid)
{
	struct proc proc = { .pid = pid };
	char name[32], text[1024];
	int ret;

	(void)snprintf(name, sizeof(name), "%d/stat", pid);
	ret = read_at(proc_fd, name, text, sizeof(text));
	if (ret < 0 || !parse_stat(text, &proc)) {
		look->sees_all &= ret == -ENOENT || ret == -ESRCH;
		return;
	}
	*VEC_PUSH(&look->procs) = proc;
}

static int compare_pids(const void *a, const void *b)
{
	pid_t x = ((const struct proc *)a)->pid;
	pid_t y = ((const struct proc *)b)->pid;

	return (x > y) - (x < y);
}

struct proc *look_find(const struct look *look, pid_t pid)
{
	const struct proc key = { .pid = pid };

	if (!look->procs.n)
		return NULL;
	return bsearch(&key, look->procs.v, look->procs.n, sizeof(key),
		       compare_pids);
}

/*
 * Descendants of COORDINATOR are ours.  A parent mostly has the lower number,
 * so the second time round there is seldom anything left to find.
 */
static void mark_ours(struct look *look, pid_t coordinator)
{
	bool found = true;

	while (found) {
		found = false;
		for (size_t i = 0; i < look->procs.n; i++) {
			struct proc *proc = &look->procs.v[i];
			const struct proc *parent = look_find(look, proc->ppid);

			if (proc->is_ours || (proc->pid != coordinator &&
					      !(parent && parent->is_ours)))
				continue;
			proc->is_ours = true;
			found = true;
		}
	}
}

/* The machine's times: "cpu  USER NICE SYSTEM IDLE IOWAIT IRQ SOFTIRQ STEAL" */
static void look_at_machine(struct look *look, int proc_fd)
{
	long long user, nice, system, steal;
	char text[512];

	if (read_at(proc_fd, "stat", text, sizeof(text)) < 0 ||
	    sscanf(text, "cpu %lld %lld %lld %*d %*d %*d %*d %lld", &user,
		   &nice, &system, &steal) != 4)
		return;
	look->has_stat = true;
	look->user_ticks = user + nice;
	look->busy_ticks = user + nice + system;
	look->steal_ticks = steal;
}

static uint64_t ticks_since_boot(void)
{
	uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec ts = { 0 };

	(void)clock_gettime(CLOCK_BOOTTIME, &ts);
	return (uint64_t)ts.tv_sec * hz +
	       (uint64_t)ts.tv_nsec * hz / NS_PER_S;
}

/* Index I of N, counted from the other end where that is wanted. */
static size_t nth(size_t i, size_t n, bool descending)
{
	return descending ? n - 1 - i : i;
}

static void read_processes(struct look *look, DIR *dir, bool descending)
{
	VEC(pid_t) pids = { 0 };
	const struct dirent *d;

	while ((d = readdir(dir)) != NULL)
		if (isdigit((unsigned char)d->d_name[0]))
			*VEC_PUSH(&pids) = atoi(d->d_name);
	for (size_t i = 0; i < pids.n; i++)
		look_at(look, dirfd(dir), pids.v[nth(i, pids.n, descending)]);
	VEC_FREE(&pids);
	if (look->procs.n)
		qsort(look->procs.v, look->procs.n, sizeof(*look->procs.v),
		      compare_pids);
}

static void read_others_io(struct look *look, int proc_fd, bool descending)
{
	for (size_t i = 0; i < look->procs.n; i++) {
		struct proc *proc =
			&look->procs.v[nth(i, look->procs.n, descending)];

		if (!proc->is_kernel && !proc->is_ours)
			read_io(proc_fd, proc);
	}
}

void look_around(struct look *look, pid_t coordinator, enum look_order order)
{
	autodir DIR *dir = opendir("/proc");
	bool descending = order == LOOK_CHILDREN_FIRST;
	const struct proc *kthreadd;

	*look = (struct look){ .began_ticks = ticks_since_boot() };
	if (!dir)
		return;
	look->sees_all = true;
	look_at_machine(look, dirfd(dir));
	read_processes(look, dir, descending);
	mark_ours(look, coordinator);
	look->has_io = access("/proc/self/io", F_OK) == 0;
	read_others_io(look, dirfd(dir), descending);
	kthreadd = look_find(look, KTHREADD);
	look->sees_all &= kthreadd && kthreadd->is_kernel;
}

void look_done(struct look *look)
{
	VEC_FREE(&look->procs);
}

const struct proc *look_find_same(const struct look *look,
				  const struct proc *proc)
{
	const struct proc *same = look_find(look, proc->pid);

	return same && same->started == proc->started ? same : NULL;
}

pid_t look_number_of(pid_t pid)
{
	char text[32] = "";
	pid_t self;

	if (readlink("/proc/self", text, sizeof(text) - 1) <= 0)
		return -1;
	self = atoi(text);
	if (pid == getpid())
		return self;
	return self == getpid() ? pid : -1;
}
