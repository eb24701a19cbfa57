/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loop devices: attached as asked for, checked, let go, raced for. */
#include "layout/loopdev.h"

#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>

#include "layouts.h"
#include "tap.h"

/* A file of EXT4_SIZE without a name in the scratch directory. */
static int make_file(int dirfd)
{
	int fd = openat(dirfd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd < 0 || ftruncate(fd, (off_t)EXT4_SIZE) < 0)
		abort();
	return fd;
}

static void read_attribute(int number, const char *name, char buf[32])
{
	char path[128];
	FILE *in;

	snprintf(path, sizeof(path), "/sys/block/loop%d/%s", number, name);
	in = fopen(path, "re");
	if (!in || !fgets(buf, 32, in))
		buf[0] = '\0';
	buf[strcspn(buf, "\n")] = '\0';
	if (in)
		(void)fclose(in);
}

static bool set_write_cache(int number, const char *value)
{
	char path[128];
	int fd;
	bool done;

	snprintf(path, sizeof(path), "/sys/block/loop%d/queue/write_cache",
		 number);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	done = fd >= 0 && write(fd, value, strlen(value)) > 0;
	(void)close(fd);
	return done;
}

static void test_attach(int dirfd)
{
	int image = make_file(dirfd);
	struct err err = ERR_INIT;
	char value[32], path[LOOPDEV_IMAGE_MAX];
	struct loopdev loop;

	if (!is_int(loopdev_attach(&loop, image, false, false, -1, &err), 0,
		    "attached"))
		printf("# %s\n", err.text);
	(void)close(image);
	is_int(count_loops(), 1, "it is there");
	is_str(loop.write_cache, "write back", "with a write cache");
	ok(!loop.dio, "without direct I/O");
	read_attribute(loop.number, "loop/autoclear", value);
	is_str(value, "1", "it clears itself");
	is_int(fcntl(loop.fd, F_GETFL) & O_ACCMODE, O_RDONLY,
	       "what is kept cannot write");
	ok(loopdev_image(loop.number, path, sizeof(path)) > 0 &&
		   strstr(path, scratch), "its image is %s", path);
	is_int(loopdev_set_write_cache(loop.number, true), 0,
	       "its write cache is switched off");
	read_attribute(loop.number, "queue/write_cache", value);
	is_str(value, "write through", "really");
	is_int(loopdev_set_write_cache(loop.number, false), 0, "and on");
	read_attribute(loop.number, "queue/write_cache", value);
	is_str(value, "write back", "again");
	is_int(loopdev_detach(loop.number, loop.fd, false, &err), 0,
	       "detached");
	is_int(count_loops(), 0, "it is gone");
}

static void test_dio(int dirfd)
{
	int image = make_file(dirfd);
	struct err err = ERR_INIT;
	struct loopdev loop;
	char value[32];
	int ret = loopdev_attach(&loop, image, true, false, -1, &err);

	if (ret == -EINVAL) {
		skip(2, err.text);
	} else {
		read_attribute(loop.number, "loop/dio", value);
		ok(ret == 0 && loop.dio, "with direct I/O: %s", err.text);
		is_str(value, "1", "in effect");
		(void)loopdev_detach(loop.number, loop.fd, false, &err);
	}
	(void)close(image);
	is_int(count_loops(), 0, "nothing is left");
}

/*
 * A number whose write cache somebody has switched off keeps that, on some
 * kernels, for the next image.
 */
static void test_poisoned(int dirfd)
{
	int image = make_file(dirfd), number;
	struct err err = ERR_INIT;
	struct loopdev loop;
	char value[32];

	if (loopdev_attach(&loop, image, false, false, -1, &err) < 0)
		abort();
	number = loop.number;
	ok(set_write_cache(number, "write through"), "a spoilt number");
	(void)loopdev_detach(number, loop.fd, false, &err);
	is_int(loopdev_attach(&loop, image, false, false, -1, &err), 0,
	       "attached again");
	if (loop.number != number)
		printf("# another number: %d, not %d\n", loop.number, number);
	read_attribute(loop.number, "queue/write_cache", value);
	is_str(value, "write back", "its write cache is set right");
	is_str(loop.write_cache, "write back", "and it says so");
	(void)loopdev_detach(loop.number, loop.fd, false, &err);
	(void)close(image);
}

