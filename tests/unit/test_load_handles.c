/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which slot each handle gets, and for how long. */
#include "compiled.h"
#include "tap.h"

#define O(h) "NTCreateX /f 0 2 " #h " SUCCESS\n"
#define MISS(h) "NTCreateX /f 0 1 " #h " NT_STATUS_NO_SUCH_FILE\n"
#define C(h) "Close " #h " SUCCESS\n"
#define F(h) "Flush " #h " SUCCESS\n"
#define LOOP "LOOP 2\n"
#define END "ENDLOOP\n"

static const struct {
	const char *text;
	const char *slots; /* of the operations, in order */
	unsigned open;     /* at once */
	const char *what;
} cases[] = {
	{ O(5) C(5) O(6) C(6), "1111", 1, "a slot is used again" },
	{ O(5) O(6) C(5) O(7) F(7) C(6), "121112", 2, "the one that is free" },
	{ O(5) O(5) C(5) O(6), "1111", 1, "a second open, the same handle" },
	{ O(5) MISS(5) F(5) C(5), "1011", 1, "an open that must fail" },
	{ O(4294967295) F(4294967295), "11", 1, "the largest number" },
	{ LOOP O(5) C(5) END O(6), "111", 1, "closed in its loop" },
	{ LOOP O(5) END C(5) O(6), "112", 2,
	  "opened in a loop, closed after it: not used again" },
	{ O(5) LOOP C(5) O(6) O(5) END, "1121", 2,
	  "perhaps open: not used again" },
	{ LOOP O(5) C(5) O(6) END, "221", 2,
	  "still open in the next round, so not one that is used before it" },
	{ LOOP LOOP O(5) C(5) END LOOP O(6) END END, "221", 2,
	  "the same through an inner loop" },
	{ LOOP O(5) LOOP O(6) C(6) END C(5) O(7) C(7) END, "122111", 2,
	  "loops within each other" },
	{ "ONCE\n" O(5) O(6) "END\n" O(6) O(5), "1212", 2,
	  "the preamble's handles end with it" },
	{ "ONCE\n" O(5) "END\nONCE\n" F(5) "END\n" O(6), "111", 1,
	  "several ONCEs are one preamble" },
};

static void check(const char *text, const char *slots, unsigned open,
		  const char *what)
{
	struct prog *prog = compile_good(text);
	char got[64];
	size_t n = 0;
	uint32_t i;

	if (!ok(prog != NULL, "%s", what))
		return;
	for (i = 0; i < prog->nrecs; i++)
		if (!op_is_control(prog->recs[i].code))
			got[n++] = (char)('0' + prog->recs[i].handle);
	got[n] = '\0';
	is_str(got, slots, "slots");
	is_int(prog->facts.max_open, open, "open at once");
	is_int(prog->nslots, open + 1, "slots in all");
	prog_free(prog);
}

/* More handles than there are slots. */
static void test_limit(void)
{
	size_t size = (LOAD_SLOTS_MAX + 1) * 40;
	char *text = mem_zalloc(size, 1);
	char *messages;
	struct prog *prog;
	size_t used = 0;
	unsigned i;

	for (i = 0; i < LOAD_SLOTS_MAX; i++)
		used += (size_t)snprintf(text + used, size - used,
					 "NTCreateX /f 0 2 %u *\n", i);
	prog = compile_bytes(text, used, &messages);
	ok(prog && prog->nslots == LOAD_SLOTS_MAX + 1, "as many as there are");
	prog_free(prog);
	free(messages);
	used += (size_t)snprintf(text + used, size - used,
				 "NTCreateX /f 0 2 %u *\n", i);
	prog = compile_bytes(text, used, &messages);
	ok(!prog, "one more");
	is_str(messages, "t:65535: more than 65534 handles open at once\n",
	       "and why not");
	free(messages);
	free(text);
}

int main(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		check(cases[i].text, cases[i].slots, cases[i].open,
		      cases[i].what);
	test_limit();
	return done_testing();
}
