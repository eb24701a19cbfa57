/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files are read whole or not at all, and replaced whole or not. */
#include "base/fdio.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "scratch.h"
#include "tap.h"

static void put_file(const char *name, const char *text)
{
	autofp FILE *out = fopen(name, "w");

	if (!out || fputs(text, out) < 0)
		ok(false, "cannot write %s", name);
}

static int count_here(void)
{
	autodir DIR *dir = opendir(".");
	int n = 0;

	while (dir && readdir(dir))
		n++;
	return n;
}

static void test_read_small(void)
{
	char buf[8];

	put_file("seven", "1234567");
	is_int(fdio_read_small("seven", buf, sizeof(buf)), 7, "fits exactly");
	is_str(buf, "1234567", "and is whole");
	put_file("eight", "12345678");
	is_int(fdio_read_small("eight", buf, sizeof(buf)), -EFBIG,
	       "one too many is refused");
	is_str(buf, "", "and nothing is left in the buffer");
	put_file("blank", "ab \n\n");
	is_int(fdio_read_small("blank", buf, sizeof(buf)), 2, "end trimmed");
	is_str(buf, "ab", "of white space");
	put_file("empty", "");
	is_int(fdio_read_small("empty", buf, sizeof(buf)), 0, "empty file");
	is_int(fdio_read_small("absent", buf, sizeof(buf)), -ENOENT,
	       "no file");
	is_int(fdio_read_small(".", buf, sizeof(buf)), -EISDIR, "directory");
}

static void test_read_key(void)
{
	uint64_t value = 0;

	put_file("keys", "other_nr 1\nnr_dirty_threshold 7\nnr_dirty 42\n"
			 "MemTotal:       1024 kB\nbad: x\n"
			 "huge 99999999999999999999\n"
			 "last\t18446744073709551615");
	is_int(fdio_read_key("keys", "nr_dirty", &value), 0, "a key");
	is_int(value, 42, "not that of a longer key");
	is_int(fdio_read_key("keys", "MemTotal", &value), 0, "with a colon");
	is_int(value, 1024, "its number");
	is_int(fdio_read_key("keys", "MemTotal:", &value), 0,
	       "the colon may be part of the key");
	is_int(fdio_read_key("keys", "last", &value), 0, "without newline");
	ok(value == UINT64_MAX, "all 64 bits");
	is_int(fdio_read_key("keys", "nr", &value), -ENOENT,
	       "only at the start of a line");
	is_int(fdio_read_key("keys", "bad", &value), -ENOENT, "no number");
	is_int(fdio_read_key("keys", "huge", &value), -ENOENT, "too large");
	is_int(fdio_read_key("absent", "x", &value), -ENOENT, "no file");
	is_int(fdio_read_key("/proc/meminfo", "MemTotal", &value), 0,
	       "the real thing");
}

static int write_text(FILE *out, void *arg)
{
	return fputs(arg, out) < 0 ? -EIO : 0;
}

static int write_failing(FILE *out, void *arg)
{
	(void)write_text(out, arg);
	return -EDOM;
}

static int write_huge(FILE *out, unused_arg void *arg)
{
	for (int i = 0; i < 100000; i++)
		(void)fputc('x', out);
	return 0;
}

static void is_content(const char *path, const char *want, const char *name)
{
	char buf[64];

	(void)!fdio_read_small(path, buf, sizeof(buf));
	is_str(buf, want, name);
}

