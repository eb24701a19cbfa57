/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation at set-up.  When memory is out this ends the program, except for
 * the mappings, whose callers have a run to refuse with a proper message.
 */
#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define OUT_OF_MEMORY 3 /* the exit status of a set-up that failed */

static void *or_die(void *p)
{
	if (!p) {
		(void)fputs("replay: out of memory\n", stderr);
		exit(OUT_OF_MEMORY);
	}
	return p;
}

void *mem_zalloc(size_t n, size_t size)
{
	return or_die(calloc(n ? n : 1, size ? size : 1));
}

char *mem_strdup(const char *s)
{
	return or_die(strdup(s));
}

char *mem_strndup(const char *s, size_t n)
{
	return or_die(strndup(s, n));
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	return or_die(n < 0 ? NULL : s);
}

void *mem_grow(void *array, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap ? *cap : 16;

	if (need <= *cap)
		return array;
	while (want < need)
		want *= 2;
	if (want > SIZE_MAX / size)
		return or_die(NULL);
	array = or_die(realloc(array, want * size));
	*cap = want;
	return array;
}

static void *map(size_t bytes, int flags)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		       flags | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *mem_map_shared(size_t bytes)
{
	return map(bytes, MAP_SHARED);
}

void *mem_map_private(size_t bytes, int huge)
{
	void *p = map(bytes, MAP_PRIVATE);

	/* Advice only: small pages serve as well, with more page tables. */
	if (p && huge)
		(void)madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

void mem_unmap(void *p, size_t bytes)
{
	if (p)
		(void)munmap(p, bytes);
}
