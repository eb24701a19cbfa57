/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one number that a run is compared by, its speed, so that larger is
 * better whatever the metric; and the cells: which runs are in each, their
 * summary, and the rounds whose speed is odd.
 *
 * Sessions may have tens of thousands of runs and hundreds of cells.  The
 * runs are sorted by cell once, so that no cell looks at those of the others.
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

bool session_moves_bytes(const struct session *s)
{
	return !s->moves_nothing && (s->load.bytes_read_per_pass ||
				     s->load.bytes_written_per_pass);
}

enum metric session_metric(const struct session *s)
{
	if (s->metric != METRIC_AUTO)
		return s->metric;
	if (s->pass_mode)
		return METRIC_PASS;
	if (!session_moves_bytes(s))
		return METRIC_OPS;
	if (s->load.bytes_written_per_pass && can_be_durable(s))
		return METRIC_DURABLE;
	return METRIC_MB;
}

struct metric_name {
	const char *key, *title;
};

static const struct metric_name *get_name(const struct session *s,
					  enum metric metric)
{
	static const struct metric_name names[] = {
		[METRIC_AUTO] = { "auto", "auto" },
		[METRIC_MB] = { "mb_per_s", "MB/s" },
		[METRIC_DURABLE] = { "durable_mb_per_s", "durable MB/s" },
		[METRIC_OPS] = { "ops_per_s", "operations/s" },
		[METRIC_PASS] = { "pass_seconds", "pass time" },
	};
	static const struct metric_name all_passes = {
		"last_done_seconds", "time of all passes"
	};

	return metric == METRIC_PASS && s->pass_mode ? &all_passes :
						       &names[metric];
}

const char *metric_key(const struct session *s, enum metric metric)
{
	return get_name(s, metric)->key;
}

const char *metric_title(const struct session *s, enum metric metric)
{
	return get_name(s, metric)->title;
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

/* -- rounds that stand out ------------------------------------------------ */

static void flag_outlier(struct oddities *out, unsigned round, bool slow)
{
	if (out->noutliers < ARRAY_SIZE(out->outliers))
		out->outliers[out->noutliers] = round;
	out->noutliers++;
	if (round == 1 && slow)
		out->first_slow = true;
}

/* The speed of a run that counts; NAN: it does not, or has none. */
static double counted_speed(const struct session *s,
			    const struct run_result *run)
{
	double speed = run_speed(s, run, session_metric(s));

	return run_judge(s, run) == RUN_GOOD && isfinite(speed) ? speed : NAN;
}

/* Fill V with what is finite of the distances from FROM; returns how many. */
static size_t find_distances(const struct session *s, const struct cell *cell,
			     double from, double *v)
{
	size_t n = 0;

	for (size_t i = 0; i < cell->nruns; i++) {
		v[n] = fabs(counted_speed(s, cell->runs[i]) - from);
		if (!isnan(v[n]))
			n++;
	}
	return n;
}

static void find_oddities(const struct session *s, const struct cell *cell,
			  struct oddities *out)
{
	autofree double *v = mem_zalloc(cell->nruns + 1, sizeof(*v));
	double median, mad;
	size_t n = 0;

	*out = (struct oddities){ .noutliers = 0 };
	for (size_t i = 0; i < cell->nruns; i++) {
		v[n] = counted_speed(s, cell->runs[i]);
		if (!isnan(v[n]))
			n++;
	}
	median = stats_median(v, n);
	mad = stats_median(v, find_distances(s, cell, median, v));
	if (n < OUTLIER_ROUNDS_MIN || !(mad > 0))
		return;
	for (size_t i = 0; i < cell->nruns; i++) {
		double speed = counted_speed(s, cell->runs[i]);

		if (fabs(speed - median) > OUTLIER_MADS * mad)
			flag_outlier(out, cell->runs[i]->round,
				     speed < median);
	}
}

/* -- the cells ------------------------------------------------------------ */

/* A run and where it belongs. */
struct placed {
	size_t cell;
	const struct run_result *run;
};

static int by_place(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	if (x->run->round != y->run->round)
		return x->run->round < y->run->round ? -1 : 1;
	return (x->run > y->run) - (x->run < y->run);
}

/* The index of the cell of RUN; that behind the last: it is in none. */
static size_t find_cell(const struct session *s, const struct run_result *run)
{
	for (size_t c = 0; c < s->ncounts; c++)
		if (s->counts[c] == run->clients && run->target < s->ntargets)
			return c * s->ntargets + run->target;
	return s->ncounts * s->ntargets;
}

/* Sort the runs into EV->runs, and give each cell its part of them. */
static void sort_runs(const struct session *s, struct evaluation *ev)
{
	autofree struct placed *placed =
		mem_zalloc(s->nruns + 1, sizeof(*placed));
	size_t at = 0;

	for (size_t i = 0; i < s->nruns; i++)
		placed[i] = (struct placed){ find_cell(s, &s->runs[i]),
					     &s->runs[i] };
	qsort(placed, s->nruns, sizeof(*placed), by_place);
	for (size_t i = 0; i < ev->ncells; i++) {
		struct cell *cell = &ev->cells[i];

		cell->runs = &ev->runs[at];
		for (; at < s->nruns && placed[at].cell == i; at++) {
			ev->runs[at] = placed[at].run;
			cell->nruns++;
		}
	}
}

/* The summary of CELL: that of a session which has no other. */
static void summarise_cell(const struct session *s, struct cell *cell)
{
	struct session part = *s;
	autofree struct run_result *runs =
		mem_zalloc(cell->nruns + 1, sizeof(*runs));

	/* what they own stays with the originals */
	for (size_t i = 0; i < cell->nruns; i++)
		runs[i] = *cell->runs[i];
	part.runs = runs;
	part.nruns = cell->nruns;
	session_summary(&part, cell->clients, cell->target, &cell->sum);
}

void cells_fill(const struct session *s, struct evaluation *ev)
{
	*ev = (struct evaluation){ .s = s, .ncells = s->ncounts * s->ntargets };
	ev->cells = mem_zalloc(ev->ncells + 1, sizeof(*ev->cells));
	ev->runs = mem_zalloc(s->nruns + 1, sizeof(*ev->runs));
	for (size_t i = 0; i < ev->ncells; i++) {
		ev->cells[i].clients = s->counts[i / s->ntargets];
		ev->cells[i].target = (unsigned)(i % s->ntargets);
	}
	sort_runs(s, ev);
	for (size_t i = 0; i < ev->ncells; i++) {
		summarise_cell(s, &ev->cells[i]);
		find_oddities(s, &ev->cells[i], &ev->cells[i].odd);
	}
}

int cell_loss(const struct cell *cell)
{
	for (size_t i = 0; i < cell->nruns; i++)
		if (cell->runs[i]->lost_errno)
			return cell->runs[i]->lost_errno;
	return 0;
}
