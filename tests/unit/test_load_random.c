/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Random programs: each is compiled, dumped and compiled again; then it is
 * executed without a file system, next to the plain reading of the language:
 *
 *	"previous" numbers are those of the operation executed before, whether
 *	or not the compiler thought that somebody would ask for them;
 *	a slot never holds another handle than the one that a record names;
 *	no computed number is above the bound in its record.
 */
#include "base/rng.h"
#include "compiled.h"
#include "load/build.h"
#include "load/parse.h"
#include "prog_same.h"
#include "tap.h"

#define PROGRAMS 3000
#define TEXT_MAX 16384
#define STEPS_MAX 100000 /* records executed of one program */

struct writer {
	struct rng rng;
	char text[TEXT_MAX];
	size_t len;
	unsigned depth;
};

static unsigned below(struct writer *w, unsigned n)
{
	return (unsigned)rng_below(&w->rng, n);
}

static void put(struct writer *w, const char *fmt, ...) printf_like(2, 3);
static void put(struct writer *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	w->len += (size_t)vsnprintf(w->text + w->len, TEXT_MAX - w->len, fmt,
				    ap);
	va_end(ap);
}

static void put_number(struct writer *w, unsigned n)
{
	static const char *const forms[] = {
		"*%%%u", "*%%%u/7", "*/16%%%u+3", "+%u", "+child",
		"+num_children", "%u", "%u", "%u", "0x%x"
	};

	put(w, " ");
	/* some take no argument: it is ignored */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
	put(w, forms[below(w, ARRAY_SIZE(forms))], 1 + below(w, n));
#pragma GCC diagnostic pop
}

static void put_path(struct writer *w)
{
	static const char *const paths[] = {
		"/clients/client1/a", "/b", "\\clients\\client1\\$1",
		"/client1/$0.$1", "/", "/c/./d//e", "/$2"
	};

	put(w, " \"%s\"", paths[below(w, ARRAY_SIZE(paths))]);
}

/* An operation; most handles have been opened, some programs are refused. */
static void put_operation(struct writer *w)
{
	unsigned code = below(w, OP_NR);
	const char *sig;

	if (below(w, 3) == 0)
		code = OP_NTCREATEX;
	sig = op_info(code)->sig;
	put(w, "%s", op_info(code)->name);
	for (; *sig; sig++) {
		if (*sig == 'p' || *sig == 'P')
			put_path(w);
		else if (*sig == 'h')
			put(w, " %u", below(w, 4));
		else if (*sig == 'e')
			put(w, " %s", below(w, 2) ? "*" : "+1");
		else if (*sig == 's')
			put_number(w, 1000);
		else if (*sig != '?')
			put_number(w, 1U << below(w, 20));
	}
	put(w, below(w, 8) ? " SUCCESS\n" : " *\n");
}

/* A handle opened for a moment: its slot is free again after it. */
static void put_moment(struct writer *w)
{
	unsigned handle = 4 + below(w, 3);

	put(w, "NTCreateX /m 0 1 %u *\n", handle);
	if (below(w, 2))
		put_operation(w);
	if (below(w, 4))
		put(w, "Close %u *\n", handle);
}

static void put_line(struct writer *w)
{
	switch (below(w, 20)) {
	case 16:
	case 17:
	case 18:
		put_moment(w);
		return;
	case 0:
		put(w, "LOOP %u\n", below(w, 4));
		w->depth++;
		return;
	case 1:
		if (w->depth) {
			put(w, "ENDLOOP\n");
			w->depth--;
		}
		return;
	case 2:
		put(w, "RANDOMSTRING %u \"[abc]x[01]\"\n", below(w, 3));
		return;
	case 3:
		put(w, "REPEAT %u\n", below(w, 5));
		break;
	case 4:
		put(w, "WRITEPATTERN %u\n", below(w, 3));
		return;
	case 5:
		if (w->depth < 3)
			put(w, "# nothing\n\n");
		return;
	default:
		break;
	}
	put_operation(w);
}

static void write_program(struct writer *w)
{
	unsigned lines = 1 + below(w, 30);
	bool once = below(w, 4) == 0;
	unsigned i;

	w->len = w->depth = 0;
	if (once)
		put(w, "ONCE\nNTCreateX /o 0 1 0 *\nEND\n");
	/* so that most of the uses are allowed */
	for (i = 0; i < 4; i++)
		put(w, "NTCreateX /f 0 1 %u *\n", i);
	for (i = 0; i < lines; i++)
		put_line(w);
	for (; w->depth; w->depth--)
		put(w, "ENDLOOP\n");
}

/* An execution, and what it must agree with. */
struct machine {
	const struct prog *prog;
	struct rng *rng;
	uint64_t saved[LOAD_PARAMS_MAX]; /* by STEP_SAVE */
	uint64_t truth[LOAD_PARAMS_MAX]; /* of the operation before */
	int64_t slot[LOAD_PARAMS_MAX * 8]; /* handle number, or -1 */
	uint64_t loops[LOAD_NEST_MAX];   /* rounds left */
	const char *wrong;
};

#define CHILD 7
#define CHILDREN 9

