/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gzip, recognised by content. */
#ifndef REPLAY_LOAD_GUNZIP_H
#define REPLAY_LOAD_GUNZIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct gunzip_input {
	const char *bytes; /* borrowed */
	size_t len;
	size_t limit;      /* of the decompressed bytes */
};

bool gunzip_is(const char *bytes, size_t len);

/*
 * Decompress all members into fresh memory with one NUL after the last
 * byte; the caller frees it.  Refuses more than in->limit bytes.  Returns 0 or
 * -errno with ERR set.
 */
int gunzip_all(const struct gunzip_input *in, char **out, size_t *out_len,
	       struct err *err) must_check;

#endif
