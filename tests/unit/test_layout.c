/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts: built, used, torn down, and nothing is left, whether all went
 * well, a step failed, or the builder was killed.
 */
#include "layout/layout.h"

#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "layouts.h"
#include "tap.h"

#define XFS_SIZE (320 * MIB)  /* the least that mkfs.xfs 6 makes */
#define BTRFS_SIZE (128 * MIB)

/* What a child tells. */
static struct {
	dev_t devices[LEVELS_MAX];
	size_t ndevices;
	bool built;
} *told;

/* clang-format off */
static const struct recipe good[] = {
	{ .name = "dir",
	  .steps = { base } },
	{ .name = "bind",
	  .steps = { base, { .layer = "bind" } } },
	{ .name = "bind on bind",
	  .steps = { base, { .layer = "bind" }, { .layer = "bind" } } },
	{ .name = "loop",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE } } },
	{ .name = "loop, sparse",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .sparse = true } } },
	{ .name = "loop with options",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .opt = "noatime",
		    .mkfs = "-Onone,has_journal" } } },
	{ .name = "loop xfs",
	  .steps = { base, { .layer = "loop", .fs = "xfs", .size = XFS_SIZE } } },
	{ .name = "loop btrfs",
	  .steps = { base, { .layer = "loop", .fs = "btrfs", .size = BTRFS_SIZE } } },
	{ .name = "loop ext2 on loop ext3",
	  .steps = { base, { .layer = "loop", .fs = "ext3", .size = 2 * EXT4_SIZE },
	    { .layer = "loop", .fs = "ext2", .size = EXT4_SIZE / 2 } } },
	{ .name = "overlay",
	  .steps = { base, { .layer = "overlay" } } },
	{ .name = "overlay, prepared",
	  .steps = { base, { .layer = "overlay" } }, .prepare = true },
	{ .name = "overlay, prepared, slow",
	  .steps = { base, { .layer = "overlay" }, { .layer = "slow", .op_us = 3 },
	    { .layer = "slow", .op_us = 2 } }, .prepare = true },
	{ .name = "overlay, volatile",
	  .steps = { base, { .layer = "overlay", .is_volatile = true } } },
	{ .name = "overlay on loop",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE },
	    { .layer = "overlay" } }, .prepare = true },
	{ .name = "loop on overlay",
	  .steps = { base, { .layer = "overlay" },
	    { .layer = "loop", .size = EXT4_SIZE } }, .prepare = true },
	{ .name = "loop on bind",
	  .steps = { base, { .layer = "bind" },
	    { .layer = "loop", .size = EXT4_SIZE } } },
	{ .name = "tmpfs",
	  .steps = { { .layer = "tmpfs", .size = EXT4_SIZE } } },
	{ .name = "loop on tmpfs",
	  .steps = { { .layer = "tmpfs", .size = 2 * EXT4_SIZE },
	    { .layer = "loop", .size = EXT4_SIZE } } },
	{ .name = "loop on loop on tmpfs",
	  .steps = { { .layer = "tmpfs", .size = 3 * EXT4_SIZE },
	    { .layer = "loop", .size = 2 * EXT4_SIZE },
	    { .layer = "loop", .size = EXT4_SIZE } } },
	{ .name = "loop with a write-through cache",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .through = true } } },
};

static const struct recipe bad[] = {
	{ .name = "a mkfs that is missing",
	  .steps = { base, { .layer = "loop", .size = 2 * EXT4_SIZE },
	    { .layer = "loop", .fs = "nosuchfs", .size = EXT4_SIZE } },
	  .fails = "loop (layer 2): " },
	{ .name = "a mkfs that fails",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .mkfs = "-Qnosuch" } },
	  .fails = "loop: mkfs.ext4" },
	{ .name = "a mkfs that only pretends",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .mkfs = "-n" } },
	  .fails = "loop: mkfs.ext4 made no ext4 (see its arguments)" },
	{ .name = "a mkfs that makes something else",
	  .steps = { base, { .layer = "loop", .fs = "ext3", .size = EXT4_SIZE,
		    .mkfs = "-text4" } },
	  .fails = "loop: mkfs.ext3 made no ext3 (see its arguments)" },
	{ .name = "an unknown mount option",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .opt = "bogus=1" } },
	  .fails = "bogus" },
	{ .name = "a mount option for reading only",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE, .opt = "ro" } },
	  .fails = "read-only" },
	{ .name = "an image larger than the one it is in",
	  .steps = { base, { .layer = "loop", .size = EXT4_SIZE },
	    { .layer = "loop", .size = 2 * EXT4_SIZE } },
	  .fails = "image of 64.0 MiB: " },
	{ .name = "an image larger than memory given to it",
	  .steps = { { .layer = "tmpfs", .size = EXT4_SIZE },
	    { .layer = "loop", .size = 2 * EXT4_SIZE } },
	  .fails = "image of 64.0 MiB: 32.0 MiB were free" },
	{ .name = "overlay on overlay",
	  .steps = { base, { .layer = "overlay" }, { .layer = "overlay" } },
	  .fails = "overlay (layer 2): " },
	{ .name = "overlay on bind on overlay",
	  .steps = { base, { .layer = "overlay" }, { .layer = "bind" },
	    { .layer = "overlay" } },
	  .fails = "overlay (layer 3): " },
	{ .name = "an image that is none",
	  .steps = { { .layer = "image", .fs = "names" }, { .layer = "loop" } },
	  .fails = "image: " },
};
/* clang-format on */

