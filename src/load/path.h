/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dbench's paths, checked and put into one form. */
#ifndef REPLAY_LOAD_PATH_H
#define REPLAY_LOAD_PATH_H

#include <stddef.h>

#include "base/err.h"
#include "load/lex.h"
#include "load/prog.h"

/*
 * The form: text, in which a NUL announces what differs between clients or
 * changes while running.  Text cannot contain a NUL.
 */
enum path_mark {
	PATH_MARK = '\0',        /* followed by one of: */
	PATH_MARK_CLIENT = 'c',  /* the client's number */
	PATH_MARK_RANDOM = '0'   /* .. '9': a random string */
};

/* Each counted byte of a path takes at most two in this form. */
#define PATH_KEY_MAX (2 * LOAD_PATH_MAX)

/* Digits that are reserved for a client's number: any uint32_t. */
#define PATH_CLIENT_DIGITS 10

struct path_key {
	char s[PATH_KEY_MAX]; /* not terminated */
	size_t len;
};

/*
 * Check the path in TOKEN and put it into KEY.  Bit i of DEFINED says that
 * random string $i exists.  Returns 0 or -EINVAL with ERR set.
 */
int path_parse(const struct token *token, unsigned defined,
	       struct path_key *key, struct err *err) must_check;

#endif
