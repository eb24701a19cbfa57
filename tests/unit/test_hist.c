/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The histogram against the truth: quantiles of many random distributions
 * are compared with those of the sorted values.
 */
#include "stats/hist.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/rng.h"
#include "tap.h"

#define VALUES 5000U

/* Buckets tile the numbers: no gap, no overlap, index and bounds agree. */
static void test_buckets(unsigned bits)
{
	uint32_t n = hist_buckets(bits);
	bool tiled = hist_low(bits, 0) == 0, inverse = true, narrow = true;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t low = hist_low(bits, i), high = hist_high(bits, i);

		tiled = tiled && high > low &&
			(i + 1 == n || hist_low(bits, i + 1) == high);
		inverse = inverse && hist_index(bits, low) == i &&
			  hist_index(bits, high - 1) == i;
		narrow = narrow && (high - low == 1 ||
				    (high - low) << bits <= low);
	}
	ok(tiled, "%u bits: buckets tile", bits);
	ok(inverse, "%u bits: index and bounds agree", bits);
	ok(narrow, "%u bits: no bucket is wider than promised", bits);
	ok(hist_high(bits, n - 1) == UINT64_C(1) << HIST_TOP,
	   "%u bits: the top is 2^%d", bits, HIST_TOP);
	ok(hist_index(bits, UINT64_MAX) == n - 1 &&
		   hist_index(bits, UINT64_C(1) << HIST_TOP) == n - 1,
	   "%u bits: what is longer is in the last bucket", bits);
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static double random_unit(struct rng *rng)
{
	return (double)(rng_next(rng) >> 11) / 9007199254740992.0;
}

/* One value of distribution SHAPE. */
static uint64_t draw(struct rng *rng, unsigned shape)
{
	double u = random_unit(rng);

	switch (shape % 6) {
	case 0: /* uniform over a small range */
		return rng_below(rng, 100);
	case 1: /* uniform over a large one */
		return rng_below(rng, UINT64_C(1) << 37);
	case 2: /* exponential, mean 20 us */
		return (uint64_t)(-20000 * log(1 - u));
	case 3: /* log-uniform over everything */
		return (uint64_t)exp2(u * 37.9);
	case 4: /* two humps: cache hits and disk accesses */
		return rng_below(rng, 20) ? 900 + rng_below(rng, 300) :
					    8000000 + rng_below(rng, 4000000);
	default: /* constant */
		return 1234567;
	}
}

/* Largest relative error over the quantiles that are reported. */
static double worst_error(const uint64_t *buckets, unsigned bits,
			  const uint64_t *sorted)
{
	static const double qs[] = { 0, 0.01, 0.5, 0.9, 0.99, 0.999, 1 };
	double worst = 0;

	for (size_t i = 0; i < ARRAY_SIZE(qs); i++) {
		size_t rank = (size_t)ceil(qs[i] * VALUES - 1e-9);
		double want = (double)sorted[rank ? rank - 1 : 0];
		double got = hist_quantile(buckets, bits, qs[i]);
		double error = want > 0 ? fabs(got - want) / want :
					  fabs(got);

		worst = MAX_OF(worst, error);
	}
	return worst;
}

static void test_distributions(unsigned bits)
{
	autofree uint64_t *buckets = mem_zalloc(hist_buckets(bits),
						sizeof(*buckets));
	autofree uint64_t *values = mem_zalloc(VALUES, sizeof(*values));
	double bound = 1 / exp2(bits + 1), worst = 0;
	struct rng rng;

	for (unsigned shape = 0; shape < 60; shape++) {
		double error;

		rng_init(&rng, 42, shape);
		memset(buckets, 0, hist_buckets(bits) * sizeof(*buckets));
		for (unsigned i = 0; i < VALUES; i++) {
			values[i] = draw(&rng, shape);
			hist_record(buckets, bits, values[i]);
		}
		qsort(values, VALUES, sizeof(*values), compare_u64);
		error = worst_error(buckets, bits, values);
		worst = MAX_OF(worst, error);
	}
	ok(worst <= bound, "%u bits: worst error %.3f %% within %.3f %%", bits,
	   worst * 100, bound * 100);
}

static void test_quantile_definition(void)
{
	uint64_t b[(HIST_TOP + 1) << HIST_BITS_MAX] = { 0 };
	unsigned bits = HIST_BITS_MAX;

	ok(hist_quantile(b, bits, 0.5) == 0, "nothing recorded is 0");
	for (unsigned v = 1; v <= 10; v++)
		hist_record(b, bits, v);
	is_int(hist_count(b, bits), 10, "ten values");
	ok(hist_quantile(b, bits, 0) == 1, "q 0 is the smallest");
	ok(hist_quantile(b, bits, 0.1) == 1, "q .1 of ten is the first");
	ok(hist_quantile(b, bits, 0.11) == 2, "q .11 is the second");
	ok(hist_quantile(b, bits, 0.5) == 5, "q .5 is the fifth");
	ok(hist_quantile(b, bits, 0.9) == 9, "q .9 is the ninth");
	ok(hist_quantile(b, bits, 0.99) == 10, "q .99 is the tenth");
	ok(hist_quantile(b, bits, 1) == 10, "q 1 is the largest");
	hist_record(b, bits, UINT64_MAX);
	ok(hist_quantile(b, bits, 1) < (double)(UINT64_C(1) << HIST_TOP),
	   "what is too long stays in the last bucket");
}

static void test_merge(void)
{
	unsigned bits = 4;
	uint64_t all[(HIST_TOP + 1) << 4] = { 0 };
	uint64_t one[(HIST_TOP + 1) << 4] = { 0 };
	uint64_t two[(HIST_TOP + 1) << 4] = { 0 };
	struct rng rng;

	rng_init(&rng, 7, 0);
	for (unsigned i = 0; i < VALUES; i++) {
		uint64_t v = draw(&rng, 3);

		hist_record(all, bits, v);
		hist_record(i % 3 ? one : two, bits, v);
	}
	hist_merge(one, two, bits);
	ok(memcmp(one, all, sizeof(all)) == 0,
	   "merged is what one histogram would have been");
	is_int(hist_count(one, bits), VALUES, "no value is lost");
	one[3] = UINT64_C(1) << 40;
	hist_merge(one, one, bits);
	ok(one[3] == UINT64_C(1) << 41, "counts are 64 bits");
}

int main(void)
{
	for (unsigned b = HIST_BITS_MIN; b <= HIST_BITS_MAX; b++) {
		test_buckets(b);
		test_distributions(b);
	}
	test_quantile_definition();
	test_merge();
	return done_testing();
}
