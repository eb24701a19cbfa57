/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Time stamps: seconds in the text, nanoseconds in the program. */
#ifndef REPLAY_LOAD_STAMP_H
#define REPLAY_LOAD_STAMP_H

#include <stdint.h>

#include "base/err.h"
#include "load/lex.h"

/* Returns 0 or -EINVAL with ERR set. */
int stamp_parse(const struct token *token, uint64_t *out_ns,
		struct err *err) must_check;

#endif
