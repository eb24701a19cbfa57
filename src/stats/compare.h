/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is one target faster than another?  Pairs of runs of the same round and
 * client count, a t interval on the logarithm of their ratio, Holm's
 * adjustment over the whole table, and the rules of a claim: see the top of
 * compare.c.
 */
#ifndef REPLAY_STATS_COMPARE_H
#define REPLAY_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/result.h"

/* Fewer pairs than this are said beside the verdict. */
#define COMPARE_PAIRS_GOOD 6

enum verdict {
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_NO_DIFFERENCE,  /* none shown */
	VERDICT_NOT_COMPARABLE
};

/* One target against the first, at one client count. */
struct comparison {
	unsigned clients;
	unsigned target, to;   /* indices in session->targets; to is 0 */
	enum metric metric;    /* never METRIC_AUTO */
	size_t pairs;          /* rounds in which both runs count */
	double value;          /* how many times as fast as `to`: geometric
				  mean over the pairs; like the numbers
				  below NAN where it is not comparable */
	double low, high;      /* its 95 % interval; NAN below two pairs */
	double sd;             /* standard deviation of the pairs' log
				  ratios; NAN below two pairs */
	double p, p_adjusted;  /* two-sided, alone and after Holm; NAN where
				  there is none */
	enum verdict verdict;
	char why[200];         /* for NOT_COMPARABLE the reason, for
				  NO_DIFFERENCE which rule was not met; "" */
	char remark[100];      /* "only 4 rounds", or "" */
};

/* "faster", "slower", "no difference shown", "not comparable". */
const char *verdict_name(enum verdict verdict);

/*
 * The metric that decides: session->metric, with METRIC_AUTO resolved: pass
 * time with -p; durable MB/s when the load writes and some target can be
 * durable at all; MB/s when it moves bytes; operations per second else.
 */
enum metric session_metric(const struct session *s);

/* "mb_per_s", "durable_mb_per_s", "ops_per_s", "pass_seconds": as in JSON. */
const char *metric_key(enum metric metric);

/* "MB/s", "durable MB/s", "operations/s", "pass time": for people. */
const char *metric_title(enum metric metric);

/*
 * The speed of RUN by METRIC: larger is better, so for pass time it is its
 * inverse, passes per second.  NAN where it has none.
 */
double run_speed(const struct session *s, const struct run_result *run,
		 enum metric metric);

/*
 * All comparisons of the session, client counts outside, targets (but the
 * first) inside.  Returns how many, and *OUT (the caller frees it).
 */
size_t session_compare(const struct session *s, struct comparison **out);

/*
 * What is odd about the rounds of one cell; nothing is ever dropped for it.
 * Outliers are rounds whose modified z-score |x - median| / MAD is above
 * 14.826 (ten times the standard deviation that the MAD stands for), with at
 * least five rounds; MADs of 0 have none.
 */
struct oddities {
	unsigned outliers[8];  /* rounds, from 1 */
	size_t noutliers;      /* may be more than are listed */
	bool first_slow;       /* the first round is one, and slower */
};

void session_oddities(const struct session *s, unsigned clients,
		      unsigned target, enum metric metric,
		      struct oddities *out);

/* Holm's step-down adjustment of N p values, in place; NANs do not count. */
void holm_adjust(double *p, size_t n);

#endif
