/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler refuses, and in which words. */
#include "compiled.h"
#include "tap.h"

#define OPEN "NTCreateX \"\\a\" 0x40 2 5 NT_STATUS_OK\n"
#define GOOD "Mkdir \"\\x\" *\n"

struct bad {
	const char *text;
	const char *want; /* all messages */
};

static const struct bad words[] = {
	{ "", "t: no operation in it\n" },
	{ "# nothing\n", "t: no operation in it\n" },
	{ "SLEEP 5\n", "t: no operation in it\n" },
	{ "ONCE\n" GOOD "END\n", "t: no operation in it outside ONCE\n" },
	{ "Foo 1 *\n", "t:1: unknown operation 'Foo'\n" },
	{ "Foo\n", "t:1: unknown operation 'Foo'\n" },
	{ "\"Mkdir\" /x *\n", "t:1: unknown operation 'Mkdir'\n" },
	{ "F\x1b[31m\x80 1 *\n",
	  "t:1: unknown operation 'F\\x1b[31m\\x80'\n" },
	{ "12345678901234567890123456789012345678901234567890x *\n",
	  "t:1: '1234567890123456789012345678901234567890'... is neither a "
	  "time stamp nor an operation\n" },
	{ "SMBmkdir x\nSMBx\n", "t:1: this is a load file of dbench 1, "
				"which cannot be replayed\n" },
	{ "READ3 \"x\" 0 *\n",
	  "t:1: 'READ3' is an operation of dbench's NFS dialect; only that "
	  "of file systems can be replayed\n" },
	{ "loop 3\n", "t:1: 'loop': control words are in capital letters\n" },
	{ "Mkdir\n", "t:1: no status after 'Mkdir'\n" },
	{ "Mkdir *\n", "t:1: too few arguments: Mkdir takes PATH and a "
		       "status\n" },
	{ "Mkdir /x /y *\n", "t:1: too many arguments: Mkdir takes PATH and "
			     "a status\n" },
	{ "Mkdir /x\n",
	  "t:1: the last word must be a status (NT_STATUS_..., 0x..., "
	  "SUCCESS, ERROR..., *), not '/x'\n" },
	{ "Mkdir x *\n", "t:1: a path is expected, not 'x'\n" },
	{ "Mkdir \"x\" *\n",
	  "t:1: 'x' is not a path: it must begin with / or \\\n" },
	{ "Mkdir \"\" *\n",
	  "t:1: '' is not a path: it must begin with / or \\\n" },
	{ "Mkdir \"/a\\..\\b\" *\n",
	  "t:1: '..' in a path leads out of the target\n" },
	{ "Mkdir \"/a *\n", "t:1: a quote is not closed\n" },
	{ "1.5\n", "t:1: a time stamp without an operation\n" },
	{ "1.5 LOOP 2\n" GOOD "ENDLOOP\n",
	  "t:1: LOOP takes no time stamp\nt:3: ENDLOOP without LOOP\n" },
	{ "1.5x Mkdir /x *\n",
	  "t:1: '1.5x' is neither a time stamp nor an operation\n" },
	{ "1000000001 Mkdir /x *\n",
	  "t:1: the time stamp '1000000001' is more than thirty years\n" },
};

static const struct bad numbers[] = {
	{ "QUERY_FS_INFORMATION x *\n", "t:1: 'x' is not a number\n" },
	{ "QUERY_FS_INFORMATION -1 *\n", "t:1: '-1' is not a number\n" },
	{ "QUERY_FS_INFORMATION \"1\" *\n", "t:1: '1' is not a number\n" },
	{ "QUERY_FS_INFORMATION 4294967296 *\n",
	  "t:1: the number is more than 4294967295\n" },
	{ "QUERY_FS_INFORMATION 99999999999999999999 *\n",
	  "t:1: '99999999999999999999' is too large a number\n" },
	{ OPEN "Close 4294967296 *\n",
	  "t:2: the handle is more than 4294967295\n" },
	{ OPEN "Close * *\n", "t:2: a handle must be a number\n" },
	{ OPEN "ReadX 5 0 *%0 1 *\n", "t:2: '*%0' divides by zero\n" },
	{ OPEN "ReadX 5 0 *5 1 *\n",
	  "t:2: '*5': after * come %N, /N and +N\n" },
	{ OPEN "ReadX 5 0 *% 1 *\n", "t:2: '' is not a number\n" },
	{ OPEN "ReadX 5 0 $1 1 *\n", "t:2: '$1' is not a number\n" },
	{ OPEN "ReadX 5 *%9%9%9%9%9%9%9%9%9%9%9%9%9%9%9%9 1 1 *\n",
	  "t:2: '*%9%9%9%9%9%9%9%9%9%9%9%9%9%9%9%9' has too many parts\n" },
	{ OPEN "ReadX 5 0 1 *%5 *\n",
	  "t:2: the expected size cannot be random: * alone expects any\n" },
	{ OPEN "ReadX 5 0 257M 1 *\n",
	  "t:2: more than 268435456 bytes in one transfer\n" },
	{ OPEN "ReadX 5 0 10 20 SUCCESS\n",
	  "t:2: 20 bytes expected of a transfer of 10\n" },
	{ OPEN "ReadX 5 9223372036854775807 1 1 *\n",
	  "t:2: offset and length go beyond 2^63-1\n" },
	{ OPEN "LockX 5 1 9223372036854775807 *\n",
	  "t:2: offset and length go beyond 2^63-1\n" },
	{ OPEN "ReadX 5 0 * * *\n",
	  "t:2: a random size needs a limit, as in *%65536\n" },
	{ OPEN "LOOP 1000\nReadX 5 0 +1M 0 *\nENDLOOP\n",
	  /* the operation before has 5, its handle, in the same place */
	  "t:3: the size can become 1048576005, more than the 268435456 "
	  "bytes of one transfer\n" },
};

