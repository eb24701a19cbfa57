/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the compiler makes of each part of the language. */
#include "compiled.h"
#include "tap.h"

#define OPEN "NTCreateX \"/a\" 64 2 5 NT_STATUS_OK\n"
#define MISS " NT_STATUS_OBJECT_NAME_NOT_FOUND\n"
#define FAIL " NT_STATUS_UNSUCCESSFUL\n"
#define GOOD " NT_STATUS_OK\n"

struct form {
	const char *text;
	const char *want; /* dump; NULL: the same */
};

static const struct form forms[] = {
	/* every operation */
	{ OPEN "ReadX 5 1 2 2 NT_STATUS_OK\nWriteX 5 1 2 2 NT_STATUS_OK\n"
	  "Flush 5 NT_STATUS_OK\nLockX 5 2147483538 0 NT_STATUS_OK\n"
	  "UnlockX 5 2147483538 1 NT_STATUS_OK\n"
	  "QUERY_FILE_INFORMATION 5 258 NT_STATUS_OK\n"
	  "SET_FILE_INFORMATION 5 7 NT_STATUS_OK\nClose 5 NT_STATUS_OK\n"
	  "Mkdir \"/d\" NT_STATUS_OK\nRmdir \"/d\" NT_STATUS_OK\n"
	  "Deltree \"/d\" NT_STATUS_OK\nUnlink \"/a\" 6 NT_STATUS_OK\n"
	  "Rename \"/a\" \"/b\" NT_STATUS_OK\n"
	  "FIND_FIRST \"/d/<.*?\" 260 1366 0 NT_STATUS_NO_SUCH_FILE\n"
	  "QUERY_PATH_INFORMATION \"/a\" 1004 NT_STATUS_OK\n"
	  "QUERY_FS_INFORMATION 1007 NT_STATUS_OK\n",
	  OPEN "ReadX 5 1 2 2 NT_STATUS_OK\nWriteX 5 1 2 2 NT_STATUS_OK\n"
	  "Flush 5 NT_STATUS_OK\nLockX 5 2147483538 0 NT_STATUS_OK\n"
	  "UnlockX 5 2147483538 1 NT_STATUS_OK\n"
	  "QUERY_FILE_INFORMATION 5 258 NT_STATUS_OK\n"
	  "SET_FILE_INFORMATION 5 7 NT_STATUS_OK\nClose 5 NT_STATUS_OK\n"
	  "Mkdir \"/d\" NT_STATUS_OK\nRmdir \"/d\" NT_STATUS_OK\n"
	  "Deltree \"/d\" NT_STATUS_OK\nUnlink \"/a\" 6 NT_STATUS_OK\n"
	  "Rename \"/a\" \"/b\" NT_STATUS_OK\n"
	  "FIND_FIRST \"/d/<.*?\" 260 1366 0" MISS
	  "QUERY_PATH_INFORMATION \"/a\" 1004 NT_STATUS_OK\n"
	  "QUERY_FS_INFORMATION 1007 NT_STATUS_OK\n" },

	/* names: without regard to case; NBENCH's name */
	{ "ntcreatex \\a 0x40 0x2 010 0x0\nWrite 8 0 4K 4096 SUCCESS\n",
	  "NTCreateX \"/a\" 64 2 8" GOOD "WriteX 8 0 4096 4096" GOOD },

	/* paths */
	{ "Rename \"\\clients\\client1\\a b\" /x\\\\.\\y/ *\n",
	  "Rename \"/clients/client1/a b\" \"/x/y\" *\n" },
	{ "Deltree \"\\\" *\n", "Deltree \"/\" *\n" },
	{ "Deltree \"/client1client1/client12\" *\n", NULL },
	{ "Deltree \"/$0/...\" *\n", NULL },

	/* an optional argument */
	{ "Unlink \"/a\" *\n", "Unlink \"/a\" 0 *\n" },

	/* statuses */
	{ "Rmdir \"/a\" 0x00000000\nRmdir \"/a\" SUCCESS\n",
	  "Rmdir \"/a\"" GOOD "Rmdir \"/a\"" GOOD },
	{ "Rmdir \"/a\" 0xC0000034\nRmdir \"/a\" NT_STATUS_NO_SUCH_FILE\n",
	  "Rmdir \"/a\"" MISS "Rmdir \"/a\"" MISS },
	{ "Rmdir \"/a\" NT_STATUS_OBJECT_PATH_NOT_FOUND\n", NULL },
	{ "Rmdir \"/a\" NT_STATUS_DIRECTORY_NOT_EMPTY\n", NULL },
	{ "Rmdir \"/a\" ERRORbadfid\nRmdir \"/a\" NT_STATUS_ACCESS_DENIED\n"
	  "Rmdir \"/a\" 0xc0000022\n",
	  "Rmdir \"/a\"" FAIL "Rmdir \"/a\"" FAIL "Rmdir \"/a\"" FAIL },
	{ "Mkdir \"/a\" NT_STATUS_OBJECT_NAME_COLLISION\nMkdir \"/a\" *\n",
	  "Mkdir \"/a\"" GOOD "Mkdir \"/a\" *\n" },

	/* time stamps */
	{ "0 Rmdir \"/a\" *\n", "Rmdir \"/a\" *\n" },
	{ "0.000000001 Rmdir \"/a\" *\n", NULL },
	{ "1.5 Rmdir \"/a\" *\n3. Sleep 7 SUCCESS\n",
	  "1.500000000 Rmdir \"/a\" *\n3.000000000 SLEEP 7\n" },
	{ "31557600.1234567899 Rmdir \"/a\" *\n",
	  "31557600.123456789 Rmdir \"/a\" *\n" },

	/* numbers that are computed */
	{ OPEN "ReadX 5 *%1M/4K+1 *%100 * *\n",
	  OPEN "ReadX 5 *%1048576/4096+1 *%100 * *\n" },
	{ OPEN "WriteX 5 +4096 +child +num_children *\n", NULL },
	{ OPEN "WriteX 5 0 1 1" GOOD "WriteX +0 +0 1 1" GOOD "Close +0 *\n",
	  OPEN "WriteX 5 0 1 1" GOOD "WriteX 5 +0 1 1" GOOD "Close 5 *\n" },
	{ OPEN "RANDOMSTRING 3 \"1[0123]\"\nWriteX 5 $3 $3 $3" GOOD, NULL },

	/* random strings in paths: from where they are defined */
	{ "Rmdir \"/$2\" *\nRANDOMSTRING 2 \"a[\\b]c\"\nRmdir \"/$2\" *\n"
	  "Rename \"/client1/$2$2.x\" \"/$1\" *\n",
	  "Rmdir \"/$2\" *\nRANDOMSTRING 2 \"a[/b]c\"\nRmdir \"/$2\" *\n"
	  "Rename \"/client1/$2$2.x\" \"/$1\" *\n" },

	/* control words */
	{ "LOOP 3\nLOOP 0\nRmdir \"/a\" *\nENDLOOP\nENDLOOP\n", NULL },
	{ "REPEAT 3\n\n# both\n2.0 Rmdir \"/a\" *\nRmdir \"/b\" *\n",
	  "LOOP 3\n2.000000000 Rmdir \"/a\" *\nENDLOOP\nRmdir \"/b\" *\n" },
	{ "SETSP 1\nWAITSP 2 3\nSLEEP 4\nRmdir \"/a\" *\n", NULL },
	{ "WRITEPATTERN a \"b  c\r\nWRITEPATTERN  x\nRmdir \"/a\" *\n",
	  "WRITEPATTERN a \"b  c\nWRITEPATTERN  x\nRmdir \"/a\" *\n" },
	{ "ONCE\nRmdir \"/a\" *\nEND\nRmdir \"/b\" *\n", NULL },
	{ "ONCE\nRmdir \"/a\" *\nEND\nONCE\nEND\nONCE\nRmdir \"/c\" *\nEND\n"
	  "Rmdir \"/b\" *\n",
	  "ONCE\nRmdir \"/a\" *\nRmdir \"/c\" *\nEND\nRmdir \"/b\" *\n" },
	{ "ONCE\nEND\nRmdir \"/b\" *\n", "Rmdir \"/b\" *\n" },
	{ "INCLUDE \"three\" 2-3\nINCLUDE \"three\" 1\nINCLUDE \"three\" 3-\n"
	  "INCLUDE three\nINCLUDE \"none\"\n",
	  "Rmdir \"/2\" *\nRmdir \"/3\" *\nRmdir \"/1\" *\nRmdir \"/3\" *\n"
	  "Rmdir \"/1\" *\nRmdir \"/2\" *\nRmdir \"/3\" *\n" },
};

