/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said about a load before it runs. */
#include "compiled.h"
#include "tap.h"

#define OPEN "NTCreateX /client1/a 0x40 2 5 SUCCESS\n"
#define CLOSE "Close 5 SUCCESS\n"

static void test_counts(void)
{
	struct prog *prog = compile_good(
		"ONCE\n" OPEN "WriteX 5 0 9000 9000 SUCCESS\n" CLOSE "END\n"
		OPEN "LOOP 3\nLOOP 4\nReadX 5 0 100 50 SUCCESS\nENDLOOP\n"
		"WriteX 5 0 10 10 SUCCESS\nFlush 5 SUCCESS\nENDLOOP\n"
		"ReadX 5 0 7 * SUCCESS\nReadX 5 0 100 100 *\n"
		"LOOP 0\nWriteX 5 0 1 1 SUCCESS\nENDLOOP\n"
		"WAITSP 7 1\n1.5 " CLOSE);
	const struct prog_facts *f;

	if (!ok(prog != NULL, "compiled"))
		return;
	f = &prog->facts;
	is_int(f->once_ops, 3, "operations once");
	is_int(f->ops_per_pass, 1 + 12 + 6 + 2 + 1, "operations a pass");
	is_int(f->ops[OP_READX], 14, "reads");
	is_int(f->bytes_read_per_pass, 12 * 50 + 7, "bytes read");
	is_int(f->bytes_written_per_pass, 30, "bytes written");
	is_int(f->fsyncs_per_pass, 3, "fsyncs");
	is_int(f->max_read, 100, "largest read");
	is_int(f->max_write, 9000, "largest write, ONCE included");
	ok(f->bytes_exact && f->has_stamps && f->has_waits && f->reads &&
		   f->writes, "flags");
	is_int(f->max_wait_client, 7, "client that is waited for");
	is_int(prog->nkinds, 5, "kinds of operations");
	prog_free(prog);
}

/* Counts that are too large for 64 bits stay at the largest. */
static void test_saturation(void)
{
	struct prog *prog = compile_good(
		OPEN "LOOP 1T\nLOOP 1T\nWriteX 5 *%1M 9 9 SUCCESS\nENDLOOP\n"
		"ENDLOOP\n");

	if (!ok(prog != NULL, "compiled"))
		return;
	ok(prog->facts.ops_per_pass == UINT64_MAX, "operations");
	ok(prog->facts.bytes_written_per_pass == UINT64_MAX, "bytes");
	is_int(prog->facts.peak_client_bytes, 1024 * 1024 + 4096,
	       "but not the file");
	prog_free(prog);
}

struct peak {
	const char *text;
	uint64_t bytes, files;   /* of a client */
	uint64_t shared_bytes;
	const char *what;
};

#define GONE "Unlink /client1/a SUCCESS\n"
#define W(off, size) "WriteX 5 " #off " " #size " " #size " SUCCESS\n"

