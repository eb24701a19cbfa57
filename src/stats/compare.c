/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When a target is called faster than the first one.
 *
 * A pair is a round in which both runs are good (run_judge()) and have a
 * finite, positive speed by the metric.  The logarithms of the pairs' speed
 * ratios are taken as a normal sample: their mean, its 95 % t interval and
 * the two-sided p of a true mean of 0.  The p values of the whole table are
 * adjusted by Holm's method, so that a table of any size with nothing in it
 * names a winner in at most 5 % of all cases.
 *
 * Two cells are not compared at all, and no ratio of them is given, when
 *   - one has no result: it lost data, failed, was cut short or never run;
 *   - the metric is of bytes, and backend or load move none;
 *   - nothing is durable on one of the targets, and it is on the other;
 *   - there is no pair;
 *   - their clients did different work in the rounds of the pairs (mix.h).
 *
 * Otherwise the target is faster or slower if all of these hold, and else no
 * difference is shown; `why` is the first that does not hold:
 *   - no round that was made is missing for a reason that the target may
 *     have: it failed, reached the disk's reserve, or has no speed by the
 *     metric.  Rounds that die are not missing at random, and the survivors
 *     prove nothing.  Those that an interrupted plan did not come to are
 *     remarked upon only;
 *   - there are two pairs or more;
 *   - the pairs vary, or are many: numbers that are all the same are coarse,
 *     not certain;
 *   - the adjusted p is below 0.05;
 *   - every round points the same way;
 *   - the ratio is off by more than 3 %;
 *   - with --aa: the ratio is further off than either end of the interval of
 *     the first target against itself at this client count.  An A-A interval
 *     needs two pairs too; where there is none that is remarked upon.  The
 *     control itself has no such floor, so it is seen when it fails.
 */
#include "stats/compare.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "stats/mix.h"
#include "stats/student.h"

#define P_CLAIM 0.05            /* adjusted p of a claim is below this */
#define EFFECT_MIN 0.03         /* so far off 1 must a claimed ratio be */
#define SD_NONE 1e-9            /* logarithms that differ by rounding only */

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_NO_DIFFERENCE] = "no difference shown",
		[VERDICT_NOT_COMPARABLE] = "not comparable",
	};

	return names[verdict];
}

/* -- the pairs of a comparison -------------------------------------------- */

struct pair {
	const struct run_result *run, *to;
	double log_ratio;
};

/* What a comparison is made of, beside what is told of it. */
struct work {
	const struct cell *cell, *to;
	struct pair *pairs;  /* owned; npairs */
	size_t npairs;
	size_t against;      /* rounds that do not point where the mean does */
};

/* The logarithm of RUN's speed; NAN for a run that does not count. */
static double log_speed(const struct session *s, const struct run_result *run,
			enum metric metric)
{
	double speed;

	if (run_judge(s, run) != RUN_GOOD)
		return NAN;
	speed = run_speed(s, run, metric);
	return isfinite(speed) && speed > 0 ? log(speed) : NAN;
}

/* Find the pairs: both cells have their runs by round. */
static void find_pairs(const struct session *s, enum metric metric,
		       struct work *work)
{
	const struct cell *cell = work->cell, *to = work->to;
	size_t j = 0;

	work->pairs = mem_zalloc(cell->nruns + 1, sizeof(*work->pairs));
	for (size_t i = 0; i < cell->nruns; i++) {
		const struct run_result *run = cell->runs[i];
		double log_ratio;

		while (j < to->nruns && to->runs[j]->round < run->round)
			j++;
		if (j == to->nruns || to->runs[j]->round != run->round)
			continue;
		log_ratio = log_speed(s, run, metric) -
			    log_speed(s, to->runs[j], metric);
		if (isfinite(log_ratio))
			work->pairs[work->npairs++] =
				(struct pair){ run, to->runs[j], log_ratio };
	}
}

/* -- what cannot be compared ---------------------------------------------- */

/* Give C its verdict and the reason for it. */
static void printf_like(3, 4) decide(struct comparison *c, enum verdict verdict,
				     const char *fmt, ...)
{
	va_list ap;

	c->verdict = verdict;
	va_start(ap, fmt);
	(void)vsnprintf(c->why, sizeof(c->why), fmt, ap);
	va_end(ap);
}

