/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The summary in the JSON document, one object for every client count and
 * target:
 *
 *	clients, target
 *	rounds, failed_rounds  that count; that were made but do not
 *	partial                the rounds that count were cut short, or there
 *	                       are fewer than planned because the plan was
 *	lost_data              some round lost data: there are no numbers
 *	disturbed_rounds       of those that count
 *	errors                 in all rounds, also those that do not count
 *	mb_per_s, durable_mb_per_s, ops_per_s, pass_seconds, seconds
 *	                       median, min, max, n over the rounds, or null
 *	first_done_seconds, last_done_seconds
 *	                       likewise; null unless with passes
 *	oddities               by the metric of the plan: outliers[] (rounds),
 *	                       first_slow
 *	ratio                  null for the first target, else
 *	  to, metric           the first target, and plan.metric
 *	  value                how many times as fast, also where the metric
 *	                       is a time
 *	  low, high            95 % interval
 *	  sd                   standard deviation of the pairs' logarithms
 *	  p, p_adjusted, pairs
 *	  verdict              faster, slower, no difference shown,
 *	                       not comparable
 *	  why, remark          or null
 */
#include "report/json_summary.h"

#include <math.h>

#include "base/macro.h"
#include "report/jsonval.h"
#include "stats/compare.h"

static void put_spread(json_t *o, const char *key,
		       const struct spread *spread)
{
	json_t *v;

	if (!isfinite(spread->median)) {
		jsonval_put_null(o, key);
		return;
	}
	v = jsonval_object();
	jsonval_put_number(v, "median", spread->median);
	jsonval_put_number(v, "min", spread->min);
	jsonval_put_number(v, "max", spread->max);
	jsonval_put_count(v, "n", spread->n);
	jsonval_put(o, key, v);
}

static json_t *build_oddities(const struct oddities *odd)
{
	json_t *o = jsonval_object(), *outliers = jsonval_array();

	for (size_t i = 0;
	     i < MIN_OF(odd->noutliers, ARRAY_SIZE(odd->outliers)); i++)
		jsonval_append_count(outliers, odd->outliers[i]);
	jsonval_put(o, "outliers", outliers);
	jsonval_put_bool(o, "first_slow", odd->first_slow);
	return o;
}

static json_t *build_ratio(const struct session *s,
			   const struct comparison *cmp)
{
	json_t *o = jsonval_object();

	jsonval_put_text(o, "to", s->targets[cmp->to].name);
	jsonval_put_text(o, "metric", metric_key(s, cmp->metric));
	jsonval_put_number(o, "value", cmp->value);
	jsonval_put_number(o, "low", cmp->low);
	jsonval_put_number(o, "high", cmp->high);
	jsonval_put_number(o, "sd", cmp->sd);
	jsonval_put_number(o, "p", cmp->p);
	jsonval_put_number(o, "p_adjusted", cmp->p_adjusted);
	jsonval_put_count(o, "pairs", cmp->pairs);
	jsonval_put_text(o, "verdict", verdict_name(cmp->verdict));
	jsonval_put_text(o, "why", cmp->why);
	jsonval_put_text(o, "remark", cmp->remark);
	return o;
}

static void put_spreads(json_t *o, const struct session *s,
			const struct summary_result *sum)
{
	const struct spread none = { .median = NAN };

	put_spread(o, "mb_per_s", &sum->mb_per_s);
	put_spread(o, "durable_mb_per_s", &sum->durable_mb_per_s);
	put_spread(o, "ops_per_s", &sum->ops_per_s);
	put_spread(o, "pass_seconds", &sum->pass_seconds);
	put_spread(o, "first_done_seconds",
		   s->pass_mode ? &sum->first_done_seconds : &none);
	put_spread(o, "last_done_seconds",
		   s->pass_mode ? &sum->last_done_seconds : &none);
	put_spread(o, "seconds", &sum->seconds);
}

static json_t *build_cell(const struct evaluation *ev, const struct cell *cell)
{
	const struct comparison *cmp = evaluation_find(ev, cell);
	const struct summary_result *sum = &cell->sum;
	json_t *o = jsonval_object();

	jsonval_put_count(o, "clients", cell->clients);
	jsonval_put_text(o, "target", ev->s->targets[cell->target].name);
	jsonval_put_count(o, "rounds", sum->n);
	jsonval_put_count(o, "failed_rounds", sum->failed);
	jsonval_put_bool(o, "partial", sum->partial || sum->fewer);
	jsonval_put_bool(o, "lost_data", sum->lost);
	jsonval_put_count(o, "disturbed_rounds", sum->disturbed);
	jsonval_put_count(o, "errors", sum->errors);
	put_spreads(o, ev->s, sum);
	jsonval_put(o, "oddities", build_oddities(&cell->odd));
	if (cmp)
		jsonval_put(o, "ratio", build_ratio(ev->s, cmp));
	else
		jsonval_put_null(o, "ratio");
	return o;
}

json_t *json_summary_build(const struct evaluation *ev)
{
	json_t *summary = jsonval_array();

	for (size_t i = 0; i < ev->ncells; i++)
		jsonval_append(summary, build_cell(ev, &ev->cells[i]));
	return summary;
}
