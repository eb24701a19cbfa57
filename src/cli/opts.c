/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * popt tables to one struct options.
 *
 * Options that store a plain value are done by popt; those whose text has a
 * form of its own arrive in struct parser as strings and are checked
 * afterwards, so that every complaint names option and value.  The manual
 * page is checked against these tables by tests/lint/manpages.sh.
 */
#include "cli/opts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <popt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/mem.h"
#include "base/units.h"
#include "cli/counts.h"

#define DEFAULT_TIMELIMIT 10.0
#define DEFAULT_WATCHDOG 120.0
#define ROUNDS_MAX 10000
#define ROUNDS_SEVERAL 6 /* with several targets */
#define SECONDS_MAX 1e7

/* Options with text, as popt leaves it. */
enum text {
	TEXT_LOADFILE, TEXT_CLIENTS, TEXT_TIMELIMIT, TEXT_WARMUP, TEXT_PASSES,
	TEXT_ROUNDS, TEXT_SEED, TEXT_BACKEND, TEXT_RATE, TEXT_DATA,
	TEXT_WATCHDOG, TEXT_METRIC, TEXT_OUTPUT, TEXT_JSON, TEXT_CHECK,
	TEXT_DUMP,
	TEXT_NR
};

/* Their names, for complaints; those that are checked here. */
static const char *const option_names[TEXT_NR] = {
	[TEXT_CLIENTS] = "--clients",   [TEXT_TIMELIMIT] = "--timelimit",
	[TEXT_WARMUP] = "--warmup",     [TEXT_PASSES] = "--passes",
	[TEXT_ROUNDS] = "--rounds",     [TEXT_SEED] = "--seed",
	[TEXT_RATE] = "--target-rate",  [TEXT_WATCHDOG] = "--watchdog",
	[TEXT_OUTPUT] = "--output",     [TEXT_METRIC] = "--metric",
};

struct value {
	const char *option;
	const char *text;    /* NULL: not given */
};

#define GROUP_MAX 24

/*
 * What popt writes to, and its tables, which it refers to for as long as
 * the context lives.
 */
struct parser {
	poptContext con;
	char *text[TEXT_NR];    /* owned */
	int progress;
	int list_ops, list_backends, list_layers, list_loads, show, version;
	int sync_open, sync_dir, sync_write, xattr, no_resolve;
	int aa, cold, no_reserve, keep, per_client, quiet, verbose;
	struct poptOption run[GROUP_MAX];
	struct poptOption output[GROUP_MAX];
	struct poptOption look[GROUP_MAX];
	struct poptOption groups[6];
};

