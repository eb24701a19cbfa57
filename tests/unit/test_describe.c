/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What can be seen of a directory: file system, options, space, journal.
 * Mounts are made in a child with a mount namespace of its own; the loop
 * device detaches itself with the last of them.
 */
#include "audit/describe.h"

#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/statfs.h>

#include "audit/journal.h"
#include "base/cleanup.h"
#include "base/mem.h"
#include "scratch.h"

#define IMAGE_BYTES (32 << 20)
#define JOURNAL_BYTES (4 << 20)

/* Whether the comma-separated LIST has WORD. */
static bool has_word(const char *list, const char *word)
{
	autofree char *padded = mem_printf(",%s,", list);
	autofree char *key = mem_printf(",%s,", word);

	return strstr(padded, key) != NULL;
}

/* An ext4 in the file "image", OPTIONS go to mkfs.  False: no mkfs here. */
static bool make_image(int dirfd, const char *options)
{
	int fd = openat(dirfd, "image", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
			0600);
	autofree char *command = mem_printf(
		"PATH=$PATH:/sbin:/usr/sbin; "
		"mkfs.ext4 -q -F %s /proc/%d/fd/%d 2>/dev/null",
		options, (int)getpid(), fd);
	bool made;

	need(fd >= 0 && ftruncate(fd, IMAGE_BYTES) == 0);
	made = system(command) == 0;
	(void)close(fd);
	return made;
}

static void check_image(int dirfd, const char *options, bool want_has,
			uint64_t want_bytes)
{
	autoclose int fd = -1;
	uint64_t bytes = 1;
	bool has = !want_has;

	if (!make_image(dirfd, options)) {
		skip(3, "no mkfs.ext4");
		return;
	}
	fd = openat(dirfd, "image", O_RDONLY | O_CLOEXEC);
	is_int(journal_read(fd, &has, &bytes), 0, options);
	is_int(has, want_has, "whether it has a journal");
	is_int(bytes, want_bytes, "its size");
}

static void test_journal_read(int dirfd)
{
	autoclose int fd = -1;
	uint64_t bytes = 1;
	bool has = true;

	check_image(dirfd, "-J size=4", true, JOURNAL_BYTES);
	check_image(dirfd, "-O ^has_journal", false, 0);
	need(touch(dirfd, "empty") == 0);
	fd = openat(dirfd, "empty", O_RDWR | O_CLOEXEC);
	is_int(journal_read(fd, &has, &bytes), -EINVAL, "an empty file");
	ok(!has && !bytes, "has no journal");
	need(ftruncate(fd, 8192) == 0);
	is_int(journal_read(fd, &has, &bytes), -EINVAL, "zeros");
	is_int(journal_read(dirfd, &has, &bytes), -EISDIR, "a directory");
}

/* What is there wherever this runs. */
static void test_plain(int dirfd)
{
	struct chain_link link = { .kind = "dir", .is_loop = true };
	struct statfs fs;
	struct stat st;
	unsigned ma, mi;

	need(fstatfs(dirfd, &fs) == 0 && fstat(dirfd, &st) == 0);
	describe_dir(dirfd, &link);
	ok(link.fs[0], "file system: %s", link.fs);
	ok(sscanf(link.device, "%u:%u", &ma, &mi) == 2, "device: %s",
	   link.device);
	ok(link.size_bytes >= link.free_bytes && link.size_bytes, "sizes");
	ok(!link.free_inodes == !fs.f_files || !fs.f_ffree, "inodes");
	is_str(link.kind, "dir", "the layer's own members");
	ok(link.is_loop, "are left alone");
}

static void test_nothing(void)
{
	struct chain_link link = {
		.fs = "x", .device = "x", .source = "x", .mount_options = "x",
		.size_bytes = 1, .free_bytes = 1, .free_inodes = 1,
		.journal_bytes = 1, .has_journal = true,
	};

	describe_dir(-1, &link);
	ok(!link.fs[0] && !link.device[0] && !link.source[0] &&
		   !link.mount_options[0],
	   "no descriptor: no names");
	ok(!link.size_bytes && !link.free_bytes && !link.free_inodes &&
		   !link.journal_bytes && !link.has_journal,
	   "and no numbers");
}