#define refuse(c, ...) decide((c), VERDICT_NOT_COMPARABLE, __VA_ARGS__)

/* Whether CELL has a result. */
static bool has_result(const struct session *s, const struct cell *cell,
		       struct comparison *c)
{
	const char *name = s->targets[cell->target].name;
	const struct summary_result *sum = &cell->sum;

	if (sum->lost)
		refuse(c, "%s lost data (%s)", name,
		       err_name(cell_loss(cell)));
	else if (!sum->n && !sum->failed)
		refuse(c, "%s was not run", name);
	else if (!sum->n)
		refuse(c, "%s failed", name);
	else if (sum->partial)
		refuse(c, "%s was cut short", name);
	else
		return true;
	return false;
}

/* Whether the metric can be measured at all. */
static bool has_metric(const struct session *s, struct comparison *c)
{
	if (session_moves_bytes(s) ||
	    (c->metric != METRIC_MB && c->metric != METRIC_DURABLE))
		return true;
	refuse(c, "no %s: the %s moves no bytes", metric_title(s, c->metric),
	       s->moves_nothing ? "backend" : "load");
	return false;
}

/* Whether both targets can be durable, or neither. */
static bool is_as_volatile(const struct session *s, struct comparison *c)
{
	const struct target_info *target = &s->targets[c->target];
	const struct target_info *to = &s->targets[c->to];
	bool is_volatile = target_is_volatile(target);

	if (is_volatile != target_is_volatile(to)) {
		refuse(c, "nothing on %s is durable",
		       is_volatile ? target->name : to->name);
		return false;
	}
	if (is_volatile && c->metric == METRIC_DURABLE) {
		refuse(c, "nothing on either is durable: needs another metric");
		return false;
	}
	return true;
}

/*
 * Whether both sides did the same work in the rounds of the pairs, in the time
 * that the metric is of.
 */
static bool is_same_mix(const struct work *work, struct comparison *c)
{
	bool since_gate = c->metric == METRIC_DURABLE;
	struct mix mix, to;

	mix_init(&mix);
	mix_init(&to);
	for (size_t i = 0; i < work->npairs; i++) {
		mix_add(&mix, work->pairs[i].run, since_gate);
		mix_add(&to, work->pairs[i].to, since_gate);
	}
	if (mix_is_same(&mix, &to, c->why, sizeof(c->why)))
		return true;
	c->verdict = VERDICT_NOT_COMPARABLE;
	return false;
}

static bool is_comparable(const struct session *s, const struct work *work,
			  struct comparison *c)
{
	if (!has_result(s, work->cell, c) || !has_result(s, work->to, c) ||
	    !has_metric(s, c) || !is_as_volatile(s, c))
		return false;
	if (!work->npairs) {
		refuse(c, "no round in which both have a result (%s)",
		       metric_title(s, c->metric));
		return false;
	}
	return is_same_mix(work, c);
}

/* -- the numbers of a comparison ------------------------------------------ */

/* Fill C from its pairs. */
static void estimate_ratio(struct work *work, struct comparison *c)
{
	autofree double *v = mem_zalloc(work->npairs, sizeof(*v));
	struct t_estimate e;

	for (size_t i = 0; i < work->npairs; i++)
		v[i] = work->pairs[i].log_ratio;
	t_estimate(v, work->npairs, &e);
	c->value = exp(e.mean);
	c->low = exp(e.mean - e.half);
	c->high = exp(e.mean + e.half);
	c->sd = e.sd;
	c->p = e.p;
	for (size_t i = 0; i < work->npairs; i++)
		work->against += !(v[i] * e.mean > 0);
}

static bool is_without_variation(const struct comparison *c)
{
	return c->sd < SD_NONE && c->pairs < COMPARE_PAIRS_GOOD;
}

/* Few pairs that are all the same have no interval, and prove nothing. */
static void drop_certainty(struct comparison *c)
{
	if (!is_without_variation(c))
		return;
	c->low = c->high = NAN;
	if (fabs(log(c->value)) > SD_NONE)
		c->p = NAN;
}