/* clang-format off */
static void fill_run(struct parser *p)
{
	const struct poptOption rows[] = {
		{ "loadfile", 'c', POPT_ARG_STRING, &p->text[TEXT_LOADFILE], 0,
		  "load file: a path, the name of an installed one, or - for standard input (default: office)", "FILE" },
		{ "clients", 'n', POPT_ARG_STRING, &p->text[TEXT_CLIENTS], 0,
		  "client counts, one run each: 4, 1-8, 1,2,4,...,64 (default: 1)", "LIST" },
		{ "timelimit", 't', POPT_ARG_STRING, &p->text[TEXT_TIMELIMIT], 0,
		  "measured time of a run (default: 10)", "SECONDS" },
		{ "warmup", 'w', POPT_ARG_STRING, &p->text[TEXT_WARMUP], 0,
		  "time before that (default: a fifth of it)", "SECONDS" },
		{ "passes", 'p', POPT_ARG_STRING, &p->text[TEXT_PASSES], 0,
		  "instead of a time: every client does so many passes", "N" },
		{ "rounds", 'r', POPT_ARG_STRING, &p->text[TEXT_ROUNDS], 0,
		  "repeat every run so often (default: 1, with several targets 6)", "N" },
		{ "metric", '\0', POPT_ARG_STRING, &p->text[TEXT_METRIC], 0,
		  "what targets are compared by: auto, mb, durable, ops or pass (default: auto)", "WHAT" },
		{ "aa", '\0', POPT_ARG_NONE, &p->aa, 0,
		  "run the first target twice, to see the noise", NULL },
		{ "cold", '\0', POPT_ARG_NONE, &p->cold, 0,
		  "drop the caches before each run (as root the whole machine's)", NULL },
		{ "seed", '\0', POPT_ARG_STRING, &p->text[TEXT_SEED], 0,
		  "everything random comes from it (default: a new one)", "N" },
		{ "backend", 'B', POPT_ARG_STRING, &p->text[TEXT_BACKEND], 0,
		  "how operations reach the kernel, see --list-backends (default: sync)", "NAME" },
		{ "sync", 's', POPT_ARG_NONE, &p->sync_open, 0,
		  "open files with O_SYNC", NULL },
		{ "sync-dir", 'S', POPT_ARG_NONE, &p->sync_dir, 0,
		  "sync the directory after unlink, rmdir and rename", NULL },
		{ "fsync", 'F', POPT_ARG_NONE, &p->sync_write, 0,
		  "fsync after every write", NULL },
		{ "xattr", 'x', POPT_ARG_NONE, &p->xattr, 0,
		  "use extended attributes as Samba does", NULL },
		{ "no-resolve", '\0', POPT_ARG_NONE, &p->no_resolve, 0,
		  "do not look names up without regard to case", NULL },
		{ "target-rate", 'R', POPT_ARG_STRING, &p->text[TEXT_RATE], 0,
		  "hold every client to this rate", "MB/S" },
		{ "data", '\0', POPT_ARG_STRING, &p->text[TEXT_DATA], 0,
		  "what writes contain: random, zero or hexadecimal digits (default: random)", "KIND" },
		{ "watchdog", '\0', POPT_ARG_STRING, &p->text[TEXT_WATCHDOG], 0,
		  "kill a run when a client is stuck so long (default: 120)", "SECONDS" },
		{ "no-reserve", '\0', POPT_ARG_NONE, &p->no_reserve, 0,
		  "allow the disk to be filled", NULL },
		{ "keep", 'k', POPT_ARG_NONE, &p->keep, 0,
		  "leave the run directory and say where", NULL },
		POPT_TABLEEND
	};

	_Static_assert(sizeof(rows) <= sizeof(p->run), "room for the rows");
	memcpy(p->run, rows, sizeof(rows));
}

static void fill_output(struct parser *p)
{
	const struct poptOption rows[] = {
		{ "output", 'o', POPT_ARG_STRING, &p->text[TEXT_OUTPUT], 0,
		  "what goes to standard output: table or json (default: table)", "FORM" },
		{ "json", '\0', POPT_ARG_STRING, &p->text[TEXT_JSON], 0,
		  "write the results to FILE as well", "FILE" },
		{ "per-client", '\0', POPT_ARG_NONE, &p->per_client, 0,
		  "results of every client, too", NULL },
		{ "quiet", '\0', POPT_ARG_NONE, &p->quiet, 0,
		  "only the table and what went wrong; no plan, no progress", NULL },
		{ "verbose", 'v', POPT_ARG_NONE, &p->verbose, 0,
		  "operations of every row, every run as it ends", NULL },
		{ "progress", '\0', POPT_ARG_VAL, &p->progress, 1,
		  "show progress even when standard error is no terminal", NULL },
		{ "no-progress", '\0', POPT_ARG_VAL, &p->progress, 0,
		  "do not show it even then", NULL },
		POPT_TABLEEND
	};

	_Static_assert(sizeof(rows) <= sizeof(p->output), "room for the rows");
	memcpy(p->output, rows, sizeof(rows));
}

