/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fuzzer's dictionary has every word of the op table. */
#include "base/cleanup.h"
#include "compiled.h"
#include "op/op.h"
#include "tap.h"

/* Codes that have no word of their own in a load file. */
static bool is_internal(unsigned code)
{
	return code == CTL_STAMP || code == CTL_EVAL || code == CTL_END;
}

int main(void)
{
	const char *top = getenv("abs_top_srcdir");
	autofree char *path = mem_printf("%s/tests/fuzz/load.dict",
					 top ? top : ".");
	struct err err = ERR_INIT;
	struct text dict;
	unsigned code;

	if (!ok(text_read(path, NULL, &dict, &err) == 0, "the dictionary"))
		return done_testing();
	for (code = 0; code < OP_CODES; code++) {
		autofree char *word = mem_printf("\n\"%s\"\n",
						 op_info(code)->name);

		if (!is_internal(code))
			ok(strstr(dict.bytes, word) != NULL, "%s",
			   op_info(code)->name);
	}
	text_free(&dict);
	return done_testing();
}
