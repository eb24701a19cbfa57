/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The compiler's first pass: statements in the order of the text to records
 * in the order of execution.
 *
 * LOOP and ONCE are matched by a stack of open scopes.  A scope must close
 * in the text it was opened in: each text (the main file, each INCLUDE)
 * starts with its own bottom of the stack.  ONCE must come before anything
 * else that is executed, so the two orders are the same and nothing is
 * moved; the record that ends the preamble is appended when the first
 * record outside ONCE is, so several ONCEs are one preamble.
 *
 * After a mistake compiling goes on, to report more of them, but the passes
 * that look at the whole program are not started.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "load/build.h"
#include "load/emit.h"
#include "load/load.h"
#include "load/parse.h"

/* An open LOOP, REPEAT or ONCE. */
struct scope {
	enum word word;
	struct place at;
	uint32_t rec; /* the CTL_LOOP */
};

struct compiler {
	struct build *build;
	struct parser parser;
	VEC(struct scope) scopes;
	size_t bottom;       /* scopes of the text that is being read */
	uint32_t loops;      /* open LOOPs */
	uint32_t includes;   /* nested texts, this one counted */
	uint64_t lines;      /* read so far */
	bool pass_begun;     /* something stands outside ONCE */
	uint64_t pass_ops;   /* operations outside ONCE */
	uint64_t once_ops;   /* and inside */
	bool hopeless;       /* stop reading */
};

static struct scope *innermost(struct compiler *c)
{
	return c->scopes.n > c->bottom ? &c->scopes.v[c->scopes.n - 1] : NULL;
}

static bool in_once(const struct compiler *c)
{
	/* ONCE is never inside anything else. */
	return c->scopes.n && c->scopes.v[0].word == WORD_ONCE;
}

static bool is_repeat_pending(struct compiler *c)
{
	struct scope *scope = innermost(c);

	return scope && scope->word == WORD_REPEAT;
}

/* End the preamble when the first record outside it is on its way. */
static void begin_pass(struct compiler *c, struct place at)
{
	if (c->pass_begun || in_once(c))
		return;
	c->pass_begun = true;
	if (c->build->recs.n)
		(void)emit_record(c->build, CTL_ONCE_END, at);
	c->build->pass_start = (uint32_t)c->build->recs.n;
}

/* Append a control record.  Good until the next append. */
static struct rec *emit_control(struct compiler *c, unsigned code,
				struct place at)
{
	begin_pass(c, at);
	return emit_record(c->build, code, at);
}

static int open_loop(struct compiler *c, const struct stmt *stmt)
{
	struct scope *scope;
	struct rec *rec;

	if (c->loops == LOAD_NEST_MAX)
		return diag_at(&c->build->diag, stmt->at,
			       "more than %d LOOPs within each other",
			       LOAD_NEST_MAX);
	rec = emit_control(c, CTL_LOOP, stmt->at);
	rec->offset = stmt->number[0];
	rec->handle = (uint16_t)c->loops++;
	c->build->nest = MAX_OF(c->build->nest, c->loops);
	scope = VEC_PUSH(&c->scopes);
	*scope = (struct scope){ .word = stmt->word,
				 .at = stmt->at,
				 .rec = (uint32_t)c->build->recs.n - 1 };
	return 0;
}

/* Close the innermost scope, a LOOP or a REPEAT. */
static void close_loop(struct compiler *c, struct place at)
{
	uint32_t start = c->scopes.v[--c->scopes.n].rec;
	struct rec *rec = emit_record(c->build, CTL_ENDLOOP, at);

	rec->path = start + 1;
	rec->handle = (uint16_t)--c->loops;
	c->build->recs.v[start].path = (uint32_t)c->build->recs.n;
}

static int end_loop(struct compiler *c, const struct stmt *stmt)
{
	struct scope *scope = innermost(c);

	if (!scope)
		return diag_at(&c->build->diag, stmt->at,
			       c->scopes.n ?
				       "ENDLOOP of a LOOP in another file" :
				       "ENDLOOP without LOOP");
	if (scope->word != WORD_LOOP)
		return diag_at(&c->build->diag, stmt->at,
			       "ENDLOOP, but ONCE in line %u is open",
			       scope->at.line);
	close_loop(c, stmt->at);
	return 0;
}

