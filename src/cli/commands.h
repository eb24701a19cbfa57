/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The commands: each gets the options and returns the exit status, having
 * printed what is to be said.
 */
#ifndef REPLAY_CLI_COMMANDS_H
#define REPLAY_CLI_COMMANDS_H

#include "cli/opts.h"
#include "load/load.h"

int cmd_run(const struct options *opts, char **argv);
int cmd_check(const struct options *opts);
int cmd_dump(const struct options *opts);
int cmd_list_ops(void);
int cmd_list_backends(void);
int cmd_list_loads(void);
int cmd_list_layers(void);
int cmd_show(const struct options *opts);
int cmd_version(void);

/* "replay: TEXT" to standard error. */
void complain(const struct err *err);

/*
 * Read and compile NAME, printing what is wrong.  Returns 0 with *OUT, or
 * the exit status.
 */
int compile_named(const char *name, struct prog **out) must_check;

#endif
