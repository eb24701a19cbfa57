/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Mixes are compared by shares, not by counts: the faster target has
 * executed more, and that is what is being measured.
 */
#include "stats/mix.h"

#include <math.h>
#include <stdio.h>

#define DISTANCE_MAX 0.02 /* total variation; 0 the same, 1 disjoint */
#define BYTES_MAX 1.05    /* ratio of the bytes per operation */

void mix_init(struct mix *mix)
{
	*mix = (struct mix){ .least_passes = NAN };
}

void mix_add(struct mix *mix, const struct run_result *run, bool since_gate)
{
	for (size_t i = 0; i < run->nops; i++) {
		const struct op_result *op = &run->ops[i];
		uint64_t n = since_gate ? op->since_gate : op->stats.count;

		if (op->code >= OP_NR)
			continue;
		mix->counts[op->code] += n;
		mix->counted += n;
	}
	totals_add(&mix->totals, since_gate ? &run->since_gate : &run->totals);
	mix->least_passes = fmin(mix->least_passes, run->passes.min);
}

/* Half the sum of what the shares differ by. */
static double mix_distance(const struct mix *a, const struct mix *b)
{
	double sum = 0;

	if (!a->counted || !b->counted)
		return a->counted == b->counted ? 0 : 1;
	for (unsigned code = 0; code < OP_NR; code++)
		sum += fabs((double)a->counts[code] / (double)a->counted -
			    (double)b->counts[code] / (double)b->counted);
	return sum / 2;
}

static double bytes_per_op(const struct mix *mix)
{
	double bytes = (double)mix->totals.bytes_read +
		       (double)mix->totals.bytes_written;

	return mix->totals.ops ? bytes / (double)mix->totals.ops : 0;
}

/* " (slowest client ...)": most differences are of progress. */
static void tell_progress(const struct mix *a, const struct mix *b, char *buf,
			  size_t size)
{
	double passes = fmin(a->least_passes, b->least_passes);

	buf[0] = '\0';
	if (passes < 1)
		(void)snprintf(buf, size,
			       " (slowest client got through %.2g of the load"
			       " file)", passes);
	else if (isfinite(passes))
		(void)snprintf(buf, size, " (slowest client: %.1f passes)",
			       passes);
}

bool mix_is_same(const struct mix *a, const struct mix *b, char *why,
		 size_t size)
{
	double distance = mix_distance(a, b);
	double x = bytes_per_op(a), y = bytes_per_op(b);
	char progress[80];

	tell_progress(a, b, progress, sizeof(progress));
	if (distance > DISTANCE_MAX)
		(void)snprintf(why, size,
			       "operations differ: %.1f %% of them are of"
			       " another kind%s", distance * 100, progress);
	else if (fmax(x, y) > BYTES_MAX * fmin(x, y))
		(void)snprintf(why, size,
			       "bytes per operation differ: %.1f against"
			       " %.1f%s", x, y, progress);
	else
		return true;
	return false;
}
