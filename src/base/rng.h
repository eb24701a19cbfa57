/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random numbers: xoshiro256** (Blackman and Vigna, public domain
 * algorithm), seeded through splitmix64 so that any seed, 0 included, gives
 * a good state and neighbouring streams do not resemble each other.
 * Everything random in the program comes from one printed seed.
 */
#ifndef REPLAY_BASE_RNG_H
#define REPLAY_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
	uint64_t s[4];
};

/* Start stream STREAM (client number, ...) of SEED. */
void rng_init(struct rng *rng, uint64_t seed, uint64_t stream);

/* The next 64 random bits. */
uint64_t rng_next(struct rng *rng);

/* A number in 0..N-1 without bias; N must not be 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);

/* Fill BYTES of memory with random bits. */
void rng_fill(struct rng *rng, void *p, size_t bytes);

#endif