static const struct bad handles[] = {
	{ "Close 5 *\n", "t:1: no line above opens handle 5\n" },
	{ OPEN "Close 5 *\nFlush 5 *\n",
	  "t:3: handle 5 is not open here: line 2 closes it\n" },
	{ "NTCreateX /a 0 1 5 NT_STATUS_NO_SUCH_FILE\nFlush 5 *\n",
	  "t:2: handle 5 is not open here: line 1 opens it, but is to fail\n" },
	{ "ONCE\n" OPEN "END\nFlush 5 *\n",
	  "t:4: no line above opens handle 5\n" },
	{ OPEN "LOOP 4\nFlush +1 *\nENDLOOP\n",
	  "t:3: a handle +N must have one value, here it depends on what "
	  "ran before\n" },
	{ OPEN "Flush +child *\n",
	  "t:2: a handle +N must have one value, here it depends on what "
	  "ran before\n" },
	{ "LOOP 2\nFlush 5 *\n" OPEN "ENDLOOP\n",
	  "t:2: no line above opens handle 5\n" },
};

static const struct bad controls[] = {
	{ "ENDLOOP\n", "t:1: ENDLOOP without LOOP\n" },
	{ "LOOP\n", "t:1: too few arguments: LOOP takes COUNT\n" },
	{ "LOOP 3 4\n", "t:1: too many arguments: LOOP takes COUNT\n" },
	{ "LOOP *%3\n", "t:1: '*%3' is not a number\n" },
	{ "LOOP 3\n" GOOD, "t:1: LOOP is not closed by ENDLOOP\n" },
	{ "REPEAT 3\nLOOP 2\nENDLOOP\n",
	  "t:2: REPEAT in line 1 repeats one operation, not this\n" },
	{ GOOD "REPEAT 3\n", "t:2: REPEAT without an operation\n" },
	{ "REPEAT 3\nFoo\n" GOOD, "t:2: unknown operation 'Foo'\n" },
	{ "END\n", "t:1: END without ONCE\n" },
	{ "ONCE\n" GOOD, "t:1: ONCE is not closed by END\n" },
	{ GOOD "ONCE\nEND\n", "t:2: ONCE must stand before everything else "
			      "that is executed\n" },
	{ "LOOP 2\nONCE\nEND\nENDLOOP\n", "t:2: ONCE within LOOP\n" },
	{ "ONCE\nONCE\nEND\nEND\n", "t:2: ONCE within ONCE\n" },
	{ "ONCE\nLOOP 3\nEND\nENDLOOP\nEND\n" GOOD,
	  "t:3: END, but LOOP in line 2 is open\n" },
	{ "ONCE\nENDLOOP\nEND\n" GOOD,
	  "t:2: ENDLOOP, but ONCE in line 1 is open\n" },
	{ "ONCE\n1.0 " GOOD "END\n" GOOD,
	  "t:2: a time stamp in ONCE, where no clock runs\n" },
	{ "RANDOMSTRING 10 \"a\"\n",
	  "t:1: random strings have numbers from 0 to 9\n" },
	{ "RANDOMSTRING 1 \"\"\n", "t:1: an empty pattern\n" },
	{ "RANDOMSTRING 1 \"a[bc\"\n", "t:1: a [ is not closed\n" },
	{ "RANDOMSTRING 1 \"a]b\"\n", "t:1: a ] without [\n" },
	{ "RANDOMSTRING 1 \"a[]b\"\n", "t:1: a [] is empty\n" },
	{ "WRITEPATTERN\n", "t:1: WRITEPATTERN without a text\n" },
	{ "WRITEPATTERN \n", "t:1: WRITEPATTERN without a text\n" },
	{ "WAITSP 100000 1\n", "t:1: WAITSP for a client beyond 99999\n" },
	{ "Sleep 5 6\n", "t:1: '6' is not a status\n" },
};