static const struct fake_file files[] = {
	{ "three", "Rmdir \"/1\" *\nRmdir \"/2\" *\nRmdir \"/3\" *" },
	{ "none", "" },
	{ NULL, NULL },
};

static void test_forms(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		const char *want = forms[i].want ? forms[i].want :
						   forms[i].text;
		struct prog *prog = compile_good(forms[i].text);
		char *dump = prog ? dump_text(prog) : NULL;

		is_str(dump ? dump_body(dump) : NULL, want, "this is its dump");
		free(dump);
		prog_free(prog);
	}
}

/* A client's number goes wherever "client1" stands. */
static void test_client_strings(void)
{
	struct prog *prog = compile_good("Rename \"/clients/client1/x\" "
					 "\"/client1client11\" *\n");
	uintptr_t blobs[2];
	char *own;

	if (!ok(prog != NULL, "compiled"))
		return;
	own = mem_zalloc(prog->client_blob_bytes, 1);
	blobs[0] = (uintptr_t)prog->blob;
	blobs[1] = (uintptr_t)own;
	prog_client_blob(prog, 0, own);
	is_str(prog_str(blobs, prog->recs[0].path), "clients/client0/x",
	       "the first client");
	is_str(prog_str(blobs, prog->recs[0].path2), "client0client01",
	       "every place");
	prog_client_blob(prog, UINT32_MAX, own);
	is_str(prog_str(blobs, prog->recs[0].path),
	       "clients/client4294967295/x", "the last client");
	is_str(prog_str(blobs, prog->recs[0].path2),
	       "client4294967295client42949672951", "with room enough");
	free(own);
	prog_free(prog);
}

