/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes at all as a load file.
 *
 * Reached: lexer, parser, compiler, dump, and the writer of a client's own
 * strings.  What must hold, besides not crashing: a text that is refused has
 * a message, in printable ASCII; all that the interpreter follows without
 * looking (jumps, slots, strings, steps) leads into the program; the dump of
 * a program compiles, to the same program.
 */
#include "fuzz_load.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/prog_same.h"
#include "load/load.h"
#include "load/prog.h"
#include "op/op.h"

#define must(cond)                                                            \
	do {                                                                  \
		if (!(cond)) {                                                \
			fprintf(stderr, "%s:%d: %s does not hold\n",          \
				__FILE__, __LINE__, #cond);                   \
			abort();                                              \
		}                                                             \
	} while (0)

/* What INCLUDE finds, whatever its name: a tiny file. */
static int read_tiny(const char *name, const char *beside, struct text *out,
		     struct err *err)
{
	static const char bytes[] = "Mkdir \"\\clients\\client1\" SUCCESS\n";

	(void)beside;
	(void)err;
	memset(out, 0, sizeof(*out));
	out->bytes = strdup(bytes);
	out->len = sizeof(bytes) - 1;
	out->name = strdup(name);
	must(out->bytes && out->name);
	return 0;
}

/* No byte of a message can be a command to a terminal. */
static void check_messages(const struct load_errors *errors)
{
	const char *p = errors->text;

	for (; p && *p; p++)
		must(*p == '\n' || (*p >= ' ' && *p <= '~'));
}

/* Compile LEN bytes; NULL when they are refused. */
static struct prog *compile(const char *bytes, size_t len)
{
	struct load_source source = { .read = read_tiny };
	struct load_errors errors = { 0 };
	struct prog *prog = NULL;
	struct text text = { .len = len };
	int ret;

	text.bytes = malloc(len + 1);
	text.name = strdup("fuzz");
	must(text.bytes && text.name);
	memcpy(text.bytes, bytes, len);
	text.bytes[len] = '\0';

	ret = load_compile(&text, &source, &prog, &errors);
	must(ret == 0 || ret == -EINVAL);
	must((ret == 0) == (errors.count == 0));
	must(ret == 0 ? prog != NULL : errors.text && errors.text[0]);
	check_messages(&errors);
	free(errors.text);
	free(text.bytes);
	free(text.name);
	return ret ? NULL : prog;
}

/* A string of a record ends inside its blob. */
static void check_string(const struct prog *prog, const char *own, uint32_t str)
{
	bool is_own = str & STR_CLIENT;
	size_t bytes = is_own ? prog->client_blob_bytes : prog->blob_bytes;
	size_t offset = str & STR_OFFSET;

	must(offset < bytes);
	must(memchr((is_own ? own : prog->blob) + offset, '\0',
		    bytes - offset));
}

/* The steps of the CTL_EVAL at REC. */
static void check_steps(const struct prog *prog, const struct rec *rec)
{
	uint64_t i;

	must(rec->length > 0 && rec->offset + rec->length <= prog->nsteps);
	must(!op_is_control(rec[1].code));
	for (i = rec->offset; i < rec->offset + rec->length; i++) {
		const struct step *step = &prog->steps[i];

		if (step->op == STEP_MOD || step->op == STEP_ALIGN)
			must(step->value != 0);
		if (step->op == STEP_PREV || step->op == STEP_SAVE ||
		    step->op == STEP_STRING)
			must(step->index < LOAD_PARAMS_MAX);
		if (step->op == STEP_EXPAND)
			must(step->value < prog->ntmpls);
	}
}

static void check_control(const struct prog *prog, const char *own,
			  const struct rec *rec)
{
	uint32_t len, at;

	switch (rec->code) {
	case CTL_LOOP:
	case CTL_ENDLOOP:
		must(rec->path < prog->nrecs && rec->handle < prog->nest);
		break;
	case CTL_RANDOMSTRING:
		must(rec->handle < RANDOMSTRINGS);
		check_string(prog, own, rec->path);
		break;
	case CTL_WRITEPATTERN:
		must(rec->path < prog->npatterns);
		at = prog->patterns[rec->path];
		memcpy(&len, prog->blob + at, sizeof(len));
		must(len > 0 && at + sizeof(len) + len <= prog->blob_bytes);
		break;
	case CTL_EVAL:
		check_steps(prog, rec);
		break;
	default:
		break;
	}
}

static void check_operation(const struct prog *prog, const char *own,
			    const struct rec *rec)
{
	unsigned flags = op_info(rec->code)->flags;

	must(rec->kind < prog->nkinds);
	must(prog->kind_code[rec->kind] == rec->code);
	must(rec->handle < prog->nslots);
	must(!(flags & OPF_HANDLE) || rec->handle != 0);
	must(!(rec->flags & REC_IO) || rec->size <= LOAD_IO_MAX);
	if (flags & OPF_PATH)
		check_string(prog, own, rec->path);
	if (flags & OPF_PATH2)
		check_string(prog, own, rec->path2);
}

/* What the interpreter takes for granted of every record. */
static void check_recs(const struct prog *prog, const char *own)
{
	uint32_t i;

	must(prog->nrecs > 0 && prog->pass_start < prog->nrecs);
	must(prog->recs[prog->nrecs - 1].code == CTL_END);
	must(prog->pass_start == 0 ||
	     prog->recs[prog->pass_start - 1].code == CTL_ONCE_END);
	for (i = 0; i < prog->nrecs; i++) {
		const struct rec *rec = &prog->recs[i];

		must(rec->code < OP_CODES);
		if (op_is_control(rec->code))
			check_control(prog, own, rec);
		else
			check_operation(prog, own, rec);
	}
}

/* Whatever the client's number, its strings fit where they go. */
static void check_prog(const struct prog *prog)
{
	static const uint32_t clients[] = { 0, 7, UINT32_MAX };
	size_t i;

	for (i = 0; i < sizeof(clients) / sizeof(clients[0]); i++) {
		/* its exact size, so that the sanitizer sees the end */
		char *blob = malloc(prog->client_blob_bytes);

		must(blob || prog->client_blob_bytes == 0);
		prog_client_blob(prog, clients[i], blob);
		check_recs(prog, blob);
		free(blob);
	}
}

static char *dump(const struct prog *prog, size_t *len)
{
	char *bytes = NULL;
	FILE *out = open_memstream(&bytes, len);

	must(out);
	must(prog_dump(prog, out) == 0);
	must(fclose(out) == 0);
	return bytes;
}

const char fuzz_corpus[] = "corpus";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct prog *first = compile((const char *)data, size);
	struct prog *second;
	size_t len;
	char *text;

	if (!first)
		return 0;
	check_prog(first);
	text = dump(first, &len);
	second = compile(text, len);
	must(second);
	must(prog_difference(first, second) == NULL);
	free(text);
	prog_free(first);
	prog_free(second);
	return 0;
}
