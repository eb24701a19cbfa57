/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From load-file text to a program.
 *
 *	bytes -> lex (words with positions) -> parse (statements)
 *	      -> compile (records, handle slots, strings) -> sealed program
 *
 * load_compile() is a pure function of the text: it does no I/O beyond what
 * the caller's reader does, and touches no target.  Every mistake is
 * collected as "FILE:LINE: what is wrong", up to LOAD_ERRORS_MAX, then one
 * line says how many more there were.
 */
#ifndef REPLAY_LOAD_LOAD_H
#define REPLAY_LOAD_LOAD_H

#include "base/err.h"
#include "load/prog.h"

/* A load file in memory. */
struct text {
	char *bytes;      /* owned; one NUL stands after the last byte */
	size_t len;
	char *name;       /* owned; for messages */
	char stored_sha256[65]; /* of what it was decompressed from; or "" */
};

/*
 * Find and read a load file: as given, then in the installed load files,
 * then in /usr/share/dbench, in both also with ".load" appended; "-" is
 * standard input.  An INCLUDE gives the including file's name as BESIDE: its
 * directory is tried before all these, and only regular files are read.
 * gzip is recognised by content.  REPLAY_LOADFILES in the environment
 * replaces the installed directory (for running uninstalled).
 * Returns 0 or -errno with ERR set.  *OUT is zeroed on failure.
 */
int text_read(const char *name, const char *beside, struct text *out,
	      struct err *err) must_check;
void text_free(struct text *text);

/* SHA-256 of the file as stored (compressed or not), in lower-case hex. */
void text_sha256(const struct text *text, char out[65]);

/* The directory of the installed load files, the environment considered. */
const char *load_dir(void);

/* The messages of a failed compilation, one per line, newline at each end. */
struct load_errors {
	char *text;      /* owned; NULL when there are none */
	size_t count;    /* all of them, also those not in the text */
};

struct load_source {
	/*
	 * How INCLUDE reads a file: text_read() for the program, something
	 * harmless for the fuzzer and unit tests.  NULL refuses INCLUDE.
	 */
	int (*read)(const char *name, const char *beside, struct text *out,
		    struct err *err);
};

/*
 * Compile MAIN (borrowed).  Returns 0 and *OUT (free with prog_free()), or
 * -EINVAL and ERRORS filled (free its text).  ERRORS is never NULL.
 */
int load_compile(const struct text *main_text, const struct load_source *source,
		 struct prog **out, struct load_errors *errors) must_check;

#endif