/* What "write_cache=through" leaves to the next who gets the number. */
static void test_write_through(int dirfd)
{
	int image = make_file(dirfd), number, fd;
	struct loop_config config = {
		.fd = (unsigned)image, .info.lo_flags = LO_FLAGS_AUTOCLEAR
	};
	struct err err = ERR_INIT;
	struct loopdev loop;
	char value[32];

	is_int(loopdev_attach(&loop, image, false, true, -1, &err), 0,
	       "without a write cache");
	is_str(loop.write_cache, "write through", "it says so");
	read_attribute(loop.number, "queue/write_cache", value);
	is_str(value, "write through", "and it is so");
	number = loop.number;
	is_int(loopdev_detach(number, loop.fd, true, &err), 0, "detached");
	fd = open(loop.path, O_RDWR | O_CLOEXEC);
	if (fd < 0 || ioctl(fd, LOOP_CONFIGURE, &config) < 0) {
		skip(1, "somebody else has the number now");
	} else {
		read_attribute(number, "queue/write_cache", value);
		is_str(value, "write back", "the next image has its cache");
	}
	(void)close(fd);
	(void)close(image);
}

/* Somebody, udev as a rule, has the device open for a moment. */
static void test_held(int dirfd)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	int image = make_file(dirfd);
	struct err err = ERR_INIT;
	struct loopdev loop;
	pid_t pid;

	if (loopdev_attach(&loop, image, false, false, -1, &err) < 0)
		abort();
	pid = fork();
	if (pid == 0)
		_exit(nanosleep(&moment, NULL));
	is_int(loopdev_detach(loop.number, loop.fd, false, &err), 0,
	       "detached as soon as nobody has it open");
	is_int(count_loops(), 0, "it is gone");
	(void)wait_child(pid);
	(void)close(image);
}

static int attach_often(int dirfd)
{
	int image = make_file(dirfd);
	struct err err = ERR_INIT;
	struct loopdev loop;

	for (unsigned i = 0; i < 20; i++) {
		if (loopdev_attach(&loop, image, false, false, -1, &err) < 0)
			print_error(&err);
		need(err.code == 0);
		need(strcmp(loop.write_cache, "write back") == 0);
		need(loopdev_detach(loop.number, loop.fd, false, NULL) == 0);
	}
	return 0;
}

static void test_race(int dirfd)
{
	pid_t pids[4];
	int failed = 0;

	for (unsigned i = 0; i < 4; i++)
		pids[i] = spawn(attach_often, dirfd);
	for (unsigned i = 0; i < 4; i++)
		failed += wait_child(pids[i]) != 0;
	is_int(failed, 0, "four at once race for numbers");
	is_int(count_loops(), 0, "nothing is left");
}

/* A /dev that somebody has made by hand, without devices but a few. */
static void hide_dev(void)
{
	struct stat st;

	need(stat("/dev/loop-control", &st) == 0);
	need(unshare(CLONE_NEWNS) == 0);
	if (mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) < 0)
		_exit(CHILD_SKIP);
	need(mount("none", "/dev", "tmpfs", 0, NULL) == 0);
	need(mknod("/dev/loop-control", S_IFCHR | 0600, st.st_rdev) == 0);
	need(mknod("/dev/null", S_IFCHR | 0666, makedev(1, 3)) == 0);
}

static int use_own_node(int unused)
{
	struct err err = ERR_INIT;
	struct site site;

	(void)unused;
	hide_dev();
	site_enter(&site);
	build(&site);
	use(layout_top(&site.layout)->dir_fd);
	if (layout_teardown(&site.layout, &err) < 0)
		print_error(&err);
	need(err.code == 0);
	site_free(&site);
	return 0;
}

static const struct recipe simple = {
	.steps = { base, { .layer = "loop", .size = EXT4_SIZE } }
};

static void test_no_node(int dirfd)
{
	recipe = &simple;
	check_in_child(use_own_node, -1, "a device without a node in /dev");
	ok(is_clean(dirfd) && has_no_loops(), "nothing is left");
}

int main(void)
{
	int dirfd;

	if (!can_build()) {
		skip(1, "needs root and loop devices");
		return done_testing();
	}
	dirfd = layouts_begin();
	test_attach(dirfd);
	test_dio(dirfd);
	test_poisoned(dirfd);
	test_write_through(dirfd);
	test_held(dirfd);
	test_race(dirfd);
	test_no_node(dirfd);
	scratch_remove(scratch, dirfd);
	return done_testing();
}
