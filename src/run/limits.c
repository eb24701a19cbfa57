/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits: files, processes, space.
 *
 * All of them are read from the kernel at the moment of asking and may have
 * changed a moment later; the checks save the user a run that is certain to
 * fail, the errors of the system calls remain the law.  Sums saturate, so
 * that an absurd load is refused and does not wrap around into a small one.
 */
#include "run/limits.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/sat.h"
#include "base/units.h"

/* Descriptors of a process beside the files of the load: standard ones,
 * janitor, directories, a backend's rings, and a removal's TREE_DEPTH. */
#define FILES_OWN 128

/* Processes beside the clients: helpers such as mkfs, and somebody's shell. */
#define PROCESSES_OWN 8

#define RESERVE_MAX (UINT64_C(1) << 30)
#define RESERVE_PART 20 /* one in so many: 5 % */

int limits_raise_files(uint64_t files, struct err *err)
{
	rlim_t need = sat_add(files, FILES_OWN);
	struct rlimit now, want;

	if (getrlimit(RLIMIT_NOFILE, &now) < 0 || now.rlim_cur >= need)
		return 0;
	want = (struct rlimit){ .rlim_cur = need,
				.rlim_max = MAX_OF(need, now.rlim_max) };
	/* beyond the hard limit: root may, up to fs.nr_open */
	if (!setrlimit(RLIMIT_NOFILE, &want))
		return 0;
	return err_set(err, -EMFILE, "a client has up to %" PRIu64 " files "
		       "open at once and needs %" PRIu64 " descriptors, but "
		       "the hard limit is %" PRIu64 " (ulimit -Hn)", files,
		       (uint64_t)need, (uint64_t)now.rlim_max);
}

static const char *plural(unsigned n)
{
	return n == 1 ? "" : "s";
}

/* The one complaint about processes: NEED of them, EXIST count towards MAX. */
static int check_room(unsigned clients, uint64_t exist, uint64_t max,
		      const char *limit, struct err *err)
{
	uint64_t need = (uint64_t)clients + PROCESSES_OWN;
	uint64_t sum = sat_add(need, exist);

	if (sum <= max)
		return 0;
	return err_set(err, -EAGAIN, "%u client%s: room for %" PRIu64
		       " processes is needed, but %s is %" PRIu64 " and %"
		       PRIu64 " exist: %" PRIu64 " too many", clients,
		       plural(clients), need, limit, max, exist, sum - max);
}

/* Read a file that is a number.  False: it is not there, or "max". */
static bool read_number(const char *path, uint64_t *out)
{
	char buf[64];
	ssize_t n = fdio_read_small(path, buf, sizeof(buf));

	return n > 0 && units_parse_u64(buf, (size_t)n, out) == 0;
}

/* The tasks of the user UID that /proc shows us: a lower bound. */
static uint64_t count_tasks(uid_t uid)
{
	autodir DIR *proc = opendir("/proc");
	const struct dirent *d;
	char task[300];
	struct stat st;
	uint64_t n = 0;

	while (proc && (d = readdir(proc))) {
		if (!isdigit((unsigned char)d->d_name[0]))
			continue;
		(void)snprintf(task, sizeof(task), "/proc/%s/task", d->d_name);
		/* its links are ".", ".." and one for each thread */
		if (!stat(task, &st) && st.st_uid == uid && st.st_nlink > 2)
			n += st.st_nlink - 2;
	}
	return n;
}

/* The kernel does not hold the superuser to this limit (fork(2), EAGAIN). */
static int check_nproc(unsigned clients, struct err *err)
{
	struct rlimit limit;

	if (getuid() == 0 || getrlimit(RLIMIT_NPROC, &limit) < 0)
		return 0;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NPROC, &limit);
	if (limit.rlim_max == RLIM_INFINITY)
		return 0;
	return check_room(clients, count_tasks(getuid()), limit.rlim_max,
			  "the user's limit of processes (ulimit -Hu)", err);
}

static int check_kernel(unsigned clients, struct err *err)
{
	char buf[128];
	uint64_t exist, max;
	int ret = 0;

	/* "0.00 0.01 0.05 RUNNING/TASKS LASTPID" */
	if (fdio_read_small("/proc/loadavg", buf, sizeof(buf)) <= 0 ||
	    sscanf(buf, "%*s %*s %*s %*u/%" SCNu64, &exist) != 1)
		return 0;
	if (read_number("/proc/sys/kernel/pid_max", &max))
		ret = check_room(clients, exist, max, "kernel.pid_max", err);
	if (!ret && read_number("/proc/sys/kernel/threads-max", &max))
		ret = check_room(clients, exist, max, "kernel.threads-max",
				 err);
	return ret;
}

