/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Adding counters up, and the few order statistics that the reports use.
 * Small sets of doubles only (clients, rounds); operations have histograms.
 */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

void totals_add(struct totals *into, const struct totals *from)
{
	into->ops += from->ops;
	into->skipped += from->skipped;
	into->errors += from->errors;
	into->bytes_read += from->bytes_read;
	into->bytes_written += from->bytes_written;
}

void kind_stats_add(struct kind_stats *into, const struct kind_stats *from)
{
	into->count += from->count;
	into->errors += from->errors;
	into->bytes += from->bytes;
	into->sum_ns += from->sum_ns;
	into->max_ns = MAX_OF(into->max_ns, from->max_ns);
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double stats_median(double *v, size_t n)
{
	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), compare_doubles);
	if (n % 2)
		return v[n / 2];
	return v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

double stats_quantile(double *v, size_t n, double q)
{
	double rank;

	if (!n)
		return NAN;
	qsort(v, n, sizeof(*v), compare_doubles);
	/* as in hist_quantile(): 0.9 * 10 must not become the 10th */
	rank = ceil(q * (double)n * (1 - 1e-12));
	if (rank < 1)
		rank = 1;
	if (rank > (double)n)
		rank = (double)n;
	return v[(size_t)rank - 1];
}

void stats_spread(double *v, size_t n, struct spread *out)
{
	out->median = stats_median(v, n);
	out->min = n ? v[0] : NAN;
	out->max = n ? v[n - 1] : NAN;
	out->n = n;
}

double stats_jain(const double *v, size_t n)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += v[i];
		squares += v[i] * v[i];
	}
	if (squares <= 0)
		return 1;
	return sum * sum / ((double)n * squares);
}
