/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Places in load files, and the messages about them. */
#ifndef REPLAY_LOAD_DIAG_H
#define REPLAY_LOAD_DIAG_H

#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "load/load.h"
#include "load/prog.h"

/* A line of a load file; line 0 is the file as a whole. */
struct place {
	uint32_t file; /* index in the program's files */
	uint32_t line; /* 1-based */
};

/* The load files of a program, in the order in which they were opened. */
struct file_list {
	struct prog_file *v;
	size_t n, cap;
};

/* The messages so far. */
struct diag {
	const struct file_list *files; /* borrowed */
	char *text;                    /* owned, one message a line */
	size_t len, cap;
	size_t count;                  /* messages, also those not kept */
};

/* "FILE:LINE" or "FILE" of a place, into BUF. */
void diag_place(const struct prog_file *files, struct place at, char *buf,
		size_t size);

/* " (included from A:1, from B:2)" or "", into BUF. */
void diag_includes(const struct prog_file *files, uint32_t file, char *buf,
		   size_t size);

/* Add "FILE:LINE: what".  Returns -EINVAL, so that callers can return it. */
int diag_at(struct diag *diag, struct place at, const char *fmt, ...)
	printf_like(3, 4);

/* Hand the messages over and leave DIAG empty. */
void diag_finish(struct diag *diag, struct load_errors *out);
void diag_done(struct diag *diag);

/* Room for a quoted piece of the user's text. */
#define QUOTE_MAX 200

/*
 * Text of the user's, made safe to print and short: in quotes, everything
 * but printable ASCII as \xNN, cut after 40 bytes.  Returns BUF.
 */
const char *diag_quote(char buf[QUOTE_MAX], const char *s, size_t len);

#endif