/* One cgroup: the directory DIR. */
static int check_cgroup(const char *dir, unsigned clients, struct err *err)
{
	char path[PATH_MAX + 32];
	uint64_t exist, max;

	(void)snprintf(path, sizeof(path), "%s/pids.current", dir);
	if (!read_number(path, &exist))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/pids.max", dir);
	if (!read_number(path, &max))
		return 0;
	return check_room(clients, exist, max, path, err);
}

int limits_check_pids(const char *mount, const char *path, unsigned clients,
		      struct err *err)
{
	char dir[PATH_MAX];
	size_t mount_len = strlen(mount);
	size_t len = mount_len + strlen(path);
	int ret;

	if (len >= sizeof(dir))
		return 0;
	memcpy(dir, mount, mount_len);
	memcpy(dir + mount_len, path, len - mount_len + 1);
	for (;;) {
		while (len > mount_len && dir[len - 1] == '/')
			dir[--len] = '\0';
		ret = check_cgroup(dir, clients, err);
		if (ret < 0 || len == mount_len)
			return ret;
		while (len > mount_len && dir[len - 1] != '/')
			dir[--len] = '\0';
	}
}

/* Whether the comma-separated LIST has the word "pids". */
static bool has_pids(const char *list)
{
	const char *at = strstr(list, "pids");

	return at && (at == list || at[-1] == ',') &&
	       (at[4] == '\0' || at[4] == ',' || at[4] == '\n');
}

/*
 * Our path in the hierarchy that has the pids controller: version 1's of its
 * own where there is one ("8:pids:/path"), else version 2's ("0::/path").
 */