/* What was used is nobody's but the user's. */
static void clear(int dir_fd)
{
	need(unlinkat(dir_fd, "file", 0) == 0);
	need(unlinkat(dir_fd, "dir", AT_REMOVEDIR) == 0);
}

/* Whether the topmost layer that does something is an overlay. */
static bool has_overlay_on_top(const struct target_spec *spec)
{
	size_t n = spec->nlevels - 1;

	while (strcmp(spec->levels[n].ops->name, "slow") == 0)
		n--;
	return strcmp(spec->levels[n].ops->name, "overlay") == 0;
}

/* What is prepared is seen through the overlay, and not changed by it. */
static void prepare(struct layout *layout)
{
	struct level *top = layout_top(layout);
	int lower_fd = layout->lower_fd;
	bool pending = layout->pending;
	struct err err = ERR_INIT;
	struct stat st;
	int fd;

	need(pending == has_overlay_on_top(layout->spec));
	need((fd = openat(top->dir_fd, "prepared", O_WRONLY | O_CREAT |
						   O_CLOEXEC, 0600)) >= 0);
	need(close(fd) == 0);
	need(layout_finish(layout, &err) == 0);
	need(!layout->pending);
	need(!has_overlay_on_top(layout->spec) || top->mount[0]);
	need((fd = openat(top->dir_fd, "prepared", O_WRONLY | O_CLOEXEC)) >= 0);
	need(write(fd, "x", 1) == 1 && close(fd) == 0);
	if (!pending)
		return;
	need(fstatat(lower_fd, "prepared", &st, 0) == 0 && st.st_size == 0);
	need(fstatat(layout->upper_fd, "prepared", &st, 0) == 0);
	need(st.st_size == 1);
}

/* A device that nobody outside is to see. */
static void tell_device(dev_t device)
{
	struct stat st;

	need(stat(scratch, &st) == 0);
	if (st.st_dev != device)
		told->devices[told->ndevices++] = device;
}

/* What each level must say of itself, and mounts be protected with. */
static void check_levels(const struct site *site)
{
	const struct layout *layout = &site->layout;

	need(layout->nlevels == site->spec.nlevels);
	for (size_t n = 0; n < layout->nlevels; n++) {
		const struct level *level = &layout->levels[n];
		const struct layer_spec *spec = &site->spec.levels[n];
		struct statvfs fs;
		struct stat st;

		need(strcmp(level->link.kind, spec->ops->name) == 0);
		if (level->dir_fd < 0)
			continue;
		need(fstat(level->dir_fd, &st) == 0);
		need(fstatvfs(level->dir_fd, &fs) == 0);
		if (level->mount[0]) {
			need(fs.f_flag & ST_NOSUID);
			need(fs.f_flag & ST_NODEV);
			need(fs.f_flag & ST_NOEXEC);
			tell_device(st.st_dev);
		}
		if (!level->link.is_loop)
			continue;
		need(level->loop >= 0 && level->image_fd >= 0);
		need(fstat(level->image_fd, &st) == 0);
		need(level->link.image_bytes == (uint64_t)st.st_size);
		need(level->link.sparse == spec->sparse);
		need(strcmp(level->link.write_cache, spec->write_through
			    ? "write through" : "write back") == 0);
		need(!spec->opts.n || (fs.f_flag & ST_NOATIME));
	}
}

static int build_and_use(int fd)
{
	struct err err = ERR_INIT;
	struct site site;

	site_enter(&site);
	build(&site);
	told->ndevices = 0;
	check_levels(&site);
	if (recipe->prepare)
		prepare(&site.layout);
	use(layout_top(&site.layout)->dir_fd);
	need(layout_inspect(&site.layout, &err) == 0);
	if (site.layout.nlevels == 1 && !site.layout.levels[0].mount[0])
		clear(fd);
	if (layout_teardown(&site.layout, &err) < 0)
		print_error(&err);
	need(err.code == 0);
	need(is_clean(fd));
	need(has_no_loops());
	need(count_entries(site.ns.root_fd) == 0);
	site_free(&site);
	return 0;
}

/* In the parent: whether the devices of the layout are mounted here. */
static bool is_seen(void)
{
	FILE *in = fopen("/proc/self/mountinfo", "re");
	char line[4096];
	unsigned maj, min;
	bool seen = false;

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "%*u %*u %u:%u", &maj, &min) != 2)
			continue;
		for (size_t i = 0; i < told->ndevices; i++)
			seen |= makedev(maj, min) == told->devices[i];
		seen |= strstr(line, scratch) != NULL;
	}
	if (in)
		(void)fclose(in);
	return seen;
}

