/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The disassembler: a program as text of the load language, which compiles
 * to the same program again.
 *
 * INCLUDEs are gone, REPEAT is a LOOP of one line, slots are the handle
 * numbers of the text again, statuses have one name for each meaning.  What
 * a CTL_EVAL computes is printed in the place of the number it stores; what
 * it saves is not printed, the compiler finds that out again.
 */
#include "load/prog.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "load/build.h"
#include "load/parse.h"
#include "load/status.h"

struct dumping {
	const struct prog *prog;
	FILE *out;
	uint64_t stamp_ns;      /* of the next operation; 0: none */
	const struct rec *eval; /* of the next operation, or NULL */
	uint32_t *client_tmpls; /* owned; numbers of the clients' templates */
	size_t nclient_tmpls;
};

static void print_pieces(const struct dumping *d, const struct tmpl *tmpl)
{
	const struct prog *prog = d->prog;
	uint32_t i;

	for (i = 0; i < tmpl->n; i++) {
		const struct piece *piece = &prog->pieces[tmpl->first + i];

		if (piece->kind == PIECE_TEXT)
			(void)fprintf(d->out, "%.*s", (int)piece->len,
				      prog->blob + piece->off);
		else if (piece->kind == PIECE_CLIENT)
			/* the text before it ends with "client" */
			(void)fputc('1', d->out);
		else
			(void)fprintf(d->out, "$%u", piece->off);
	}
}

/* The template of a client's string; places grow with the number. */
static const struct tmpl *client_tmpl(const struct dumping *d, uint32_t place)
{
	size_t low = 0;
	size_t high = d->nclient_tmpls;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		if (d->prog->tmpls[d->client_tmpls[mid]].dest <= place)
			low = mid;
		else
			high = mid;
	}
	return &d->prog->tmpls[d->client_tmpls[low]];
}

static void list_client_tmpls(struct dumping *d)
{
	uint32_t i;

	d->client_tmpls = mem_zalloc(d->prog->ntmpls, sizeof(uint32_t));
	for (i = 0; i < d->prog->ntmpls; i++)
		if (d->prog->tmpls[i].dest != UINT32_MAX)
			d->client_tmpls[d->nclient_tmpls++] = i;
}

/* The step that fills FIELD of the next operation, or NULL. */
static const struct step *filling_step(const struct dumping *d, unsigned field)
{
	uint64_t i;

	for (i = 0; d->eval && i < d->eval->length; i++) {
		const struct step *step = &d->prog->steps[d->eval->offset + i];

		if ((step->op == STEP_STORE || step->op == STEP_EXPAND) &&
		    step->index == field)
			return step;
	}
	return NULL;
}

static void print_path(const struct dumping *d, uint32_t string, unsigned field)
{
	const struct step *expand = filling_step(d, field);
	const char *s = d->prog->blob + (string & STR_OFFSET);

	(void)fputs(" \"/", d->out);
	if (expand)
		print_pieces(d, &d->prog->tmpls[expand->value]);
	else if (string & STR_CLIENT)
		print_pieces(d, client_tmpl(d, string & STR_OFFSET));
	else if (strcmp(s, ".") != 0)
		(void)fputs(s, d->out);
	(void)fputc('"', d->out);
}

static void print_step(const struct dumping *d, const struct step *step)
{
	switch (step->op) {
	case STEP_RANDOM:
		(void)fputc('*', d->out);
		break;
	case STEP_MOD:
		(void)fprintf(d->out, "%%%" PRIu64, step->value);
		break;
	case STEP_ALIGN:
		(void)fprintf(d->out, "/%" PRIu64, step->value);
		break;
	case STEP_ADD:
		(void)fprintf(d->out, "+%" PRIu64, step->value);
		break;
	case STEP_CHILD:
		(void)fputs("+child", d->out);
		break;
	case STEP_CHILDREN:
		(void)fputs("+num_children", d->out);
		break;
	case STEP_STRING:
		(void)fprintf(d->out, "$%u", step->index);
		break;
	default: /* STEP_PREV: the + that follows says it */
		break;
	}
}

/* What computes the number that STORE puts into its field: the steps since
 * the store before it. */
static void print_steps(const struct dumping *d, const struct step *store)
{
	const struct step *first = &d->prog->steps[d->eval->offset];
	const struct step *step;

	for (step = first; step < store; step++)
		if (step->op == STEP_STORE || step->op == STEP_EXPAND)
			first = step + 1;
	for (step = first; step < store; step++)
		print_step(d, step);
}

