/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one number that a run is compared by, its speed, so that larger is
 * better whatever the metric; and the rounds of a cell whose speed is odd.
 */
#include "stats/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define OUTLIER_MADS 14.826 /* see struct oddities */
#define OUTLIER_ROUNDS_MIN 5

static bool can_be_durable(const struct session *s)
{
	for (size_t i = 0; i < s->ntargets; i++)
		if (!target_is_volatile(&s->targets[i]))
			return true;
	return false;
}

enum metric session_metric(const struct session *s)
{
	if (s->metric != METRIC_AUTO)
		return s->metric;
	if (s->pass_mode)
		return METRIC_PASS;
	if (s->load.bytes_written_per_pass && can_be_durable(s))
		return METRIC_DURABLE;
	if (s->load.bytes_written_per_pass || s->load.bytes_read_per_pass)
		return METRIC_MB;
	return METRIC_OPS;
}

static const struct {
	const char *key, *title;
} metric_names[] = {
	[METRIC_AUTO] = { "auto", "auto" },
	[METRIC_MB] = { "mb_per_s", "MB/s" },
	[METRIC_DURABLE] = { "durable_mb_per_s", "durable MB/s" },
	[METRIC_OPS] = { "ops_per_s", "operations/s" },
	[METRIC_PASS] = { "pass_seconds", "pass time" },
};

const char *metric_key(enum metric metric)
{
	return metric_names[metric].key;
}

const char *metric_title(enum metric metric)
{
	return metric_names[metric].title;
}

/* With -p until the last client was done; else of the median pass. */
static double passes_per_second(const struct session *s,
				const struct run_result *run)
{
	double seconds = run->pass_p50_seconds;
	double passes = 1;

	if (s->pass_mode) {
		passes = (double)s->passes;
		seconds = isfinite(run->last_done_seconds)
				  ? run->last_done_seconds
				  : run->seconds;
	}
	return seconds > 0 ? passes / seconds : NAN;
}

double run_speed(const struct session *s, const struct run_result *run,
		 enum metric metric)
{
	switch (metric) {
	case METRIC_MB:
		return run->mb_per_s;
	case METRIC_DURABLE:
		return run->durable_mb_per_s;
	case METRIC_OPS:
		return run->ops_per_s;
	case METRIC_PASS:
		return passes_per_second(s, run);
	case METRIC_AUTO:
		break;
	}
	return NAN;
}

struct dot {
	unsigned round;
	double speed;
};

/* The rounds of a cell that count; ROOM is for as many as there are runs. */
static size_t find_dots(const struct session *s, unsigned clients,
			unsigned target, enum metric metric, struct dot *room)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];
		double speed = run_speed(s, run, metric);

		if (run->clients == clients && run->target == target &&
		    run_judge(s, run) == RUN_GOOD && isfinite(speed))
			room[n++] = (struct dot){ run->round, speed };
	}
	return n;
}

static void flag_outlier(struct oddities *out, unsigned round, bool slow)
{
	if (out->noutliers < ARRAY_SIZE(out->outliers))
		out->outliers[out->noutliers] = round;
	out->noutliers++;
	if (round == 1 && slow)
		out->first_slow = true;
}

void session_oddities(const struct session *s, unsigned clients,
		      unsigned target, enum metric metric,
		      struct oddities *out)
{
	autofree struct dot *dots = mem_zalloc(s->nruns + 1, sizeof(*dots));
	autofree double *v = mem_zalloc(s->nruns + 1, sizeof(*v));
	size_t n = find_dots(s, clients, target, metric, dots);
	double median, mad;

	*out = (struct oddities){ .noutliers = 0 };
	if (n < OUTLIER_ROUNDS_MIN)
		return;
	for (size_t i = 0; i < n; i++)
		v[i] = dots[i].speed;
	median = stats_median(v, n);
	for (size_t i = 0; i < n; i++)
		v[i] = fabs(dots[i].speed - median);
	mad = stats_median(v, n);
	for (size_t i = 0; i < n; i++)
		if (mad > 0 &&
		    fabs(dots[i].speed - median) > OUTLIER_MADS * mad)
			flag_outlier(out, dots[i].round,
				     dots[i].speed < median);
}
