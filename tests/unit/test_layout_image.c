/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Existing images: a copy is used and the original is not touched; what is no
 * single file system is refused by name.
 */
#include "layout/image.h"
#include "layout/layout.h"

#include "layouts.h"
#include "tap.h"

/* An image that exists already: what is in it, and that it stays so. */
static int make_image(int fd)
{
	struct err err = ERR_INIT;
	char path[96];
	const struct fstype_job job = {
		.device = path, .size = EXT4_SIZE, .files = 100
	};

	(void)fd;
	snprintf(path, sizeof(path), "%s/names/image", scratch);
	need(close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0444)) == 0);
	need(truncate(path, (off_t)EXT4_SIZE) == 0);
	if (fstype_make(recipe->steps[1].fs, &job, &err) < 0)
		print_error(&err);
	need(err.code == 0);
	return 0;
}

static uint64_t digest(int dirfd)
{
	int fd = openat(dirfd, "names/image", O_RDONLY | O_CLOEXEC);
	static uint64_t words[1 << 14];
	uint64_t sum = 0;
	struct stat st;
	ssize_t got;

	while ((got = read(fd, words, sizeof(words))) > 0) {
		for (ssize_t i = 0; i < got / 8; i++)
			sum = (sum << 7 | sum >> 57) ^ words[i];
	}
	sum ^= fstat(fd, &st) == 0 ? (uint64_t)st.st_mtim.tv_nsec ^
				     (uint64_t)st.st_blocks << 32
				   : 0;
	(void)close(fd);
	return sum;
}

static int use_image(int fd)
{
	struct err err = ERR_INIT;
	struct site site;

	(void)fd;
	site_enter(&site);
	build(&site);
	need(layout_top(&site.layout)->link.is_loop);
	need(layout_top(&site.layout)->loop >= 0);
	need(layout_top(&site.layout)->link.image_bytes == EXT4_SIZE);
	use(layout_top(&site.layout)->dir_fd);
	need(layout_teardown(&site.layout, &err) == 0);
	site_free(&site);
	return 0;
}

static int refuse_image(int fd)
{
	struct err err = ERR_INIT;
	struct site site;

	(void)fd;
	site_enter(&site);
	need(layout_check(&site.spec, &err) < 0);
	print_error(&err);
	need(strstr(err.text, recipe->fails));
	need(layout_build(&site.layout, &site.spec, &site.env, &err) < 0);
	print_error(&err);
	need(strstr(err.text, recipe->fails));
	site_free(&site);
	return 0;
}

static const struct recipe existing = {
	.steps = { { .layer = "image", .fs = "names/image" },
		   { .layer = "loop", .fs = "ext4" } }
};

/* Bytes at OFFSET that make an image look like something. */
static const struct sign {
	off_t offset;
	const char *bytes;
	size_t n;
	const char *fails;
} signs[] = {
	{ 0, "", 0, "no file system" },
	{ 0, "LUKS\xba\xbe\0\1", 8, "encrypted (crypto_LUKS)" },
	{ 4086, "SWAPSPACE2", 10, "swap" },
	{ 510, "\x55\xaa", 2, "partition table (dos)" },
};

/* An image with nothing but SIGN; a partition for the table, and for swap a
   version and pages. */
static void make_sign(int dirfd, const struct sign *sign)
{
	static const char partition[16] = { 0, 0, 2, 0, (char)0x83, 0, 9, 0,
					    1, 0, 0, 0, 99, 0, 0, 0 };
	static const char version[8] = { 1, 0, 0, 0, (char)0xff, 1, 0, 0 };
	int fd = openat(dirfd, "names/image", O_WRONLY | O_TRUNC | O_CREAT |
					       O_CLOEXEC, 0600);
	bool made = fd >= 0 && ftruncate(fd, (off_t)EXT4_SIZE) == 0;

	made &= pwrite(fd, sign->bytes, sign->n, sign->offset) ==
		(ssize_t)sign->n;
	if (sign->offset == 510)
		made &= pwrite(fd, partition, 16, 446) == 16;
	if (sign->offset == 4086)
		made &= pwrite(fd, version, 8, 1024) == 8;
	ok(made, "an image to be refused: %s", sign->fails);
	(void)close(fd);
}

