/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last word of an operation: what outcome the load recorded. */
#ifndef REPLAY_LOAD_STATUS_H
#define REPLAY_LOAD_STATUS_H

#include <stdbool.h>

#include "base/macro.h"
#include "load/lex.h"

/* The outcome (enum want) a status means, or -EINVAL if it is none. */
int status_parse(const struct token *token) must_check;

/* A status that means WANT: status_parse() of it gives WANT again, except
 * for WANT_OK_EXIST, which is Mkdir's reading of success. */
const char *status_text(unsigned want);

/* Whether success would be an unexpected outcome. */
bool status_must_fail(unsigned want);

#endif