static bool find_cgroup(char path[static PATH_MAX], bool *out_v1)
{
	autofp FILE *in = fopen("/proc/self/cgroup", "re");
	autofree char *line = NULL;
	char *controllers, *at;
	bool found = false;
	size_t cap = 0;

	while (in && getline(&line, &cap, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		controllers = strchr(line, ':');
		at = controllers ? strchr(++controllers, ':') : NULL;
		if (!at || strlen(at + 1) >= PATH_MAX)
			continue;
		*at = '\0';
		*out_v1 = has_pids(controllers);
		if (!*out_v1 && (found || *controllers))
			continue;
		memcpy(path, at + 1, strlen(at + 1) + 1);
		found = true;
		if (*out_v1)
			break;
	}
	return found;
}

/*
 * Whether a line of /proc/self/mountinfo is the mount of that hierarchy; its
 * root within the hierarchy and its mount point go to ROOT and MOUNT.
 */
static bool is_cgroup_mount(const char *line, bool v1,
			    char root[static PATH_MAX],
			    char mount[static PATH_MAX])
{
	const char *rest = strstr(line, " - ");
	char type[64], options[512];

	_Static_assert(PATH_MAX == 4096, "the widths below are less by one");
	if (!rest ||
	    sscanf(rest, " - %63s %*s %511s", type, options) != 2 ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", root, mount) != 2)
		return false;
	return v1 ? strcmp(type, "cgroup") == 0 && has_pids(options)
		  : strcmp(type, "cgroup2") == 0;
}

/* The controllers of the cgroups we are in. */
static int check_cgroups(unsigned clients, struct err *err)
{
	autofp FILE *in = fopen("/proc/self/mountinfo", "re");
	char path[PATH_MAX], root[PATH_MAX], mount[PATH_MAX];
	autofree char *line = NULL;
	const char *below = path;
	bool v1, found = false;
	size_t cap = 0;

	if (!in || !find_cgroup(path, &v1))
		return 0;
	while (!found && getline(&line, &cap, in) > 0)
		found = is_cgroup_mount(line, v1, root, mount);
	if (!found)
		return 0;
	/* a mount of a part of the hierarchy, as containers have */
	if (strcmp(root, "/") != 0)
		below = strncmp(path, root, strlen(root)) == 0
				? path + strlen(root) : "";
	return limits_check_pids(mount, below, clients, err);
}

int limits_check_processes(unsigned clients, struct err *err)
{
	int ret = check_nproc(clients, err);

	if (ret == 0)
		ret = check_cgroups(clients, err);
	if (ret == 0)
		ret = check_kernel(clients, err);
	return ret;
}

/* What a file system has left. */
struct free_space {
	uint64_t available, reserve, inodes;
	bool limited;        /* it tells its size */
};

/* "; 1.2 GiB are free, of which 60 MiB stay in reserve: ...". */
static void describe_lack(uint64_t sum, const struct free_space *space,
			  char *buf, size_t size)
{
	char free_[32], kept[32], lack[32];

	(void)snprintf(
		buf, size,
		"; %s are free, of which %s stay in reserve: %s too little "
		"(--no-reserve allows it)",
		units_bytes_iec(space->available, free_, sizeof(free_)),
		units_bytes_iec(space->reserve, kept, sizeof(kept)),
		units_bytes_iec(sat_add(sum, space->reserve) -
					space->available,
				lack, sizeof(lack)));
}

static int refuse_bytes(const struct limits_peak *peak, uint64_t sum,
			const struct free_space *space, struct err *err)
{
	char each[32], shared[32], all[32], lack[160];

	describe_lack(sum, space, lack, sizeof(lack));
	return err_set(
		err, -ENOSPC, "%u client%s x %s + shared %s = %s at the peak%s",
		peak->clients, plural(peak->clients),
		units_bytes_iec(peak->bytes_per_client, each, sizeof(each)),
		units_bytes_iec(peak->bytes_shared, shared, sizeof(shared)),
		units_bytes_iec(sum, all, sizeof(all)), lack);
}

static int refuse_files(const struct limits_peak *peak, uint64_t sum,
			uint64_t available, struct err *err)
{
	return err_set(
		err, -ENOSPC,
		"%u client%s x %" PRIu64 " files + shared %" PRIu64 " = %"
		PRIu64 " files at the peak; %" PRIu64 " inodes are free: %"
		PRIu64 " too few (--no-reserve tries it)", peak->clients,
		plural(peak->clients), peak->files_per_client,
		peak->files_shared, sum, available, sum - available);
}

static int find_space(int fd, struct free_space *space, struct err *err)
{
	struct statvfs fs;
	uint64_t size;

	if (fstatvfs(fd, &fs) < 0)
		return err_sys(err, -errno, "cannot tell the free space");
	size = sat_mul(fs.f_blocks, fs.f_frsize);
	space->limited = size != 0;
	space->available = sat_mul(fs.f_bavail, fs.f_frsize);
	space->reserve = MIN_OF(RESERVE_MAX, size / RESERVE_PART);
	/* none: unlimited (tmpfs, btrfs) or not told */
	space->inodes = fs.f_files ? fs.f_favail : UINT64_MAX;
	return 0;
}

static bool is_too_little(const struct free_space *space, uint64_t bytes)
{
	return space->limited &&
	       sat_add(bytes, space->reserve) > space->available;
}

uint64_t limits_peak_bytes(const struct limits_peak *peak)
{
	return sat_add(sat_mul(peak->clients, peak->bytes_per_client),
		       peak->bytes_shared);
}

uint64_t limits_peak_files(const struct limits_peak *peak)
{
	return sat_add(sat_mul(peak->clients, peak->files_per_client),
		       peak->files_shared);
}

int limits_check_space(int target_fd, const struct limits_peak *peak,
		       bool no_reserve, uint64_t *out_reserve, struct err *err)
{
	uint64_t bytes = limits_peak_bytes(peak);
	uint64_t files = limits_peak_files(peak);
	struct free_space space;
	int ret;

	*out_reserve = 0;
	if (no_reserve)
		return 0;
	ret = find_space(target_fd, &space, err);
	if (ret < 0)
		return ret;
	if (is_too_little(&space, bytes))
		return refuse_bytes(peak, bytes, &space, err);
	if (files > space.inodes)
		return refuse_files(peak, files, space.inodes, err);
	*out_reserve = space.reserve;
	return 0;
}

int limits_check_room(int fd, const struct limits_room *room, bool no_reserve,
		      uint64_t *out_reserve, struct err *err)
{
	struct free_space space;
	char lack[160];
	int ret;

	*out_reserve = 0;
	if (no_reserve)
		return 0;
	ret = find_space(fd, &space, err);
	if (ret < 0)
		return ret;
	if (is_too_little(&space, room->bytes)) {
		describe_lack(room->bytes, &space, lack, sizeof(lack));
		return err_set(err, -ENOSPC, "%s%s", room->arithmetic, lack);
	}
	if (room->files > space.inodes)
		return err_set(err, -ENOSPC,
			       "%" PRIu64 " files; %" PRIu64 " inodes are free",
			       room->files, space.inodes);
	*out_reserve = space.reserve;
	return 0;
}