static int open_once(struct compiler *c, const struct stmt *stmt)
{
	const char *why = NULL;

	if (in_once(c))
		why = "ONCE within ONCE";
	else if (c->scopes.n)
		why = "ONCE within LOOP";
	else if (c->pass_begun)
		why = "ONCE must stand before everything else that is executed";
	/* Open it in any case, for its END. */
	*VEC_PUSH(&c->scopes) = (struct scope){ .word = WORD_ONCE,
						.at = stmt->at };
	return why ? diag_at(&c->build->diag, stmt->at, "%s", why) : 0;
}

static int end_once(struct compiler *c, const struct stmt *stmt)
{
	struct scope *scope = innermost(c);

	if (scope && scope->word == WORD_LOOP)
		return diag_at(&c->build->diag, stmt->at,
			       "END, but LOOP in line %u is open",
			       scope->at.line);
	if (!scope)
		return diag_at(&c->build->diag, stmt->at,
			       c->scopes.n ? "END of an ONCE in another file" :
					     "END without ONCE");
	c->scopes.n--;
	return 0;
}

static int do_operation(struct compiler *c, const struct stmt *stmt)
{
	begin_pass(c, stmt->at);
	if (in_once(c))
		c->once_ops++;
	else
		c->pass_ops++;
	if (stmt->stamp_ns) {
		if (in_once(c))
			return diag_at(&c->build->diag, stmt->at,
				       "a time stamp in ONCE, "
				       "where no clock runs");
		emit_record(c->build, CTL_STAMP, stmt->at)->offset =
			stmt->stamp_ns;
	}
	return emit_operation(c->build, stmt, c->parser.defined);
}

static int do_randomstring(struct compiler *c, const struct stmt *stmt)
{
	autofree char *pattern = mem_strndup(stmt->text.s, stmt->text.len);
	struct err err;
	struct rec *rec;
	uint32_t n;
	char *p;

	/* As everywhere in a path, both slashes are one. */
	for (p = pattern; *p; p++)
		if (*p == '\\')
			*p = '/';
	n = strings_plain(&c->build->strings, pattern, stmt->text.len, &err);
	if (n == STRING_BAD)
		return diag_at(&c->build->diag, stmt->at, "%s", err.text);
	rec = emit_control(c, CTL_RANDOMSTRING, stmt->at);
	rec->handle = (uint16_t)stmt->number[0];
	rec->path = n;
	c->parser.defined |= 1U << stmt->number[0];
	return 0;
}

static int do_writepattern(struct compiler *c, const struct stmt *stmt)
{
	struct err err;
	uint32_t n = strings_text(&c->build->strings, &stmt->text, &err);

	if (n == STRING_BAD)
		return diag_at(&c->build->diag, stmt->at, "%s", err.text);
	emit_control(c, CTL_WRITEPATTERN, stmt->at)->path = n;
	return 0;
}

/* SLEEP, SETSP, WAITSP: numbers into the record. */
/* Numbers that could not be kept as they are. */
static int check_numbers(struct compiler *c, const struct stmt *stmt)
{
	uint64_t point = stmt->number[stmt->word == WORD_WAITSP];

	if (stmt->word == WORD_WAITSP && stmt->number[0] >= LOAD_CLIENTS_MAX)
		return diag_at(&c->build->diag, stmt->at,
			       "WAITSP for a client beyond %u",
			       LOAD_CLIENTS_MAX - 1);
	if (stmt->word == WORD_SLEEP && stmt->number[0] > LOAD_SLEEP_MAX)
		return diag_at(&c->build->diag, stmt->at,
			       "SLEEP for more than %llu microseconds",
			       (unsigned long long)LOAD_SLEEP_MAX);
	if (stmt->word != WORD_SLEEP && point > LOAD_POINT_MAX)
		return diag_at(&c->build->diag, stmt->at,
			       "a sequence point beyond %u", LOAD_POINT_MAX);
	return 0;
}

