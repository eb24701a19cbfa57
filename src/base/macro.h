/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compiler attributes and tiny helpers that know nothing of the project. */
#ifndef REPLAY_BASE_MACRO_H
#define REPLAY_BASE_MACRO_H

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* Number of elements of an array; refuses a pointer. */
#define ARRAY_SIZE(a)                                                         \
	(sizeof(a) / sizeof((a)[0]) +                                         \
	 0 * sizeof(char[1 - 2 * __builtin_types_compatible_p(                \
					 __typeof__(a), __typeof__(&(a)[0]))]))

#define must_check __attribute__((warn_unused_result))
#define printf_like(fmt, args) __attribute__((format(printf, fmt, args)))
#define unused_arg __attribute__((unused))
#define cacheline_aligned __attribute__((aligned(64)))

#define MIN_OF(a, b) ((a) < (b) ? (a) : (b))
#define MAX_OF(a, b) ((a) > (b) ? (a) : (b))

#endif
