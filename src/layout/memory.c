/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whether memory can hold what is to be in a tmpfs: that of the machine, and
 * that of our cgroups.
 *
 * Filling it would not fail with ENOSPC, it would end processes, and not only
 * ours.  A limit that cannot be read is none.  The page cache of files counts
 * as free, as it does in MemAvailable.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/macro.h"
#include "base/sat.h"
#include "base/units.h"
#include "layout/space.h"

/* One part in so many stays free. */
#define FREE_PART 10

/* Version 1 has no word for "no limit", but a number near 2^63. */
#define NO_LIMIT (UINT64_C(1) << 62)

/* How the two versions call what we want to know. */
static const struct {
	const char *limit, *usage, *inactive, *active;
} versions[] = {
	{ "memory.max", "memory.current", "inactive_file", "active_file" },
	{ "memory.limit_in_bytes", "memory.usage_in_bytes",
	  "total_inactive_file", "total_active_file" },
};

/* The one complaint: BYTES do not go into what is available OF something. */
static int check(uint64_t bytes, uint64_t available, uint64_t total,
		 const char *of, struct err *err)
{
	uint64_t kept = total / FREE_PART;
	uint64_t want = sat_add(bytes, kept);
	char need[32], have[32], keep[32], lack[32];

	if (want <= available)
		return 0;
	return err_set(err, -ENOMEM, "a tmpfs with %s in it; %s of %s are "
		       "available, of which %s stay free: %s too little "
		       "(--no-reserve tries it)",
		       units_bytes_iec(bytes, need, sizeof(need)),
		       units_bytes_iec(available, have, sizeof(have)), of,
		       units_bytes_iec(kept, keep, sizeof(keep)),
		       units_bytes_iec(want - available, lack, sizeof(lack)));
}

/* Read the number in the file NAME of DIR.  False: not there, or "max". */
static bool read_number(const char *dir, const char *name, uint64_t *out)
{
	char path[PATH_MAX], text[64];
	ssize_t len;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= PATH_MAX)
		return false;
	len = fdio_read_small(path, text, sizeof(text));
	return len > 0 && units_parse_u64(text, (size_t)len, out) == 0;
}

/* The number after KEY in memory.stat of DIR; 0: unknown. */
static uint64_t read_stat(const char *dir, const char *key)
{
	char path[PATH_MAX];
	uint64_t bytes;

	if (snprintf(path, sizeof(path), "%s/memory.stat", dir) >= PATH_MAX ||
	    fdio_read_key(path, key, &bytes) < 0)
		return 0;
	return bytes;
}

int space_check_cgroup(const char *dir, uint64_t bytes, struct err *err)
{
	uint64_t limit, usage, cache;
	char of[PATH_MAX];
	size_t v = 0;

	while (v < ARRAY_SIZE(versions) &&
	       !(read_number(dir, versions[v].limit, &limit) &&
		 read_number(dir, versions[v].usage, &usage)))
		v++;
	if (v == ARRAY_SIZE(versions) || limit >= NO_LIMIT)
		return 0;
	cache = sat_add(read_stat(dir, versions[v].inactive),
			read_stat(dir, versions[v].active));
	usage -= MIN_OF(usage, cache);
	(void)snprintf(of, sizeof(of), "the memory of the cgroup %.200s", dir);
	return check(bytes, limit - MIN_OF(limit, usage), limit, of, err);
}

/* The cgroup PATH of the hierarchy at MOUNT, and all above it. */
static int check_upwards(const char *mount, const char *path, uint64_t bytes,
			 struct err *err)
{
	char dir[PATH_MAX];
	size_t least = strlen(mount);
	size_t len = least + strlen(path);
	int ret;

	if (len >= sizeof(dir))
		return 0;
	memcpy(dir, mount, least);
	memcpy(dir + least, path, len - least + 1);
	for (;;) {
		while (len > least && dir[len - 1] == '/')
			dir[--len] = '\0';
		ret = space_check_cgroup(dir, bytes, err);
		if (ret < 0 || len == least)
			return ret;
		while (len > least && dir[len - 1] != '/')
			dir[--len] = '\0';
	}
}

/*
 * A line of /proc/self/cgroup, "4:memory:/path" or "0::/path".  The mount
 * points are where everybody has them; elsewhere nothing is found, and
 * nothing is refused.
 */
static int check_line(char *line, uint64_t bytes, struct err *err)
{
	const char *controllers = strchr(line, ':');
	const char *path = strchr(line, '/');
	int ret;

	line[strcspn(line, "\n")] = '\0';
	if (!controllers || !path)
		return 0;
	if (strncmp(line, "0::", 3) == 0) {
		ret = check_upwards("/sys/fs/cgroup", path, bytes, err);
		return ret < 0 ? ret : check_upwards("/sys/fs/cgroup/unified",
						     path, bytes, err);
	}
	if (strncmp(controllers, ":memory:", 8) != 0)
		return 0;
	return check_upwards("/sys/fs/cgroup/memory", path, bytes, err);
}

static int check_cgroups(uint64_t bytes, struct err *err)
{
	autofp FILE *in = fopen("/proc/self/cgroup", "re");
	autofree char *line = NULL;
	size_t cap = 0;
	int ret = 0;

	while (in && ret == 0 && getline(&line, &cap, in) > 0)
		ret = check_line(line, bytes, err);
	return ret;
}

int space_check_memory(uint64_t bytes, struct err *err)
{
	uint64_t available, total;
	int ret = 0;

	/* in KiB */
	if (fdio_read_key("/proc/meminfo", "MemAvailable", &available) == 0 &&
	    fdio_read_key("/proc/meminfo", "MemTotal", &total) == 0)
		ret = check(bytes, available << 10, total << 10,
			    "the machine's memory", err);
	return ret < 0 ? ret : check_cgroups(bytes, err);
}
