/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan: complete, from the seed, and every second round reversed. */
#include "run/plan.h"

#include <stdlib.h>

#include "base/macro.h"
#include "tap.h"

static const unsigned counts[] = { 1, 2, 64 };

#define NCOUNTS ARRAY_SIZE(counts)
#define ROUNDS 5
#define TARGETS 4

static bool same_plan(const struct plan *a, const struct plan *b)
{
	return a->n == b->n &&
	       memcmp(a->runs, b->runs, a->n * sizeof(*a->runs)) == 0;
}

static void make(struct plan *plan, uint64_t seed)
{
	plan_make(plan, counts, NCOUNTS, ROUNDS, TARGETS, seed);
}

static void test_seed(void)
{
	struct plan a, b, other;
	unsigned differing = 0;

	make(&a, 1);
	make(&b, 1);
	ok(same_plan(&a, &b), "the same seed, the same order");
	for (uint64_t seed = 2; seed < 12; seed++) {
		make(&other, seed);
		differing += !same_plan(&a, &other);
		plan_done(&other);
	}
	is_int(differing, 10, "another seed, another order");
	plan_done(&a);
	plan_done(&b);
	is_int(a.n, 0, "nothing is left in a plan that is done");
}

/* Counts are the outer loop, rounds the next, each target once in each. */
static void test_complete(void)
{
	unsigned wrong = 0, seen;
	struct plan plan;
	size_t at = 0;

	make(&plan, 3);
	is_int(plan.n, NCOUNTS * ROUNDS * TARGETS, "as many runs as asked for");
	for (size_t c = 0; c < NCOUNTS; c++)
		for (unsigned round = 1; round <= ROUNDS; round++) {
			seen = 0;
			for (unsigned t = 0; t < TARGETS; t++, at++) {
				wrong += plan.runs[at].clients != counts[c];
				wrong += plan.runs[at].round != round;
				seen |= 1u << plan.runs[at].target;
			}
			wrong += seen != (1u << TARGETS) - 1;
		}
	is_int(wrong, 0, "in their places, each once");
	plan_done(&plan);
}

static void test_reversed(void)
{
	unsigned straight = 0, wrong = 0;
	struct plan plan;

	make(&plan, 4);
	for (size_t c = 0; c < NCOUNTS; c++)
		for (unsigned round = 1; round < ROUNDS; round += 2) {
			const struct planned_run *first =
				&plan.runs[(c * ROUNDS + round - 1) * TARGETS];
			const struct planned_run *second = first + TARGETS;

			for (unsigned t = 0; t < TARGETS; t++) {
				wrong += first[t].target !=
					 second[TARGETS - 1 - t].target;
				straight += first[t].target == t;
			}
		}
	is_int(wrong, 0, "even rounds are the odd ones reversed");
	ok(straight < 2 * NCOUNTS * TARGETS, "odd rounds are shuffled");
	plan_done(&plan);
}

/* Each target is first about as often as any other. */
static void test_fair(void)
{
	unsigned first[TARGETS] = { 0 };
	unsigned least = UINT32_MAX;
	struct plan plan;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		plan_make(&plan, counts, 1, 1, TARGETS, seed);
		first[plan.runs[0].target]++;
		plan_done(&plan);
	}
	for (unsigned t = 0; t < TARGETS; t++)
		least = MIN_OF(least, first[t]);
	ok(least > 180, "first in at least 180 of 1000 plans: %u", least);
}

static void test_one_target(void)
{
	unsigned wrong = 0;
	struct plan plan;

	plan_make(&plan, counts, NCOUNTS, 2, 1, 5);
	is_int(plan.n, NCOUNTS * 2, "one target: counts times rounds");
	for (size_t i = 0; i < plan.n; i++)
		wrong += plan.runs[i].clients != counts[i / 2] ||
			 plan.runs[i].round != i % 2 + 1 ||
			 plan.runs[i].target != 0;
	is_int(wrong, 0, "... in order");
	plan_done(&plan);
	plan_make(&plan, counts, 0, 1, 1, 5);
	is_int(plan.n, 0, "no counts, no runs");
	plan_done(&plan);
}

int main(void)
{
	test_seed();
	test_complete();
	test_reversed();
	test_fair();
	test_one_target();
	return done_testing();
}
