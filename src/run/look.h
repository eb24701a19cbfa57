/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One look at all processes of the machine, as far as /proc shows them. */
#ifndef REPLAY_RUN_LOOK_H
#define REPLAY_RUN_LOOK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/mem.h"

/* What a process has used so far; times in ticks of USER_HZ. */
enum use {
	USE_TIME,      /* user and system time of its own */
	USE_USER,      /* of that, user time */
	USE_KIN_TIME,  /* the same, inherited from children */
	USE_KIN_USER,
	USE_READ,      /* bytes from and to storage, children's included */
	USE_WRITTEN,
	USE_NR
};

/* A process: all its threads, and the children it has waited for. */
struct proc {
	pid_t pid, ppid;
	uint64_t started;  /* ticks since boot; PID and this are unique */
	bool is_kernel;
	bool is_ours;
	bool has_io;       /* the last two of `use' are known ... */
	bool hides_io;     /* ... or not to be known to us */
	int64_t use[USE_NR];
};

/* All of them, and the machine's own times. */
struct look {
	VEC(struct proc) procs;  /* by ascending PID */
	uint64_t began_ticks;    /* since boot */
	bool sees_all;           /* nobody is hidden from us */
	bool has_io;             /* the kernel counts I/O */
	bool has_stat;           /* the machine's: */
	int64_t user_ticks, busy_ticks, steal_ticks;
};

/* In which order processes are read; parents mostly have lower numbers. */
enum look_order { LOOK_PARENTS_FIRST, LOOK_CHILDREN_FIRST };

/*
 * Look.  COORDINATOR (a number of /proc's) and its descendants are ours; the
 * I/O of those, and of kernel threads, is not read.  What cannot be seen is
 * left out and said so; without /proc nothing is there.
 */
void look_around(struct look *look, pid_t coordinator, enum look_order order);
void look_done(struct look *look);

/* A process by its number, or the very same one; NULL: it is not there. */
struct proc *look_find(const struct look *look, pid_t pid);
const struct proc *look_find_same(const struct look *look,
				  const struct proc *proc);

/*
 * The number /proc has for the process PID of our PID namespace, which need
 * not be the one /proc shows; -1: it cannot be told.
 */
pid_t look_number_of(pid_t pid);

#endif