/* The value of one number of the program, by the steps. */
static uint64_t step_value(struct machine *m, const struct step *step,
			   uint64_t acc)
{
	switch (step->op) {
	case STEP_CONST:
		return step->value;
	case STEP_RANDOM:
		return rng_next(m->rng);
	case STEP_MOD:
		return acc % step->value;
	case STEP_ALIGN:
		return acc - acc % step->value;
	case STEP_ADD:
		return acc + step->value;
	case STEP_PREV:
		if (m->saved[step->index] != m->truth[step->index])
			m->wrong = "previous number";
		return m->saved[step->index];
	case STEP_CHILD:
		return acc + CHILD;
	case STEP_CHILDREN:
		return acc + CHILDREN;
	default:
		return acc;
	}
}

static void evaluate(struct machine *m, const struct rec *eval, struct rec *rec)
{
	struct rec bound = *rec;
	uint64_t acc = 0;
	uint64_t i;

	for (i = 0; i < eval->length; i++) {
		const struct step *step = &m->prog->steps[eval->offset + i];

		if (step->op == STEP_STORE) {
			if (acc > rec_field(&bound, step->index) &&
			    step->index <= FIELD_SIZE)
				m->wrong = "bound";
			rec_set_field(rec, step->index, acc);
		} else if (step->op == STEP_SAVE) {
			m->saved[step->index] =
				step->value == FIELD_CONST ?
					acc :
					rec_field(rec, (unsigned)step->value);
		} else {
			acc = step_value(m, step, acc);
		}
	}
}

static void execute(struct machine *m, const struct rec *rec, uint32_t handle)
{
	unsigned flags = op_info(rec->code)->flags;
	const char *sig = op_info(rec->code)->sig;
	unsigned i;
	char letter;

	if (rec->handle >= ARRAY_SIZE(m->slot))
		m->wrong = "too many slots";
	else if (flags & OPF_BIND && rec->handle && rng_below(m->rng, 4))
		m->slot[rec->handle] = handle; /* else the open fails */
	else if (flags & OPF_HANDLE && m->slot[rec->handle] != -1 &&
		 m->slot[rec->handle] != handle)
		m->wrong = "slot";
	if (flags & OPF_UNBIND)
		m->slot[rec->handle] = -1;
	for (i = 0; i < LOAD_PARAMS_MAX; i++) {
		letter = parse_letter(sig, i);
		m->truth[i] = letter == 'h' ? handle :
			      letter	    ? rec_field(rec,
							letter_field(letter)) :
					      0;
	}
}

static void reset(struct machine *m)
{
	size_t i;

	memset(m->saved, 0, sizeof(m->saved));
	memset(m->truth, 0, sizeof(m->truth));
	for (i = 0; i < ARRAY_SIZE(m->slot); i++)
		m->slot[i] = -1;
}

/* Execute a record; returns the next. */
static uint32_t step(struct machine *m, uint32_t at)
{
	const struct rec *rec = &m->prog->recs[at];
	struct rec copy;

	switch (rec->code) {
	case CTL_LOOP:
		m->loops[rec->handle] = rec->offset;
		return rec->offset ? at + 1 : rec->path;
	case CTL_ENDLOOP:
		return --m->loops[rec->handle] ? rec->path : at + 1;
	case CTL_ONCE_END:
		reset(m);
		return at + 1;
	case CTL_EVAL:
		copy = rec[1];
		evaluate(m, rec, &copy);
		execute(m, &copy, m->prog->handle_no[at + 1]);
		return at + 2;
	default:
		if (!op_is_control(rec->code))
			execute(m, rec, m->prog->handle_no[at]);
		return at + 1;
	}
}

static const char *run(const struct prog *prog, struct rng *rng)
{
	struct machine m = { .prog = prog, .rng = rng };
	unsigned steps = 0;
	unsigned pass;
	uint32_t at = 0;

	reset(&m);
	for (pass = 0; pass < 3; pass++) {
		while (prog->recs[at].code != CTL_END && !m.wrong &&
		       steps++ < STEPS_MAX)
			at = step(&m, at);
		at = prog->pass_start;
		reset(&m);
	}
	return m.wrong;
}

/* What is wrong with the dump of a program, or NULL. */
static const char *redump(const struct prog *prog)
{
	char *dump = dump_text(prog);
	struct prog *again = compile_good(dump);
	const char *difference = again ? prog_difference(prog, again) :
					 "not compiled";

	prog_free(again);
	free(dump);
	return difference;
}

int main(void)
{
	static struct writer w;
	unsigned compiled = 0, bad = 0;
	unsigned i;

	rng_init(&w.rng, 20240611, 0);
	for (i = 0; i < PROGRAMS; i++) {
		const char *different = NULL, *wrong = NULL;
		char *messages;
		struct prog *prog;

		write_program(&w);
		prog = compile_bytes(w.text, w.len, &messages);
		free(messages);
		if (!prog)
			continue;
		compiled++;
		different = redump(prog);
		wrong = run(prog, &w.rng);
		prog_free(prog);
		if (!different && !wrong)
			continue;
		if (bad++ == 0)
			printf("# program %u: %s, %s\n%s", i,
			       different ? different : "same",
			       wrong ? wrong : "right", w.text);
	}
	ok(compiled > PROGRAMS / 4, "%u of %u programs compile", compiled,
	   PROGRAMS);
	is_int(bad, 0, "the rest is as it should be");
	return done_testing();
}
