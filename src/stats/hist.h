/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Bounded log-linear histogram of nanoseconds.
 *
 * Values below 2^bits have a bucket each; above, every power of two is cut
 * into 2^bits equal buckets, up to 2^HIST_TOP ns (275 s), where the last
 * bucket takes what is longer.  A percentile is reported as the middle of
 * its bucket, so it is off by at most 1 / 2^(bits+1): 1.6 % with 5 bits,
 * 3.1 % with 4.  Counts are 64-bit and never wrap.
 *
 * The memory belongs to the caller (a client's slot in shared memory);
 * there is one writer, so recording is plain increments.
 */
#ifndef REPLAY_STATS_HIST_H
#define REPLAY_STATS_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_TOP 38
#define HIST_BITS_MAX 5
#define HIST_BITS_MIN 2

/* Number of buckets with BITS of precision. */
static inline uint32_t hist_buckets(unsigned bits)
{
	return (uint32_t)(HIST_TOP - bits + 1) << bits;
}

/* The bucket of V. */
static inline uint32_t hist_index(unsigned bits, uint64_t v)
{
	uint64_t floored = v | UINT64_C(1) << bits; /* small ones: one octave */
	unsigned msb = 63U - (unsigned)__builtin_clzll(floored);
	uint32_t i = (uint32_t)((v >> (msb - bits)) +
				((uint64_t)(msb - bits) << bits));
	uint32_t last = hist_buckets(bits) - 1;

	return i < last ? i : last;
}

static inline void hist_record(uint64_t *buckets, unsigned bits, uint64_t v)
{
	buckets[hist_index(bits, v)]++;
}

/* Add FROM to INTO, both with BITS. */
void hist_merge(uint64_t *into, const uint64_t *from, unsigned bits);

/* Number of recorded values. */
uint64_t hist_count(const uint64_t *buckets, unsigned bits);

/*
 * The value at quantile Q (0..1): the middle of the bucket that holds the
 * ceil(Q * count)-th smallest value; 0 when nothing was recorded.  Callers
 * cap it with the exact maximum they keep beside the histogram.
 */
double hist_quantile(const uint64_t *buckets, unsigned bits, double q);

/* Lowest value of bucket I, and one past its highest. */
uint64_t hist_low(unsigned bits, uint32_t i);
uint64_t hist_high(unsigned bits, uint32_t i);

#endif
