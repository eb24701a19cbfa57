/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Control records of the interpreter; see control.c. */
#ifndef REPLAY_RUN_CONTROL_H
#define REPLAY_RUN_CONTROL_H

#include "run/interp.h"

/* What every pass begins with. */
void control_start_pass(struct client *cl);

/*
 * Obey the control record REC; *PC is the index behind it and may be
 * changed.  Returns the operation to execute next when the record prepared
 * one (CTL_EVAL), otherwise NULL: go on at *PC.  Sets cl->stopped when it
 * is time to stop.
 */
const struct rec *control_step(struct client *cl, const struct rec *rec,
			       uint32_t *pc);

/* Bytes that a client needs behind its own strings for dynamic paths. */
size_t control_dynamic_bytes(const struct prog *prog);

/*
 * The handle in SLOT was opened by a path that the next operation will
 * overwrite: keep a copy.  Returns the copy.
 */
const char *control_keep_path(struct client *cl, uint16_t slot,
			      const char *path);

/* The salt (see struct handle) of a path that was made at run time. */
uint32_t control_salt(const char *path);

/* pace.c: sleep until DUE_NS; false when it is time to stop. */
bool pace_sleep_until(struct client *cl, uint64_t due_ns);

/* pace.c: the same for a schedule, whose lag is recorded. */
bool pace_until(struct client *cl, uint64_t due_ns);

/* pace.c: -R, after an operation that moved bytes. */
bool pace_bytes(struct client *cl);

#endif