static const struct bad includes[] = {
	{ "INCLUDE \"no\"\n", "t:1: no file no\n" },
	{ "INCLUDE \"\"\n", "t:1: INCLUDE of a file without a name\n" },
	{ "INCLUDE \"bad\"\n",
	  "bad:2: unknown operation 'Foo' (included from t:1)\n" },
	{ "\nINCLUDE \"outer\"\n",
	  "bad:2: unknown operation 'Foo' (included from outer:1, from "
	  "t:2)\n" },
	{ "INCLUDE \"bad\" 0-1\n", "t:1: no lines are '0-1'\n" },
	{ "INCLUDE \"bad\" 3-2\n", "t:1: no lines are '3-2'\n" },
	{ "INCLUDE \"bad\" x-2\n", "t:1: 'x' is not a number\n" },
	{ "INCLUDE \"bad\" 3-4\n", "t:1: line 4 is wanted, but bad has 3\n" },
	{ "INCLUDE \"bad\" 4-\n", "t:1: line 4 is wanted, but bad has 3\n" },
	{ "INCLUDE \"open\"\nENDLOOP\n",
	  "open:1: LOOP is not closed by ENDLOOP (included from t:1)\n"
	  "t:2: ENDLOOP without LOOP\n" },
	{ "LOOP 2\nINCLUDE \"close\"\nENDLOOP\n",
	  "close:1: ENDLOOP of a LOOP in another file (included from "
	  "t:2)\n" },
	{ "INCLUDE \"\x1b[31m\"\n", "t:1: no file \\x1b[31m\n" },
};

static const struct fake_file files[] = {
	{ "bad", "# fine\nFoo 1 *\nMkdir /x *\n" },
	{ "outer", "INCLUDE \"bad\"\n" },
	{ "open", "LOOP 2\nMkdir /x *\n" },
	{ "close", "ENDLOOP\n" },
	{ "self", "INCLUDE \"self\"\nINCLUDE \"self\"\n" },
	{ NULL, NULL },
};

static void check(const struct bad *bad, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		char *messages = NULL;
		struct prog *prog = compile_bytes(bad[i].text,
						  strlen(bad[i].text),
						  &messages);

		is_str(messages, bad[i].want, "these words are the refusal");
		free(messages);
		prog_free(prog);
	}
}

/* Twenty messages, and how many more there are. */
static void test_many(void)
{
	char text[4096] = "";
	char *messages;
	size_t lines = 0;
	const char *p;
	unsigned i;

	for (i = 0; i < 25; i++)
		strcat(text, "Foo\n");
	ok(!compile_bytes(text, strlen(text), &messages), "refused");
	for (p = messages; (p = strchr(p, '\n')) != NULL; p++)
		lines++;
	is_int(lines, 21, "twenty messages and one line more");
	ok(strstr(messages, "t:20: ") && strstr(messages, "\n5 more errors\n"),
	   "the number of the others");
	free(messages);
}

/* A path at each of its limits, and beyond. */
static void test_limits(void)
{
	static const struct {
		const char *unit;
		unsigned good;
		const char *want;
	} limits[] = {
		{ "n", 255, "a name of more than 255 bytes" },
		{ "/d", 128, "a path deeper than 128 directories" },
		{ "client1", 15, "a name of more than 255 bytes" },
	};
	char text[8192], *messages;
	struct prog *prog;
	unsigned i, j, over;

	for (i = 0; i < ARRAY_SIZE(limits); i++)
		for (over = 0; over < 2; over++) {
			strcpy(text, "Unlink \"/");
			for (j = 0; j < limits[i].good + over; j++)
				strcat(text, limits[i].unit);
			strcat(text, "\" SUCCESS\n");
			prog = compile_bytes(text, strlen(text), &messages);
			ok(over ? messages && strstr(messages, limits[i].want) :
				  prog != NULL,
			   "%u times %s", limits[i].good + over,
			   limits[i].unit);
			free(messages);
			prog_free(prog);
		}
}

/* A file that includes itself ends at the limit, at once. */
static void test_cycle(void)
{
	static const char text[] = "INCLUDE \"self\"\n";
	char *messages;

	ok(!compile_bytes(text, strlen(text), &messages), "refused");
	ok(strstr(messages, "more than 16 INCLUDEs within each other"),
	   "a cycle of INCLUDEs is refused");
	ok(!strstr(strchr(messages, '\n') + 1, "\n"), "with one message");
	free(messages);
}

int main(void)
{
	fake_files = files;
	check(words, ARRAY_SIZE(words));
	check(numbers, ARRAY_SIZE(numbers));
	check(handles, ARRAY_SIZE(handles));
	check(controls, ARRAY_SIZE(controls));
	check(includes, ARRAY_SIZE(includes));
	test_many();
	test_limits();
	test_cycle();
	return done_testing();
}
