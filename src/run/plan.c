/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The order of all runs.
 *
 * A round and the one after it are a pair: what is first in the one is last
 * in the other, so that anything that grows steadily over the pair (a disk
 * that fills, a machine that warms up) adds the same to every target.
 */
#include "run/plan.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/rng.h"

/* Neither a client's number nor that of the pool of data. */
#define PLAN_STREAM (UINT64_MAX - 1)

/* All orders are equally likely (Fisher and Yates). */
static void shuffle(struct rng *rng, unsigned *order, unsigned n)
{
	for (unsigned i = n; i > 1; i--) {
		unsigned j = (unsigned)rng_below(rng, i);
		unsigned last = order[i - 1];

		order[i - 1] = order[j];
		order[j] = last;
	}
}

static void reverse(unsigned *order, unsigned n)
{
	for (unsigned i = 0; i < n / 2; i++) {
		unsigned first = order[i];

		order[i] = order[n - 1 - i];
		order[n - 1 - i] = first;
	}
}

static void add_round(struct plan *plan, unsigned clients, unsigned round,
		      const unsigned *order, unsigned ntargets)
{
	for (unsigned i = 0; i < ntargets; i++)
		plan->runs[plan->n++] =
			(struct planned_run){ .clients = clients,
					      .round = round,
					      .target = order[i] };
}

void plan_make(struct plan *plan, const unsigned *counts, size_t ncounts,
	       unsigned rounds, unsigned ntargets, uint64_t seed)
{
	autofree unsigned *order = mem_zalloc(ntargets, sizeof(*order));
	struct rng rng;

	rng_init(&rng, seed, PLAN_STREAM);
	for (unsigned i = 0; i < ntargets; i++)
		order[i] = i;
	plan->n = 0;
	plan->runs = mem_zalloc(ncounts * rounds * ntargets,
				sizeof(*plan->runs));
	for (size_t c = 0; c < ncounts; c++)
		for (unsigned round = 1; round <= rounds; round++) {
			if (round % 2)
				shuffle(&rng, order, ntargets);
			else
				reverse(order, ntargets);
			add_round(plan, counts[c], round, order, ntargets);
		}
}

void plan_done(struct plan *plan)
{
	free(plan->runs);
	*plan = (struct plan){ 0 };
}
