/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One look at /proc: who is ours and who is not, and what cannot be seen. */
#include "run/look.c"

#include <sys/prctl.h>

#include "base/macro.h"
#include "scratch.h"
#include "tap.h"

/* A parent may have the higher number. */
static void test_descendants(void)
{
	static const pid_t parents[][2] = {
		{ 1, 0 }, { 5, 9 }, { 6, 5 }, { 9, 20 }, { 12, 1 }, { 20, 1 },
	};
	struct look look = { 0 };

	for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
		*VEC_PUSH(&look.procs) =
			(struct proc){ .pid = parents[i][0],
				       .ppid = parents[i][1] };
	mark_ours(&look, 20);
	for (size_t i = 0; i < ARRAY_SIZE(parents); i++)
		is_int(look.procs.v[i].is_ours, i != 0 && i != 4,
		       "descendants are ours");
	look_done(&look);
}

static void test_stat(void)
{
	struct proc proc = { 0 };

	ok(parse_stat("77 (a) R 5 (b)) S 3 4 5 0 -1 4194560 1 2 3 4 10 20 30 "
		      "40 20 0 1 0 12345 9 9", &proc),
	   "a name with blanks and parentheses");
	ok(proc.ppid == 3 && !proc.is_kernel && proc.started == 12345,
	   "parent, kind, start");
	ok(proc.use[USE_TIME] == 30 && proc.use[USE_USER] == 10 &&
		   proc.use[USE_KIN_TIME] == 70 && proc.use[USE_KIN_USER] == 30,
	   "times");
	ok(parse_stat("8 (kworker/0:1) I 2 0 0 0 -1 69238880 0 0 0 0 0 7 0 0 20"
		      " 0 1 0 31 0 0", &proc) && proc.is_kernel,
	   "a kernel thread");
	ok(!parse_stat("8 (x) R 2 0", &proc), "half a line");
}

/* A child that has said its number through OUT waits to be killed. */
static void say_number(int out)
{
	pid_t pid = getpid();

	(void)setsid();
	need(write(out, &pid, sizeof(pid)) == sizeof(pid));
	pause_forever();
}

/* ORPHAN: its parent has ended, so it is no descendant of ours. */
static pid_t start_child(bool orphan)
{
	pid_t pid = -1, child;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) < 0)
		abort();
	(void)fflush(stdout);
	child = fork();
	if (child == 0) {
		if (orphan && fork() != 0)
			_exit(0);
		say_number(fds[1]);
	}
	if (orphan)
		(void)wait_child(child);
	(void)close(fds[1]);
	if (read(fds[0], &pid, sizeof(pid)) != sizeof(pid))
		abort();
	(void)close(fds[0]);
	return pid;
}

static void test_who(void)
{
	pid_t ours = start_child(false), orphan = start_child(true);
	const struct proc *proc;
	struct look look;

	look_around(&look, getpid(), LOOK_CHILDREN_FIRST);
	proc = look_find(&look, getpid());
	ok(proc && proc->is_ours && !proc->is_kernel, "we are ours");
	proc = look_find(&look, ours);
	ok(proc && proc->is_ours, "so is a child with a session of its own");
	proc = look_find(&look, orphan);
	ok(proc && !proc->is_ours && !proc->is_kernel, "an orphan is not");
	ok(proc && proc == look_find_same(&look, proc), "and is itself");
	proc = look_find(&look, getppid());
	ok(proc && !proc->is_ours, "nor is our parent");
	ok(!look_find(&look, INT32_MAX), "nobody is nobody");
	look_done(&look);
	(void)kill(ours, SIGKILL);
	(void)kill(orphan, SIGKILL);
	(void)wait_child(ours);
}

/* Both orders find the same, by ascending number. */
static void test_order(void)
{
	static const enum look_order orders[] = { LOOK_PARENTS_FIRST,
						  LOOK_CHILDREN_FIRST };
	struct look look;
	unsigned wrong;

	for (size_t o = 0; o < ARRAY_SIZE(orders); o++) {
		wrong = 0;
		look_around(&look, getpid(), orders[o]);
		for (size_t i = 1; i < look.procs.n; i++)
			wrong += look.procs.v[i - 1].pid >=
				 look.procs.v[i].pid;
		ok(wrong == 0 && look_find(&look, getpid()), "in order");
		look_done(&look);
	}
}

static void test_machine(void)
{
	struct look look;

	look_around(&look, getpid(), LOOK_PARENTS_FIRST);
	ok(look.has_stat && look.busy_ticks >= look.user_ticks &&
		   look.user_ticks > 0,
	   "the machine's times");
	ok(look.began_ticks > 0, "the time it was");
	look_done(&look);
}

static int no_proc(int unused)
{
	struct look look;

	(void)unused;
	if (!can_mount())
		return CHILD_SKIP;
	(void)leave_mounts("/");
	need(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	need(look_number_of(getpid()) == -1);
	look_around(&look, 1, LOOK_PARENTS_FIRST);
	need(look.procs.n == 0 && !look.sees_all && !look.has_io &&
	     !look.has_stat);
	look_done(&look);
	return 0;
}

/* In a PID namespace, number 1, but /proc is still the one outside. */
static int check_inside(int unused)
{
	pid_t number = look_number_of(getpid());
	struct look look;

	(void)unused;
	need(getpid() == 1 && number > 1);
	need(look_number_of(77) == -1);
	look_around(&look, number, LOOK_PARENTS_FIRST);
	need(look_find(&look, number)->is_ours);
	need(!look_find(&look, 1)->is_ours);
	look_done(&look);
	(void)leave_mounts("/");
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		return CHILD_SKIP;
	need(look_number_of(getpid()) == 1);
	look_around(&look, 1, LOOK_PARENTS_FIRST);
	need(look.procs.n == 1 && look.procs.v[0].is_ours && !look.sees_all);
	look_done(&look);
	return 0;
}

static int pid_namespace(int unused)
{
	if (!can_mount())
		return CHILD_SKIP;
	need(unshare(CLONE_NEWPID) == 0);
	return in_child(check_inside, unused);
}

/* Another user's I/O is hidden; our own is not. */
static int as_nobody(int unused)
{
	const struct proc *proc;
	struct look look;

	(void)unused;
	become_nobody();
	/* who has changed its user is hidden even from itself */
	need(prctl(PR_SET_DUMPABLE, 1) == 0);
	look_around(&look, -1, LOOK_PARENTS_FIRST);
	proc = look_find(&look, getpid());
	need(proc && !proc->hides_io && proc->has_io == look.has_io);
	proc = look_find(&look, 1);
	need(!proc || (proc->hides_io && !proc->has_io));
	look_done(&look);
	return 0;
}

int main(void)
{
	test_descendants();
	test_stat();
	if (getpid() == 1)
		skip(1, "orphans would be our children");
	else
		test_who();
	test_order();
	test_machine();
	check_in_child(no_proc, -1, "no /proc: nothing");
	check_in_child(pid_namespace, -1, "in a PID namespace");
	check_in_child(as_nobody, -1, "as another user");
	return done_testing();
}
