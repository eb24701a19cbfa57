/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The Test Anything Protocol, as much of it as the unit tests need.
 *
 * A test program is one main() that makes its checks and ends with
 * "return done_testing();".  Each check prints one line at once, so what was
 * printed before a fork or a crash is neither lost nor doubled.  The macros
 * evaluate to whether the check held.
 */
#ifndef REPLAY_TESTS_UNIT_TAP_H
#define REPLAY_TESTS_UNIT_TAP_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* What was checked so far. */
static struct {
	unsigned n;
	unsigned failed;
} tap;

/* One line: "ok N - NAME" or "not ok N - NAME # at FILE:LINE". */
__attribute__((format(printf, 4, 5), unused)) static bool
tap_ok(bool good, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	tap.failed += !good;
	printf("%sok %u - ", good ? "" : "not ", ++tap.n);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	if (!good)
		printf(" # at %s:%d", file, line);
	putchar('\n');
	(void)fflush(stdout);
	return good;
}

__attribute__((unused)) static bool
tap_is_int(long long got, long long want, const char *file, int line,
	   const char *name)
{
	bool good = tap_ok(got == want, file, line, "%s", name);

	if (!good)
		printf("#   got %lld (%#llx), want %lld\n", got,
		       (unsigned long long)got, want);
	return good;
}

__attribute__((unused)) static bool
tap_is_str(const char *got, const char *want, const char *file, int line,
	   const char *name)
{
	bool same = got && want ? strcmp(got, want) == 0 : got == want;
	bool good = tap_ok(same, file, line, "%s", name);

	if (!good)
		printf("#   got  '%s'\n#   want '%s'\n", got ? got : "(null)",
		       want ? want : "(null)");
	return good;
}

/* Count N checks that cannot be made here, and say why. */
__attribute__((unused)) static void skip(unsigned n, const char *reason)
{
	while (n--)
		printf("ok %u # SKIP %s\n", ++tap.n, reason);
	(void)fflush(stdout);
}

/* Print the plan; the exit status for main(). */
__attribute__((unused)) static int done_testing(void)
{
	printf("1..%u\n", tap.n);
	(void)fflush(stdout);
	return tap.n == 0 || tap.failed > 0;
}

/* ok(condition, format, ...): the name of the check is printf's. */
#define ok(cond, ...) tap_ok(!!(cond), __FILE__, __LINE__, __VA_ARGS__)

/* Integers of any type that fits in a long long, or in its bits. */
#define is_int(got, want, name)                                               \
	tap_is_int((long long)(got), (long long)(want), __FILE__, __LINE__,   \
		   name)

/* Strings; two NULLs are equal. */
#define is_str(got, want, name)                                               \
	tap_is_str((got), (want), __FILE__, __LINE__, name)

#endif
