/* SPDX-License-Identifier: GPL-3.0-or-later */
/* layout_inspect(): what a file system of ours has suffered is found out. */
#include "layout/layout.h"

#include <sys/ioctl.h>

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

int main(void)
{
	if (!can_build()) {
		skip(1, "needs root and loop devices");
		return done_testing();
	}
	test_errors();
	return done_testing();
}
