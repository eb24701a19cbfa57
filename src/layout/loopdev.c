/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Loop devices by number.
 *
 * Asking for a free number and attaching to it are two steps, between which
 * anybody else may take it (EBUSY) or remove it (ENXIO): then we ask again.
 *
 * Nothing is ever cleared by number, for a number may have changed hands: we
 * close our descriptor and autoclear does the rest.  Whether it is done shows
 * in loop/backing_file: it is missing then, or names an image not ours.
 *
 * The descriptor that is kept is open for reading.  Kernels built without
 * BLK_DEV_WRITE_MOUNTED refuse to mount what anybody could write to.
 */
#include "layout/loopdev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "layout/mntns.h"
#include "layout/retry.h"

#define CONTROL "/dev/loop-control"
#define ATTACH_SECONDS 5
#define DETACH_SECONDS 5

#define WRITE_BACK "write back"
#define WRITE_THROUGH "write through"

/* Room for the name of a file in the sysfs directory of a device. */
#define SYSFS_MAX 64

static void name_sysfs(char buf[static SYSFS_MAX], int number,
		       const char *attribute)
{
	(void)snprintf(buf, SYSFS_MAX, "/sys/block/loop%d/%s", number,
		       attribute);
}

/* Read an attribute of device NUMBER; the length or -errno. */
static ssize_t read_sysfs(int number, const char *attribute, char *buf,
			  size_t size)
{
	char path[SYSFS_MAX];

	name_sysfs(path, number, attribute);
	return fdio_read_small(path, buf, size);
}

