/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Commands that look and run nothing: --check, --dump, the lists and
 * --version.  The lists are printed from the tables that the program itself
 * uses.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/commands.h"
#include "layout/spec.h"
#include "report/escape.h"
#include "report/show.h"

void complain(const struct err *err)
{
	autofree char *text = escape_text(err->text);

	(void)fprintf(stderr, "replay: %s\n", text);
}

int compile_named(const char *name, struct prog **out)
{
	static const struct load_source source = { .read = text_read };
	struct load_errors errors = { .text = NULL };
	struct err err = ERR_INIT;
	struct text text;
	int ret;

	if (text_read(name, NULL, &text, &err) < 0) {
		complain(&err);
		return EXIT_USAGE;
	}
	ret = load_compile(&text, &source, out, &errors);
	text_free(&text);
	if (ret < 0)
		(void)fputs(errors.text ? errors.text : "replay: no program\n",
			    stderr);
	free(errors.text);
	return ret < 0 ? EXIT_USAGE : 0;
}

static void print_bytes(const char *label, uint64_t bytes)
{
	char buf[32];

	(void)printf("%-24s %" PRIu64 " (%s)\n", label, bytes,
		     units_bytes(bytes, buf, sizeof(buf)));
}

static void print_facts(const struct prog *prog)
{
	const struct prog_facts *f = &prog->facts;
	unsigned kind;

	(void)printf("%-24s %s\n", "load file", prog->files[0].name);
	(void)printf("%-24s %s\n", "sha256", prog->files[0].sha256);
	(void)printf("%-24s %" PRIu64 "\n", "operations per pass",
		     f->ops_per_pass);
	(void)printf("%-24s %" PRIu64 "\n", "operations once",
		     f->once_ops);
	print_bytes("bytes read per pass", f->bytes_read_per_pass);
	print_bytes("bytes written per pass", f->bytes_written_per_pass);
	(void)printf("%-24s %" PRIu64 "\n", "fsyncs per pass",
		     f->fsyncs_per_pass);
	(void)printf("%-24s %" PRIu32 "\n", "handles open at once",
		     f->max_open);
	print_bytes("space of a client's files", f->peak_client_bytes);
	print_bytes("space of shared files", f->peak_shared_bytes);
	(void)printf("%-24s %" PRIu32 " records, %zu bytes\n", "program",
		     prog->nrecs, prog->image_bytes);
	(void)printf("\n%-24s %12s\n", "operation", "per pass");
	for (kind = 0; kind < prog->nkinds; kind++)
		(void)printf("%-24s %12" PRIu64 "\n",
			     op_info(prog->kind_code[kind])->name,
			     f->ops[prog->kind_code[kind]]);
}

int cmd_check(const struct options *opts)
{
	struct prog *prog = NULL;
	int status = compile_named(opts->subject, &prog);

	if (status)
		return status;
	print_facts(prog);
	prog_free(prog);
	return EXIT_GOOD;
}

int cmd_dump(const struct options *opts)
{
	struct prog *prog = NULL;
	int status = compile_named(opts->subject, &prog);

	if (status)
		return status;
	status = prog_dump(prog, stdout) < 0 ? EXIT_UNEXPECTED : EXIT_GOOD;
	prog_free(prog);
	return status;
}

static void list_row(const char *name, const char *args, const char *help)
{
	(void)printf("%-24s %-30s %s\n", name, args, help);
}

int cmd_list_ops(void)
{
	unsigned code;

	(void)puts("Operations, [TIME] NAME ARGUMENTS STATUS:");
	for (code = 0; code < OP_NR; code++)
		list_row(op_info(code)->name, op_info(code)->args,
			 op_info(code)->help);
	(void)puts("\nControl words:");
	for (code = CTL_LOOP; code <= CTL_WRITEPATTERN; code++)
		list_row(op_info(code)->name, op_info(code)->args,
			 op_info(code)->help);
	list_row("REPEAT", "COUNT", "repeat the next operation");
	list_row("ONCE", "",
		 "what follows to END: before the clock starts, not repeated");
	list_row("INCLUDE", "\"FILE\" [FIRST-LAST]",
		 "lines of another load file");
	return EXIT_GOOD;
}

int cmd_list_backends(void)
{
	size_t i;

	for (i = 0; i < backends_nr; i++)
		(void)printf("%-10s %s\n", backends[i]->name,
			     backends[i]->help);
	return EXIT_GOOD;
}

/* The first comment of a load file is its description. */
static void print_load(const char *dir, const char *name)
{
	autofree char *path = mem_printf("%s/%s", dir, name);
	autofp FILE *fp = fopen(path, "re");
	char line[200] = "";
	const char *text = line;
	int stem = (int)(strlen(name) - strlen(".load"));

	while (fp && fgets(line, sizeof(line), fp))
		if (line[0] == '#' && !strstr(line, "SPDX"))
			break;
	text += strspn(text, "# ");
	(void)printf("%-14.*s %.*s\n", stem, name,
		     (int)strcspn(text, "\n"), text);
}

static int is_load(const struct dirent *d)
{
	size_t n = strlen(d->d_name);

	return n > 5 && strcmp(d->d_name + n - 5, ".load") == 0;
}

int cmd_list_loads(void)
{
	const char *dir = load_dir();
	struct dirent **names = NULL;
	int n = scandir(dir, &names, is_load, alphasort);
	int i;

	if (n < 0) {
		(void)fprintf(stderr, "replay: %s: %s\n", dir,
			      strerror(errno));
		return EXIT_SETUP;
	}
	for (i = 0; i < n; i++) {
		print_load(dir, names[i]->d_name);
		free(names[i]);
	}
	free(names);
	return EXIT_GOOD;
}

int cmd_list_layers(void)
{
	spec_print_layers(stdout);
	return EXIT_GOOD;
}

int cmd_show(const struct options *opts)
{
	struct err err = ERR_INIT;

	if (report_show(opts->targets, opts->ntargets, stdout, &err) == 0)
		return EXIT_GOOD;
	complain(&err);
	return EXIT_USAGE;
}

int cmd_version(void)
{
	(void)puts(PACKAGE_STRING);
	return EXIT_GOOD;
}
