/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers with units.  Parsing is done by hand: strtoull() takes signs and
 * blanks and stops silently where it likes, strtod() takes "nan", "0x1p3"
 * and, depending on the locale, a comma.  Here every byte must be used and
 * the locale plays no part.
 */
#include "base/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Anything longer is a typing error; it also keeps nanoseconds in 64 bits. */
#define SECONDS_MAX 1e9

/* The value of a digit, or 99: at least any base. */
static unsigned digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 99;
}

/* The power of two of a suffix, or -EINVAL. */
static int suffix_shift(char c)
{
	switch (c) {
	case 'K':
	case 'k':
		return 10;
	case 'M':
	case 'm':
		return 20;
	case 'G':
	case 'g':
		return 30;
	case 'T':
	case 't':
		return 40;
	default:
		return -EINVAL;
	}
}

/*
 * Read digits of BASE from S; returns how many there were.  *OVER is set
 * when they do not fit; reading goes on so that a malformed number is told
 * from a large one.
 */
static size_t read_digits(const char *s, size_t len, unsigned base,
			  uint64_t *out_value, bool *over)
{
	uint64_t value = 0;
	size_t i;

	for (i = 0; i < len && digit_value(s[i]) < base; i++) {
		if (__builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit_value(s[i]),
					   &value))
			*over = true;
	}
	*out_value = value;
	return i;
}

int units_parse_u64(const char *s, size_t len, uint64_t *out)
{
	unsigned base = 10;
	bool over = false;
	uint64_t value;
	size_t used;
	int shift = 0;

	if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		base = 16;
		s += 2;
		len -= 2;
	} else if (len > 1 && s[0] == '0' && digit_value(s[1]) < 10) {
		base = 8;
	}
	used = read_digits(s, len, base, &value, &over);
	if (!used)
		return -EINVAL;
	if (used + 1 == len)
		shift = suffix_shift(s[used]);
	if (shift < 0 || used + (shift > 0) != len)
		return -EINVAL;
	if (over || value > UINT64_MAX >> shift)
		return -ERANGE;
	*out = value << shift;
	return 0;
}

int units_parse_seconds(const char *s, double *out)
{
	double value = 0, scale = 1;
	bool digits = false;

	for (; *s >= '0' && *s <= '9'; s++, digits = true)
		value = value * 10 + (*s - '0');
	if (*s == '.')
		s++;
	for (; *s >= '0' && *s <= '9'; s++, digits = true) {
		/* beyond 1e-15 nothing changes and the scale would overflow */
		if (scale >= 1e15)
			continue;
		scale *= 10;
		value = value * 10 + (*s - '0');
	}
	if (*s || !digits || !(value / scale <= SECONDS_MAX))
		return -EINVAL;
	*out = value / scale;
	return 0;
}

/* BYTES in the largest unit below it, three significant digits. */
static const char *format_bytes(uint64_t bytes, double step,
				const char *const *units, char *buf,
				size_t size)
{
	double v = (double)bytes;
	int digits;

	if (v < step) {
		(void)snprintf(buf, size, "%u B", (unsigned)bytes);
		return buf;
	}
	do {
		v /= step;
		units++;
		/* 999.6 kB would be printed as "1000 kB": take the next */
	} while (v >= step - 0.5 && units[1]);
	digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
	(void)snprintf(buf, size, "%.*f %s", digits, v, *units);
	return buf;
}

const char *units_bytes(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B",  "kB", "MB", "GB",
					     "TB", "PB", "EB", NULL };

	return format_bytes(bytes, 1000, units, buf, size);
}

const char *units_bytes_iec(uint64_t bytes, char *buf, size_t size)
{
	static const char *const units[] = { "B",   "KiB", "MiB", "GiB",
					     "TiB", "PiB", "EiB", NULL };

	return format_bytes(bytes, 1024, units, buf, size);
}
