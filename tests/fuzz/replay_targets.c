/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays the corpus of targets without the fuzzer: one check per file of
 * tests/fuzz/corpus-target (or of the arguments).  A failure aborts, so the
 * last comment printed names the file.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/tap.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "fuzz_load.h"

#define TARGET_MAX 65536

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay(const char *path)
{
	autofree uint8_t *bytes = mem_zalloc(1, TARGET_MAX);
	autofp FILE *in = fopen(path, "rbe");
	size_t n;

	printf("# %s\n", path);
	(void)fflush(stdout);
	if (!in) {
		ok(false, "%s can be read", path);
		return;
	}
	n = fread(bytes, 1, TARGET_MAX, in);
	ok(LLVMFuzzerTestOneInput(bytes, n) == 0, "%s", path);
}

static void replay_all(const char *dir)
{
	struct dirent **entries;
	int i, n = scandir(dir, &entries, not_hidden, alphasort);

	if (!ok(n > 0, "there are files in %s", dir))
		return;
	for (i = 0; i < n; i++) {
		autofree char *path = mem_printf("%s/%s", dir,
						 entries[i]->d_name);

		replay(path);
		free(entries[i]);
	}
	free(entries);
}

int main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir");
	autofree char *dir = mem_printf("%s/tests/fuzz/corpus-target",
					top ? top : ".");
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay_all(dir);
	return done_testing();
}
