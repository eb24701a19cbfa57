/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Numbers for people: as many digits as mean something, "-" for what is
 * unknown.  All write into BUF of SIZE and return it.
 */
#ifndef REPLAY_REPORT_FMT_H
#define REPLAY_REPORT_FMT_H

#include <stddef.h>
#include <stdint.h>

#define FMT_SIZE 32 /* enough for any of these */

/* Four significant digits, but whole numbers are kept: 0.1234 12.34 12345. */
const char *fmt_number(double v, char *buf, size_t size);

/* Microseconds in the unit that suits: 850ns 12.3us 4.56ms 1.20s. */
const char *fmt_us(double us, char *buf, size_t size);

/* Percent of a share (0..1): 0.4 12 100. */
const char *fmt_percent(double share, char *buf, size_t size);

/* A ratio: two decimals near 1, else three significant digits. */
const char *fmt_ratio(double v, char *buf, size_t size);

/* A probability: "<0.001", "0.042". */
const char *fmt_p(double p, char *buf, size_t size);

/* Bytes as megabytes (10^6), "-" for none. */
const char *fmt_mb(uint64_t bytes, char *buf, size_t size);

#endif
