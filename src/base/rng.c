/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * xoshiro256** with splitmix64 seeding.  Not for secrets: for repeatable
 * offsets, names and incompressible data.
 */
#include "base/rng.h"

#include <string.h>

static uint64_t splitmix64(uint64_t *x)
{
	uint64_t z = (*x += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t stream)
{
	uint64_t x = seed;
	uint64_t y = stream;
	size_t i;

	x = splitmix64(&x) ^ splitmix64(&y);
	for (i = 0; i < 4; i++)
		rng->s[i] = splitmix64(&x);
}

static uint64_t rotate_left(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

uint64_t rng_next(struct rng *rng)
{
	uint64_t *s = rng->s;
	uint64_t result = rotate_left(s[1] * 5, 7) * 9;
	uint64_t t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotate_left(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	/* Values at or above the largest multiple of n are drawn again. */
	uint64_t limit = UINT64_MAX - UINT64_MAX % n;
	uint64_t x;

	do
		x = rng_next(rng);
	while (x >= limit);
	return x % n;
}

void rng_fill(struct rng *rng, void *p, size_t bytes)
{
	unsigned char *at = p;

	while (bytes) {
		uint64_t x = rng_next(rng);
		size_t n = bytes < sizeof(x) ? bytes : sizeof(x);

		memcpy(at, &x, n);
		at += n;
		bytes -= n;
	}
}
