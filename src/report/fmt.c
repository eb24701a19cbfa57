/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Number formats of the readable report.  The limits between the formats
 * are where rounding would add a digit (9.9995 would be "10.000").
 */
#include "report/fmt.h"

#include <math.h>
#include <stdio.h>

const char *fmt_number(double v, char *buf, size_t size)
{
	double a = fabs(v);

	if (!isfinite(v))
		(void)snprintf(buf, size, "-");
	else if (a >= 999.95 || a <= 0)
		(void)snprintf(buf, size, "%.0f", v);
	else if (a >= 99.995)
		(void)snprintf(buf, size, "%.1f", v);
	else if (a >= 9.9995)
		(void)snprintf(buf, size, "%.2f", v);
	else if (a >= 0.99995)
		(void)snprintf(buf, size, "%.3f", v);
	else if (a >= 0.001)
		(void)snprintf(buf, size, "%.4f", v);
	else
		(void)snprintf(buf, size, "%.1e", v);
	return buf;
}

const char *fmt_us(double us, char *buf, size_t size)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double v = us * 1000;
	size_t unit = 0;

	if (!isfinite(us)) {
		(void)snprintf(buf, size, "-");
		return buf;
	}
	while (v >= 999.5 && unit < 3) {
		v /= 1000;
		unit++;
	}
	(void)snprintf(buf, size, "%.*f%s",
		       unit == 0 || v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2, v,
		       units[unit]);
	return buf;
}

const char *fmt_percent(double share, char *buf, size_t size)
{
	double v = share * 100;

	if (!isfinite(v))
		(void)snprintf(buf, size, "-");
	else
		(void)snprintf(buf, size, "%.*f", v < 9.95 && v > 0, v);
	return buf;
}

const char *fmt_ratio(double v, char *buf, size_t size)
{
	double a = fabs(v);

	if (!isfinite(v))
		(void)snprintf(buf, size, "-");
	else if (a >= 99.95)
		(void)snprintf(buf, size, "%.0f", v);
	else if (a >= 9.995)
		(void)snprintf(buf, size, "%.1f", v);
	else if (a >= 0.0995 || a <= 0)
		(void)snprintf(buf, size, "%.2f", v);
	else
		(void)snprintf(buf, size, "%.2g", v);
	return buf;
}

const char *fmt_p(double p, char *buf, size_t size)
{
	if (!isfinite(p))
		(void)snprintf(buf, size, "-");
	else if (p < 0.001)
		(void)snprintf(buf, size, "<0.001");
	else
		(void)snprintf(buf, size, "%.3f", p);
	return buf;
}

const char *fmt_mb(uint64_t bytes, char *buf, size_t size)
{
	if (bytes)
		return fmt_number((double)bytes / 1e6, buf, size);
	(void)snprintf(buf, size, "-");
	return buf;
}