static void printf_like(2, 3) remark(struct comparison *c, const char *fmt,
				     ...)
{
	size_t used = strlen(c->remark);
	va_list ap;

	if (used)
		used += (size_t)snprintf(c->remark + used,
					 sizeof(c->remark) - used, "; ");
	va_start(ap, fmt);
	(void)vsnprintf(c->remark + used, sizeof(c->remark) - used, fmt, ap);
	va_end(ap);
}

/* Say that the pairs are few, or fewer than were planned. */
static void remark_rounds(const struct session *s, struct comparison *c)
{
	const char *only = c->pairs < COMPARE_PAIRS_GOOD ? "only " : "";

	if (c->pairs < s->rounds)
		remark(c, "%s%zu of %u rounds", only, c->pairs, s->rounds);
	else if (c->pairs > 1 && *only)
		remark(c, "%s%zu rounds", only, c->pairs);
}

/* Everything about one comparison that does not need the others. */
static void compare_cells(const struct session *s, struct work *work,
			  struct comparison *c)
{
	find_pairs(s, c->metric, work);
	c->pairs = work->npairs;
	c->value = c->low = c->high = c->sd = c->p = c->p_adjusted = NAN;
	c->verdict = VERDICT_NO_DIFFERENCE;
	if (!is_comparable(s, work, c))
		return;
	estimate_ratio(work, c);
	drop_certainty(c);
}

/* -- the whole table ------------------------------------------------------ */

struct ranked {
	double p;
	size_t at; /* where it came from */
};

static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return (x->p > y->p) - (x->p < y->p);
}

/*
 * The smallest of m values is multiplied by m, the next by m - 1, ...; none
 * becomes smaller than the one before, or larger than 1.
 */
void holm_adjust(double *p, size_t n)
{
	autofree struct ranked *ranks = mem_zalloc(n + 1, sizeof(*ranks));
	double highest = 0;
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			ranks[m++] = (struct ranked){ p[i], i };
	qsort(ranks, m, sizeof(*ranks), by_p);
	for (size_t i = 0; i < m; i++) {
		highest = fmax(highest, ranks[i].p * (double)(m - i));
		p[ranks[i].at] = fmin(highest, 1);
	}
}

static void adjust_table(struct comparison *all, size_t n)
{
	autofree double *p = mem_zalloc(n + 1, sizeof(*p));

	for (size_t i = 0; i < n; i++)
		p[i] = all[i].p;
	holm_adjust(p, n);
	for (size_t i = 0; i < n; i++)
		all[i].p_adjusted = p[i];
}

double comparison_reach(const struct comparison *cmp)
{
	return isfinite(cmp->low) && isfinite(cmp->high) ?
		       fmax(fabs(log(cmp->low)), fabs(log(cmp->high))) :
		       NAN;
}

static void tell_p(struct comparison *c)
{
	int digits = c->p_adjusted < 0.1 ? 3 : 2;

	if (c->p_adjusted <= c->p)
		decide(c, VERDICT_NO_DIFFERENCE, "p %.*f", digits, c->p);
	else
		decide(c, VERDICT_NO_DIFFERENCE,
		       "p %.*f (%.2g alone)", digits, c->p_adjusted, c->p);
}

/* Whether RUN was made and is missing, for a reason of its target's. */
static bool is_casualty(const struct session *s, const struct run_result *run)
{
	enum run_worth worth = run_judge(s, run);

	return worth == RUN_BAD ||
	       (worth == RUN_PARTIAL && run->end == RUN_RESERVE);
}

/* Whether rounds of CELL are missing that way; C says so then. */
static bool has_casualties(const struct session *s, const struct cell *cell,
			   struct comparison *c)
{
	const char *name = s->targets[cell->target].name;
	size_t failed = 0, unmeasured = 0;

	for (size_t i = 0; i < cell->nruns; i++) {
		const struct run_result *run = cell->runs[i];

		failed += is_casualty(s, run);
		unmeasured += run_judge(s, run) == RUN_GOOD &&
			      isnan(log_speed(s, run, c->metric));
	}
	if (failed)
		decide(c, VERDICT_NO_DIFFERENCE, "%zu of %zu rounds failed"
		       " on %s", failed, cell->nruns, name);
	else if (unmeasured)
		decide(c, VERDICT_NO_DIFFERENCE, "%zu of %zu rounds on %s have"
		       " no %s", unmeasured, cell->nruns, name,
		       metric_title(s, c->metric));
	return failed || unmeasured;
}

