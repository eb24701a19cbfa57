/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units, in and out. */
#ifndef REPLAY_BASE_UNITS_H
#define REPLAY_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"

/*
 * "1234", "0x4d2", "02322", with an optional K, M, G or T (powers of 1024,
 * either case): all of LEN bytes must be used, there is no sign.
 * Returns 0, -EINVAL (no number) or -ERANGE.
 */
int units_parse_u64(const char *s, size_t len, uint64_t *out) must_check;

/*
 * A non-negative decimal number of seconds ("10", "0.5"), at most 1e9.
 * Returns 0 or -EINVAL.
 */
int units_parse_seconds(const char *s, double *out) must_check;

/*
 * "17.3 MB" (powers of 1000) and "64.0 MiB" (powers of 1024), three
 * significant digits, into BUF, which is returned.
 */
const char *units_bytes(uint64_t bytes, char *buf, size_t size);
const char *units_bytes_iec(uint64_t bytes, char *buf, size_t size);

#endif