static void fill_look(struct parser *p)
{
	const struct poptOption rows[] = {
		{ "check", '\0', POPT_ARG_STRING, &p->text[TEXT_CHECK], 0,
		  "check a load file and say what is in it", "FILE" },
		{ "dump", '\0', POPT_ARG_STRING, &p->text[TEXT_DUMP], 0,
		  "print a load file as it was understood", "FILE" },
		{ "list-ops", '\0', POPT_ARG_NONE, &p->list_ops, 0,
		  "list the operations and control words", NULL },
		{ "list-backends", '\0', POPT_ARG_NONE, &p->list_backends, 0,
		  "list the backends", NULL },
		{ "list-layers", '\0', POPT_ARG_NONE, &p->list_layers, 0,
		  "list what targets are made of", NULL },
		{ "list-loads", '\0', POPT_ARG_NONE, &p->list_loads, 0,
		  "list the installed load files", NULL },
		{ "show", '\0', POPT_ARG_NONE, &p->show, 0,
		  "print results that --json stored, side by side: --show FILE...", NULL },
		{ "version", 'V', POPT_ARG_NONE, &p->version, 0,
		  "print the version", NULL },
		POPT_TABLEEND
	};

	_Static_assert(sizeof(rows) <= sizeof(p->look), "room for the rows");
	memcpy(p->look, rows, sizeof(rows));
}

static void fill_groups(struct parser *p)
{
	const struct poptOption rows[] = {
		{ NULL, '\0', POPT_ARG_INCLUDE_TABLE, p->run, 0,
		  "Runs:", NULL },
		{ NULL, '\0', POPT_ARG_INCLUDE_TABLE, p->output, 0,
		  "Results:", NULL },
		{ NULL, '\0', POPT_ARG_INCLUDE_TABLE, p->look, 0,
		  "Look, run nothing:", NULL },
		POPT_AUTOHELP
		POPT_TABLEEND
	};

	_Static_assert(sizeof(rows) <= sizeof(p->groups), "room for the rows");
	memcpy(p->groups, rows, sizeof(rows));
}
/* clang-format on */

/* Complain about the value of an option: "--rounds 0: want ...". */
static int bad_value(struct err *err, const struct value *v, const char *want)
{
	return err_set(err, -EINVAL, "%s %s: %s", v->option, v->text, want);
}

/* Each of the following leaves *OUT alone when the option was not given. */
static int parse_seconds(const struct value v, double min, double *out,
			 struct err *err)
{
	if (!v.text)
		return 0;
	if (units_parse_seconds(v.text, out) < 0 || *out < min ||
	    *out > SECONDS_MAX)
		return bad_value(err, &v,
				 min > 0 ? "want seconds, 0.001 to 10000000"
					 : "want seconds, 0 to 10000000");
	return 0;
}

static int parse_count(const struct value v, uint64_t max, uint64_t *out,
		       struct err *err)
{
	char want[64];

	if (!v.text)
		return 0;
	(void)snprintf(want, sizeof(want), "want a number from 1 to %" PRIu64,
		       max);
	if (units_parse_u64(v.text, strlen(v.text), out) < 0 || *out < 1 ||
	    *out > max)
		return bad_value(err, &v, want);
	return 0;
}

static int parse_rate(const struct value v, double *out, struct err *err)
{
	if (!v.text)
		return 0;
	if (units_parse_seconds(v.text, out) < 0 || *out <= 0)
		return bad_value(err, &v, "want MB per second, above 0");
	return 0;
}

static int parse_seed(const struct value v, uint64_t *out, struct err *err)
{
	uint32_t fresh = 0;

	if (!v.text) {
		/* 32 bits are enough and easier to type again */
		(void)!getrandom(&fresh, sizeof(fresh), 0);
		*out = fresh;
		return 0;
	}
	if (units_parse_u64(v.text, strlen(v.text), out) < 0 ||
	    *out > INT64_MAX)
		return bad_value(err, &v, "want a number below 2^63");
	return 0;
}