static int do_numbers(struct compiler *c, const struct stmt *stmt)
{
	static const uint8_t codes[WORDS] = { [WORD_SLEEP] = CTL_SLEEP,
					      [WORD_SETSP] = CTL_SETSP,
					      [WORD_WAITSP] = CTL_WAITSP };
	struct rec *rec;
	int rc = check_numbers(c, stmt);

	if (rc < 0)
		return rc;
	if (stmt->stamp_ns && in_once(c))
		return diag_at(&c->build->diag, stmt->at,
			       "a time stamp in ONCE, where no clock runs");
	if (stmt->stamp_ns)
		emit_control(c, CTL_STAMP, stmt->at)->offset = stmt->stamp_ns;
	rec = emit_control(c, codes[stmt->word], stmt->at);
	rec->offset = stmt->number[0];
	if (stmt->word == WORD_WAITSP)
		rec->length = stmt->number[1];
	return 0;
}

static int include(struct compiler *c, const struct stmt *stmt);

static int do_control(struct compiler *c, const struct stmt *stmt)
{
	switch (stmt->word) {
	case WORD_LOOP:
	case WORD_REPEAT:
		return open_loop(c, stmt);
	case WORD_ENDLOOP:
		return end_loop(c, stmt);
	case WORD_ONCE:
		return open_once(c, stmt);
	case WORD_END:
		return end_once(c, stmt);
	case WORD_RANDOMSTRING:
		return do_randomstring(c, stmt);
	case WORD_WRITEPATTERN:
		return do_writepattern(c, stmt);
	case WORD_INCLUDE:
		return include(c, stmt);
	default:
		return do_numbers(c, stmt);
	}
}

static void do_statement(struct compiler *c, const struct stmt *stmt)
{
	bool repeat = is_repeat_pending(c);
	uint32_t repeat_line = repeat ? innermost(c)->at.line : 0;

	if (repeat && stmt->word != WORD_OPERATION) {
		(void)diag_at(&c->build->diag, stmt->at,
			      "REPEAT in line %u repeats one operation, "
			      "not this", repeat_line);
		close_loop(c, stmt->at);
		repeat = false;
	}
	if (stmt->word == WORD_OPERATION)
		(void)do_operation(c, stmt);
	else
		(void)do_control(c, stmt);
	if (repeat)
		close_loop(c, stmt->at);
}

static void do_line(struct compiler *c, const struct lexer *lex,
		    struct line *line, uint32_t file)
{
	struct place at = { .file = file, .line = line->no };
	const char *why;
	struct stmt stmt;
	int rc;

	if (lex_split(lex, line, &why) < 0) {
		(void)diag_at(&c->build->diag, at, "%s", why);
		rc = -EINVAL;
	} else if (line->n == 0) {
		return;
	} else {
		rc = parse_line(&c->parser, line, file, &stmt);
	}
	if (rc == 0)
		do_statement(c, &stmt);
	else if (is_repeat_pending(c))
		close_loop(c, at);
	c->hopeless |= rc == -ENOTSUP;
}

/* Stop before the arrays or the patience run out. */
static bool is_too_much(struct compiler *c, struct place at)
{
	const char *what = NULL;

	/* lower may put one record before each */
	if (c->build->recs.n >= LOAD_RECS_MAX / 2)
		what = "more records than a program can have";
	else if (c->build->steps.n >= UINT32_MAX / 4)
		what = "more computed numbers than a program can have";
	else if (++c->lines > LOAD_LINES_MAX)
		what = "more lines, INCLUDEs counted, than can be read";
	if (!what)
		return false;
	(void)diag_at(&c->build->diag, at, "%s", what);
	c->hopeless = true;
	return true;
}

static void close_scopes(struct compiler *c)
{
	struct scope *scope;

	while ((scope = innermost(c)) != NULL) {
		static const char *const words[WORDS] = {
			[WORD_LOOP] = "LOOP is not closed by ENDLOOP",
			[WORD_REPEAT] = "REPEAT without an operation",
			[WORD_ONCE] = "ONCE is not closed by END"
		};

		if (!c->hopeless)
			(void)diag_at(&c->build->diag, scope->at, "%s",
				      words[scope->word]);
		if (scope->word == WORD_ONCE)
			c->scopes.n--;
		else
			close_loop(c, scope->at);
	}
}

