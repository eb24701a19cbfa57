/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding, reading and decompressing load files; their checksums. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "compiled.h"
#include "load/digest.h"
#include "tap.h"

static char dir[] = "/tmp/test_load_text.XXXXXX";

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *out = fopen(name, "wbe");

	if (!out || fwrite(bytes, 1, len, out) != len || fclose(out) != 0)
		perror(name);
}

static void write_gzip(const char *name, const char *bytes, size_t len,
		       const char *mode)
{
	gzFile out = gzopen(name, mode);

	if (gzwrite(out, bytes, (unsigned)len) != (int)len)
		printf("# cannot write %s\n", name);
	(void)gzclose(out);
}

/* What reading NAME gives: its text, or the message in []. */
static char *reading(const char *name, const char *beside)
{
	struct err err = ERR_INIT;
	struct text text;
	char *result;

	if (text_read(name, beside, &text, &err) < 0) {
		ok(!text.bytes && !text.name && err.code < 0, "left zeroed");
		return mem_printf("[%s]", err.text);
	}
	ok(strlen(text.bytes) == text.len, "a NUL after the last byte");
	result = mem_strdup(text.bytes);
	text_free(&text);
	return result;
}

static void check(const char *name, const char *beside, const char *want)
{
	char *got = reading(name, beside);

	is_str(got, want, name);
	free(got);
}

/* Where files are looked for, and which of several is taken. */
static void test_places(void)
{
	(void)mkdir("here", 0700);
	(void)mkdir("installed", 0700);
	(void)mkdir("here/dir", 0700);
	(void)mkdir("dir", 0700);
	write_file("a", "A", 1);
	write_file("z", "Z", 1);
	write_file("here/a", "HA", 2);
	write_file("here/own", "HO", 2);
	write_file("installed/a", "IA", 2);
	write_file("installed/b", "IB", 2);
	write_file("installed/c.load", "IC", 2);
	write_file("installed/dir.load", "ID", 2);
	(void)setenv("REPLAY_LOADFILES", "installed", 1);
	is_str(load_dir(), "installed", "the environment's directory");
	check("a", NULL, "A");
	check("./b", NULL, "IB");
	check("b", NULL, "IB");
	check("c", NULL, "IC");
	check("dir", NULL, "ID");
	check("a", "here/x.load", "HA");
	check("own", "here/x.load", "HO");
	check("b", "here/x.load", "IB");
	check("z", "here/x.load", "Z");
	check("a", "x.load", "A");
	check("no", NULL, "[no load file no, neither here nor in installed nor "
			  "in /usr/share/dbench]");
	check("/no/such", NULL,
	      "[cannot open /no/such: No such file or directory]");
	check("here", NULL, "[cannot open here: Is a directory]");
	(void)setenv("REPLAY_LOADFILES", "", 1);
	ok(load_dir()[0] == '/', "an empty one is none");
	(void)setenv("REPLAY_LOADFILES", "installed", 1);
}

/* What an INCLUDE names cannot keep us waiting. */
static void test_special(void)
{
	(void)mkfifo("fifo", 0600);
	check("fifo", "x.load", "[fifo: not a regular file]");
	check("/dev/zero", "x.load", "[/dev/zero: not a regular file]");
	check("-", "x.load", "[no load file -, neither here nor in installed "
			     "nor in /usr/share/dbench]");
}

static void test_unreadable(void)
{
	write_file("secret", "x", 1);
	(void)chmod("secret", 0);
	if (access("secret", R_OK) == 0)
		skip(2, "everything is readable for root");
	else
		check("secret", NULL, "[cannot open secret: "
				      "Permission denied]");
}

static void test_gzip(void)
{
	char raw[100];
	size_t len;
	FILE *in;

	write_gzip("z.gz", "hello", 5, "wb");
	check("z.gz", NULL, "hello");
	in = fopen("z.gz", "rbe");
	len = fread(raw, 1, sizeof(raw), in);
	(void)fclose(in);
	write_file("cut.gz", raw, len - 9);
	check("cut.gz", NULL, "[cut.gz: the gzip data is cut short]");
	write_file("bad.gz", "\x1f\x8b\x08xxxxxxxxxxxxxxxxxxx", 20);
	check("bad.gz", NULL, "[bad.gz: the gzip data is damaged]");
	write_gzip("z.gz", " again", 6, "ab");
	check("z.gz", NULL, "hello again");
	memcpy(raw + len, "tail", 4);
	write_file("tail.gz", raw, len + 4);
	check("tail.gz", NULL, "hello");
}

/* A few kilobytes that would become gigabytes. */
static void test_bomb(void)
{
	static char zeros[1 << 20];
	gzFile out = gzopen("bomb.gz", "wb1");
	struct err err = ERR_INIT;
	struct text text;
	unsigned i;

	for (i = 0; i < (LOAD_TEXT_MAX >> 20) + 1; i++)
		if (gzwrite(out, zeros, sizeof(zeros)) <= 0)
			break;
	(void)gzclose(out);
	is_int(text_read("bomb.gz", NULL, &text, &err), -EFBIG, "refused");
	is_str(err.text, "bomb.gz: more than 1073741824 bytes when "
			 "decompressed", "and why");
}

static void test_stdin(void)
{
	int saved = dup(STDIN_FILENO);
	struct err err = ERR_INIT;
	struct text text;

	write_gzip("in.gz", "piped", 5, "wb");
	(void)close(STDIN_FILENO);
	ok(open("in.gz", O_RDONLY | O_CLOEXEC) == STDIN_FILENO, "redirected");
	is_int(text_read("-", NULL, &text, &err), 0, "standard input");
	is_str(text.bytes, "piped", "its text, decompressed");
	is_str(text.name, "(standard input)", "its name");
	text_free(&text);
	(void)dup2(saved, STDIN_FILENO);
	(void)close(saved);
}

/* The test vectors of FIPS 180-4, and a long text. */
static void test_digest(void)
{
	static char million[1000000];
	char got[DIGEST_HEX];

	digest_bytes("", 0, got);
	is_str(got,
	       "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852"
	       "b855",
	       "checksum of nothing");
	digest_bytes("abc", 3, got);
	is_str(got,
	       "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f200"
	       "15ad",
	       "checksum of abc");
	memset(million, 'a', sizeof(million));
	digest_bytes(million, sizeof(million), got);
	is_str(got,
	       "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc711"
	       "2cd0",
	       "checksum of a million a");
}

/* The checksum is that of the file as stored. */
static void test_sum(void)
{
	struct err err = ERR_INIT;
	char want[DIGEST_HEX];
	char got[DIGEST_HEX];
	struct text text;
	char stored[4096];
	FILE *fp = fopen("z.gz", "rb");
	size_t n = fp ? fread(stored, 1, sizeof(stored), fp) : 0;

	if (fp)
		(void)fclose(fp);
	digest_bytes(stored, n, want);
	is_int(text_read("z.gz", NULL, &text, &err), 0, "read");
	text_sha256(&text, got);
	is_str(got, want, "checksum of a compressed file");
	text_free(&text);
}

int main(void)
{
	char *command;

	if (!mkdtemp(dir) || chdir(dir) < 0)
		return 1;
	test_places();
	test_special();
	test_unreadable();
	test_gzip();
	test_bomb();
	test_stdin();
	test_digest();
	test_sum();
	command = mem_printf("rm -rf %s", dir);
	if (chdir("/") < 0 || system(command) != 0)
		printf("# %s is left\n", dir);
	free(command);
	return done_testing();
}