static int parse_output(const struct value v, enum output *out,
			struct err *err)
{
	*out = OUTPUT_TABLE;
	if (!v.text || strcmp(v.text, "table") == 0)
		return 0;
	if (strcmp(v.text, "json") != 0)
		return bad_value(err, &v, "want table or json");
	*out = OUTPUT_JSON;
	return 0;
}

static int parse_metric(const struct value v, enum metric *out,
			struct err *err)
{
	static const struct {
		const char *name;
		enum metric metric;
	} names[] = {
		{ "auto", METRIC_AUTO }, { "mb", METRIC_MB },
		{ "durable", METRIC_DURABLE }, { "ops", METRIC_OPS },
		{ "pass", METRIC_PASS },
	};
	size_t i;

	*out = METRIC_AUTO;
	if (!v.text)
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (strcmp(v.text, names[i].name) == 0) {
			*out = names[i].metric;
			return 0;
		}
	}
	return bad_value(err, &v, "want auto, mb, durable, ops or pass");
}

static int parse_clients(const struct value v, struct options *opts,
			 struct err *err)
{
	const char *text = v.text ? v.text : "1";

	if (counts_parse(text, &opts->counts, &opts->ncounts, err) < 0)
		return err_prefix(err, "%s %s", v.option, text);
	return 0;
}

static struct value value(const struct parser *p, enum text which)
{
	return (struct value){ option_names[which], p->text[which] };
}

/* -t and -w, or -p, which exclude each other. */
static int parse_length(const struct parser *p, struct options *opts,
			struct err *err)
{
	const struct value time = value(p, TEXT_TIMELIMIT);
	const struct value warmup = value(p, TEXT_WARMUP);
	int ret = parse_count(value(p, TEXT_PASSES), UINT32_MAX, &opts->passes,
			      err);

	if (ret < 0)
		return ret;
	if (opts->passes && (time.text || warmup.text))
		return err_set(err, -EINVAL,
			       "--passes and %s exclude each other: with "
			       "passes the answer is the time",
			       time.text ? time.option : warmup.option);
	opts->timelimit = DEFAULT_TIMELIMIT;
	ret = parse_seconds(time, 1e-3, &opts->timelimit, err);
	if (ret < 0)
		return ret;
	opts->warmup = opts->passes ? 0 : opts->timelimit / 5;
	return parse_seconds(warmup, 0, &opts->warmup, err);
}

static int parse_values(const struct parser *p, struct options *opts,
			struct err *err)
{
	uint64_t rounds = opts->ntargets + (opts->aa ? 1 : 0) > 1
				  ? ROUNDS_SEVERAL : 1;
	int ret = parse_clients(value(p, TEXT_CLIENTS), opts, err);

	opts->watchdog = DEFAULT_WATCHDOG;
	if (ret == 0)
		ret = parse_length(p, opts, err);
	if (ret == 0)
		ret = parse_count(value(p, TEXT_ROUNDS), ROUNDS_MAX, &rounds,
				  err);
	if (ret == 0)
		ret = parse_seconds(value(p, TEXT_WATCHDOG), 1e-3,
				    &opts->watchdog, err);
	if (ret == 0)
		ret = parse_rate(value(p, TEXT_RATE), &opts->rate, err);
	if (ret == 0)
		ret = parse_seed(value(p, TEXT_SEED), &opts->seed, err);
	if (ret == 0)
		ret = parse_metric(value(p, TEXT_METRIC), &opts->metric, err);
	if (ret == 0)
		ret = parse_output(value(p, TEXT_OUTPUT), &opts->output, err);
	opts->rounds = (unsigned)rounds;
	return ret;
}

