/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The undo stack of a layout.  Every step of building pushes its inverse in
 * the same function, right after it took effect; tearing down, after success
 * or failure, pops them all.
 */
#ifndef REPLAY_LAYOUT_UNDO_H
#define REPLAY_LAYOUT_UNDO_H

#include "base/err.h"

#define UNDO_MAX 64

/* What an action works on: a number (a descriptor) and a text it copies. */
struct undo_arg {
	int fd;
	int number;
	char name[64];
};

typedef int undo_fn(const struct undo_arg *arg, struct err *err);

struct undo {
	struct {
		undo_fn *fn;
		struct undo_arg arg;
	} actions[UNDO_MAX];
	unsigned n;
};

/* Push; there is always room, for layouts have bounded depth (asserted). */
void undo_push(struct undo *undo, undo_fn *fn, const struct undo_arg *arg);

/* Close ARG.fd; the commonest action. */
int undo_close(const struct undo_arg *arg, struct err *err);

/*
 * Pop and run everything, last first.  Goes on after a failure.  Returns 0 or
 * the first failure, with ERR (may be NULL) of that one.
 */
int undo_all(struct undo *undo, struct err *err);

#endif
