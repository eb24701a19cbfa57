/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What others use.  The machine is not ours alone, so a real look can only be
 * checked for what must at least be found; the arithmetic is checked on looks
 * made by hand.
 */
#include "run/foreign.c"

#include "base/clock.h"
#include "base/fdio.h"
#include "scratch.h"
#include "tap.h"

#define BURN_NS (300 * NS_PER_MS)
#define FILE_BYTES (8 << 20)

/* ------------------------------------------------------- looks by hand */

static struct proc *add_proc(struct look *look, pid_t pid, uint64_t started)
{
	struct proc *proc = VEC_PUSH(&look->procs);

	proc->pid = pid;
	proc->started = started;
	proc->has_io = true;
	return proc;
}

/* Two looks, at ticks 1000 and 2000, at the same process 1. */
static void begin_looks(struct look look[2])
{
	for (unsigned i = 0; i < 2; i++) {
		look[i] = (struct look){ .began_ticks = 1000 + 1000 * i,
					 .sees_all = true, .has_io = true,
					 .has_stat = true };
		(void)add_proc(&look[i], 1, 10);
	}
}

/* Ten seconds between the looks, which are freed. */
static struct disturbance compare_looks(struct look look[2])
{
	struct foreign foreign = { .first = look[0] };
	struct disturbance out = { .cpu_seconds = NAN, .read_bytes = NAN,
				   .written_bytes = NAN,
				   .steal_seconds = NAN };

	compare(&foreign, &look[1], 10, &out);
	look_done(&look[0]);
	look_done(&look[1]);
	return out;
}

/* Ticks that others used. */
static double others_ticks(struct look look[2])
{
	return compare_looks(look).cpu_seconds * (double)sysconf(_SC_CLK_TCK);
}

static void test_alive(void)
{
	struct look look[2];

	begin_looks(look);
	add_proc(&look[0], 7, 20)->use[USE_TIME] = 5000;
	add_proc(&look[1], 7, 20)->use[USE_TIME] = 5030;
	is_int(others_ticks(look), 30, "one that was there: the difference");

	begin_looks(look);
	add_proc(&look[1], 7, 1500)->use[USE_TIME] = 40;
	is_int(others_ticks(look), 40, "one that has begun since: all");

	begin_looks(look);
	add_proc(&look[0], 7, 20)->use[USE_TIME] = 5000;
	add_proc(&look[1], 7, 1500)->use[USE_TIME] = 40;
	is_int(others_ticks(look), 40, "... under a number used before");

	begin_looks(look);
	add_proc(&look[1], 7, 500)->use[USE_TIME] = 5000;
	is_int(others_ticks(look), 0, "one that was overlooked: nothing");
}

static void test_ended(void)
{
	struct look look[2];

	begin_looks(look);
	look[0].procs.v[0].use[USE_KIN_TIME] = 100;
	look[1].procs.v[0].use[USE_KIN_TIME] = 170;
	is_int(others_ticks(look), 70, "what came and went is inherited");

	begin_looks(look);
	look[0].procs.v[0].use[USE_KIN_TIME] = 100;
	add_proc(&look[0], 7, 20)->use[USE_TIME] = 5000;
	look[1].procs.v[0].use[USE_KIN_TIME] = 5160;
	is_int(others_ticks(look), 60, "the past of one that ended is not");

	begin_looks(look);
	add_proc(&look[0], 7, 20)->use[USE_TIME] = 5000;
	add_proc(&look[0], 8, 20)->use[USE_TIME] = 1;
	add_proc(&look[1], 8, 20)->use[USE_TIME] = 31;
	is_int(others_ticks(look), 30, "inherited by nobody: no less than 0");
}

static void test_owners(void)
{
	struct look look[2];
	struct proc *proc;

	begin_looks(look);
	proc = add_proc(&look[1], 7, 1500);
	proc->use[USE_TIME] = 40;
	proc->is_ours = true;
	is_int(others_ticks(look), 0, "ours is not others'");

	begin_looks(look);
	add_proc(&look[0], 7, 20)->is_ours = true;
	add_proc(&look[1], 7, 20)->use[USE_TIME] = 40;
	is_int(others_ticks(look), 0, "... nor is what was ours");

	begin_looks(look);
	proc = add_proc(&look[1], 7, 20);
	proc->use[USE_TIME] = 40;
	proc->is_kernel = true;
	is_int(others_ticks(look), 0, "... nor the kernel's");
}

