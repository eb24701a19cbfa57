/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A file system in an image on a loop device (what OpenVZ called ploop).
 *
 * The image is an anonymous file of the level below, or the private copy of
 * an existing image that the base has made.  The device is attached first and
 * mkfs runs on it, so that it sees the sizes that the mount will see.
 *
 * The image must have all its blocks before the run: mkfs with its defaults
 * would discard them and leave a sparse file behind.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "layout/fstype.h"
#include "layout/image.h"
#include "layout/level.h"
#include "layout/loopdev.h"
#include "layout/mountfs.h"
#include "layout/setups.h"

int check_loop(const struct layer_spec *spec, struct err *err)
{
	int ret = mntns_check(err);

	if (ret == 0)
		ret = loopdev_check(err);
	if (ret == 0)
		ret = fstype_check(spec->fs ? spec->fs : FSTYPE_DEFAULT, err);
	return ret;
}

/* Whether levels[N] is in a copy of an image that exists already. */
static bool is_existing(const struct layout *layout, size_t n)
{
	return n == 1 && layout->levels[0].image_fd >= 0;
}

static int undo_loop(const struct undo_arg *arg, struct err *err)
{
	return loopdev_detach(arg->number, arg->fd, false, err);
}

static int undo_loop_through(const struct undo_arg *arg, struct err *err)
{
	return loopdev_detach(arg->number, arg->fd, true, err);
}

/* The image of levels[N]: fresh, or the copy that the base has made. */
static int get_image(struct layout *layout, size_t n, struct err *err)
{
	const struct level *below = &layout->levels[n - 1];
	const struct image_place place = {
		.dir_fd = below->dir_fd,
		.names_fd = below->names_fd,
		.stop = layout->env.stop,
		.stop_arg = layout->env.stop_arg,
	};
	int fd;

	if (is_existing(layout, n)) {
		layout->levels[n].image_fd = below->image_fd;
		return 0;
	}
	fd = image_make(&place, layout->env.space->size[n],
			layout->spec->levels[n].sparse, err);
	if (fd < 0)
		return fd;
	level_keep(layout, fd);
	layout->levels[n].image_fd = fd;
	return 0;
}

/* What we know of the loop device, for the report. */
static void describe(struct level *level, const struct loopdev *loop)
{
	struct chain_link *link = &level->link;
	struct stat st;

	link->is_loop = true;
	link->dio = loop->dio;
	(void)snprintf(link->write_cache, sizeof(link->write_cache), "%s",
		       loop->write_cache);
	(void)snprintf(link->source, sizeof(link->source), "/dev/loop%d",
		       loop->number);
	if (fstat(level->image_fd, &st) == 0)
		link->image_bytes = (uint64_t)st.st_size;
}

static int attach(struct layout *layout, size_t n, struct loopdev *loop,
		  struct err *err)
{
	const struct layer_spec *spec = &layout->spec->levels[n];
	struct level *level = &layout->levels[n];
	struct undo_arg arg = { .fd = -1 };
	int ret;

	ret = loopdev_attach(loop, level->image_fd, spec->dio,
			     spec->write_through, layout->env.ns->root_fd,
			     err);
	if (ret < 0)
		return ret;
	arg.fd = loop->fd;
	arg.number = loop->number;
	undo_push(&layout->undo,
		  spec->write_through ? undo_loop_through : undo_loop, &arg);
	level->loop = loop->number;
	describe(level, loop);
	return 0;
}

/* Whether the image still has its blocks, unless it may lack them. */
static int check_blocks(struct layout *layout, size_t n, struct err *err)
{
	struct level *level = &layout->levels[n];
	uint64_t allocated = image_allocated(level->image_fd);

	level->link.sparse = allocated < level->link.image_bytes;
	if (!level->link.sparse || layout->spec->levels[n].sparse ||
	    is_existing(layout, n))
		return 0;
	return err_set(err, -ENOSPC, "the image has become sparse: of %" PRIu64
		       " bytes only %" PRIu64 " are allocated (the file system "
		       "below may compress; \"sparse\" allows it)",
		       level->link.image_bytes, allocated);
}

/*
 * mkfs, with the arguments that the target gives; some of them make it make
 * nothing, or something else.
 */