static void test_where(void)
{
	struct prog *prog = compile_good("# x\nINCLUDE \"three\" 2-3\n");
	char buf[200];

	if (!ok(prog != NULL, "compiled"))
		return;
	prog_where(prog, 1, buf, sizeof(buf));
	is_str(buf, "three:3 (included from t:2)", "where a record is from");
	is_int(prog->nfiles, 2, "two files");
	is_str(prog->files[0].sha256,
	       "49ddc3df6531c57a910c738c7e30418e"
	       "5706dc33f7793112a5068f3fac9da5ff",
	       "the checksum of the first");
	prog_free(prog);
}

/* Records before an operation, jumps around loops. */
static void test_records(void)
{
	/* the open saves its numbers for the +1 */
	static const uint8_t want[] = { CTL_EVAL,  OP_NTCREATEX, CTL_LOOP,
					CTL_STAMP, CTL_EVAL,     OP_READX,
					CTL_ENDLOOP, CTL_END };
	struct prog *prog = compile_good(OPEN "REPEAT 2\n"
					      "1 ReadX 5 +1 *%9 * *\n");
	const struct rec *r;
	size_t i;

	if (!ok(prog != NULL, "compiled") ||
	    !is_int(prog->nrecs, ARRAY_SIZE(want), "number of records"))
		return;
	r = prog->recs;
	for (i = 0; i < ARRAY_SIZE(want); i++)
		is_int(r[i].code, want[i], "code");
	is_int(r[2].offset, 2, "LOOP: count");
	is_int(r[2].path, 7, "LOOP: after the ENDLOOP");
	is_int(r[6].path, 3, "ENDLOOP: first of the body");
	is_int(r[3].offset, 1000000000, "time in nanoseconds");
	is_int(r[5].offset, 2 + 1 + 1, "most the offset becomes");
	is_int(r[5].size, 8, "most the size becomes");
	is_int(r[5].flags, REC_HANDLE | REC_IO, "flags");
	is_int(r[5].expect, EXPECT_ANY, "any byte count");
	ok(r[1].handle == 1 && r[5].handle == 1 && prog->nslots == 2,
	   "one slot beside slot 0");
	is_int(prog->nest, 1, "nesting");
	is_int(r[0].length, 1, "the open saves one number");
	is_int(prog->steps[r[0].offset].op, STEP_SAVE, "so it does");
	is_int(prog->steps[r[0].offset].index, 1, "the second");
	is_int(prog->steps[r[0].offset].value, FIELD_NUM1, "from its field");
	prog_free(prog);
}

int main(void)
{
	fake_files = files;
	test_forms();
	test_client_strings();
	test_where();
	test_records();
	return done_testing();
}