static int see_tmpfs(int dirfd)
{
	struct chain_link link = { 0 };
	char path[64];
	int fd;

	(void)dirfd;
	fd = leave_mounts("/");
	need(mount("a b,c", "/proc", "tmpfs", MS_NODEV,
		   "size=1M,nr_inodes=50") == 0);
	need((fd = open("/proc", O_RDONLY | O_CLOEXEC)) >= 0);
	/* it hides the very files that describe it */
	describe_dir(fd, &link);
	need(strcmp(link.fs, "tmpfs") == 0 && !link.source[0]);
	need(umount2("/proc", MNT_DETACH) == 0);
	(void)close(fd);

	memset(&link, 0, sizeof(link));
	(void)strcpy(path, "/tmp");
	need(mount("a b,c", path, "tmpfs", MS_NODEV,
		   "size=1M,nr_inodes=50") == 0);
	need((fd = open(path, O_RDONLY | O_CLOEXEC)) >= 0);
	describe_dir(fd, &link);
	need(strcmp(link.fs, "tmpfs") == 0);
	need(strcmp(link.source, "a b,c") == 0);
	need(has_word(link.mount_options, "nodev"));
	need(has_word(link.mount_options, "size=1024k"));
	need(link.size_bytes == 1 << 20 && link.free_bytes == 1 << 20);
	need(link.free_inodes && link.free_inodes < 50);
	need(!link.has_journal && !link.journal_bytes);
	return 0;
}

static int see_overlay(int dirfd)
{
	struct chain_link link = { 0 };
	int fd;

	(void)dirfd;
	(void)leave_mounts("/");
	need(mount("none", "/tmp", "tmpfs", 0, NULL) == 0);
	need(mkdir("/tmp/l", 0755) == 0 && mkdir("/tmp/u", 0755) == 0 &&
	     mkdir("/tmp/w", 0755) == 0 && mkdir("/tmp/m", 0755) == 0);
	if (mount("o", "/tmp/m", "overlay", 0,
		  "lowerdir=/tmp/l,upperdir=/tmp/u,workdir=/tmp/w,volatile"))
		return CHILD_SKIP;
	need((fd = open("/tmp/m", O_RDONLY | O_CLOEXEC)) >= 0);
	describe_dir(fd, &link);
	need(strcmp(link.fs, "overlay") == 0);
	/* newer kernels say it in another way */
	need(has_word(link.mount_options, "volatile") ||
	     has_word(link.mount_options, "fsync=volatile"));
	need(!strstr(link.mount_options, "/tmp/"));
	return 0;
}

/* Attach the file "image" until the last user is gone; its path in PATH. */
static int attach(int dirfd, char *path, size_t size)
{
	struct loop_config config = { .info.lo_flags = LO_FLAGS_AUTOCLEAR };
	int control = open("/dev/loop-control", O_RDWR | O_CLOEXEC);
	int number, loop;

	config.fd = (unsigned)openat(dirfd, "image", O_RDWR | O_CLOEXEC);
	/* somebody else may take the number in between */
	for (unsigned tries = 0; control >= 0 && tries < 20; tries++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		snprintf(path, size, "/dev/loop%d", number);
		loop = open(path, O_RDWR | O_CLOEXEC);
		if (loop < 0)
			break;
		if (ioctl(loop, LOOP_CONFIGURE, &config) == 0)
			return loop;
		(void)close(loop);
	}
	_exit(CHILD_SKIP);
}

static int see_ext4(int dirfd)
{
	struct chain_link link = { 0 };
	char path[32];
	int loop, fd;

	if (!make_image(dirfd, "-J size=4"))
		return CHILD_SKIP;
	(void)leave_mounts("/");
	loop = attach(dirfd, path, sizeof(path));
	/* not in a user namespace */
	if (mount(path, "/tmp", "ext4", MS_NOATIME, NULL) < 0 && errno == EPERM)
		return CHILD_SKIP;
	(void)close(loop);
	need((fd = open("/tmp", O_RDONLY | O_CLOEXEC)) >= 0);
	describe_dir(fd, &link);
	need(strcmp(link.fs, "ext4") == 0);
	need(strcmp(link.source, path) == 0);
	need(strncmp(link.device, "7:", 2) == 0);
	need(has_word(link.mount_options, "noatime"));
	need(link.has_journal && link.journal_bytes == JOURNAL_BYTES);
	/* without the right to read the device the size is unknown */
	become_nobody();
	describe_dir(fd, &link);
	need(link.journal_bytes == 0);
	return 0;
}

int main(void)
{
	char path[64];
	int fd = scratch_make(path, true);

	test_journal_read(fd);
	test_plain(fd);
	test_nothing();
	if (can_mount()) {
		check_in_child(see_tmpfs, fd, "a tmpfs");
		check_in_child(see_overlay, fd, "an overlay");
		check_in_child(see_ext4, fd, "an ext4 on a loop device");
	} else {
		skip(3, "needs root");
	}
	scratch_remove(path, fd);
	return done_testing();
}