/* A process that reads ten megabytes, and lets us see it or not. */
static struct disturbance look_at_io(int64_t ticks, bool hidden, bool ends)
{
	struct look look[2];
	struct proc *proc;

	begin_looks(look);
	for (int i = 0; i < (ends ? 1 : 2); i++) {
		proc = add_proc(&look[i], 7, 20);
		proc->has_io = !hidden;
		proc->hides_io = hidden;
		proc->use[USE_TIME] = 100 + i * ticks;
		proc->use[USE_READ] = hidden ? 0 : i * 10000000;
	}
	return compare_looks(look);
}

static void test_hidden_io(void)
{
	struct disturbance out = look_at_io(2, false, false);

	ok(out.read_bytes == 1e7 && out.known, "I/O that can be seen");
	out = look_at_io(2, true, false);
	ok(isnan(out.read_bytes) && isnan(out.written_bytes) && !out.known,
	   "I/O that cannot: unknown");
	out = look_at_io(1, true, false);
	ok(out.read_bytes == 0 && out.known, "... unless it took no time");
	out = look_at_io(0, true, true);
	ok(isnan(out.read_bytes) && !out.known, "... and has not ended");
}

/*
 * The machine was busy for so many ticks, USER of them in user mode, and so
 * were we for OURS.
 */
static struct disturbance look_at_busy(bool sees_all, int64_t busy,
				       int64_t user, int64_t ours)
{
	struct look look[2];

	begin_looks(look);
	look[0].sees_all = sees_all;
	look[1].busy_ticks = busy;
	look[1].user_ticks = user;
	add_proc(&look[1], 7, 1500)->is_ours = true;
	look[1].procs.v[1].use[USE_TIME] = ours;
	look[1].procs.v[1].use[USE_USER] = ours;
	return compare_looks(look);
}

static void test_unseen(void)
{
	int64_t all = 1000 * sysconf(_SC_NPROCESSORS_ONLN);
	struct disturbance out = look_at_busy(true, 90, 90, 80);

	ok(out.cpu_seconds == 0 && out.known, "a few ticks are chance");
	out = look_at_busy(true, all, 0, 80);
	ok(out.cpu_seconds > 9 && out.disturbed, "many are not");
	out = look_at_busy(true, all, 0, all);
	ok(out.cpu_seconds == 0 && out.known, "ours are ours");
	out = look_at_busy(false, 90, 90, 80);
	ok(isnan(out.cpu_seconds) && !out.known,
	   "where not all is seen, a few are unknown");
	out = look_at_busy(false, all, 80, 80);
	ok(isnan(out.cpu_seconds) && !out.known,
	   "... and system time may be the kernel's own");
	out = look_at_busy(false, all, all, 80);
	ok(out.cpu_seconds > 9 && out.disturbed, "... but not user time");
	out = look_at_busy(false, all, 7 * all / 10, all / 2);
	ok(isnan(out.cpu_seconds), "... unless it is little beside ours");
	out = look_at_busy(false, all, 8 * all / 10, all / 2);
	ok(out.disturbed, "... which this is not");
}

/* -------------------------------------------------------------- judging */

static void test_reasons(void)
{
	double cpus = (double)sysconf(_SC_NPROCESSORS_ONLN);
	struct disturbance all = { .cpu_seconds = 3.5, .read_bytes = 200e6,
				   .written_bytes = 30e6,
				   .steal_seconds = 3.7 * cpus };
	struct disturbance none = { .cpu_seconds = 1, .read_bytes = 5e6,
				    .written_bytes = 5e6,
				    .steal_seconds = 3 * cpus };
	struct disturbance unknown = { .cpu_seconds = NAN, .read_bytes = NAN,
				       .written_bytes = NAN,
				       .steal_seconds = NAN };

	judge(&all, 10);
	is_str(all.why, "other processes used 0.35 CPUs; other processes moved "
			"23 MB/s; the hypervisor took 37 % of the time",
	       "all reasons");
	ok(all.disturbed, "disturbed");
	judge(&none, 10);
	is_str(none.why, "", "at the thresholds there is none");
	judge(&unknown, 10);
	ok(!unknown.disturbed, "nor in what is unknown");
}

