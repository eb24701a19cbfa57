/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The client: a forked process that interprets the program.  This is the
 * hot path; see the top of client.c for its law.
 */
#ifndef REPLAY_RUN_CLIENT_H
#define REPLAY_RUN_CLIENT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "backend/backend.h"
#include "load/prog.h"
#include "run/shm.h"

/* What all clients of a run have in common; inherited through fork. */
struct client_setup {
	const struct prog *prog;
	const struct shm *shm;
	const struct backend_ops *backend;
	struct backend_env env;
	int fleet_fd;            /* where dbench's "/" is */
	int late_dirfd;          /* from the gate on it is at gate->late_path
				    below this one, if that is not "" */
	bool skip_once;          /* leave the preamble out (calibration) */
	uint64_t passes;         /* -p; 0: until the stop time */
	uint64_t seed;
	double rate_mb_per_s;    /* -R; 0: none */
	const unsigned char *pool; /* what writes contain, see client.c */
	size_t pool_mask;        /* allowed start positions in it */
	const unsigned char *const *patterns; /* WRITEPATTERN, each max_write
						 bytes; per prog->patterns */
	pid_t coordinator;       /* to re-check the parent after PDEATHSIG */
};

/* Run client ID to its end, then _exit(): 0 good, 1 with slot->err set. */
void client_main(const struct client_setup *setup, uint32_t id)
	__attribute__((noreturn));

#endif
