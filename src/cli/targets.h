/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The targets of the command line, parsed; with --aa the first one twice. */
#ifndef REPLAY_CLI_TARGETS_H
#define REPLAY_CLI_TARGETS_H

#include "base/err.h"
#include "cli/opts.h"
#include "layout/spec.h"
#include "stats/result.h"

struct targets {
	struct target_spec *specs;  /* owned */
	struct target_info *infos;  /* owned; name and spec set */
	size_t n;
	bool has_aa;                /* the last is the first once more */
};

/*
 * Parse the arguments of OPTS.  Names must differ; what does not go together
 * with other options is refused.  Returns 0, or -errno with ERR set (a usage
 * error).  Release with targets_done() in either case.
 */
int targets_parse(const struct options *opts, struct targets *targets,
		  struct err *err) must_check;
void targets_done(struct targets *targets);

#endif
