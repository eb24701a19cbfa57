/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replays a fuzzer's corpus without the fuzzer: one check per file of it (or
 * of the arguments).  A failure aborts, so the last comment printed names the
 * file.  It is linked with each of the harnesses.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "../unit/tap.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "fuzz_load.h"

static int not_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void replay(const char *path)
{
	FILE *in = fopen(path, "rbe");
	uint8_t *bytes = NULL;
	size_t size = 0, n = 0;

	printf("# %s\n", path);
	(void)fflush(stdout);
	if (!in) {
		ok(false, "%s can be read", path);
		return;
	}
	do {
		size += n;
		bytes = realloc(bytes, size + 65536);
		n = bytes ? fread(bytes + size, 1, 65536, in) : 0;
	} while (n > 0);
	(void)fclose(in);
	ok(LLVMFuzzerTestOneInput(bytes, size) == 0, "%s", path);
	free(bytes);
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
	autofree char *dir = mem_printf("%s/tests/fuzz/%s", top ? top : ".",
					fuzz_corpus);
	int i;

	for (i = 1; i < argc; i++)
		replay(argv[i]);
	if (argc == 1)
		replay_all(dir);
	return done_testing();
}
