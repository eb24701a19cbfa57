/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a few values say about the mean of what they were drawn from, by
 * Student's t distribution.
 */
#ifndef REPLAY_STATS_STUDENT_H
#define REPLAY_STATS_STUDENT_H

#include <stddef.h>

/*
 * P(|T| >= |t|) with DF > 0 degrees of freedom, to about 1e-12; NAN when
 * either is none.
 */
double t_two_sided_p(double t, double df);

/* The t that |T| exceeds in 5 % of all cases: 12.7 with DF 1, 2.57 with 5. */
double t_quantile_975(double df);

/* A sample and the mean behind it. */
struct t_estimate {
	double mean; /* NAN without a value */
	double sd;   /* standard deviation (n - 1); NAN below two values */
	double half; /* half the width of the mean's 95 % interval; NAN below
			two */
	double p;    /* two-sided, of a true mean of 0; NAN below two */
};

/*
 * Estimate the mean from N finite values.  Values that are all the same have
 * an interval without width, and a p of 1 if they are 0 and of 0 if not.
 */
void t_estimate(const double *v, size_t n, struct t_estimate *out);

#endif
