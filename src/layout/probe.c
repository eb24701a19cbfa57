/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is in an existing image, by libblkid; and the base that is one: a
 * private copy of it, for the loop device above.
 *
 * blkid is asked for all it knows ("safe probe"): an image with the marks of
 * two things in it is refused, for the kernel might take the other one.
 */
#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "layout/fstype.h"
#include "layout/image.h"
#include "layout/level.h"
#include "layout/loopdev.h"
#include "layout/mountfs.h"
#include "layout/setups.h"

/* What a probe has found; "" where nothing. */
struct found {
	char type[IMAGE_TYPE_MAX];
	char usage[32];
	char partitions[32];
};

static void look_up(blkid_probe probe, const char *name, char *buf,
		    size_t size)
{
	const char *value = NULL;

	(void)blkid_probe_lookup_value(probe, name, &value, NULL);
	(void)snprintf(buf, size, "%s", value ? value : "");
}

/* 0 found, 1 nothing, -2 (blkid's) several things, -errno otherwise. */
static int probe_fd(int fd, struct found *found)
{
	blkid_probe probe = blkid_new_probe();
	int ret;

	if (!probe)
		return -ENOMEM;
	ret = blkid_probe_set_device(probe, fd, 0, 0);
	if (ret == 0)
		ret = blkid_probe_enable_superblocks(probe, 1);
	if (ret == 0)
		ret = blkid_probe_set_superblocks_flags(
			probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_USAGE);
	if (ret == 0)
		ret = blkid_probe_enable_partitions(probe, 1);
	ret = ret < 0 ? -EIO : blkid_do_safeprobe(probe);
	look_up(probe, "TYPE", found->type, sizeof(found->type));
	look_up(probe, "USAGE", found->usage, sizeof(found->usage));
	look_up(probe, "PTTYPE", found->partitions,
		sizeof(found->partitions));
	blkid_free_probe(probe);
	return ret;
}

/* Refuse what is no single file system. */
static int judge(int ret, const struct found *found, struct err *err)
{
	if (ret == -2 || (found->partitions[0] && found->type[0]))
		return err_set(err, -EINVAL, "the image has the marks of more "
			       "than one thing in it; wipefs(8) shows them");
	if (ret < 0)
		return err_set(err, -EIO, "cannot read the image");
	if (found->partitions[0])
		return err_set(err, -EINVAL, "the image has a partition table "
			       "(%s); give one of its partitions as a file of "
			       "its own", found->partitions);
	if (strcmp(found->usage, "crypto") == 0)
		return err_set(err, -EINVAL, "the image is encrypted (%s)",
			       found->type);
	if (strcmp(found->usage, "raid") == 0)
		return err_set(err, -EINVAL, "the image is part of a RAID or "
			       "of a volume group (%s)", found->type);
	if (found->type[0] && strcmp(found->usage, "filesystem") != 0)
		return err_set(err, -EINVAL, "the image holds no file system "
			       "but %s", found->type);
	if (!found->type[0])
		return err_set(err, -EINVAL, "the image holds no file system "
			       "that is known");
	return 0;
}

int image_probe(int fd, char type[static IMAGE_TYPE_MAX], struct err *err)
{
	struct found found = { .type = "" };
	int ret = judge(probe_fd(fd, &found), &found, err);

	if (ret < 0)
		return ret;
	/* the driver of ntfs that writes has another name */
	(void)snprintf(type, IMAGE_TYPE_MAX, "%s",
		       strcmp(found.type, "ntfs") == 0 ? "ntfs3" : found.type);
	return 0;
}

/* Whether what blkid calls TYPE is the file system FS of the table. */
static bool is_type(const char *fs, const char *type)
{
	/* for blkid an ext4 without the features of later days is older */
	if (strcmp(fs, "ext4") == 0 &&
	    (strcmp(type, "ext3") == 0 || strcmp(type, "ext2") == 0))
		return true;
	return strcmp(fs, type) == 0;
}

int image_verify(int fd, const char *fs, struct err *err)
{
	const struct fstype *row = fstype_find(fs);
	struct found found = { .type = "" };

	if (!row || (probe_fd(fd, &found) == 0 && !found.partitions[0] &&
		     is_type(fs, found.type)))
		return 0;
	return err_set(err, -EINVAL, "%s made no %s (see its arguments)",
		       row->mkfs, fs);
}

/* Open the original, never for writing. */
static int open_original(const char *path, struct err *err)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
					      O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, -errno, "cannot open %s", path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s is no regular file", path);
	return take_fd(&fd);
}

int check_image(const struct layer_spec *spec, struct err *err)
{
	autoclose int fd = open_original(spec->path, err);
	autoclose int fs_fd = -1;
	char type[IMAGE_TYPE_MAX];
	int ret = fd < 0 ? fd : image_probe(fd, type, err);

	if (ret == 0)
		ret = mntns_check(err);
	if (ret == 0)
		ret = loopdev_check(err);
	if (ret < 0)
		return ret;
	fs_fd = mountfs_open(type, err);
	return fs_fd < 0 ? fs_fd : 0;
}

/*
 * The level is the directory that the image is in, for the syncs; the loop
 * device above is the only one that can do something with the image itself.
 */
int setup_image(struct layout *layout, size_t n, struct err *err)
{
	autoclose int fd = open_original(layout->spec->levels[n].path, err);
	struct level *level = &layout->levels[n];
	const struct image_place place = {
		.dir_fd = layout->env.base_fd,
		.names_fd = layout->env.scratch_fd,
		.stop = layout->env.stop,
		.stop_arg = layout->env.stop_arg,
	};
	int copy, ret;

	if (fd < 0)
		return fd;
	ret = setup_dir(layout, n, err);
	if (ret < 0)
		return ret;
	copy = image_copy(&place, fd, err);
	if (copy < 0)
		return copy;
	level_keep(layout, copy);
	level->image_fd = copy;
	return 0;
}