/* Lines FIRST to LAST of a text; returns how many lines there were. */
static uint64_t compile_text(struct compiler *c, const struct text *text,
			     uint32_t file, const uint64_t range[2])
{
	size_t outer = c->bottom;
	struct lexer lex;
	struct line line = { .no = 0 };

	c->bottom = c->scopes.n;
	c->includes++;
	lex_init(&lex, text->bytes, text->len);
	while (!c->hopeless && line.no < range[1] && lex_line(&lex, &line)) {
		struct place at = { .file = file, .line = line.no };

		if (line.no >= range[0] && !is_too_much(c, at))
			do_line(c, &lex, &line, file);
	}
	close_scopes(c);
	c->bottom = outer;
	c->includes--;
	return lex.no;
}

static int include(struct compiler *c, const struct stmt *stmt)
{
	autofree char *name = mem_strndup(stmt->text.s, stmt->text.len);
	struct build *build = c->build;
	const struct text *text;
	struct err err;
	uint64_t have;
	uint64_t last;

	if (c->includes > LOAD_INCLUDE_MAX ||
	    build->files.list.n > LOAD_INCLUDES_MAX) {
		c->hopeless = true;
		return diag_at(&build->diag, stmt->at,
			       "more than %d INCLUDEs %s",
			       c->includes > LOAD_INCLUDE_MAX ?
				       LOAD_INCLUDE_MAX :
				       LOAD_INCLUDES_MAX,
			       c->includes > LOAD_INCLUDE_MAX ?
				       "within each other: does a file "
				       "include itself?" :
				       "in all");
	}
	text = files_include(&build->files, name, stmt->at, &err);
	if (!text)
		return diag_at(&build->diag, stmt->at, "%s", err.text);
	have = compile_text(c, text, files_add(&build->files, text, stmt->at),
			    stmt->number);
	last = stmt->number[1] == UINT64_MAX ? stmt->number[0] :
					       stmt->number[1];
	/* An empty file without a range is all right: the whole of it. */
	if (c->hopeless || have >= last ||
	    (stmt->number[0] == 1 && stmt->number[1] == UINT64_MAX))
		return 0;
	return diag_at(&build->diag, stmt->at,
		       "line %" PRIu64 " is wanted, but %s has %" PRIu64,
		       last, text->name, have);
}

/* The passes over all records. */
static struct prog *finish(struct build *build)
{
	if (relate_records(build) < 0 || bound_records(build) < 0 ||
	    handles_assign(build) < 0)
		return NULL;
	facts_count(build);
	space_estimate(build);
	if (lower_records(build) < 0)
		return NULL;
	return seal_program(build);
}

static struct prog *compile_main(struct build *build, const struct text *text)
{
	static const uint64_t all[2] = { 1, UINT64_MAX };
	struct compiler c = { .build = build,
			      .parser = { .diag = &build->diag } };
	struct place whole = { .file = 0, .line = 0 };

	(void)files_add(&build->files, text,
			(struct place){ .file = UINT32_MAX });
	build_reserve(build, text->len);
	(void)compile_text(&c, text, 0, all);
	VEC_FREE(&c.scopes);
	if (build->diag.count)
		return NULL;
	if (c.pass_ops == 0) {
		(void)diag_at(&build->diag, whole, "no operation in it%s",
			      c.once_ops ? " outside ONCE" : "");
		return NULL;
	}
	(void)emit_record(build, CTL_END, whole);
	return finish(build);
}

int load_compile(const struct text *main_text, const struct load_source *source,
		 struct prog **out, struct load_errors *errors)
{
	struct build *build = mem_zalloc(1, sizeof(*build));
	struct prog *prog;

	build->files.source = source;
	build->diag.files = &build->files.list;
	*errors = (struct load_errors){ .text = NULL };
	prog = compile_main(build, main_text);
	if (!prog)
		diag_finish(&build->diag, errors);
	build_free(build);
	if (!prog)
		return -EINVAL;
	*out = prog;
	return 0;
}
