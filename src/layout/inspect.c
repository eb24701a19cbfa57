/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a layout's file systems have to say after a run.
 *
 * A file system that has given up says so in one of three ways: it is
 * read-only (btrfs, ext4 until Linux 6.14), it answers EIO to everything
 * (xfs), or it has "shutdown" or "emergency_ro" among the options in
 * mountinfo (ext4 since 6.15).  One that goes on in spite of errors, as ext4
 * does unless told otherwise, counts them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "layout/level.h"
#include "layout/loopdev.h"

uint64_t level_errors(const struct level *level)
{
	char path[64], value[32];

	if (level->loop < 0)
		return 0;
	(void)snprintf(path, sizeof(path), "/sys/fs/ext4/loop%d/errors_count",
		       level->loop);
	if (fdio_read_small(path, value, sizeof(value)) <= 0)
		return 0;
	return strtoull(value, NULL, 10);
}

/* The options of the super block in a line of mountinfo, or NULL. */
static const char *find_options(const char *line)
{
	const char *rest = strstr(line, " - ");

	/* after the dash: file system, source, options */
	for (unsigned i = 0; i < 2 && rest; i++)
		rest = strchr(rest + (i ? 1 : 3), ' ');
	return rest;
}

/* Whether one of LIST, up to white space, is a sign of having given up. */
static bool has_given_up(const char *list)
{
	static const char *const signs[] = { "shutdown", "emergency_ro" };

	while (*list && *list != '\n') {
		size_t len = strcspn(list, ", \n");

		for (size_t i = 0; i < ARRAY_SIZE(signs); i++) {
			if (len == strlen(signs[i]) &&
			    memcmp(list, signs[i], len) == 0)
				return true;
		}
		list += len;
		list += strspn(list, ", ");
	}
	return false;
}

/* Whether mountinfo says that the file system of FD has given up. */
static bool is_given_up(int fd)
{
	autofp FILE *in = fopen("/proc/self/mountinfo", "re");
	autofree char *fdinfo = mem_printf("/proc/self/fdinfo/%d", fd);
	autofree char *line = NULL;
	const char *options;
	size_t cap = 0;
	uint64_t id;

	if (!in || fdio_read_key(fdinfo, "mnt_id", &id) < 0)
		return false;
	while (getline(&line, &cap, in) >= 0) {
		if (strtoull(line, NULL, 10) != id)
			continue;
		options = find_options(line);
		return options && has_given_up(options);
	}
	return false;
}

static int inspect_fs(const struct level *level, struct err *err)
{
	uint64_t errors = level_errors(level);
	struct statvfs fs;
	struct stat st;

	if (fstat(level->dir_fd, &st) < 0 || fstatvfs(level->dir_fd, &fs) < 0)
		return err_set(err, -EIO, "the file system fails (%s)",
			       strerror(errno));
	if (fs.f_flag & ST_RDONLY)
		return err_set(err, -EIO, "the file system went read-only");
	if (is_given_up(level->dir_fd))
		return err_set(err, -EIO, "the file system has shut down");
	if (errors > level->errors)
		return err_set(err, -EIO, "the file system has counted errors: "
			       "%" PRIu64 " (see dmesg(1))",
			       errors - level->errors);
	return 0;
}

static int inspect_loop(const struct level *level, struct err *err)
{
	char image[LOOPDEV_IMAGE_MAX], cache[32];
	ssize_t got = loopdev_image(level->loop, image, sizeof(image));

	if (got == -ENOENT || got == -ENODEV)
		return err_set(err, -EIO, "loop%d has lost its image",
			       level->loop);
	if (loopdev_write_cache(level->loop, cache, sizeof(cache)) < 0 ||
	    !strcmp(cache, level->link.write_cache))
		return 0;
	return err_set(err, -EIO, "somebody has set the write cache of loop%d "
		       "to \"%s\" meanwhile: it dropped flushes", level->loop,
		       cache);
}

int layout_inspect(const struct layout *layout, struct err *err)
{
	for (size_t n = 0; n < layout->nlevels; n++) {
		const struct level *level = &layout->levels[n];
		int ret = 0;

		if (level->loop >= 0)
			ret = inspect_loop(level, err);
		if (ret == 0 && level->dir_fd >= 0)
			ret = inspect_fs(level, err);
		if (ret < 0) {
			(void)level_blame(layout->spec, n, err);
			return ret;
		}
	}
	return 0;
}
