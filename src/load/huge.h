/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Heap memory for large arrays.
 *
 * A load of 26 MB passes through 50 MB of memory on its way to a program:
 * 12,800 page faults of 4 KiB (measured with client.txt), which took 110 ms
 * of 250 in a virtual machine.  With huge pages it is 2,300 and 28 ms.
 */
#ifndef REPLAY_LOAD_HUGE_H
#define REPLAY_LOAD_HUGE_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/mem.h"

#define HUGE_PAGE_BYTES (2U << 20)

/*
 * Uninitialised memory, to be released with free() and good for realloc().
 * Large blocks begin at a huge page and ask for more of them.
 */
static inline void *huge_alloc(size_t bytes)
{
	size_t cap = 0;
	void *p;

	if (bytes < HUGE_PAGE_BYTES ||
	    posix_memalign(&p, HUGE_PAGE_BYTES, bytes) != 0)
		return mem_grow(NULL, &cap, bytes ? bytes : 1, 1);
	/* advice only */
	(void)madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

#endif
