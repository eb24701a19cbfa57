/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The command line as a struct. */
#ifndef REPLAY_CLI_OPTS_H
#define REPLAY_CLI_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "stats/result.h"

enum command {
	CMD_RUN,
	CMD_CHECK,
	CMD_DUMP,
	CMD_LIST_OPS,
	CMD_LIST_BACKENDS,
	CMD_LIST_LOADS,
	CMD_LIST_LAYERS,
	CMD_SHOW,
	CMD_VERSION
};

enum output { OUTPUT_TABLE, OUTPUT_JSON };

/* Exit statuses of the program; see EXIT STATUS in replay(1). */
enum {
	EXIT_GOOD = 0,
	EXIT_UNEXPECTED = 1, /* unexpected results, or cut short */
	EXIT_USAGE = 2,
	EXIT_SETUP = 3 /* nothing was measured */
};

struct options {
	enum command command;
	char *subject;        /* file of --check and --dump */

	char *loadfile;       /* -c; NULL: the default */
	unsigned *counts;     /* -n, expanded */
	size_t ncounts;
	double timelimit;     /* -t, seconds */
	double warmup;        /* -w, seconds */
	uint64_t passes;      /* -p; 0: timed */
	unsigned rounds;      /* -r; set by opts_parse() from the number of
				 targets when it was not given */
	enum metric metric;   /* --metric */
	bool aa, cold;
	uint64_t seed;        /* --seed; below 2^63 */
	char *backend;        /* -B; NULL: the default */
	bool sync_open, sync_dir, sync_write, xattr, no_resolve;
	double rate;          /* -R, MB/s per client; 0: none */
	char *data;           /* --data; NULL: the default */
	double watchdog;      /* --watchdog, seconds */
	bool no_reserve;
	bool keep;

	enum output output;   /* -o */
	char *json;           /* --json FILE */
	bool per_client, quiet, verbose;
	int progress;         /* 1 yes, 0 no, -1 when stderr is a terminal */

	char **targets;       /* as typed, or the files of --show; NULL at the
				 end */
	size_t ntargets;

	struct parser *parser; /* owns the strings */
};

/*
 * Parse the command line, popt's alias files included.  Returns 0, or
 * -EINVAL with ERR set: a usage error.  --help and --usage print and exit as
 * popt does.  *OPTS is released with opts_done() in either case.
 */
int opts_parse(int argc, char **argv, struct options *opts,
	       struct err *err) must_check;
void opts_done(struct options *opts);

#endif
