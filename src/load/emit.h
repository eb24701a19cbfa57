/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One operation's statement to one record. */
#ifndef REPLAY_LOAD_EMIT_H
#define REPLAY_LOAD_EMIT_H

#include "load/build.h"
#include "load/parse.h"

/* Append a zeroed record with CODE.  Good until the next append. */
struct rec *emit_record(struct build *build, unsigned code, struct place at);

/*
 * Append the operation of STMT.  DEFINED: see expr_parse().  Returns 0, or
 * -EINVAL with the mistake reported.
 */
int emit_operation(struct build *build, const struct stmt *stmt,
		   unsigned defined) must_check;

#endif
