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
 *   - nothing is durable on one of the targets, and it is on the other;
 *   - there is no pair;
 *   - their clients did different work in the rounds of the pairs (mix.h).
 *
 * Otherwise the target is faster or slower if all of these hold, and else no
 * difference is shown; `why` is the first that does not hold:
 *   - there are two pairs or more;
 *   - the adjusted p is below 0.05;
 *   - every round points the same way;
 *   - the ratio is off by more than 3 %;
 *   - with --aa: the ratio is further off than either end of the interval of
 *     the first target against itself at this client count.  An A-A interval
 *     needs two pairs too.  The control itself has no such floor, so it is
 *     seen when it fails.
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
	struct pair *pairs;  /* owned; npairs */
	size_t npairs;
	size_t against;      /* rounds that do not point where the mean does */
};

static const struct run_result *find_run(const struct session *s,
					 unsigned round, unsigned clients,
					 unsigned target)
{
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (run->round == round && run->clients == clients &&
		    run->target == target)
			return run;
	}
	return NULL;
}

/* The logarithm of RUN's speed; NAN for a run that does not count. */
static double log_speed(const struct session *s, const struct run_result *run,
			enum metric metric)
{
	double speed;

	if (!run || run_judge(s, run) != RUN_GOOD)
		return NAN;
	speed = run_speed(s, run, metric);
	return isfinite(speed) && speed > 0 ? log(speed) : NAN;
}

/* Find the pairs of C; ROOM is for as many as there are runs. */
static size_t find_pairs(const struct session *s, const struct comparison *c,
			 struct pair *room)
{
	size_t n = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i], *to;
		double log_ratio;

		if (run->clients != c->clients || run->target != c->target)
			continue;
		to = find_run(s, run->round, c->clients, c->to);
		log_ratio = log_speed(s, run, c->metric) -
			    log_speed(s, to, c->metric);
		if (isfinite(log_ratio))
			room[n++] = (struct pair){ run, to, log_ratio };
	}
	return n;
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

/* The errno of the first loss in a cell. */
static int find_loss(const struct session *s, unsigned clients, unsigned target)
{
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (run->clients == clients && run->target == target &&
		    run->lost_errno)
			return run->lost_errno;
	}
	return 0;
}

/* Whether TARGET has a result at the client count of C. */
static bool has_result(const struct session *s, struct comparison *c,
		       unsigned target)
{
	const char *name = s->targets[target].name;
	struct summary_result sum;

	session_summary(s, c->clients, target, &sum);
	if (sum.lost)
		refuse(c, "%s lost data (%s)", name,
		       err_name(find_loss(s, c->clients, target)));
	else if (!sum.n && !sum.failed)
		refuse(c, "%s was not run", name);
	else if (!sum.n)
		refuse(c, "%s failed", name);
	else if (sum.partial)
		refuse(c, "%s was cut short", name);
	else
		return true;
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

/* Whether both sides did the same work in the rounds of the pairs. */
static bool is_same_mix(const struct work *work, struct comparison *c)
{
	struct mix mix, to;

	mix_init(&mix);
	mix_init(&to);
	for (size_t i = 0; i < work->npairs; i++) {
		mix_add(&mix, work->pairs[i].run);
		mix_add(&to, work->pairs[i].to);
	}
	if (mix_is_same(&mix, &to, c->why, sizeof(c->why)))
		return true;
	c->verdict = VERDICT_NOT_COMPARABLE;
	return false;
}

static bool is_comparable(const struct session *s, const struct work *work,
			  struct comparison *c)
{
	if (!has_result(s, c, c->target) || !has_result(s, c, c->to) ||
	    !is_as_volatile(s, c))
		return false;
	if (!work->npairs) {
		refuse(c, "no round in which both have a result (%s)",
		       metric_title(c->metric));
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
	if (c->pairs > 1 && c->pairs < COMPARE_PAIRS_GOOD)
		(void)snprintf(c->remark, sizeof(c->remark), "only %zu rounds",
			       c->pairs);
}

/* Everything about one comparison that does not need the others. */
static void compare_cells(const struct session *s, struct work *work,
			  struct comparison *c)
{
	work->pairs = mem_zalloc(s->nruns + 1, sizeof(*work->pairs));
	work->npairs = find_pairs(s, c, work->pairs);
	c->pairs = work->npairs;
	c->value = c->low = c->high = c->sd = c->p = c->p_adjusted = NAN;
	c->verdict = VERDICT_NO_DIFFERENCE;
	if (is_comparable(s, work, c))
		estimate_ratio(work, c);
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

/* What |log ratio| must exceed because of CONTROL, the A-A comparison. */
static double noise_floor(const struct comparison *control)
{
	if (control->pairs < 2 || !isfinite(control->sd))
		return 0;
	return fmax(fabs(log(control->low)), fabs(log(control->high)));
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

/* The rules of a claim, for a comparison that is none of the refused. */
static void judge_claim(const struct work *work, double noise,
			struct comparison *c)
{
	if (c->pairs < 2)
		decide(c, VERDICT_NO_DIFFERENCE, "one round only");
	else if (!(c->p_adjusted < P_CLAIM))
		tell_p(c);
	else if (work->against)
		decide(c, VERDICT_NO_DIFFERENCE, "%zu of %zu rounds the other"
		       " way", work->against, c->pairs);
	else if (!(fabs(c->value - 1) > EFFECT_MIN))
		decide(c, VERDICT_NO_DIFFERENCE, "less than %g %%",
		       EFFECT_MIN * 100);
	else if (!(fabs(log(c->value)) > noise))
		decide(c, VERDICT_NO_DIFFERENCE, "within the A-A noise"
		       " (%.1f %%)", expm1(noise) * 100);
	else
		c->verdict = c->value > 1 ? VERDICT_FASTER : VERDICT_SLOWER;
}

/* One client count: ALL and WORK have a row for each target but the first. */
static void judge_row(const struct session *s, const struct work *work,
		      struct comparison *all)
{
	size_t n = s->ntargets - 1;
	double noise = s->has_aa ? noise_floor(&all[n - 1]) : 0;

	for (size_t i = 0; i < n; i++) {
		bool is_control = s->has_aa && i == n - 1;

		if (all[i].verdict != VERDICT_NOT_COMPARABLE)
			judge_claim(&work[i], is_control ? 0 : noise, &all[i]);
	}
}

size_t session_compare(const struct session *s, struct comparison **out)
{
	size_t row = s->ntargets > 1 ? s->ntargets - 1 : 0;
	size_t n = s->ncounts * row;
	autofree struct work *work = mem_zalloc(n + 1, sizeof(*work));
	struct comparison *all;

	*out = NULL;
	if (!n)
		return 0;
	all = mem_zalloc(n, sizeof(*all));
	for (size_t i = 0; i < n; i++) {
		all[i].clients = s->counts[i / row];
		all[i].target = (unsigned)(i % row) + 1;
		all[i].metric = session_metric(s);
		compare_cells(s, &work[i], &all[i]);
	}
	adjust_table(all, n);
	for (size_t i = 0; i < n; i += row)
		judge_row(s, &work[i], &all[i]);
	for (size_t i = 0; i < n; i++)
		free(work[i].pairs);
	*out = all;
	return n;
}
