/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Student's t against published tables, and against what is known exactly. */
#include "stats/student.h"

#include <math.h>

#include "base/macro.h"
#include "tap.h"

static bool near(double got, double want, double error)
{
	return fabs(got - want) <= error * fabs(want);
}

/* Percentage points of the usual tables, as printed there. */
static void test_tables(void)
{
	static const struct {
		double df;
		double t90, t95, t99; /* two-sided */
	} rows[] = {
		{ 1, 6.314, 12.706, 63.657 }, { 2, 2.920, 4.303, 9.925 },
		{ 3, 2.353, 3.182, 5.841 },   { 4, 2.132, 2.776, 4.604 },
		{ 5, 2.015, 2.571, 4.032 },   { 10, 1.812, 2.228, 3.169 },
		{ 30, 1.697, 2.042, 2.750 },  { 120, 1.658, 1.980, 2.617 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		double df = rows[i].df;

		ok(fabs(t_quantile_975(df) - rows[i].t95) <= 0.00051,
		   "t .975 with %g df", df);
		ok(near(t_two_sided_p(rows[i].t90, df), 0.10, 2e-3) &&
			   near(t_two_sided_p(rows[i].t95, df), 0.05, 2e-3) &&
			   near(t_two_sided_p(rows[i].t99, df), 0.01, 2e-3),
		   "p .10 .05 .01 with %g df", df);
	}
}

/* More digits of the same. */
static void test_digits(void)
{
	static const struct {
		double df, t;
	} rows[] = {
		{ 1, 12.706204736174698 }, { 2, 4.302652729749464 },
		{ 4, 2.776445105197793 },  { 5, 2.570581835636314 },
		{ 10, 2.228138851964939 }, { 30, 2.042272456301238 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		ok(near(t_quantile_975(rows[i].df), rows[i].t, 1e-11),
		   "t .975 with %g df, 12 digits", rows[i].df);
}

/* P(|T| >= t) for whole DF, by the finite sums of Abramowitz 26.7.3-4. */
static double exact_p(double t, unsigned df)
{
	double angle = atan(t / sqrt(df));
	double c2 = cos(angle) * cos(angle);
	double term = df % 2 ? cos(angle) : 1, sum = 0;

	for (unsigned k = df % 2 ? 3 : 2; k <= df; k += 2) {
		sum += term;
		term *= c2 * (k - 1) / k;
	}
	if (df % 2)
		return 1 - 2 / M_PI * (angle + sin(angle) * sum);
	return 1 - sin(angle) * sum;
}

static void test_exact(void)
{
	double worst = 0;

	for (unsigned df = 1; df <= 200; df++)
		for (double t = 0; t < 12; t += 0.0625)
			worst = fmax(worst, fabs(t_two_sided_p(t, df) -
						 exact_p(t, df)));
	printf("# largest error %.1e\n", worst);
	ok(worst < 1e-12, "200 df, t from 0 to 12");
	/* with one df the tail is 2 / (pi t) */
	ok(near(t_two_sided_p(1e9, 1), 2 / M_PI * 1e-9, 1e-12),
	   "a far tail has its digits");
	ok(near(t_two_sided_p(1e100, 1), 2 / M_PI * 1e-100, 1e-10),
	   "and a very far one");
	/* with many it is normal, but for 1/df */
	ok(fabs(t_two_sided_p(1.5, 1e7) - erfc(1.5 / sqrt(2))) < 1e-7,
	   "ten million df");
	ok(near(t_quantile_975(1e7), 1.959964, 1e-6), "and their quantile");
}

static void test_edges(void)
{
	is_int(t_two_sided_p(0, 5), 1, "t 0 is p 1");
	ok(t_two_sided_p(-2, 5) == t_two_sided_p(2, 5), "the sign is none");
	ok(t_two_sided_p(INFINITY, 5) == 0, "t infinite is p 0");
	ok(t_two_sided_p(1e200, 1) == 0, "also when its square is");
	ok(isnan(t_two_sided_p(NAN, 5)) && isnan(t_two_sided_p(1, NAN)) &&
		   isnan(t_two_sided_p(1, 0)) && isnan(t_two_sided_p(1, -1)),
	   "what is no number has none");
	ok(isnan(t_quantile_975(0)) && isnan(t_quantile_975(NAN)),
	   "nor has its quantile");
	ok(t_quantile_975(0.001) > 1e100, "bisection ends with odd df too");
}

/* The sleep data of Student (1908): t 4.0621, df 9, p 0.002833. */
static void test_estimate(void)
{
	const double sleep[] = { 1.2, 2.4, 1.3, 1.3, 0.0,
				 1.0, 1.8, 0.8, 4.6, 1.4 };
	const double same[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	const double zeros[] = { 0, 0 };
	struct t_estimate e;

	t_estimate(sleep, 10, &e);
	ok(near(e.mean, 1.58, 1e-12) && near(e.sd, 1.229995, 1e-6),
	   "Student's mean and standard deviation");
	ok(near(e.p, 0.00283289, 1e-5), "p");
	ok(near(e.mean - e.half, 0.7001142, 1e-6) &&
		   near(e.mean + e.half, 2.4598858, 1e-6), "interval");
	t_estimate(same, 6, &e);
	ok(e.mean == 0.1 && e.sd == 0 && e.half == 0 && e.p == 0,
	   "the same value every time has no width");
	t_estimate(zeros, 2, &e);
	ok(e.mean == 0 && e.sd == 0 && e.half == 0 && e.p == 1,
	   "0 every time is no difference");
	t_estimate(same, 1, &e);
	ok(e.mean == 0.1 && isnan(e.sd) && isnan(e.half) && isnan(e.p),
	   "one value has a mean only");
	t_estimate(same, 0, &e);
	ok(isnan(e.mean) && isnan(e.p), "none has nothing");
}

int main(void)
{
	test_tables();
	test_digits();
	test_exact();
	test_edges();
	test_estimate();
	return done_testing();
}