static void test_good(void)
{
	int fd = layouts_begin();

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		recipe = &good[i];
		check_in_child(build_and_use, fd, recipe->name);
		ok(is_clean(fd) && has_no_loops(), "... and nothing is left");
	}
	scratch_remove(scratch, fd);
}

static int build_badly(int fd)
{
	struct err err = ERR_INIT;
	struct site site;

	site_enter(&site);
	need(layout_build(&site.layout, &site.spec, &site.env, &err) < 0);
	print_error(&err);
	need(strstr(err.text, recipe->fails));
	need(site.layout.nlevels == 0);
	need(is_clean(fd));
	need(has_no_loops());
	need(count_entries(site.ns.root_fd) == 0);
	site_free(&site);
	return 0;
}

static void test_bad(void)
{
	int fd = layouts_begin();

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		recipe = &bad[i];
		check_in_child(build_badly, fd, recipe->name);
		ok(is_clean(fd) && has_no_loops(), "... and nothing is left");
	}
	scratch_remove(scratch, fd);
}

/* Build, tell, and wait to be killed; or never stop building. */
static int build_and_wait(int fd)
{
	struct site site;

	(void)fd;
	site_enter(&site);
	build(&site);
	check_levels(&site);
	use(layout_top(&site.layout)->dir_fd);
	told->built = true;
	pause_forever();
}

static int build_for_ever(int fd)
{
	struct site site;

	(void)fd;
	site_enter(&site);
	for (;;) {
		build(&site);
		use(layout_top(&site.layout)->dir_fd);
		need(layout_teardown(&site.layout, NULL) == 0);
	}
	return 0;
}

static bool is_built(void)
{
	return told->built;
}

static const struct recipe stack = {
	.steps = { { .layer = "dir" },
		   { .layer = "loop", .size = 3 * EXT4_SIZE },
		   { .layer = "loop", .size = EXT4_SIZE },
		   { .layer = "overlay" } }
};

static void test_killed(void)
{
	int fd = layouts_begin();
	pid_t pid;

	recipe = &stack;
	told->built = false;
	told->ndevices = 0;
	pid = spawn(build_and_wait, fd);
	ok(comes_true(is_built), "a layout to be killed in");
	is_int(count_loops(), 1, "its outer loop device is seen");
	ok(!is_seen(), "its mounts are not");
	(void)kill(pid, SIGKILL);
	(void)wait_child(pid);
	ok(comes_true(has_no_loops), "it goes with its process");
	ok(is_clean(fd), "and leaves nothing");
	for (unsigned i = 0; i < 8; i++) {
		const struct timespec moment = {
			.tv_nsec = 1000000 + i * 37000000
		};

		pid = spawn(build_for_ever, fd);
		(void)nanosleep(&moment, NULL);
		(void)kill(pid, SIGKILL);
		is_int(wait_child(pid), 128 + SIGKILL, "killed at some moment");
		ok(comes_true(has_no_loops) && is_clean(fd), "no residue");
	}
	scratch_remove(scratch, fd);
}

/* Somebody has everything open a moment longer. */
static int tear_down_busy(int fd)
{
	const struct timespec moment = { .tv_nsec = 100000000 };
	struct err err = ERR_INIT;
	struct site site;
	pid_t pid;

	site_enter(&site);
	build(&site);
	need((pid = fork()) >= 0);
	if (pid == 0)
		_exit(nanosleep(&moment, NULL));
	need(layout_teardown(&site.layout, &err) == 0);
	need(wait_child(pid) == 0);
	need(is_clean(fd) && has_no_loops());
	site_free(&site);
	return 0;
}

static void test_busy(void)
{
	int fd = layouts_begin();

	recipe = &stack;
	check_in_child(tear_down_busy, fd, "tear-down waits for who is inside");
	ok(is_clean(fd) && has_no_loops(), "... and nothing is left");
	scratch_remove(scratch, fd);
}

/* Where names must be made in the base; in a child for its allocations. */
static int compare_scratch(int fd)
{
	static const struct {
		const char *layers[4];
		bool needed;
	} cases[] = {
		{ { "dir" }, false },
		{ { "dir", "slow" }, false },
		{ { "dir", "bind" }, true },
		{ { "dir", "slow", "overlay" }, true },
		{ { "dir", "loop", "overlay" }, false },
		{ { "tmpfs", "bind" }, false },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct target_spec spec = { .nlevels = 0 };

		for (; cases[i].layers[spec.nlevels]; spec.nlevels++)
			spec.levels[spec.nlevels].ops =
				layer_find(cases[i].layers[spec.nlevels]);
		need(layout_scratch(&spec, i == 5 ? -1 : fd) ==
		     cases[i].needed);
	}
	return 0;
}

static void test_scratch(void)
{
	int fd = layouts_begin();

	check_in_child(compare_scratch, fd, "who needs a scratch directory");
	scratch_remove(scratch, fd);
}

int main(void)
{
	told = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!can_build()) {
		skip(1, "needs root and loop devices");
		return done_testing();
	}
	test_good();
	test_bad();
	test_killed();
	test_busy();
	test_scratch();
	return done_testing();
}