static const struct peak peaks[] = {
	{ OPEN W(0, 1) CLOSE, 4096, 1, 0, "a byte is a block" },
	{ OPEN W(0, 8192) W(4096, 8192) CLOSE, 12288, 1, 0, "the end counts" },
	{ OPEN W(1T, 1) CLOSE GONE, 4096, 1, 0, "a hole does not" },
	{ OPEN W(4000, 98) CLOSE GONE, 8192, 1, 0, "a few bytes, two blocks" },
	{ OPEN "LOOP 9\n" W(1T, 4K) "ENDLOOP\n" CLOSE GONE, 4096, 1, 0,
	  "the same block again" },
	{ "Mkdir /d *\nMkdir /client1/d *\n", 4096, 1, 4096, "directories" },
	{ "NTCreateX /s 0 2 5 SUCCESS\n" W(1M, 4096), 0, 0, 1024 * 1024 + 4096,
	  "what all write has its whole length" },
	{ OPEN W(0, 8192) CLOSE GONE
	  "NTCreateX /client1/b 0 2 5 SUCCESS\n" W(0, 4096), 12288, 2, 0,
	  "the second pass meets what the first left" },
	{ OPEN W(0, 8192) CLOSE GONE
	  "NTCreateX /client1/b 0 2 5 SUCCESS\n" W(0, 4096) CLOSE
	  "Deltree / SUCCESS\n", 8192, 1, 0, "Deltree removes everything" },
	{ OPEN W(0, 8192) GONE
	  "NTCreateX /client1/b 0 2 6 SUCCESS\n"
	  "WriteX 6 0 4096 4096 SUCCESS\nClose 6 SUCCESS\n" CLOSE
	  "Unlink /client1/b SUCCESS\n", 12288, 2, 0,
	  "open files stay without a name" },
	{ OPEN W(0, 8192) CLOSE "Rename /client1/a /client1/b SUCCESS\n"
	  OPEN W(0, 4096) CLOSE, 16384, 2, 0,
	  "renamed over in the second pass" },
	{ OPEN W(0, 8192) CLOSE "NTCreateX /client1/a 0 5 5 SUCCESS\n"
	  W(0, 4096) CLOSE "NTCreateX /client1/b 0 2 5 SUCCESS\n"
	  CLOSE, 8192, 2, 0, "an open that truncates" },
	{ OPEN W(0, 4096) "REPEAT 99\nWriteX 5 +4096 4096 4096 SUCCESS\n",
	  409600, 1, 0, "growth in a loop" },
	{ OPEN "REPEAT 3\nWriteX 5 *%1M *%4096+1 * SUCCESS\n" CLOSE GONE,
	  3 * 8192, 1, 0, "somewhere, but only two blocks each time" },
	{ OPEN "WriteX 5 *%1M/4096 4096 4096 SUCCESS\n", 1024 * 1024, 1, 0,
	  "everywhere after many passes" },
	{ "RANDOMSTRING 1 \"[01][01]\"\nLOOP 100\nRANDOMSTRING 0 \"[01234]\"\n"
	  "NTCreateX /$0 0 2 5 SUCCESS\n" W(0, 8192) CLOSE "ENDLOOP\n",
	  6 * 8192, 6, 0, "as many files as there are names, and one new" },
	{ "LOOP 1000\nRANDOMSTRING 0 \"[01234][0123456789]\"\n"
	  "NTCreateX /$0 0 2 5 SUCCESS\n" W(0, 8192) CLOSE
	  "Unlink /$0 SUCCESS\nENDLOOP\n", 8192, 1, 0,
	  "one, if each goes before the next" },
	{ "NTCreateX /client1/d 1 2 5 SUCCESS\n" CLOSE
	  "NTCreateX /client1/d/a 0 2 5 SUCCESS\n" W(0, 4096) CLOSE
	  "Rename /client1/d /client1/e SUCCESS\n"
	  "Unlink /client1/d/a SUCCESS\n", 16384, 4, 0,
	  "files in a renamed directory stay" },
	{ OPEN W(0, 4096) CLOSE "Unlink /client1/a *\n"
	  "Unlink /client1/a NT_STATUS_NO_SUCH_FILE\n", 4096, 1, 0,
	  "only certain removals count" },
};

static void check_peak(const struct peak *peak)
{
	struct prog *prog = compile_good(peak->text);

	if (!ok(prog != NULL, "%s", peak->what))
		return;
	is_int(prog->facts.peak_client_bytes, peak->bytes, "bytes");
	is_int(prog->facts.peak_client_files, peak->files, "files");
	is_int(prog->facts.peak_shared_bytes, peak->shared_bytes,
	       "shared bytes");
	prog_free(prog);
}

/* Nested loops that create and remove: a walk must not double with each. */
static void test_time(void)
{
	char text[4096] = "";
	struct prog *prog;
	unsigned i;

	for (i = 0; i < LOAD_NEST_MAX; i++)
		strcat(text, "LOOP 2\n");
	strcat(text, OPEN CLOSE GONE);
	for (i = 0; i < LOAD_NEST_MAX; i++)
		strcat(text, "ENDLOOP\n");
	prog = compile_good(text);
	ok(prog != NULL, "thirty-two loops within each other are no trouble");
	prog_free(prog);
}

int main(void)
{
	size_t i;

	test_counts();
	test_saturation();
	for (i = 0; i < ARRAY_SIZE(peaks); i++)
		check_peak(&peaks[i]);
	test_time();
	return done_testing();
}
