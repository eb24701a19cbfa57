/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Dirty memory and the disk's busy time, while a run is on.
 *
 * Writers are made to wait from the middle between the two dirty limits on
 * (dirty_freerun_ceiling() in mm/page-writeback.c), where what counts is dirty
 * pages and those under writeback.  All four numbers are in /proc/vmstat,
 * read in one go; the limits move with free memory, so they are looked at
 * anew each time.  The limits of a memory cgroup, whose writers are throttled
 * by their own share, are not looked at.
 *
 * The disk is the whole one: a partition's io_ticks are its own.  They are
 * milliseconds in 32 bits.  A file system on an anonymous device (btrfs) is
 * found by the device it was mounted from, the first of them if there are
 * several; one that has none (overlay, NFS, ZFS) has a disk that cannot be
 * seen.
 */
#include "run/regime.h"

#include <errno.h>
#include <linux/magic.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "audit/describe.h"
#include "base/clock.h"
#include "base/fdio.h"

#define BUSY_SHARE 0.5        /* from here on the disk bounds the run */
#define VMSTAT_BYTES 16384    /* it has 5 KiB in Linux 6.18 */
#define IO_TICKS_FIELD 10     /* of /sys/dev/block/M:m/stat, from 1 */

/* The number after KEY at the start of a line of TEXT. */
static bool find_number(const char *text, const char *key, uint64_t *out)
{
	size_t len = strlen(key);
	const char *line = text;

	while (line) {
		if (strncmp(line, key, len) == 0 && line[len] == ' ') {
			*out = strtoull(line + len, NULL, 10);
			return true;
		}
		line = strchr(line, '\n');
		line += line != NULL;
	}
	return false;
}

void regime_sample(struct regime_watch *rw)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t dirty, writeback, background, limit;
	char text[VMSTAT_BYTES];

	if (fdio_read_small("/proc/vmstat", text, sizeof(text)) < 0 ||
	    !find_number(text, "nr_dirty", &dirty) ||
	    !find_number(text, "nr_writeback", &writeback))
		return;
	dirty += writeback;
	if (dirty * page > rw->peak_dirty_bytes)
		rw->peak_dirty_bytes = dirty * page;
	if (!find_number(text, "nr_dirty_background_threshold", &background) ||
	    !find_number(text, "nr_dirty_threshold", &limit))
		return;
	rw->has_dirty = true;
	rw->throttled |= dirty >= (background + limit) / 2;
}

/* The device number of the disk that DEV is, or is a partition of. */
static bool find_disk(dev_t dev, struct regime_watch *rw)
{
	char path[64], text[32];

	rw->dev_major = major(dev);
	rw->dev_minor = minor(dev);
	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition",
		       rw->dev_major, rw->dev_minor);
	if (access(path, F_OK) < 0)
		return errno == ENOENT;
	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/../dev",
		       rw->dev_major, rw->dev_minor);
	return fdio_read_small(path, text, sizeof(text)) > 0 &&
	       sscanf(text, "%u:%u", &rw->dev_major, &rw->dev_minor) == 2;
}

/* The block device below a directory: its own, or what was mounted. */
static bool find_device(int fd, dev_t *out)
{
	struct chain_link link = { 0 };
	struct stat st;

	if (fstat(fd, &st) < 0)
		return false;
	*out = st.st_dev;
	if (major(st.st_dev) != 0)
		return true;
	describe_dir(fd, &link);
	if (link.source[0] != '/' || stat(link.source, &st) < 0 ||
	    !S_ISBLK(st.st_mode))
		return false;
	*out = st.st_rdev;
	return true;
}

/* Milliseconds that the disk was busy since it was found. */
static bool read_busy(const struct regime_watch *rw, uint32_t *out)
{
	char path[64], text[512];
	char *save, *word;

	(void)snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/stat",
		       rw->dev_major, rw->dev_minor);
	if (fdio_read_small(path, text, sizeof(text)) < 0)
		return false;
	word = strtok_r(text, " ", &save);
	for (unsigned i = 1; word && i < IO_TICKS_FIELD; i++)
		word = strtok_r(NULL, " ", &save);
	if (!word)
		return false;
	*out = (uint32_t)strtoull(word, NULL, 10);
	return true;
}

static bool is_memory(int fd)
{
	struct statfs fs;

	return fd < 0 || (fstatfs(fd, &fs) == 0 &&
			  (fs.f_type == TMPFS_MAGIC ||
			   fs.f_type == RAMFS_MAGIC));
}

void regime_begin(struct regime_watch *rw, int base_fd)
{
	dev_t dev;

	*rw = (struct regime_watch){ .memory = is_memory(base_fd) };
	rw->has_disk = !rw->memory && find_device(base_fd, &dev) &&
		       find_disk(dev, rw) && read_busy(rw, &rw->busy_ms);
	regime_sample(rw);
	rw->start_ns = clock_now_ns();
}

/* The share of the time since the beginning; NAN: unknown. */
static double busy_share(const struct regime_watch *rw)
{
	double ms = (double)(clock_now_ns() - rw->start_ns) / 1e6;
	uint32_t now;

	if (!rw->has_disk || !(ms > 0) || !read_busy(rw, &now))
		return NAN;
	return fmin((double)(uint32_t)(now - rw->busy_ms) / ms, 1);
}

static enum regime judge(const struct regime_watch *rw, double busy)
{
	if (rw->throttled)
		return REGIME_THROTTLED;
	if (busy >= BUSY_SHARE)
		return REGIME_DISK;
	if (!rw->has_dirty || (isnan(busy) && !rw->memory))
		return REGIME_UNKNOWN;
	return REGIME_CACHED;
}

void regime_end(const struct regime_watch *rw, struct run_result *run)
{
	struct regime_watch last = *rw;

	run->device_busy = busy_share(rw);
	regime_sample(&last);
	run->peak_dirty_bytes = last.peak_dirty_bytes;
	run->regime = judge(&last, run->device_busy);
}