static int write_sysfs(int number, const char *attribute, const char *value)
{
	char path[SYSFS_MAX];
	autoclose int fd = -1;

	name_sysfs(path, number, attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		return -errno;
	return 0;
}

ssize_t loopdev_image(int number, char *buf, size_t size)
{
	return read_sysfs(number, "loop/backing_file", buf, size);
}

ssize_t loopdev_write_cache(int number, char *buf, size_t size)
{
	return read_sysfs(number, "queue/write_cache", buf, size);
}

int loopdev_set_write_cache(int number, bool write_through)
{
	return write_sysfs(number, "queue/write_cache",
			   write_through ? WRITE_THROUGH : WRITE_BACK);
}

int loopdev_check(struct err *err)
{
	autoclose int control = -1;

	if (!mntns_is_initial())
		return err_set(err, -EPERM, "loop devices cannot be mounted in "
			       "a user namespace");
	control = open(CONTROL, O_RDWR | O_CLOEXEC);
	if (control >= 0)
		return 0;
	if (errno == ENOENT || errno == ENODEV || errno == ENXIO)
		return err_set(err, -ENODEV, "there are no loop devices here "
			       "(no %s: modprobe loop?)", CONTROL);
	return err_sys(err, -errno, "cannot open %s", CONTROL);
}

/*
 * A node of our own for a device that has none in /dev.  It is named by our
 * process number, not as /proc/self/..., so that mkfs finds it as well.
 */
static int make_node(struct loopdev *loop, int node_dirfd)
{
	char dev[32], name[24], self[12] = "";
	unsigned maj, min;

	if (read_sysfs(loop->number, "dev", dev, sizeof(dev)) < 0 ||
	    sscanf(dev, "%u:%u", &maj, &min) != 2)
		return -ENXIO;
	(void)snprintf(name, sizeof(name), "loop%d", loop->number);
	(void)unlinkat(node_dirfd, name, 0);
	if (mknodat(node_dirfd, name, S_IFBLK | 0600, makedev(maj, min)) < 0)
		return -errno;
	if (readlink("/proc/self", self, sizeof(self) - 1) < 0)
		return -errno;
	(void)snprintf(loop->path, sizeof(loop->path), "/proc/%s/fd/%d/%s",
		       self, node_dirfd, name);
	return 0;
}

/* Open the device LOOP->number and set its path; descriptor or -errno. */
static int open_device(struct loopdev *loop, int node_dirfd)
{
	int fd, ret;

	(void)snprintf(loop->path, sizeof(loop->path), "/dev/loop%d",
		       loop->number);
	fd = open(loop->path, O_RDWR | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT && node_dirfd >= 0) {
		ret = make_node(loop, node_dirfd);
		if (ret < 0)
			return ret;
		fd = open(loop->path, O_RDWR | O_CLOEXEC);
	}
	return fd < 0 ? -errno : fd;
}

/*
 * The sector size that direct I/O to the image needs, if it is not the usual
 * 512 bytes; 0: leave it to the kernel.
 */
static unsigned dio_sector(int image_fd)
{
#ifdef STATX_DIOALIGN /* Linux 6.1 */
	struct statx stx;

	if (statx(image_fd, "", AT_EMPTY_PATH, STATX_DIOALIGN, &stx) == 0 &&
	    (stx.stx_mask & STATX_DIOALIGN) && stx.stx_dio_offset_align > 512)
		return stx.stx_dio_offset_align;
#else
	(void)image_fd;
#endif
	return 0;
}

/*
 * Attach to the device NUMBER, which should be what FD is open on; 0 or
 * -errno.  In a /dev that was made by hand the node may be another's.
 */
static int configure(int fd, int number, int image_fd, bool dio)
{
	struct loop_info64 info;
	struct loop_config config = {
		.fd = (unsigned)image_fd,
		.block_size = dio ? dio_sector(image_fd) : 0,
		.info.lo_flags = LO_FLAGS_AUTOCLEAR |
				 (dio ? LO_FLAGS_DIRECT_IO : 0),
	};

	if (ioctl(fd, LOOP_CONFIGURE, &config) < 0 ||
	    ioctl(fd, LOOP_GET_STATUS64, &info) < 0)
		return -errno;
	return info.lo_number == (unsigned)number ? 0 : -ENODEV;
}

/* One attempt.  -EBUSY, -ENXIO: the number has changed hands. */
static int try_attach(struct loopdev *loop, int control, int image_fd,
		      bool dio, int node_dirfd)
{
	autoclose int fd = -1;
	int ret;

	loop->number = ioctl(control, LOOP_CTL_GET_FREE);
	if (loop->number < 0)
		return -errno;
	fd = open_device(loop, node_dirfd);
	if (fd < 0)
		return fd;
	ret = configure(fd, loop->number, image_fd, dio);
	if (ret < 0)
		return ret;
	loop->fd = open(loop->path, O_RDONLY | O_CLOEXEC);
	return loop->fd < 0 ? -errno : 0;
}

static int attach(struct loopdev *loop, int image_fd, bool dio,
		  int node_dirfd, struct err *err)
{
	autoclose int control = open(CONTROL, O_RDWR | O_CLOEXEC);
	struct retry retry = retry_for(ATTACH_SECONDS);
	int ret;

	if (control < 0)
		return err_sys(err, -errno, "cannot open %s", CONTROL);
	do {
		ret = try_attach(loop, control, image_fd, dio, node_dirfd);
	} while ((ret == -EBUSY || ret == -ENXIO || ret == -ENOENT) &&
		 retry_again(&retry));
	if (ret == 0)
		return 0;
	if (loop->number < 0)
		return err_sys(err, ret, "cannot get a loop device");
	return err_sys(err, ret, "cannot attach the image to %s", loop->path);
}

static bool has_write_cache(struct loopdev *loop, const char *want)
{
	(void)!loopdev_write_cache(loop->number, loop->write_cache,
				   sizeof(loop->write_cache));
	return strcmp(loop->write_cache, want) == 0;
}

/* Have the write cache as it should be, or refuse. */
static int check_write_cache(struct loopdev *loop, bool write_through,
			     struct err *err)
{
	const char *want = write_through ? WRITE_THROUGH : WRITE_BACK;
	int ret;

	if (has_write_cache(loop, want))
		return 0;
	ret = loopdev_set_write_cache(loop->number, write_through);
	if (has_write_cache(loop, want))
		return 0;
	return err_sys(err, ret < 0 ? ret : -EIO, "the write cache of %s is "
		       "\"%s\" and cannot be set to \"%s\": what its flushes "
		       "do would not be known", loop->path, loop->write_cache,
		       want);
}

static int check_dio(struct loopdev *loop, bool want, struct err *err)
{
	char value[16];

	(void)read_sysfs(loop->number, "loop/dio", value, sizeof(value));
	loop->dio = strcmp(value, "1") == 0;
	if (loop->dio == want)
		return 0;
	return err_set(err, -EINVAL, want ? "no direct I/O (dio): the file "
		       "system below cannot do it, or only in blocks larger "
		       "than those of the loop device"
		       : "direct I/O is on though nobody asked for it");
}

int loopdev_attach(struct loopdev *loop, int image_fd, bool dio,
		   bool write_through, int node_dirfd, struct err *err)
{
	int ret;

	*loop = (struct loopdev)LOOPDEV_INIT;
	ret = attach(loop, image_fd, dio, node_dirfd, err);
	if (ret == 0)
		ret = check_dio(loop, dio, err);
	if (ret == 0)
		ret = check_write_cache(loop, write_through, err);
	if (ret < 0) {
		if (loop->fd >= 0)
			(void)loopdev_detach(loop->number, loop->fd, false,
					     NULL);
		*loop = (struct loopdev)LOOPDEV_INIT;
	}
	return ret;
}

/* Whether device NUMBER has the image called IMAGE. */
static bool is_attached(int number, const char *image)
{
	char now[LOOPDEV_IMAGE_MAX];
	ssize_t got = loopdev_image(number, now, sizeof(now));

	return got != -ENOENT && got != -ENODEV && strcmp(now, image) == 0;
}

int loopdev_detach(int number, int fd, bool write_through, struct err *err)
{
	struct retry retry = retry_for(DETACH_SECONDS);
	char image[LOOPDEV_IMAGE_MAX];
	int ret = 0;

	if (write_through)
		ret = loopdev_set_write_cache(number, false);
	if (ret < 0)
		(void)err_sys(err, ret, "cannot set the write cache of "
			      "loop%d right again", number);
	(void)!loopdev_image(number, image, sizeof(image));
	(void)close(fd);
	while (is_attached(number, image)) {
		if (!retry_again(&retry))
			return err_set(err, -EBUSY, "somebody keeps loop%d "
				       "open; it goes when they close it",
				       number);
	}
	return ret;
}
