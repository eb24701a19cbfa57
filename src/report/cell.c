/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A cell of a table.  It never makes up a number: where no round counts it
 * says so, and where a round lost data that is the answer.
 */
#include "report/cell.h"

#include <math.h>
#include <stdio.h>

#include "report/fmt.h"

static const char *get_mark(const struct summary_result *sum)
{
	if (sum->partial || sum->fewer)
		return "*";
	if (sum->surprised)
		return "!";
	return sum->disturbed ? "~" : " ";
}

void cell_text(const struct summary_result *sum, double v, char *buf,
	       size_t size)
{
	char number[FMT_SIZE];

	if (sum->lost)
		(void)snprintf(buf, size, "lost data ");
	else if (!sum->n)
		(void)snprintf(buf, size, "%s ",
			       sum->failed ? "failed" : "not run");
	else
		(void)snprintf(buf, size, "%s%s",
			       fmt_number(v, number, sizeof(number)),
			       isfinite(v) ? get_mark(sum) : " ");
}

/* As run_speed() has it. */
static double get_pass_time(const struct session *s,
			    const struct summary_result *sum)
{
	double last = sum->last_done_seconds.median;

	if (!s->pass_mode)
		return sum->pass_seconds.median;
	return isfinite(last) ? last : sum->seconds.median;
}

double cell_metric(const struct session *s, const struct summary_result *sum,
		   enum metric metric)
{
	switch (metric) {
	case METRIC_DURABLE:
		return sum->durable_mb_per_s.median;
	case METRIC_OPS:
		return sum->ops_per_s.median;
	case METRIC_PASS:
		return get_pass_time(s, sum);
	case METRIC_MB:
	case METRIC_AUTO:
		break;
	}
	return sum->mb_per_s.median;
}

void cell_marks(const struct evaluation *ev, struct marks *out)
{
	*out = (struct marks){ 0 };
	for (size_t i = 0; i < ev->ncells; i++) {
		const struct summary_result *sum = &ev->cells[i].sum;

		if (!sum->n)
			continue;
		out->partial = out->partial || sum->partial || sum->fewer;
		out->surprised = out->surprised || sum->surprised;
		out->disturbed = out->disturbed || sum->disturbed;
	}
}