static void test_image(void)
{
	int fd = layouts_begin();
	struct recipe odd = existing;
	uint64_t before;

	recipe = &existing;
	check_in_child(make_image, fd, "an existing image");
	before = digest(fd);
	check_in_child(use_image, fd, "is used");
	check_in_child(use_image, fd, "and again");
	ok(digest(fd) == before, "and not changed");
	ok(has_no_loops(), "nothing is left");
	recipe = &odd;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
		make_sign(fd, &signs[i]);
		odd.fails = signs[i].fails;
		check_in_child(refuse_image, fd, odd.fails);
	}
	scratch_remove(scratch, fd);
}

/* A directory of the kernel's in which no file can be made, named or not. */
static void test_fallback(void)
{
	int fd = layouts_begin(), proc_fd = open("/proc", O_RDONLY | O_CLOEXEC);
	struct image_place place = { .dir_fd = proc_fd, .names_fd = -1 };
	struct err err = ERR_INIT;
	struct stat st;
	int image;

	ok(!image_can_be_anonymous(proc_fd), "a file needs a name in /proc");
	ok(image_make(&place, MIB, false, &err) < 0 && err.text[0],
	   "no image without a place for one: %s", err.text);
	place.names_fd = fd;
	image = image_make(&place, MIB, false, &err);
	ok(image >= 0 && fstat(image, &st) == 0 && st.st_nlink == 0 &&
	   st.st_size == (off_t)MIB, "made elsewhere and unlinked at once");
	ok(image_allocated(image) >= MIB, "with all its blocks");
	(void)close(image);
	(void)close(proc_fd);
	ok(is_clean(fd), "nothing is left");
	scratch_remove(scratch, fd);
}

/* A file with holes, copied: contents, size, holes. */
static void test_copy(void)
{
	int fd = layouts_begin(), copy;
	int from = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	const struct image_place place = { .dir_fd = fd, .names_fd = -1 };
	struct err err = ERR_INIT;
	char back[8] = "";
	struct stat st;

	(void)(ftruncate(from, 64 * (off_t)MIB + 100) +
	       pwrite(from, "first", 5, 0) +
	       pwrite(from, "middle", 6, 32 * (off_t)MIB - 3) +
	       pwrite(from, "last", 4, 64 * (off_t)MIB + 96));
	copy = image_copy(&place, from, &err);
	ok(copy >= 0, "a file with holes is copied: %s", err.text);
	ok(fstat(copy, &st) == 0 && st.st_size == 64 * (off_t)MIB + 100,
	   "its size");
	ok(image_allocated(copy) < MIB, "its holes");
	ok(pread(copy, back, 5, 0) == 5 && !memcmp(back, "first", 5) &&
	   pread(copy, back, 8, 32 * (off_t)MIB - 4) == 8 &&
	   !memcmp(back, "\0middle", 8) &&
	   pread(copy, back, 8, 64 * (off_t)MIB + 95) == 5 &&
	   !memcmp(back, "\0last", 5), "and what is in it");
	(void)close(copy);
	(void)close(from);
	scratch_remove(scratch, fd);
}

/* Stop when asked so many times. */
static bool count_down(void *arg)
{
	unsigned *left = arg;

	return *left == 0 || --*left == 0;
}

/* Copying can be stopped before each piece of data, and within a long one. */
static void test_interrupted(void)
{
	int fd = scratch_make(scratch, true), copy;
	int from = openat(fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	static char data[MIB];
	unsigned calls = 0, left;
	const struct image_place place = {
		.dir_fd = fd, .names_fd = -1,
		.stop = count_down, .stop_arg = &left,
	};
	struct err err = ERR_INIT;

	memset(data, 'x', sizeof(data));
	for (off_t mib = 0; mib < 130; mib++)
		need(pwrite(from, data, MIB, mib * (off_t)MIB) == MIB);
	need(pwrite(from, data, MIB, 200 * (off_t)MIB) == MIB);
	do {
		left = ++calls;
		copy = image_copy(&place, from, &err);
		if (copy < 0 && !is_int(copy, -EINTR, err.text))
			break;
	} while (copy < 0);
	if (calls == 1) /* blocks are shared, which takes no time */
		skip(1, "the file system has reflinks");
	else
		ok(calls >= 5, "a copy can be stopped at %u points", calls - 1);
	(void)close(copy);
	(void)close(from);
	is_int(count_entries(fd), 0, "nothing is left");
	scratch_remove(scratch, fd);
}

int main(void)
{
	test_fallback();
	test_copy();
	test_interrupted();
	if (!can_build()) {
		skip(1, "needs root and loop devices");
		return done_testing();
	}
	test_image();
	return done_testing();
}
