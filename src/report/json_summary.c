/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The summary in the JSON document, one object for every client count and
 * target:
 *
 *	clients, target
 *	rounds, failed_rounds  that count; that were made but do not
 *	partial                the rounds that count were cut short
 *	lost_data              some round lost data: there are no numbers
 *	disturbed_rounds       of those that count
 *	errors                 in all rounds, also those that do not count
 *	mb_per_s, durable_mb_per_s, ops_per_s, pass_seconds, seconds
 *	                       median, min, max, n over the rounds, or null
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

#include "base/cleanup.h"
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

static json_t *build_oddities(const struct session *s,
			      const struct summary_result *sum)
{
	json_t *o = jsonval_object(), *outliers = jsonval_array();
	struct oddities odd;

	session_oddities(s, sum->clients, sum->target, session_metric(s),
			 &odd);
	for (size_t i = 0;
	     i < MIN_OF(odd.noutliers, ARRAY_SIZE(odd.outliers)); i++)
		jsonval_append_count(outliers, odd.outliers[i]);
	jsonval_put(o, "outliers", outliers);
	jsonval_put_bool(o, "first_slow", odd.first_slow);
	return o;
}

static json_t *build_ratio(const struct session *s,
			   const struct comparison *cmp)
{
	json_t *o = jsonval_object();

	jsonval_put_text(o, "to", s->targets[cmp->to].name);
	jsonval_put_text(o, "metric", metric_key(cmp->metric));
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

/* All comparisons of a session. */
struct comparisons {
	const struct comparison *v;
	size_t n;
};

static void put_ratio(json_t *o, const struct session *s,
		      const struct summary_result *sum,
		      const struct comparisons *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const struct comparison *cmp = &all->v[i];

		if (cmp->clients == sum->clients &&
		    cmp->target == sum->target) {
			jsonval_put(o, "ratio", build_ratio(s, cmp));
			return;
		}
	}
	jsonval_put_null(o, "ratio");
}

static json_t *build_cell(const struct session *s, unsigned clients,
			  unsigned target, const struct comparisons *all)
{
	json_t *o = jsonval_object();
	struct summary_result sum;

	session_summary(s, clients, target, &sum);
	jsonval_put_count(o, "clients", clients);
	jsonval_put_text(o, "target", s->targets[target].name);
	jsonval_put_count(o, "rounds", sum.n);
	jsonval_put_count(o, "failed_rounds", sum.failed);
	jsonval_put_bool(o, "partial", sum.partial);
	jsonval_put_bool(o, "lost_data", sum.lost);
	jsonval_put_count(o, "disturbed_rounds", sum.disturbed);
	jsonval_put_count(o, "errors", sum.errors);
	put_spread(o, "mb_per_s", &sum.mb_per_s);
	put_spread(o, "durable_mb_per_s", &sum.durable_mb_per_s);
	put_spread(o, "ops_per_s", &sum.ops_per_s);
	put_spread(o, "pass_seconds", &sum.pass_seconds);
	put_spread(o, "seconds", &sum.seconds);
	jsonval_put(o, "oddities", build_oddities(s, &sum));
	put_ratio(o, s, &sum, all);
	return o;
}

json_t *json_summary_build(const struct session *s)
{
	autofree struct comparison *list = NULL;
	size_t n = session_compare(s, &list);
	const struct comparisons all = { .v = list, .n = n };
	json_t *summary = jsonval_array();

	for (size_t c = 0; c < s->ncounts; c++)
		for (unsigned t = 0; t < s->ntargets; t++)
			jsonval_append(summary,
				       build_cell(s, s->counts[c], t, &all));
	return summary;
}
