/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bounds a run, and what is unknown where nothing can be seen. */
#include "run/regime.c"

#include "scratch.h"
#include "tap.h"

static void test_judge(void)
{
	struct regime_watch all = { .has_disk = true, .has_dirty = true };
	struct regime_watch blind = { .has_dirty = true };
	struct regime_watch memory = { .memory = true, .has_dirty = true };
	struct regime_watch nothing = { 0 };

	is_int(judge(&all, 0.5), REGIME_DISK, "half of the time busy");
	is_int(judge(&all, 0.4), REGIME_CACHED, "less than that");
	is_int(judge(&blind, NAN), REGIME_UNKNOWN, "a disk that is not seen");
	is_int(judge(&memory, NAN), REGIME_CACHED, "memory has no disk");
	is_int(judge(&nothing, 0.1), REGIME_UNKNOWN, "dirty memory unknown");
	is_int(judge(&nothing, 0.9), REGIME_DISK, "... but the disk busy");
	all.throttled = blind.throttled = true;
	is_int(judge(&all, 0.9), REGIME_THROTTLED, "throttled before busy");
	is_int(judge(&blind, NAN), REGIME_THROTTLED, "... and before unknown");
}

static void test_find_number(void)
{
	const char *text = "nr_dirtied 1\nnr_dirty_threshold 2\nnr_dirty 3\n"
			   "nr_writeback_temp 4";
	uint64_t n = 0;

	ok(find_number(text, "nr_dirty", &n) && n == 3, "the whole key");
	ok(find_number(text, "nr_writeback_temp", &n) && n == 4, "at the end");
	ok(!find_number(text, "nr_writeback", &n), "not a part of a key");
	ok(!find_number("", "nr_dirty", &n), "nothing in nothing");
}

/* Writes that the disk must see before it goes on. */
static void write_and_sync(int dirfd, unsigned times)
{
	int fd = openat(dirfd, "file", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	while (times--) {
		(void)!pwrite(fd, "x", 1, times * 4096);
		(void)fdatasync(fd);
	}
	(void)close(fd);
}

static void test_disk(int fd)
{
	struct regime_watch rw;
	struct run_result run = { 0 };

	regime_begin(&rw, fd);
	ok(rw.has_dirty, "dirty memory is known");
	write_and_sync(fd, 50);
	regime_sample(&rw);
	regime_end(&rw, &run);
	ok(run.peak_dirty_bytes > 0, "some of it was: %llu bytes",
	   (unsigned long long)run.peak_dirty_bytes);
	if (rw.memory || !rw.has_disk) {
		skip(2, "no disk of its own below the scratch directory");
		return;
	}
	ok(run.device_busy > 0 && run.device_busy <= 1,
	   "disk %u:%u was busy: %.0f %%", rw.dev_major, rw.dev_minor,
	   100 * run.device_busy);
	ok(run.regime != REGIME_UNKNOWN, "so the regime is known: %d",
	   run.regime);
}

/* The number of milliseconds has 32 bits. */
static void test_wrap(int fd)
{
	struct regime_watch rw;
	uint32_t now;

	regime_begin(&rw, fd);
	if (!rw.has_disk) {
		skip(1, "no disk");
		return;
	}
	(void)read_busy(&rw, &now);
	rw.busy_ms = now + 1000; /* as if it had wrapped just short of it */
	ok(busy_share(&rw) >= 0 && busy_share(&rw) <= 1, "still a share");
}

static void check_memory(int fd, const char *name)
{
	struct regime_watch rw;
	struct run_result run = { 0 };

	regime_begin(&rw, fd);
	regime_end(&rw, &run);
	ok(rw.memory && isnan(run.device_busy) &&
		   run.regime != REGIME_UNKNOWN && run.regime != REGIME_DISK,
	   "%s is memory", name);
}

static void test_bad_fd(void)
{
	struct regime_watch rw;
	struct run_result run = { 0 };

	regime_begin(&rw, 1000000);
	regime_end(&rw, &run);
	ok(isnan(run.device_busy), "no directory: the disk is unknown");
}

/* A disk and a partition of it are the same disk. */
static void test_whole_disks(void)
{
	DIR *dir = opendir("/sys/dev/block");
	unsigned wrong = 0, major_nr, minor_nr;
	struct regime_watch rw;
	char path[64];
	struct dirent *d;

	while (dir && (d = readdir(dir)) != NULL) {
		if (sscanf(d->d_name, "%u:%u", &major_nr, &minor_nr) != 2 ||
		    !find_disk(makedev(major_nr, minor_nr), &rw))
			continue;
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/partition",
			 rw.dev_major, rw.dev_minor);
		wrong += access(path, F_OK) == 0;
	}
	if (dir)
		(void)closedir(dir);
	is_int(wrong, 0, "no disk is a partition");
}

/* Without /proc and /sys there is nothing to see, and nothing to crash on. */
static int look_at_nothing(int unused)
{
	struct run_result run = { .device_busy = 1, .peak_dirty_bytes = 1,
				  .regime = REGIME_DISK };
	struct regime_watch rw;
	int fd;

	(void)unused;
	if (!can_mount())
		return CHILD_SKIP;
	fd = leave_mounts("/");
	need(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	need(mount("none", "/sys", "tmpfs", 0, NULL) == 0);
	regime_begin(&rw, fd);
	regime_sample(&rw);
	regime_end(&rw, &run);
	need(!rw.has_dirty && !rw.has_disk);
	need(isnan(run.device_busy) && run.peak_dirty_bytes == 0);
	need(rw.memory || run.regime == REGIME_UNKNOWN);
	return 0;
}

static void fake_vmstat(unsigned dirty, unsigned writeback)
{
	FILE *out = fopen("/proc/vmstat", "we");

	need(out);
	(void)fprintf(out, "nr_dirty %u\nnr_writeback %u\n"
			   "nr_dirty_threshold 300\n"
			   "nr_dirty_background_threshold 100\n",
		      dirty, writeback);
	need(fclose(out) == 0);
}

/* Writers wait from the middle between the limits on, and that counts. */
static int throttle(int unused)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct run_result run = { 0 };
	struct regime_watch rw;

	(void)unused;
	if (!can_mount())
		return CHILD_SKIP;
	(void)leave_mounts("/");
	need(mount("none", "/proc", "tmpfs", 0, NULL) == 0);
	fake_vmstat(10, 20);
	regime_begin(&rw, -1);
	fake_vmstat(150, 49);
	regime_sample(&rw);
	need(rw.has_dirty && !rw.throttled);
	fake_vmstat(150, 50);
	regime_sample(&rw);
	need(rw.throttled);
	fake_vmstat(0, 0);
	regime_end(&rw, &run);
	need(run.regime == REGIME_THROTTLED);
	need(run.peak_dirty_bytes == 200 * page);
	return 0;
}

int main(void)
{
	char path[64];
	int fd = scratch_make(path, false);
	int shm = open("/dev/shm", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	test_judge();
	test_find_number();
	test_disk(fd);
	test_wrap(fd);
	check_memory(-1, "a target without a base");
	if (shm >= 0 && is_memory(shm))
		check_memory(shm, "/dev/shm");
	else
		skip(1, "/dev/shm is no memory here");
	test_bad_fd();
	test_whole_disks();
	check_in_child(look_at_nothing, -1, "no /proc and no /sys: unknown");
	check_in_child(throttle, -1, "dirty memory up to the limits");
	scratch_remove(path, fd);
	return done_testing();
}
