/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reading histograms: merging, counting, quantiles.  Recording is inline in
 * the header, since the timed loop does it once per operation.
 *
 * hist_low() and hist_high() invert hist_index(): for every value v below
 * 2^HIST_TOP, hist_low(i) <= v < hist_high(i) with i its index.  The last
 * bucket also has what is longer, hence callers cap a quantile with the
 * exact maximum, and a quantile there is a lower bound of the truth.
 */
#include "stats/hist.h"

#include <math.h>

void hist_merge(uint64_t *into, const uint64_t *from, unsigned bits)
{
	uint32_t n = hist_buckets(bits);

	for (uint32_t i = 0; i < n; i++)
		into[i] += from[i];
}

uint64_t hist_count(const uint64_t *buckets, unsigned bits)
{
	uint32_t n = hist_buckets(bits);
	uint64_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += buckets[i];
	return count;
}

/* The bucket that holds the RANK-th smallest value (from 1). */
static uint32_t find_rank(const uint64_t *buckets, uint32_t n, uint64_t rank)
{
	uint64_t seen = 0;

	for (uint32_t i = 0; i < n; i++) {
		seen += buckets[i];
		if (seen >= rank)
			return i;
	}
	return n - 1;
}

double hist_quantile(const uint64_t *buckets, unsigned bits, double q)
{
	uint64_t count = hist_count(buckets, bits);
	uint64_t rank;
	uint32_t i;

	if (!count)
		return 0;
	/* 0.99 * 100 is a little above 99 in binary: do not round that up */
	rank = (uint64_t)ceil(q * (double)count * (1 - 1e-12));
	if (rank < 1)
		rank = 1;
	if (rank > count)
		rank = count;
	i = find_rank(buckets, hist_buckets(bits), rank);
	return ((double)hist_low(bits, i) + (double)(hist_high(bits, i) - 1)) /
	       2;
}

uint64_t hist_low(unsigned bits, uint32_t i)
{
	uint32_t octave = i >> bits;

	if (octave < 2)
		return i;
	/* i - (octave - 1) * 2^bits is in 2^bits .. 2^(bits+1)-1 */
	return (uint64_t)(i - ((octave - 1) << bits)) << (octave - 1);
}

uint64_t hist_high(unsigned bits, uint32_t i)
{
	return hist_low(bits, i + 1);
}
