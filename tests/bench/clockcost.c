/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one read of the clock costs here: it is part of every operation. */
#include <stdio.h>

#include "base/clock.h"

#define READS 10000000

int main(void)
{
	uint64_t begin = clock_now_ns();
	uint64_t last = begin;
	int i;

	for (i = 0; i < READS; i++)
		last = clock_now_ns();
	printf("clock_gettime, ns: %.1f\n", (double)(last - begin) / READS);
	return 0;
}