static void test_replace(void)
{
	char one[] = "one", two[] = "two", three[] = "three";
	struct err err = ERR_INIT;
	struct stat st;
	int before;

	is_int(fdio_replace("out", write_text, one, &err), 0, "a new file");
	is_content("out", "one", "has its text");
	before = count_here();
	is_int(chmod("out", 0640), 0, "give it a mode");
	is_int(fdio_replace("out", write_text, two, &err), 0, "replaced");
	is_content("out", "two", "has the new text");
	ok(stat("out", &st) == 0 && (st.st_mode & 07777) == 0640,
	   "has its mode still");
	is_int(fdio_replace("out", write_failing, three, &err), -EDOM,
	       "failing");
	is_content("out", "two", "leaves the old text");
	ok(strstr(err.text, "out"), "the error names the file: %s", err.text);
	is_int(count_here(), before, "nothing is left behind");
	is_int(fdio_replace("no/such/dir", write_text, one, &err), -ENOENT,
	       "no such directory");
	is_int(fdio_replace(".", write_text, one, &err), -EISDIR,
	       "a directory is not replaced");
}

static void test_links(void)
{
	char text[] = "through";
	struct stat st;

	is_int(symlink("out", "link"), 0, "make a link");
	is_int(fdio_replace("link", write_text, text, NULL), 0, "a link");
	is_content("out", "through", "what it means is replaced");
	ok(lstat("link", &st) == 0 && S_ISLNK(st.st_mode), "it stays a link");
	is_int(symlink("nowhere", "dangling"), 0, "make a dangling one");
	is_int(fdio_replace("dangling", write_text, text, NULL), -ENOENT,
	       "is refused");
}

static void test_special(void)
{
	char text[] = "piped", buf[16] = "";
	autofree char *path = NULL;
	struct stat st;
	int fds[2];

	if (pipe2(fds, O_CLOEXEC) != 0)
		return;
	path = mem_printf("/proc/self/fd/%d", fds[1]);
	is_int(fdio_replace(path, write_text, text, NULL), 0, "a pipe");
	is_int(read(fds[0], buf, sizeof(buf) - 1), 5, "is written to");
	is_str(buf, "piped", "directly");
	(void)close(fds[0]);
	(void)close(fds[1]);
	is_int(fdio_replace("/dev/null", write_text, text, NULL), 0,
	       "/dev/null");
	ok(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode),
	   "is still what it was");
	is_int(fdio_replace("/dev/full", write_huge, NULL, NULL), -ENOSPC,
	       "a full device is an error");
}

static void test_read_all(int dir)
{
	int fd = openat(dir, "all", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	char big[10000], *text;

	memset(big, 'y', sizeof(big));
	is_int(fdio_read_all(fd, 100, &text), 0, "an empty file");
	is_str(text, "", "is an empty text");
	free(text);
	ok(write(fd, big, sizeof(big)) > 0 && lseek(fd, 1, SEEK_SET) == 1,
	   "a long one");
	is_int(fdio_read_all(fd, sizeof(big), &text), sizeof(big) - 1,
	       "is read from where it stands");
	ok(text && strspn(text, "y") == sizeof(big) - 1 &&
	   !text[sizeof(big) - 1], "and has an end");
	free(text);
	(void)lseek(fd, 0, SEEK_SET);
	is_int(fdio_read_all(fd, sizeof(big) - 1, &text), -EFBIG,
	       "one that is too long");
	ok(!text, "is not read");
	is_int(fdio_read_all(dir, 100, &text), -EISDIR, "a directory");
	(void)close(fd);
}

static void test_unescape(void)
{
	static const char *const pairs[][2] = {
		{ "", "" },
		{ "/plain", "/plain" },
		{ "/a\\040b\\011\\134", "/a b\t\\" },
		{ "\\377", "\xff" },
		{ "\\04", "\\04" },
		{ "\\089\\x", "\\089\\x" },
		{ "\\", "\\" },
	};
	char text[32];

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		snprintf(text, sizeof(text), "%s", pairs[i][0]);
		fdio_unescape(text);
		is_str(text, pairs[i][1], pairs[i][0]);
	}
}

int main(void)
{
	char path[64];
	int dir = scratch_make(path, false);

	if (fchdir(dir) != 0)
		abort();
	test_read_small();
	test_read_key();
	test_replace();
	test_links();
	test_special();
	test_read_all(dir);
	test_unescape();
	if (chdir("/") == 0)
		scratch_remove(path, dir);
	return done_testing();
}
