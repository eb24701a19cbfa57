/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The load files of tests/golden against their dumps, and dbench's own.
 *
 * NAME.load must compile to a program whose dump is NAME.dump, and the dump
 * to the same program again.  After a change of the dump that is meant,
 * "UPDATE=1 tests/unit/test_load_golden" writes the new ones.
 */
#include <dirent.h>

#include "base/cleanup.h"
#include "compiled.h"
#include "prog_same.h"
#include "tap.h"

#define CLIENT_TXT "/usr/share/dbench/client.txt"

/* Compile a file, or NULL with the messages printed. */
static struct prog *compile_file(const char *path)
{
	struct load_source source = { .read = text_read };
	struct load_errors errors = { .text = NULL };
	struct err err = ERR_INIT;
	struct prog *prog = NULL;
	struct text text;

	if (text_read(path, NULL, &text, &err) < 0) {
		printf("# %s\n", err.text);
		return NULL;
	}
	if (load_compile(&text, &source, &prog, &errors) < 0) {
		printf("# %s", errors.text);
		prog = NULL;
	}
	free(errors.text);
	text_free(&text);
	return prog;
}

static void check_redump(const struct prog *prog, const char *dump)
{
	struct prog *again = compile_good(dump);

	is_str(again ? prog_difference(prog, again) : "not compiled", NULL,
	       "the dump compiles to the same program");
	prog_free(again);
}

static void check_golden(const char *dir, const char *name)
{
	autofree char *load = mem_printf("%s/%s.load", dir, name);
	autofree char *path = mem_printf("%s/%s.dump", dir, name);
	struct prog *prog = compile_file(load);
	autofree char *dump = NULL;
	struct err err = ERR_INIT;
	struct text want;

	if (!ok(prog != NULL, "%s compiles", name))
		return;
	dump = dump_text(prog);
	if (getenv("UPDATE")) {
		FILE *out = fopen(path, "we");

		(void)fputs(dump, out);
		(void)fclose(out);
	}
	if (ok(text_read(path, NULL, &want, &err) == 0, "its dump is there")) {
		is_str(dump, want.bytes, "and the same");
		text_free(&want);
	}
	check_redump(prog, dump);
	prog_free(prog);
}

static int is_load(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && strcmp(dot, ".load") == 0;
}

static void test_golden(const char *dir)
{
	struct dirent **entries = NULL;
	int n = scandir(dir, &entries, is_load, alphasort);
	int i;

	ok(n > 0, "there are load files in %s", dir);
	for (i = 0; i < n; i++) {
		*strrchr(entries[i]->d_name, '.') = '\0';
		check_golden(dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

/* The real load: its figures are known, see DBENCH.md. */
static void test_client_txt(void)
{
	struct prog *prog = compile_file(CLIENT_TXT);
	const struct prog_facts *f;
	char *dump;

	if (!prog) {
		skip(1, "no " CLIENT_TXT);
		return;
	}
	f = &prog->facts;
	is_int(f->ops_per_pass, 458344, "client.txt: operations");
	is_int(f->bytes_read_per_pass, 1472088767, "bytes read");
	is_int(f->bytes_written_per_pass, 1015974170, "bytes written");
	is_int(f->fsyncs_per_pass, 5553, "fsyncs");
	is_int(f->max_open, 23, "handles open at once");
	/* counted by a straightforward replay of the sizes, see model.c */
	is_int(f->peak_client_bytes, 24158208, "peak of its files");
	is_int(f->peak_client_files, 96, "and how many they are");
	ok(prog->image_bytes <= 40000000, "%zu bytes of program",
	   prog->image_bytes);
	dump = dump_text(prog);
	check_redump(prog, dump);
	free(dump);
	prog_free(prog);
}

int main(void)
{
	const char *top = getenv("abs_top_srcdir");
	autofree char *dir = mem_printf("%s/tests/golden", top ? top : ".");

	test_golden(dir);
	test_client_txt();
	return done_testing();
}
