/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan: all runs in their order.
 *
 * Client counts are the outer loop, rounds the next; within a round the
 * targets stand in an order drawn from the seed, and every second round has
 * the order of the one before it reversed, so that what drifts over time
 * hits all of them alike.
 */
#ifndef REPLAY_RUN_PLAN_H
#define REPLAY_RUN_PLAN_H

#include <stddef.h>
#include <stdint.h>

struct planned_run {
	unsigned clients;
	unsigned round;        /* from 1 */
	unsigned target;       /* index */
};

struct plan {
	struct planned_run *runs; /* owned */
	size_t n;
};

void plan_make(struct plan *plan, const unsigned *counts, size_t ncounts,
	       unsigned rounds, unsigned ntargets, uint64_t seed);
void plan_done(struct plan *plan);

#endif
