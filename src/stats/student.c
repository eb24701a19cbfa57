/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Student's t distribution through the regularised incomplete beta function:
 * with x = df / (df + t^2), P(|T| >= |t|) is I_x(df / 2, 1 / 2).
 *
 * I_x(a, b) is x^a (1-x)^b / (a B(a, b)) times a continued fraction, which
 * is evaluated from the front by Lentz's method.  It converges fast where x
 * is below the mean of the beta distribution; above it I_x(a, b) is
 * 1 - I_{1-x}(b, a).  1 - x is handed down beside x, for it is known exactly
 * where the difference would have lost its digits.
 *
 * The quantile is found by bisection: it is needed once per comparison, and
 * a method that cannot fail is worth more than a fast one.
 */
#include "stats/student.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

/* About sqrt(max(a, b)) steps are needed; this is for df of millions. */
#define STEPS_MAX 10000

/* A denominator of Lentz's method may pass through 0; this is as good. */
static double keep_off_zero(double x)
{
	return fabs(x) < DBL_MIN / DBL_EPSILON ? DBL_MIN / DBL_EPSILON : x;
}

/* Lentz's method: the value so far, and the two ratios it advances by. */
struct fraction {
	double value, num, den;
};

/* Append the partial numerator A; whether that still changed the value. */
static bool extend_fraction(struct fraction *f, double a)
{
	double factor;

	f->den = 1 / keep_off_zero(1 + a * f->den);
	f->num = keep_off_zero(1 + a / f->num);
	factor = f->num * f->den;
	f->value *= factor;
	return fabs(factor - 1) > DBL_EPSILON;
}

/* 1 / (1 + d1 / (1 + d2 / ...)) of I_x(a, b), see DLMF 8.17.22. */
static double beta_fraction(double a, double b, double x)
{
	struct fraction f = { .value = 1, .num = 1, .den = 0 };

	for (int step = 0; step < STEPS_MAX; step++) {
		double m = step, k = a + 2 * m;
		bool odd, even;

		odd = extend_fraction(&f, -(a + m) * (a + b + m) * x /
						  (k * (k + 1)));
		m++;
		k += 2;
		even = extend_fraction(&f, m * (b - m) * x / ((k - 1) * k));
		if (!odd && !even)
			break;
	}
	return 1 / f.value;
}

/* I_x(a, b) where the fraction converges fast; Y is 1 - X. */
static double beta_below_mean(double a, double b, double x, double y)
{
	int sign;
	double log_beta = lgamma_r(a, &sign) + lgamma_r(b, &sign) -
			  lgamma_r(a + b, &sign);

	if (x <= 0)
		return 0;
	return exp(a * log(x) + b * log(y) - log_beta) / a *
	       beta_fraction(a, b, x);
}

double t_two_sided_p(double t, double df)
{
	double a = df / 2, b = 0.5;
	double square = t * t;
	double x = df / (df + square);

	if (isnan(t) || !isfinite(df) || df <= 0)
		return NAN;
	if (x < (a + 1) / (a + b + 2))
		return beta_below_mean(a, b, x, square / (df + square));
	return 1 - beta_below_mean(b, a, square / (df + square), x);
}

double t_quantile_975(double df)
{
	double low = 0, high = 2, middle;

	if (!isfinite(df) || df <= 0)
		return NAN;
	while (t_two_sided_p(high, df) > 0.05)
		high *= 2;
	for (;;) {
		middle = low / 2 + high / 2;
		if (middle <= low || middle >= high)
			return middle;
		if (t_two_sided_p(middle, df) > 0.05)
			low = middle;
		else
			high = middle;
	}
}

/* From the first value, so that the mean of equal values is exact. */
static double sample_mean(const double *v, size_t n)
{
	double sum = 0;

	for (size_t i = 1; i < n; i++)
		sum += v[i] - v[0];
	return v[0] + sum / (double)n;
}

static double sample_sd(const double *v, size_t n, double mean)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += (v[i] - mean) * (v[i] - mean);
	return sqrt(squares / (double)(n - 1));
}

void t_estimate(const double *v, size_t n, struct t_estimate *out)
{
	double df = (double)n - 1, error;

	*out = (struct t_estimate){ NAN, NAN, NAN, NAN };
	if (!n)
		return;
	out->mean = sample_mean(v, n);
	if (n < 2)
		return;
	out->sd = sample_sd(v, n, out->mean);
	error = out->sd / sqrt((double)n);
	out->half = t_quantile_975(df) * error;
	if (error > 0)
		out->p = t_two_sided_p(out->mean / error, df);
	else
		out->p = out->mean == 0 ? 1 : 0;
}