/* The rules of a claim that are about the numbers; NOISE may be NAN. */
static void judge_claim(const struct work *work, double noise,
			struct comparison *c)
{
	if (c->pairs < 2)
		decide(c, VERDICT_NO_DIFFERENCE, "one round only");
	else if (is_without_variation(c) && isnan(c->p))
		decide(c, VERDICT_NO_DIFFERENCE, "no variation seen in so few"
		       " rounds");
	else if (!(c->p_adjusted < P_CLAIM))
		tell_p(c);
	else if (work->against)
		decide(c, VERDICT_NO_DIFFERENCE, "%zu of %zu rounds the other"
		       " way", work->against, c->pairs);
	else if (!(fabs(c->value - 1) > EFFECT_MIN))
		decide(c, VERDICT_NO_DIFFERENCE, "less than %g %%",
		       EFFECT_MIN * 100);
	else if (fabs(log(c->value)) <= noise)
		decide(c, VERDICT_NO_DIFFERENCE, "within the A-A noise"
		       " (%.1f %%)", expm1(noise) * 100);
	else
		c->verdict = c->value > 1 ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* One comparison that is none of the refused; CONTROL is that of A-A. */
static void judge(const struct session *s, const struct work *work,
		  const struct comparison *control, struct comparison *c)
{
	bool needs_floor = control && control != c;
	/* what |log ratio| must exceed */
	double noise = needs_floor ? comparison_reach(control) : NAN;

	if (!has_casualties(s, work->cell, c) &&
	    !has_casualties(s, work->to, c)) {
		judge_claim(work, noise, c);
		remark_rounds(s, c);
	}
	if (needs_floor && isnan(noise))
		remark(c, "no A-A floor");
}

/* One client count: ALL and WORK have a row for each target but the first. */
static void judge_row(const struct session *s, const struct work *work,
		      struct comparison *all)
{
	size_t n = s->ntargets - 1;

	for (size_t i = 0; i < n; i++)
		if (all[i].verdict != VERDICT_NOT_COMPARABLE)
			judge(s, &work[i], s->has_aa ? &all[n - 1] : NULL,
			      &all[i]);
}

/* Fill EV->list; ROW is how many comparisons there are of a client count. */
static void compare_all(const struct session *s, size_t row,
			struct evaluation *ev)
{
	autofree struct work *work = mem_zalloc(ev->n + 1, sizeof(*work));

	for (size_t i = 0; i < ev->n; i++) {
		struct comparison *c = &ev->list[i];

		c->clients = s->counts[i / row];
		c->target = (unsigned)(i % row) + 1;
		c->metric = session_metric(s);
		work[i].cell = evaluation_cell(ev, i / row, c->target);
		work[i].to = evaluation_cell(ev, i / row, c->to);
		compare_cells(s, &work[i], c);
	}
	adjust_table(ev->list, ev->n);
	for (size_t i = 0; i < ev->n; i += row)
		judge_row(s, &work[i], &ev->list[i]);
	for (size_t i = 0; i < ev->n; i++)
		free(work[i].pairs);
}

void session_evaluate(const struct session *s, struct evaluation *ev)
{
	size_t row = s->ntargets > 1 ? s->ntargets - 1 : 0;

	cells_fill(s, ev);
	ev->n = s->ncounts * row;
	ev->list = mem_zalloc(ev->n + 1, sizeof(*ev->list));
	if (ev->n)
		compare_all(s, row, ev);
}

void evaluation_done(struct evaluation *ev)
{
	free(ev->cells);
	free(ev->runs);
	free(ev->list);
	*ev = (struct evaluation){ .s = NULL };
}

const struct cell *evaluation_cell(const struct evaluation *ev, size_t count,
				   size_t target)
{
	return &ev->cells[count * ev->s->ntargets + target];
}

const struct comparison *evaluation_find(const struct evaluation *ev,
					 const struct cell *cell)
{
	size_t count = (size_t)(cell - ev->cells) / ev->s->ntargets;

	if (!cell->target)
		return NULL;
	return &ev->list[count * (ev->s->ntargets - 1) + cell->target - 1];
}
