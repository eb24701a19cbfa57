/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From argv to an exit status; everything else is in the library. */
#include "cli/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int dispatch(const struct options *opts, char **argv)
{
	switch (opts->command) {
	case CMD_CHECK:
		return cmd_check(opts);
	case CMD_DUMP:
		return cmd_dump(opts);
	case CMD_LIST_OPS:
		return cmd_list_ops();
	case CMD_LIST_BACKENDS:
		return cmd_list_backends();
	case CMD_LIST_LOADS:
		return cmd_list_loads();
	case CMD_LIST_LAYERS:
		return cmd_list_layers();
	case CMD_SHOW:
		return cmd_show(opts);
	case CMD_VERSION:
		return cmd_version();
	default:
		return cmd_run(opts, argv);
	}
}

/* Output that could not be written is a failure, not a shorter output. */
static int flush_output(int status)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* the writing that failed may have been an earlier one */
	(void)fprintf(stderr, "replay: cannot write to standard output%s%s\n",
		      errno ? ": " : "", errno ? strerror(errno) : "");
	return status ? status : EXIT_UNEXPECTED;
}

/*
 * Nothing of ours may take the place of a standard descriptor that is
 * closed.  What stands in for it cannot be used, so that reading or writing
 * it fails as it would have.
 */
static void fill_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd > STDERR_FILENO)
		(void)close(fd);
}

int main(int argc, char **argv)
{
	struct options opts;
	struct err err = ERR_INIT;
	int status = EXIT_USAGE;

	fill_standard_descriptors();
	/* names may be printed in UTF-8; numbers keep their point */
	(void)setlocale(LC_CTYPE, "");
	if (opts_parse(argc, argv, &opts, &err) < 0) {
		complain(&err);
		(void)fputs("Try 'replay --help'.\n", stderr);
	} else {
		status = dispatch(&opts, argv);
	}
	opts_done(&opts);
	return flush_output(status);
}