static void test_parts(void)
{
	struct disturbance out = { .cpu_seconds = 1.1, .read_bytes = 9e6 };

	hide_parts(&out, false, true, 10);
	ok(out.cpu_seconds == 1.1, "a part that is too much by itself");
	ok(isnan(out.read_bytes) && isnan(out.written_bytes),
	   "a part that is not");
	out.read_bytes = out.written_bytes = 6e6;
	hide_parts(&out, true, false, 10);
	ok(out.read_bytes == 6e6, "reads and writes together");
	hide_parts(&out, true, false, 100);
	ok(out.cpu_seconds == 1.1 && isnan(out.read_bytes), "others' I/O only");
}

/* ------------------------------------------------------- real processes */

/* Use processor time of our own. */
static void burn(void)
{
	struct timespec ts;

	do
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	while ((uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec < BURN_NS);
}

/* Write a file and read it back from the disk. */
static void move_bytes(int dirfd)
{
	char *data = calloc(1, FILE_BYTES);
	int fd = openat(dirfd, "moved", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	need(write(fd, data, FILE_BYTES) == FILE_BYTES);
	need(fsync(fd) == 0);
	need(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
	need(pread(fd, data, FILE_BYTES, 0) == FILE_BYTES);
	need(close(fd) == 0);
	free(data);
}

/*
 * A process with a pipe to and from it: it says its number, waits for a byte,
 * works, says that it has, and waits to be killed.
 */
struct worker {
	int to, from;
	pid_t pid;
};

/* Moves bytes in DIRFD, or computes (-1). */
static void work(int in, int out, int dirfd)
{
	pid_t pid = getpid();
	char go;

	(void)alarm(LIFE_SECONDS);
	(void)setsid();
	need(write(out, &pid, sizeof(pid)) == sizeof(pid));
	need(read(in, &go, 1) == 1);
	if (dirfd >= 0)
		move_bytes(dirfd);
	else
		burn();
	need(write(out, &go, 1) == 1);
	pause_forever();
}

/* ORPHAN: its parent has ended, so it is no descendant of ours. */
static void start_worker(struct worker *worker, bool orphan, int dirfd)
{
	int to[2], from[2];
	pid_t child;

	if (pipe2(to, O_CLOEXEC) < 0 || pipe2(from, O_CLOEXEC) < 0)
		abort();
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		if (orphan && fork() != 0)
			_exit(0);
		(void)close(to[1]);
		work(to[0], from[1], dirfd);
	}
	if (orphan)
		(void)wait_child(child);
	(void)close(to[0]);
	(void)close(from[1]);
	*worker = (struct worker){ .to = to[1], .from = from[0] };
	if (read(worker->from, &worker->pid, sizeof(pid_t)) != sizeof(pid_t))
		abort();
}

static bool let_work(struct worker *worker)
{
	char byte = 0;

	return write(worker->to, &byte, 1) == 1 &&
	       read(worker->from, &byte, 1) == 1;
}

static void end_worker(struct worker *worker, bool orphan)
{
	(void)kill(worker->pid, SIGKILL);
	if (!orphan)
		(void)wait_child(worker->pid);
	(void)close(worker->to);
	(void)close(worker->from);
}

static double seconds_since(uint64_t start_ns)
{
	return (double)(clock_now_ns() - start_ns) / 1e9;
}

/* What is found while an orphan works; BEFORE: it began before the look. */
static struct disturbance look_at_worker(bool before, int dirfd)
{
	struct foreign *foreign = NULL;
	uint64_t start_ns = clock_now_ns();
	struct disturbance out;
	struct worker worker;

	if (!before)
		foreign = foreign_begin(getpid());
	start_worker(&worker, true, dirfd);
	if (before)
		foreign = foreign_begin(getpid());
	(void)let_work(&worker);
	foreign_end(foreign, seconds_since(start_ns), &out);
	end_worker(&worker, true);
	return out;
}

static void test_orphan(bool before)
{
	struct disturbance out = look_at_worker(before, -1);

	ok(out.cpu_seconds >= 0.27, "%s before, it used %.2f s",
	   before ? "begun" : "not begun", out.cpu_seconds);
	ok(out.disturbed && out.known, "disturbed: %s", out.why);
}

/* One that comes and goes unseen is inherited by init, or by nobody. */
static void test_short_life(void)
{
	struct foreign *foreign = foreign_begin(getpid());
	bool sees_all = foreign && foreign->first.sees_all;
	uint64_t start_ns = clock_now_ns();
	struct disturbance out;
	struct worker worker;

	start_worker(&worker, true, -1);
	(void)let_work(&worker);
	end_worker(&worker, true);
	while (kill(worker.pid, 0) == 0 &&
	       clock_now_ns() < start_ns + 10 * NS_PER_S)
		(void)clock_sleep_until(clock_now_ns() + NS_PER_MS);
	foreign_end(foreign, seconds_since(start_ns), &out);
	if (sees_all)
		ok(out.cpu_seconds >= 0.2, "it has ended, but used %.2f s",
		   out.cpu_seconds);
	else
		skip(1, "not everybody can be seen");
}

/* Our child's time is ours, however much others use. */
static void test_ours(void)
{
	struct look look[2];
	struct change change[OWNERS_NR] = { 0 };
	struct worker worker;

	look_around(&look[0], getpid(), LOOK_CHILDREN_FIRST);
	start_worker(&worker, false, -1);
	(void)let_work(&worker);
	look_around(&look[1], getpid(), LOOK_PARENTS_FIRST);
	sum_up(&look[0], &look[1], change);
	ok(seconds_used(&change[OURS], USE_TIME, USE_KIN_TIME) >= 0.27,
	   "a child of ours is ours");
	end_worker(&worker, false);
	look_done(&look[1]);
	look_around(&look[1], getpid(), LOOK_PARENTS_FIRST);
	memset(change, 0, sizeof(change));
	sum_up(&look[0], &look[1], change);
	ok(seconds_used(&change[OURS], USE_TIME, USE_KIN_TIME) >= 0.27,
	   "... also when it has ended");
	look_done(&look[0]);
	look_done(&look[1]);
}

/* Whether the kernel counts what is written and read here as I/O. */
static bool counts_io(int dirfd)
{
	uint64_t was_read, was_written, is_read, is_written;

	if (fdio_read_key("/proc/self/io", "read_bytes", &was_read) < 0 ||
	    fdio_read_key("/proc/self/io", "write_bytes", &was_written) < 0)
		return false;
	move_bytes(dirfd);
	return fdio_read_key("/proc/self/io", "read_bytes", &is_read) == 0 &&
	       fdio_read_key("/proc/self/io", "write_bytes", &is_written) ==
		       0 &&
	       is_read - was_read >= FILE_BYTES &&
	       is_written - was_written >= FILE_BYTES;
}

static void test_io(int dirfd)
{
	struct disturbance out;

	if (!counts_io(dirfd)) {
		skip(2, "no I/O is counted here");
		return;
	}
	for (int tries = 10; tries; tries--) {
		out = look_at_worker(true, dirfd);
		/* nobody ended whose I/O is hidden, or had more than was
		   seen of it: on a busy machine that takes some tries */
		if (out.read_bytes >= FILE_BYTES &&
		    out.written_bytes >= FILE_BYTES)
			break;
	}
	ok(out.read_bytes >= FILE_BYTES && out.written_bytes >= FILE_BYTES,
	   "it read %.1f and wrote %.1f MB", out.read_bytes / 1e6,
	   out.written_bytes / 1e6);
	ok(out.disturbed && strstr(out.why, "MB/s"), "disturbed: %s", out.why);
}

static void test_nothing(void)
{
	struct disturbance out;

	foreign_end(NULL, 1, &out);
	ok(isnan(out.cpu_seconds) && isnan(out.read_bytes) &&
		   isnan(out.steal_seconds) && !out.known && !out.disturbed,
	   "no first look: nothing is known");
	foreign_end(foreign_begin(getpid()), 0, &out);
	ok(isnan(out.cpu_seconds) && !out.known, "no time: nothing either");
}

int main(void)
{
	char path[64];
	int fd = scratch_make(path, false);

	test_alive();
	test_ended();
	test_owners();
	test_hidden_io();
	test_unseen();
	test_reasons();
	test_parts();
	test_ours();
	test_nothing();
	if (getpid() == 1) {
		skip(1, "orphans would be our children");
	} else {
		test_orphan(false);
		test_orphan(true);
		test_short_life();
		test_io(fd);
	}
	scratch_remove(path, fd);
	return done_testing();
}
