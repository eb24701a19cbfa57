/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Image files: made, copied.
 *
 * An image is allocated whole, by fallocate(2), or by writing zeros where the
 * file system cannot (ext3, nilfs2): what is measured in it is then the
 * writing of blocks and not their allocation, and it cannot run out of space
 * that was promised.
 */
#include "layout/image.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"

#define PIECE_BYTES ((size_t)1 << 20)
#define COPY_BYTES ((size_t)64 << 20) /* copied by the kernel in one call */
#define IMAGE_FLAGS (O_RDWR | O_CLOEXEC)
#define FALLBACK_NAME "image"

bool image_can_be_anonymous(int dirfd)
{
	autoclose int fd = openat(dirfd, ".", O_TMPFILE | IMAGE_FLAGS, 0600);

	return fd >= 0;
}

/* An empty file without a name; a descriptor or -errno. */
static int make_anonymous(const struct image_place *place)
{
	int fd = openat(place->dir_fd, ".", O_TMPFILE | IMAGE_FLAGS, 0600);
	int ret;

	/* EISDIR, EINVAL, EOPNOTSUPP: each from another kind of ignorance */
	if (fd >= 0 || place->names_fd < 0)
		return fd < 0 ? -errno : fd;
	fd = openat(place->names_fd, FALLBACK_NAME,
		    O_CREAT | O_EXCL | IMAGE_FLAGS, 0600);
	if (fd < 0)
		return -errno;
	if (unlinkat(place->names_fd, FALLBACK_NAME, 0) < 0) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	return fd;
}

static bool must_stop(const struct image_place *place)
{
	return place->stop && place->stop(place->stop_arg);
}

static uint64_t free_bytes(int dirfd)
{
	struct statvfs fs;

	return fstatvfs(dirfd, &fs) < 0 ? 0 : (uint64_t)fs.f_bavail *
						      fs.f_frsize;
}

/* Fail for want of space, with the two numbers, or for another reason. */
static int fail(int code, const char *what, uint64_t size, uint64_t avail,
		struct err *err)
{
	char want[32], have[32];

	(void)units_bytes_iec(size, want, sizeof(want));
	(void)units_bytes_iec(avail, have, sizeof(have));
	if (code == -EINTR)
		return err_set(err, code, "interrupted");
	if (code == -ENOSPC || code == -EDQUOT)
		return err_sys(err, code, "%s of %s: %s were free there", what,
			       want, have);
	return err_sys(err, code, "%s of %s", what, want);
}

/* All of BYTES of BUF at OFFSET of FD; 0 or -errno. */
static int write_all(int fd, const char *buf, size_t bytes, off_t offset)
{
	ssize_t put;

	for (size_t at = 0; at < bytes; at += (size_t)put) {
		put = pwrite(fd, buf + at, bytes - at, offset + (off_t)at);
		if (put < 0 && errno == EINTR)
			put = 0;
		else if (put <= 0)
			return put < 0 ? -errno : -EIO;
	}
	return 0;
}

static int write_zeros(const struct image_place *place, int fd, uint64_t size)
{
	autofree char *zeros = mem_zalloc(1, PIECE_BYTES);
	int ret = 0;

	for (uint64_t at = 0; at < size && ret == 0; at += PIECE_BYTES) {
		if (must_stop(place))
			return -EINTR;
		ret = write_all(fd, zeros, MIN_OF(PIECE_BYTES, size - at),
				(off_t)at);
	}
	return ret;
}

static int allocate(const struct image_place *place, int fd, uint64_t size)
{
	int ret;

	do {
		ret = fallocate(fd, 0, 0, (off_t)size) < 0 ? -errno : 0;
	} while (ret == -EINTR && !must_stop(place));
	return ret == -EOPNOTSUPP ? write_zeros(place, fd, size) : ret;
}

int image_make(const struct image_place *place, uint64_t size, bool sparse,
	       struct err *err)
{
	uint64_t avail = free_bytes(place->dir_fd);
	autoclose int fd = make_anonymous(place);
	int ret;

	if (fd < 0)
		return err_sys(err, fd, "cannot make an image file");
	if (sparse)
		ret = ftruncate(fd, (off_t)size) < 0 ? -errno : 0;
	else
		ret = allocate(place, fd, size);
	if (ret < 0)
		return fail(ret, "cannot make an image", size, avail, err);
	return take_fd(&fd);
}

uint64_t image_allocated(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 ? 0 : (uint64_t)st.st_blocks * 512;
}

/* A copy under way. */
struct copy {
	const struct image_place *place;
	int from_fd, fd;
};

/* By way of memory. */
static int copy_by_hand(const struct copy *copy, off_t from, off_t to)
{
	autofree char *buf = mem_zalloc(1, PIECE_BYTES);
	ssize_t got;
	int ret;

	for (off_t at = from; at < to; at += got) {
		if (must_stop(copy->place))
			return -EINTR;
		got = pread(copy->from_fd, buf,
			    MIN_OF(PIECE_BYTES, (size_t)(to - at)), at);
		if (got < 0 && errno == EINTR) {
			got = 0;
			continue;
		}
		if (got <= 0)
			return got < 0 ? -errno : -EIO; /* it has shrunk */
		ret = write_all(copy->fd, buf, (size_t)got, at);
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* The bytes FROM to TO, in the kernel if that can be. */
static int copy_range(const struct copy *copy, off_t from, off_t to)
{
	off_t in = from, out = from;
	ssize_t got;

	while (in < to) {
		if (must_stop(copy->place))
			return -EINTR;
		got = copy_file_range(copy->from_fd, &in, copy->fd, &out,
				      MIN_OF(COPY_BYTES, (size_t)(to - in)),
				      0);
		if (got < 0 && errno == EINTR)
			continue;
		if (got == 0 || (got < 0 && errno != ENOSPC &&
				 errno != EDQUOT && errno != EIO))
			return copy_by_hand(copy, in, to);
		if (got < 0)
			return -errno;
	}
	return 0;
}

/* What is no hole; a file system that knows of none says it is all data. */
static int copy_data(const struct copy *copy, off_t size)
{
	off_t hole, data = 0;
	int ret = 0;

	while (data < size && ret == 0) {
		data = lseek(copy->from_fd, data, SEEK_DATA);
		if (data < 0) /* ENXIO: a hole until the end */
			return errno == ENXIO ? 0 : -errno;
		hole = lseek(copy->from_fd, data, SEEK_HOLE);
		if (hole < 0)
			return -errno;
		ret = copy_range(copy, data, MIN_OF(hole, size));
		data = hole;
	}
	return ret;
}

int image_copy(const struct image_place *place, int from_fd, struct err *err)
{
	uint64_t avail = free_bytes(place->dir_fd);
	autoclose int fd = make_anonymous(place);
	const struct copy copy = {
		.place = place, .from_fd = from_fd, .fd = fd
	};
	struct stat st;
	int ret;

	if (fd < 0)
		return err_sys(err, fd, "cannot make a copy beside the image");
	if (fstat(from_fd, &st) < 0)
		return err_sys(err, -errno, "cannot look at the image");
	if (ioctl(fd, FICLONE, from_fd) == 0)
		return take_fd(&fd);
	ret = ftruncate(fd, st.st_size) < 0 ? -errno : 0;
	if (ret == 0)
		ret = copy_data(&copy, st.st_size);
	if (ret < 0)
		return fail(ret, "cannot make a copy", (uint64_t)st.st_size,
			    avail, err);
	return take_fd(&fd);
}
