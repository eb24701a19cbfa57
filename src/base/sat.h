/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arithmetic that stops at the largest number instead of going round. */
#ifndef REPLAY_BASE_SAT_H
#define REPLAY_BASE_SAT_H

#include <stdint.h>

static inline uint64_t sat_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline uint64_t sat_mul(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

#endif
