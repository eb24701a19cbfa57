/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Compile texts that stand in a test. */
#ifndef REPLAY_TESTS_UNIT_COMPILED_H
#define REPLAY_TESTS_UNIT_COMPILED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "load/load.h"
#include "load/prog.h"

/* A file that INCLUDE finds in a test. */
struct fake_file {
	const char *name;
	const char *bytes;
};

/* Set by a test; ends with a name of NULL. */
static const struct fake_file *fake_files;

static inline struct text make_text(const char *name, const char *bytes,
				    size_t len)
{
	struct text text = { .len = len, .name = mem_strdup(name) };

	text.bytes = mem_zalloc(len + 1, 1);
	memcpy(text.bytes, bytes, len);
	return text;
}

static inline int read_fake(const char *name, const char *beside,
			    struct text *out, struct err *err)
{
	const struct fake_file *file = fake_files;

	(void)beside;
	for (; file && file->name; file++)
		if (strcmp(file->name, name) == 0) {
			*out = make_text(name, file->bytes,
					 strlen(file->bytes));
			return 0;
		}
	*out = (struct text){ .bytes = NULL };
	return err_set(err, -ENOENT, "no file %s", name);
}

/* Compile LEN bytes as file "t"; *MESSAGES (to be freed) or the program. */
static inline struct prog *compile_bytes(const char *bytes, size_t len,
					 char **messages)
{
	struct load_source source = { .read = read_fake };
	struct text text = make_text("t", bytes, len);
	struct load_errors errors;
	struct prog *prog = NULL;
	int rc = load_compile(&text, &source, &prog, &errors);

	text_free(&text);
	*messages = errors.text;
	return rc < 0 ? NULL : prog;
}

/* Compile what must compile; complains and returns NULL if it does not. */
static inline struct prog *compile_good(const char *bytes)
{
	char *messages;
	struct prog *prog = compile_bytes(bytes, strlen(bytes), &messages);

	if (!prog)
		printf("# %s", messages);
	free(messages);
	return prog;
}

/* The dump of a program, to be freed. */
static inline char *dump_text(const struct prog *prog)
{
	char *bytes = NULL;
	size_t len;
	FILE *out = open_memstream(&bytes, &len);

	if (prog_dump(prog, out) < 0)
		printf("# the dump failed\n");
	(void)fclose(out);
	return bytes;
}

/* What stands after the comments at the top of a dump. */
static inline const char *dump_body(const char *dump)
{
	while (*dump == '#')
		dump = strchr(dump, '\n') + 1;
	return dump;
}

#endif