/* What needs no parsing. */
static void copy_plain(const struct parser *p, struct options *opts)
{
	opts->loadfile = p->text[TEXT_LOADFILE];
	opts->backend = p->text[TEXT_BACKEND];
	opts->data = p->text[TEXT_DATA];
	opts->json = p->text[TEXT_JSON];
	opts->progress = p->progress;
	opts->sync_open = p->sync_open;
	opts->sync_dir = p->sync_dir;
	opts->sync_write = p->sync_write;
	opts->xattr = p->xattr;
	opts->no_resolve = p->no_resolve;
	opts->aa = p->aa;
	opts->cold = p->cold;
	opts->no_reserve = p->no_reserve;
	opts->keep = p->keep;
	opts->per_client = p->per_client;
	opts->quiet = p->quiet;
	opts->verbose = p->verbose;
}

/* Which command it is; at most one of those that only look. */
static int choose_command(const struct parser *p, struct options *opts,
			  struct err *err)
{
	const struct {
		bool given;
		enum command command;
	} looks[] = {
		{ p->text[TEXT_CHECK], CMD_CHECK },
		{ p->text[TEXT_DUMP], CMD_DUMP },
		{ p->list_ops, CMD_LIST_OPS },
		{ p->list_backends, CMD_LIST_BACKENDS },
		{ p->list_layers, CMD_LIST_LAYERS },
		{ p->list_loads, CMD_LIST_LOADS },
		{ p->show, CMD_SHOW },
		{ p->version, CMD_VERSION },
	};
	unsigned given = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(looks); i++) {
		if (!looks[i].given)
			continue;
		given++;
		opts->command = looks[i].command;
	}
	if (given > 1)
		return err_set(err, -EINVAL,
			       "only one of --check, --dump, --list-..., "
			       "--show and --version at a time");
	opts->subject = p->text[TEXT_CHECK] ? p->text[TEXT_CHECK]
					    : p->text[TEXT_DUMP];
	if (p->show && !opts->ntargets)
		return err_set(err, -EINVAL, "--show: name the files that "
			       "--json wrote");
	if (p->show && p->text[TEXT_JSON])
		return err_set(err, -EINVAL, "--show writes no --json");
	if (given && !p->show && opts->ntargets)
		return err_set(err, -EINVAL, "unexpected argument '%s'",
			       opts->targets[0]);
	return 0;
}

static int read_options(poptContext con, struct err *err)
{
	int rc = poptGetNextOpt(con);

	if (rc < -1)
		return err_set(err, -EINVAL, "%s: %s",
			       poptBadOption(con, POPT_BADOPTION_NOALIAS),
			       poptStrerror(rc));
	return 0;
}

static void take_targets(poptContext con, struct options *opts)
{
	const char **args = poptGetArgs(con);

	opts->targets = (char **)(uintptr_t)args;
	while (args && args[opts->ntargets])
		opts->ntargets++;
}

static int parse_with(struct parser *p, struct options *opts, struct err *err)
{
	int ret;

	poptSetOtherOptionHelp(p->con, "[OPTION...] [NAME=]TARGET...");
	(void)poptReadDefaultConfig(p->con, 1);
	ret = read_options(p->con, err);
	if (ret < 0)
		return ret;
	take_targets(p->con, opts);
	copy_plain(p, opts);
	ret = choose_command(p, opts, err);
	if (ret < 0 || opts->command != CMD_RUN)
		return ret;
	return parse_values(p, opts, err);
}

int opts_parse(int argc, char **argv, struct options *opts,
	       struct err *err)
{
	struct parser *p = mem_zalloc(1, sizeof(*p));

	*opts = (struct options){ .command = CMD_RUN, .parser = p };
	p->progress = -1;
	fill_run(p);
	fill_output(p);
	fill_look(p);
	fill_groups(p);
	/* popt promises not to write to argv, in its own way */
	p->con = poptGetContext("replay", argc, (const char **)(uintptr_t)argv,
				p->groups, 0);
	return parse_with(p, opts, err);
}

void opts_done(struct options *opts)
{
	struct parser *p = opts->parser;
	int i;

	free(opts->counts);
	if (!p)
		return;
	(void)poptFreeContext(p->con);
	for (i = 0; i < TEXT_NR; i++)
		free(p->text[i]);
	free(p);
}
