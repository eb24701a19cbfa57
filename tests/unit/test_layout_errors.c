/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a file system of ours has suffered is found out by layout_inspect();
 * building that is interrupted leaves nothing behind, or says what.
 */
#include "layout/layout.h"

#include <sys/ioctl.h>

#include "layout/image.h"
#include "layouts.h"
#include "tap.h"

enum damage { AN_ERROR, SHUT_DOWN, READ_ONLY };

/* Make the ext4 of LEVEL count an error, shut it down, or protect it. */
static int spoil(const struct level *level, int damage)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	unsigned how = 2; /* NOLOGFLUSH */
	char path[64];
	int fd;

	if (damage == SHUT_DOWN)
		return ioctl(level->dir_fd, _IOR('X', 125, unsigned), &how);
	if (damage == READ_ONLY)
		return mount_setattr(level->dir_fd, "", AT_EMPTY_PATH, &attr,
				     sizeof(attr));
	snprintf(path, sizeof(path), "/sys/fs/ext4/loop%d/trigger_fs_error",
		 level->loop);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, "test", 4) != 4 || close(fd) < 0;
}

static int find_errors(int damage)
{
	struct err err = ERR_INIT;
	struct site site;

	site_enter(&site);
	build(&site);
	need(layout_inspect(&site.layout, &err) == 0);
	need(spoil(&site.layout.levels[1], damage) == 0);
	need(layout_inspect(&site.layout, &err) == -EIO);
	print_error(&err);
	need(strncmp(err.text, "loop", 4) == 0);
	(void)layout_teardown(&site.layout, NULL);
	site_free(&site);
	return 0;
}

static const struct recipe simple = {
	.steps = { base, { .layer = "loop", .size = EXT4_SIZE } }
};

static const struct recipe give_up = {
	.steps = { base, { .layer = "loop", .size = EXT4_SIZE,
			   .opt = "errors=remount-ro" } }
};

static void test_errors(void)
{
	int fd = layouts_begin();

	recipe = &simple;
	check_in_child(find_errors, AN_ERROR, "errors counted are found");
	check_in_child(find_errors, SHUT_DOWN, "so is one that has shut down");
	check_in_child(find_errors, READ_ONLY, "... has gone read-only");
	recipe = &give_up;
	check_in_child(find_errors, AN_ERROR, "... gives up at an error");
	ok(is_clean(fd) && has_no_loops(), "... and nothing is left");
	scratch_remove(scratch, fd);
}

/* Stop when asked so many times. */
static bool count_down(void *arg)
{
	unsigned *left = arg;

	return *left == 0 || --*left == 0;
}

/* Building is stopped at every point at which it asks. */
static const struct recipe interruptible = {
	.steps = { base, { .layer = "loop", .fs = "ext3", .size = EXT4_SIZE },
		   { .layer = "loop", .fs = "ext2", .size = 8 * MIB } }
};

/* An ext3 knows no fallocate(2), so that an image in it is written. */
static void write_interrupted(const struct level *level)
{
	unsigned left = 8;
	const struct image_place place = {
		.dir_fd = level->dir_fd,
		.names_fd = -1,
		.stop = count_down,
		.stop_arg = &left,
	};
	struct err err = ERR_INIT;
	int image;

	need(image_make(&place, 8 * MIB, false, &err) == -EINTR);
	need(strcmp(err.text, "interrupted") == 0);
	left = 9;
	need((image = image_make(&place, 8 * MIB, false, &err)) >= 0);
	need(left == 1);
	need(close(image) == 0);
}

static int build_interrupted(int fd)
{
	unsigned left, calls = 0;
	struct site site;
	int ret;

	site_enter(&site);
	site.env.stop = count_down;
	site.env.stop_arg = &left;
	do {
		struct err err = ERR_INIT;

		left = ++calls;
		ret = layout_build(&site.layout, &site.spec, &site.env, &err);
		if (ret == 0)
			break;
		need(ret == -EINTR && strstr(err.text, "interrupted"));
		need(site.layout.left.code == 0);
		need(is_clean(fd) && has_no_loops());
	} while (calls < 1000);
	printf("# stopped at %u points\n", calls - 1);
	(void)fflush(stdout);
	need(ret == 0 && calls > 3);
	write_interrupted(&site.layout.levels[1]);
	need(layout_teardown(&site.layout, NULL) == 0);
	site_free(&site);
	return 0;
}

/* Stop as soon as the directory of the bind mount can be made busy. */
static bool spoil_bind(void *arg)
{
	char path[96];

	(void)arg;
	snprintf(path, sizeof(path), "%s/names/bind", scratch);
	return mount("none", path, "tmpfs", 0, NULL) == 0;
}

static const struct recipe spoilt = {
	.steps = { base, { .layer = "bind" },
		   { .layer = "loop", .size = EXT4_SIZE } }
};

static int leave_something(int fd)
{
	struct err err = ERR_INIT;
	struct site site;

	(void)fd;
	site_enter(&site);
	site.env.stop = spoil_bind;
	need(layout_build(&site.layout, &site.spec, &site.env, &err) == -EINTR);
	print_error(&site.layout.left);
	need(site.layout.left.code < 0);
	need(strstr(site.layout.left.text, "directory bind"));
	need(count_entries(site.ns.root_fd) == 0);
	site_free(&site);
	return 0;
}

static void test_interrupted(void)
{
	int fd = layouts_begin();

	recipe = &interruptible;
	check_in_child(build_interrupted, fd, "building can be interrupted");
	ok(is_clean(fd) && has_no_loops(), "... and nothing is left");
	recipe = &spoilt;
	check_in_child(leave_something, fd, "... or is told of");
	ok(has_no_loops(), "... and all the rest is gone");
	scratch_remove(scratch, fd);
}

int main(void)
{
	if (!can_build()) {
		skip(1, "needs root and loop devices");
		return done_testing();
	}
	test_errors();
	test_interrupted();
	return done_testing();
}
