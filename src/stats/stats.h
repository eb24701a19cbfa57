/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is counted, per operation kind and per client, and how it is merged.
 *
 * The writer is the client alone, in its slot of shared memory; the
 * coordinator reads while it runs (progress: a torn read costs nothing) and
 * after it has ended (results: exact).
 */
#ifndef REPLAY_STATS_STATS_H
#define REPLAY_STATS_STATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "stats/hist.h"

/* One operation kind in one window; as long as a cache line. */
struct kind_stats {
	uint64_t count;   /* executed, also those with another outcome */
	uint64_t errors;  /* outcome not as recorded */
	uint64_t bytes;   /* that the kernel returned */
	uint64_t sum_ns;  /* of service times */
	uint64_t max_ns;
	uint64_t pad[3];
};

/* Totals of one client in one window. */
struct totals {
	uint64_t ops;           /* executed */
	uint64_t skipped;       /* not executed: handle not open */
	uint64_t errors;
	uint64_t bytes_read;
	uint64_t bytes_written;
};

void totals_add(struct totals *into, const struct totals *from);
void kind_stats_add(struct kind_stats *into, const struct kind_stats *from);

/* Median of N doubles; sorts V.  NAN when N is 0. */
double stats_median(double *v, size_t n);

/* Quantile Q of N doubles by the nearest-rank method; sorts V. */
double stats_quantile(double *v, size_t n, double q);

/* Lowest, middle and highest of some values; NANs when there are none. */
struct spread {
	double min, median, max;
	size_t n; /* how many values they are of */
};

void stats_spread(double *v, size_t n, struct spread *out);

/*
 * Jain's fairness index of N non-negative shares: 1 when all are equal,
 * 1/N when one has everything; 1 when nobody has anything.
 */
double stats_jain(const double *v, size_t n);

#endif