static int make_fs(const struct layout *layout, size_t n, const char *fs,
		   const struct loopdev *loop, struct err *err)
{
	const struct layer_spec *spec = &layout->spec->levels[n];
	autofree char **extra = mem_zalloc(spec->mkfs.n + 1, sizeof(*extra));
	const struct fstype_job job = {
		.device = loop->path,
		.size = layout->levels[n].link.image_bytes,
		.files = layout->env.space->need[n].files,
		.extra = extra,
		.stop = layout->env.stop,
		.stop_arg = layout->env.stop_arg,
	};
	int ret;

	for (size_t i = 0; i < spec->mkfs.n; i++)
		extra[i] = spec->mkfs.v[i];
	ret = fstype_make(fs, &job, err);
	return ret < 0 ? ret : image_verify(loop->fd, fs, err);
}

/* The mount options; ATTRS are changed by some. */
static int set_options(const struct layout *layout, size_t n, int fs_fd,
		       const char *fs, unsigned *attrs, struct err *err)
{
	const struct layer_spec *spec = &layout->spec->levels[n];
	const struct fstype *type = fstype_find(fs);
	int ret = 0;

	/* discards would make the preallocated image sparse while we run */
	if (type && type->mount_option && !spec->sparse)
		ret = mountfs_set(fs_fd, type->mount_option, NULL, err);
	/* the copy has the original's UUID, which may be mounted too */
	if (ret == 0 && is_existing(layout, n) && strcmp(fs, "xfs") == 0)
		ret = mountfs_set(fs_fd, "nouuid", NULL, err);
	for (size_t i = 0; i < spec->opts.n && ret == 0; i++)
		ret = mountfs_option(fs_fd, spec->opts.v[i], attrs, err);
	return ret;
}

/* The detached mount of the file system FS on LOOP. */
static int make_mount(const struct layout *layout, size_t n, const char *fs,
		      const struct loopdev *loop, struct err *err)
{
	autoclose int fs_fd = mountfs_open(fs, err);
	unsigned attrs = level_attrs(layout);
	int ret = fs_fd;

	if (ret >= 0)
		ret = mountfs_set(fs_fd, "source", loop->path, err);
	if (ret >= 0)
		ret = set_options(layout, n, fs_fd, fs, &attrs, err);
	return ret < 0 ? ret : mountfs_mount(fs_fd, attrs, err);
}

static int check_writable(int dir_fd, const char *fs, struct err *err)
{
	struct statvfs vfs;

	if (fstatvfs(dir_fd, &vfs) < 0)
		return err_sys(err, -errno, "cannot look at the %s", fs);
	if (vfs.f_flag & ST_RDONLY)
		return err_set(err, -EROFS, "the %s can only be mounted "
			       "read-only", fs);
	return 0;
}

static int mount_fs(struct layout *layout, size_t n, const char *fs,
		    const struct loopdev *loop, struct err *err)
{
	int ret = make_mount(layout, n, fs, loop, err);

	if (ret >= 0)
		ret = level_mount(layout, n, ret, err);
	if (ret == 0)
		ret = check_writable(layout->levels[n].dir_fd, fs, err);
	if (ret == 0)
		layout->levels[n].errors = level_errors(&layout->levels[n]);
	return ret;
}

int setup_loop(struct layout *layout, size_t n, struct err *err)
{
	const char *given = layout->spec->levels[n].fs;
	struct level *level = &layout->levels[n];
	struct loopdev loop = LOOPDEV_INIT;
	char fs[IMAGE_TYPE_MAX];
	int ret;

	(void)snprintf(fs, sizeof(fs), "%s", given ? given : FSTYPE_DEFAULT);
	ret = get_image(layout, n, err);
	if (ret == 0 && is_existing(layout, n))
		ret = image_probe(level->image_fd, fs, err);
	if (ret == 0)
		ret = attach(layout, n, &loop, err);
	if (ret == 0 && !is_existing(layout, n))
		ret = make_fs(layout, n, fs, &loop, err);
	if (ret == 0)
		ret = check_blocks(layout, n, err);
	if (ret == 0)
		ret = mount_fs(layout, n, fs, &loop, err);
	return ret;
}
