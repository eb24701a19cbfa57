/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory at set-up: allocation that cannot fail, and growable arrays.
 *
 * Out of memory while parsing a load file or making a plan has no useful
 * handling, so these end the program with one line on standard error (the only
 * place below cli/ that may).  The timed loop allocates nothing.
 */
#ifndef REPLAY_BASE_MEM_H
#define REPLAY_BASE_MEM_H

#include <stddef.h>

#include "base/macro.h"

/* Zeroed memory for N elements of SIZE bytes; the caller frees it. */
void *mem_zalloc(size_t n, size_t size) must_check
	__attribute__((malloc, returns_nonnull));

/* Copies; the caller frees them. */
char *mem_strdup(const char *s) must_check __attribute__((returns_nonnull));
char *mem_strndup(const char *s, size_t n) must_check
	__attribute__((returns_nonnull));

/* sprintf into fresh memory; the caller frees it. */
char *mem_printf(const char *fmt, ...) must_check printf_like(1, 2)
	__attribute__((returns_nonnull));

/*
 * Make room for at least NEED elements of SIZE bytes in an array that has
 * *CAP: doubles, copies, never shrinks.  Returns the (moved) array; new
 * elements are not initialised.
 */
void *mem_grow(void *array, size_t *cap, size_t need, size_t size) must_check
	__attribute__((returns_nonnull));

/*
 * A growable array of TYPE: struct { TYPE *v; size_t n, cap; }.
 * VEC_PUSH appends one zeroed element and evaluates to its address, which
 * is good until the next push.
 */
#define VEC(type)                                                             \
	struct {                                                              \
		type *v;                                                      \
		size_t n, cap;                                                \
	}

#define VEC_PUSH(vec)                                                         \
	__extension__({                                                       \
		(vec)->v = mem_grow((vec)->v, &(vec)->cap, (vec)->n + 1,      \
				    sizeof(*(vec)->v));                       \
		__builtin_memset(&(vec)->v[(vec)->n], 0, sizeof(*(vec)->v));  \
		&(vec)->v[(vec)->n++];                                        \
	})

#define VEC_FREE(vec)                                                         \
	do {                                                                  \
		free((vec)->v);                                               \
		(vec)->v = NULL;                                              \
		(vec)->n = (vec)->cap = 0;                                    \
	} while (0)

/*
 * Zeroed page-aligned pages shared with children forked later, or private
 * ones whose pages they share until somebody writes.  HUGE asks for
 * transparent huge pages (madvise(2)).  Returns NULL with errno when the
 * kernel has none.  Released with mem_unmap().
 */
void *mem_map_shared(size_t bytes) must_check;
void *mem_map_private(size_t bytes, int huge) must_check;
void mem_unmap(void *p, size_t bytes);

#endif
