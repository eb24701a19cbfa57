/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Checks before anything is touched: will the plan fit?
 *
 * Each returns 0, or -errno with the arithmetic in ERR, so that the user
 * sees which number to change.  A limit that cannot be read is none: the
 * system call that it stops will say so.
 */
#ifndef REPLAY_RUN_LIMITS_H
#define REPLAY_RUN_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/*
 * Raise the soft limit of open files, for us and the children forked later,
 * to what a client with FILES open at once needs beside its own few.
 * -EMFILE when the hard limit forbids it and we may not raise that.
 */
int limits_raise_files(uint64_t files, struct err *err) must_check;

/*
 * Check that CLIENTS more processes can be forked: RLIMIT_NPROC (its soft
 * value is raised to the hard one), the pids controllers of the cgroups we
 * are in, kernel.pid_max and kernel.threads-max.  -EAGAIN when not.
 */
int limits_check_processes(unsigned clients, struct err *err) must_check;

/*
 * The part of it that is for one cgroup hierarchy: pids.max and pids.current
 * of the directory MOUNT PATH (the latter begins with '/') and of all above
 * it up to MOUNT itself.
 */
int limits_check_pids(const char *mount, const char *path, unsigned clients,
		      struct err *err) must_check;

/* What the largest fleet of a plan has on disk when it has most. */
struct limits_peak {
	unsigned clients;
	uint64_t bytes_per_client;
	uint64_t bytes_shared;      /* files that all clients use */
	uint64_t files_per_client;  /* files and directories */
	uint64_t files_shared;
};

struct limits_room {
	uint64_t bytes, files;
	const char *arithmetic;
};

/* What all of its clients have together. */
uint64_t limits_peak_bytes(const struct limits_peak *peak);
uint64_t limits_peak_files(const struct limits_peak *peak);

/*
 * Check that the file system of TARGET_FD can hold PEAK and still have the
 * reserve free, the smaller of 1 GiB and 5 % of its size.  NO_RESERVE: check
 * nothing, there is no reserve.  *OUT_RESERVE is what fleet_run() keeps
 * free, 0 if nothing (also where the file system does not tell its size).
 * -ENOSPC when it does not fit.
 */
int limits_check_space(int target_fd, const struct limits_peak *peak,
		       bool no_reserve, uint64_t *out_reserve,
		       struct err *err) must_check;

/*
 * The same for BYTES in FILES that something else than the clients puts
 * there; ARITHMETIC says how they came about, for the refusal.
 */
int limits_check_room(int fd, const struct limits_room *room, bool no_reserve,
		      uint64_t *out_reserve, struct err *err) must_check;

#endif
