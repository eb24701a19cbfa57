/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The strings of a program, each once.  While compiling, records hold the
 * numbers of strings; strings_seal() gives every string its final place.
 */
#ifndef REPLAY_LOAD_STRINGS_H
#define REPLAY_LOAD_STRINGS_H

#include "base/err.h"
#include "load/dict.h"
#include "load/lex.h"
#include "load/path.h"
#include "load/prog.h"

enum string_kind {
	STRING_SHARED,  /* the same for all clients, always */
	STRING_CLIENT,  /* contains the client's number */
	STRING_DYNAMIC  /* contains random strings */
};

struct string {
	enum string_kind kind;
	uint32_t place; /* after strings_seal(): what the record gets, or for
			   dynamic ones the number of the template */
};

struct strings {
	struct dict raw;          /* paths as they were written */
	VEC(uint32_t) raw_string; /* their strings; STRING_BAD: a mistake */
	struct dict keys;         /* the strings, in the form of path.h */
	VEC(struct string) v;     /* parallel to keys */
	struct dict texts;        /* of WRITEPATTERN */
	struct path_key key;      /* scratch */
	VEC(char) scratch;

	/* made by strings_seal() */
	VEC(char) blob;
	VEC(struct piece) pieces;
	VEC(struct tmpl) tmpls;
	VEC(uint32_t) patterns;   /* places of the texts */
	uint32_t client_bytes;
};

#define STRING_BAD UINT32_MAX

/* The string of a path, or STRING_BAD with ERR set. */
uint32_t strings_path(struct strings *strings, const struct token *token,
		      unsigned defined, struct err *err) must_check;

/* The string of bytes that are no path, or STRING_BAD with ERR set. */
uint32_t strings_plain(struct strings *strings, const char *s, size_t len,
		       struct err *err) must_check;

/* The number of a WRITEPATTERN text, or STRING_BAD with ERR set. */
uint32_t strings_text(struct strings *strings, const struct token *text,
		      struct err *err) must_check;

/* Lay out everything.  Returns 0, or -EINVAL with ERR set (too large). */
int strings_seal(struct strings *strings, struct err *err) must_check;

void strings_done(struct strings *strings);

#endif