static void print_number(const struct dumping *d, uint32_t rec, char letter)
{
	const struct rec *op = &d->prog->recs[rec];
	unsigned field = letter_field(letter);
	const struct step *store = filling_step(d, field);

	(void)fputc(' ', d->out);
	if (letter == 'h')
		(void)fprintf(d->out, "%u", d->prog->handle_no[rec]);
	else if (store)
		print_steps(d, store);
	else if (field == FIELD_EXPECT && op->expect == EXPECT_ANY)
		(void)fputc('*', d->out);
	else
		(void)fprintf(d->out, "%" PRIu64, rec_field(op, field));
}

static void print_stamp(struct dumping *d)
{
	if (d->stamp_ns)
		(void)fprintf(d->out, "%" PRIu64 ".%09" PRIu64 " ",
			      d->stamp_ns / NS_PER_S, d->stamp_ns % NS_PER_S);
	d->stamp_ns = 0;
}

static void print_operation(struct dumping *d, uint32_t i)
{
	const struct rec *rec = &d->prog->recs[i];
	const char *sig = op_info(rec->code)->sig;

	print_stamp(d);
	(void)fputs(op_info(rec->code)->name, d->out);
	for (; *sig; sig++) {
		if (*sig == 'p')
			print_path(d, rec->path, FIELD_PATH);
		else if (*sig == 'P')
			print_path(d, rec->path2, FIELD_PATH2);
		else if (*sig != '?')
			print_number(d, i, *sig);
	}
	(void)fprintf(d->out, " %s\n", status_text(rec->want));
	d->eval = NULL;
}

static void print_pattern(const struct dumping *d, const struct rec *rec)
{
	const char *at = d->prog->blob + d->prog->patterns[rec->path];
	uint32_t len;

	memcpy(&len, at, sizeof(len));
	(void)fputs("WRITEPATTERN ", d->out);
	(void)fwrite(at + sizeof(len), 1, len, d->out);
}

static void print_control(struct dumping *d, const struct rec *rec)
{
	switch (rec->code) {
	case CTL_STAMP:
		d->stamp_ns = rec->offset;
		break;
	case CTL_EVAL:
		d->eval = rec;
		break;
	case CTL_LOOP:
	case CTL_SETSP:
	case CTL_SLEEP:
		print_stamp(d);
		(void)fprintf(d->out, "%s %" PRIu64 "\n",
			      op_info(rec->code)->name, rec->offset);
		break;
	case CTL_WAITSP:
		(void)fprintf(d->out, "WAITSP %" PRIu64 " %" PRIu64 "\n",
			      rec->offset, rec->length);
		break;
	case CTL_RANDOMSTRING:
		(void)fprintf(d->out, "RANDOMSTRING %u \"%s\"\n", rec->handle,
			      d->prog->blob + rec->path);
		break;
	case CTL_WRITEPATTERN:
		print_pattern(d, rec);
		break;
	case CTL_END:
		break;
	default: /* ENDLOOP, END of ONCE */
		(void)fprintf(d->out, "%s\n", op_info(rec->code)->name);
	}
}

static void print_header(const struct dumping *d)
{
	const struct prog_facts *facts = &d->prog->facts;

	(void)fprintf(d->out,
		      "# operations: %" PRIu64 " a pass, %" PRIu64 " once\n",
		      facts->ops_per_pass, facts->once_ops);
	(void)fprintf(d->out,
		      "# bytes a pass:%s %" PRIu64 " read, %" PRIu64
		      " written; fsyncs: %" PRIu64 "\n",
		      facts->bytes_exact ? "" : " at most",
		      facts->bytes_read_per_pass,
		      facts->bytes_written_per_pass, facts->fsyncs_per_pass);
}

int prog_dump(const struct prog *prog, FILE *out)
{
	struct dumping d = { .prog = prog, .out = out };
	uint32_t i;

	list_client_tmpls(&d);
	print_header(&d);
	if (prog->pass_start)
		(void)fputs("ONCE\n", out);
	for (i = 0; i < prog->nrecs; i++)
		if (op_is_control(prog->recs[i].code))
			print_control(&d, &prog->recs[i]);
		else
			print_operation(&d, i);
	free(d.client_tmpls);
	return ferror(out) ? -EIO : 0;
}
