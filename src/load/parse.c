/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parser: what a line of words means, without regard to other lines.
 *
 *	[TIME] OPERATION ["PATH" ["PATH"]] [NUMBER ...] STATUS
 *	CONTROL-WORD ARGUMENTS
 *
 * An operation's arguments are read by its signature in the op table, so an
 * operation added there is parsed without a change here.  dbench ignores
 * lines of one word and words it does not know; here they are mistakes.
 */
#include "load/parse.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "load/control.h"
#include "load/stamp.h"
#include "load/status.h"

/* Words of an operation's line that are not its arguments. */
struct shape {
	const struct line *line;
	unsigned name;  /* index of the operation's name */
	unsigned first; /* index of its first argument */
	unsigned end;   /* index of its status */
};

char parse_letter(const char *sig, unsigned i)
{
	for (; *sig; sig++) {
		if (*sig == 'p' || *sig == 'P' || *sig == '?')
			continue;
		if (i-- == 0)
			return *sig;
	}
	return '\0';
}

static int complain(struct parser *parser, const struct stmt *stmt,
		    const char *what, const struct token *token)
{
	char quote[QUOTE_MAX];

	return diag_at(parser->diag, stmt->at, "%s %s", what,
		       diag_quote(quote, token->s, token->len));
}

/* op_find() with a memory: a name is looked up in the table once. */
static int find_operation(struct parser *parser, const struct token *name)
{
	const unsigned char *s = (const unsigned char *)name->s;
	uint8_t *known;
	int code;

	if (name->quoted || name->len == 0)
		return -ENOENT;
	known = &parser->codes[(s[0] + 7U * s[name->len - 1] +
				31U * name->len) & 0xff];
	if (*known) {
		const char *have = op_info(*known - 1U)->name;

		if (strlen(have) == name->len &&
		    memcmp(have, s, name->len) == 0)
			return *known - 1;
	}
	/* NBENCH, dbench's copy in Samba, has both names. */
	code = token_is(name, "Write") ? OP_WRITEX :
					 op_find(name->s, name->len);
	if (code >= 0)
		*known = (uint8_t)(code + 1);
	return code;
}

static int unknown_operation(struct parser *parser, const struct stmt *stmt,
			     const struct token *name)
{
	const char *dialect = op_foreign_dialect(name->s, name->len);
	char quote[QUOTE_MAX];

	(void)diag_quote(quote, name->s, name->len);
	if (dialect)
		return diag_at(parser->diag, stmt->at,
			       "%s is an operation of dbench's %s dialect; "
			       "only that of file systems can be replayed",
			       quote, dialect);
	if (control_is_word(name))
		return diag_at(parser->diag, stmt->at,
			       "%s: control words are in capital letters",
			       quote);
	return diag_at(parser->diag, stmt->at, "unknown operation %s", quote);
}

static int bad_count(struct parser *parser, const struct stmt *stmt, bool many)
{
	const struct op_info *info = op_info(stmt->code);

	return diag_at(parser->diag, stmt->at,
		       "too %s arguments: %s takes %s and a status",
		       many ? "many" : "few", info->name, info->args);
}

static int take_path(struct parser *parser, struct stmt *out,
		     const struct token *token, unsigned which)
{
	if (!token->quoted && *token->s != '/' && *token->s != '\\')
		return complain(parser, out, "a path is expected, not", token);
	out->path[which] = *token;
	return 0;
}

static int take_number(struct parser *parser, struct stmt *out,
		       const struct token *token, char letter)
{
	unsigned i = out->nparams++;
	struct err err;

	out->letter[i] = letter;
	if (expr_parse(token, parser->defined, i, &out->param[i], &err) < 0)
		return diag_at(parser->diag, out->at, "%s", err.text);
	return 0;
}

/* The arguments between name and status, by the operation's signature. */
static int take_arguments(struct parser *parser, const struct shape *shape,
			  struct stmt *out)
{
	const char *sig = op_info(out->code)->sig;
	unsigned i = shape->first;
	bool optional = false;
	int rc;

	out->nparams = 0;
	for (; *sig; sig++) {
		const struct token *token = &shape->line->tok[i];

		if (*sig == '?') {
			optional = true;
			continue;
		}
		if (i == shape->end && optional)
			break;
		if (i == shape->end)
			return bad_count(parser, out, false);
		if (*sig == 'p' || *sig == 'P')
			rc = take_path(parser, out, token, *sig == 'P');
		else
			rc = take_number(parser, out, token, *sig);
		if (rc < 0)
			return rc;
		i++;
	}
	return i < shape->end ? bad_count(parser, out, true) : 0;
}

static int parse_operation(struct parser *parser, struct shape *shape,
			   struct stmt *out)
{
	const struct token *tok = shape->line->tok;
	const struct token *last = &tok[shape->line->n - 1];
	int want;

	if (last == &tok[shape->name])
		return complain(parser, out, "no status after", last);
	want = status_parse(last);
	if (want < 0)
		return complain(parser, out,
				"the last word must be a status "
				"(NT_STATUS_..., 0x..., SUCCESS, ERROR..., *), "
				"not", last);
	/* Servers answer Mkdir as they like; dbench does not look either. */
	if (out->code == OP_MKDIR && want != WANT_ANY)
		want = WANT_OK_EXIST;
	out->want = (unsigned)want;
	shape->end = shape->line->n - 1;
	return take_arguments(parser, shape, out);
}

/* A file of another program altogether: say so once. */
static bool is_dbench1(const struct token *name)
{
	return !name->quoted && name->len >= 3 &&
	       memcmp(name->s, "SMB", 3) == 0;
}

static int take_stamp(struct parser *parser, const struct line *line,
		      struct stmt *out)
{
	struct err err;

	if (stamp_parse(&line->tok[0], &out->stamp_ns, &err) < 0)
		return diag_at(parser->diag, out->at, "%s", err.text);
	if (line->n == 1)
		return diag_at(parser->diag, out->at,
			       "a time stamp without an operation");
	return 0;
}

int parse_line(struct parser *parser, const struct line *line, uint32_t file,
	       struct stmt *out)
{
	struct shape shape = { .line = line };
	const struct token *name = &line->tok[0];
	int code;

	out->at = (struct place){ .file = file, .line = line->no };
	out->stamp_ns = 0;
	if (!name->quoted && isdigit((unsigned char)*name->s)) {
		if (take_stamp(parser, line, out) < 0)
			return -EINVAL;
		shape.name = 1;
		name++;
	}
	shape.first = shape.name + 1;
	code = find_operation(parser, name);
	if (code >= 0) {
		out->word = WORD_OPERATION;
		out->code = (unsigned)code;
		return parse_operation(parser, &shape, out);
	}
	if (control_find(name, &out->word))
		return control_parse(parser, line, shape.first, out);
	if (is_dbench1(name)) {
		(void)diag_at(parser->diag, out->at,
			      "this is a load file of dbench 1, "
			      "which cannot be replayed");
		return -ENOTSUP;
	}
	return unknown_operation(parser, out, name);
}
