/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The table of file systems is in order and true: what it says of room holds
 * on file systems that were made and mounted; mkfs is found, told and heard.
 */
#include "layout/fstype.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/statvfs.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "layout/loopdev.h"
#include "scratch.h"
#include "tap.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static char scratch[64];

static void test_row(const struct fstype *fs)
{
	size_t i = 0;

	ok(fstype_find(fs->name) == fs, "%s is found", fs->name);
	ok(strncmp(fs->mkfs, "mkfs.", 5) == 0 && fs->package && fs->args[0] &&
		   !fs->args[FSTYPE_ARGS_MAX - 1],
	   "... with its mkfs, arguments and package");
	ok(!fs->inodes_option == !fs->bytes_per_inode &&
		   fs->bytes_per_file && fs->copies >= 1,
	   "... and numbers that go together");
	ok(fs->shares[0].from_bytes == fs->min_bytes,
	   "... the first share is that of the smallest image");
	for (; i + 1 < FSTYPE_SHARES_MAX && fs->shares[i + 1].lost > 0; i++)
		if (fs->shares[i].lost <= fs->shares[i + 1].lost ||
		    fs->shares[i].from_bytes >= fs->shares[i + 1].from_bytes)
			break;
	ok(fs->shares[0].lost < 1 && i + 1 < FSTYPE_SHARES_MAX &&
		   !(fs->shares[i + 1].lost > 0),
	   "... shares fall, and end");
}

static void test_table(void)
{
	size_t i;

	for (i = 0; i < fstypes_nr; i++)
		test_row(&fstypes[i]);
	ok(fstype_find(FSTYPE_DEFAULT), "the default is in the table");
	ok(!fstype_find("") && !fstype_find("ext"), "nothing else is found");
}

/* A size that was computed has room for what it was computed for. */
static void test_sizes(const struct fstype *fs, const char *name)
{
	bool holds = true, grows = true;
	uint64_t before = 0, bytes, size, room;

	for (bytes = 4096; bytes < 100 * 1024 * GIB; bytes += bytes / 3) {
		for (uint64_t files = 1; files < 100000; files *= 17) {
			size = fstype_size(fs, bytes, files);
			holds = holds && size % MIB == 0 &&
				(!fs || size >= fs->min_bytes) &&
				fstype_room(fs, size, files) >= bytes;
		}
		room = fstype_room(fs, bytes, 0);
		grows = grows && room >= before && room < bytes;
		before = room;
	}
	ok(holds, "%s: computed sizes have room", name);
	ok(grows, "... which grows with the size");
	is_int(fstype_room(fs, MIB, UINT64_MAX), 0, "... or is none at all");
	ok(fstype_size(fs, UINT64_MAX / 2, UINT64_MAX) >= UINT64_MAX / 2 &&
		   fstype_size(fs, UINT64_MAX, 1) > UINT64_MAX - MIB,
	   "... and absurd ones stay absurd");
}

/* A file of BYTES that is allocated, if that can be. */
static int make_file(int fd, const char *name, uint64_t bytes)
{
	int file = openat(fd, name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC,
			  0600);

	if (file < 0)
		return -1;
	if (fallocate(file, 0, 0, (off_t)bytes) < 0 &&
	    ftruncate(file, (off_t)bytes) < 0)
		abort();
	return file;
}

static blkcnt_t blocks_of(int file)
{
	struct stat st;

	return fstat(file, &st) < 0 ? -1 : st.st_blocks;
}

static int make_fs(const char *name, const char *device, uint64_t size,
		   uint64_t files, char *const *extra, struct err *err)
{
	const struct fstype_job job = {
		.device = device, .size = size, .files = files, .extra = extra
	};

	return fstype_make(name, &job, err);
}

static void test_missing(void)
{
	struct err err = ERR_INIT;

	is_int(fstype_check("nosuchfs", &err), -ENOENT, "no mkfs");
	ok(strstr(err.text, "mkfs.nosuchfs"), "... is named");
	is_int(make_fs("nosuchfs", "/dev/null", MIB, 1, NULL, &err),
	       -ENOENT, "... and cannot be run");
	for (size_t i = 0; i < fstypes_nr; i++) {
		int ret = fstype_check(fstypes[i].name, &err);

		ok(ret == 0 || strstr(err.text, fstypes[i].name),
		   "%s: %s", fstypes[i].name, ret ? err.text : "is here");
		ok(ret != -ENOENT || strstr(err.text, fstypes[i].package),
		   "... if there is no mkfs, the package is named");
	}
}

static void write_script(int fd, const char *name, const char *text)
{
	int file = openat(fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			  0755);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		abort();
	(void)close(file);
}

static const char tells[] =
	"#!/bin/sh\n"
	"{ echo \"$# <$1> <$2> <$3> $LC_ALL\"\n"
	"  readlink /proc/self/fd/0\n"
	"  grep SigBlk /proc/self/status; } >\"$3\"\n"
	"echo this goes nowhere\n";

/* What a program of ours sees, when it is called as mkfs. */
static void test_child(int fd)
{
	char *extra[] = { (char *)(uintptr_t) "-x y;$(z)",
			  (char *)(uintptr_t) "", NULL };
	autofree char *path = mem_printf("%s/told", scratch);
	struct err err = ERR_INIT;
	sigset_t set, old;
	char told[512] = "", want[128];
	int file;

	write_script(fd, "mkfs.teller", tells);
	(void)sigemptyset(&set);
	(void)sigaddset(&set, SIGINT);
	(void)sigaddset(&set, SIGTERM);
	(void)sigprocmask(SIG_BLOCK, &set, &old);
	is_int(make_fs("teller", path, MIB, 1, extra, &err), 0,
	       "a program called as mkfs");
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	file = openat(fd, "told", O_RDONLY | O_CLOEXEC);
	ok(file >= 0 && read(file, told, sizeof(told) - 1) > 0, "... speaks");
	(void)close(file);
	snprintf(want, sizeof(want), "3 <-x y;$(z)> <> <%s> C\n", path);
	ok(strstr(told, want), "... got its arguments as they were");
	ok(strstr(told, "\n/dev/null\n"), "... has nothing to read");
	ok(strstr(told, "SigBlk:\t0000000000000000\n"),
	   "... can be interrupted");
}

static void test_complaints(int fd)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{ "echo 'what a'; echo ' mess\33[1m' >&2; exit 3",
		  "mkfs.angry: mess [1m (exit status 3)" },
		{ "printf 'one\\n\\n\\ntwo\\r\\nthree\\nfour\\n' >&2; exit 1",
		  "mkfs.angry: one; two; three (exit status 1)" },
		{ "printf 'no\nUsage: so\nand so\n' >&2; exit 2",
		  "mkfs.angry: no (exit status 2)" },
		{ "printf 'Usage: so\n' >&2; exit 2",
		  "mkfs.angry: Usage: so (exit status 2)" },
		{ "exit 9", "mkfs.angry: failed, without saying why (exit "
			    "status 9)" },
		{ "kill -9 $$", "mkfs.angry: ended by signal 9" },
		{ "head -c 1000000 /dev/zero | tr '\\0' x >&2; exit 1",
		  "xxxxx (exit status 1)" },
	};
	struct err err;

	for (size_t i = 0; i < SIZE(cases); i++) {
		autofree char *text = mem_printf("#!/bin/sh\n%s\n",
						 cases[i].text);

		write_script(fd, "mkfs.angry", text);
		err.text[0] = '\0';
		is_int(make_fs("angry", "x", MIB, 1, NULL, &err), -EIO,
		       "mkfs fails");
		ok(strstr(err.text, cases[i].want), "... and is heard: %s",
		   err.text);
	}
	write_script(fd, "mkfs.broken", "#!/no/such/shell\n");
	is_int(make_fs("broken", "x", MIB, 1, NULL, &err), -EIO,
	       "a mkfs that cannot be started");
	ok(strstr(err.text, "cannot be started"), "... is told from others");
}

/* The number that a program has written to the file "pid"; 0: not yet. */
static int read_pid(void)
{
	autofree char *path = mem_printf("%s/pid", scratch);
	autofp FILE *in = fopen(path, "re");
	int pid;

	return in && fscanf(in, "%d\n", &pid) == 1 ? pid : 0;
}

/* Also what nobody has waited for yet has ended: it has no command line. */
static bool is_running(int pid)
{
	autofree char *path = mem_printf("/proc/%d/cmdline", pid);
	autofp FILE *in = fopen(path, "re");

	return in && fgetc(in) != EOF;
}

static bool ends_soon(int pid)
{
	const struct timespec pause = { .tv_nsec = 5000000 };

	for (unsigned i = 0; i < 1000 && is_running(pid); i++)
		(void)nanosleep(&pause, NULL);
	return !is_running(pid);
}

/* Stop as soon as the program says who it is. */
static bool stop_started(void *arg)
{
	unsigned *asked = arg;

	++*asked;
	return read_pid() > 0;
}

/* A mkfs that would never end, in several ways, is ended. */
static void test_hanging(int fd)
{
	static const char *const ways[] = {
		"sleep 50 & echo $! >\"$1\"; wait",
		"exec 2>&-; echo $$ >\"$1\"; exec sleep 50",
		"echo $$ >\"$1\"; exec yes >&2",
	};
	autofree char *path = mem_printf("%s/pid", scratch);
	unsigned asked = 0;
	const struct fstype_job job = {
		.device = path, .size = MIB,
		.stop = stop_started, .stop_arg = &asked,
	};
	struct err err;

	for (size_t i = 0; i < SIZE(ways); i++) {
		autofree char *text = mem_printf("#!/bin/sh\n%s\n", ways[i]);

		write_script(fd, "mkfs.hanging", text);
		(void)unlinkat(fd, "pid", 0);
		err.text[0] = '\0';
		asked = 0;
		is_int(fstype_make("hanging", &job, &err), -EINTR,
		       "a mkfs that hangs");
		is_str(err.text, "interrupted", "... can be stopped");
		ok(asked && ends_soon(read_pid()), "... and ends");
	}
}

/* $PATH is looked through, but not what is relative in it. */
static void test_path(int fd)
{
	const char *old = getenv("PATH");
	autofree char *path = mem_printf(":.:/nowhere:%s:%s/x", scratch,
					 scratch);
	autofree char *saved = mem_strdup(old ? old : "/usr/bin:/bin");
	autofree char *both = mem_printf("%s:%s", path, saved);
	struct err err = ERR_INIT;

	(void)close(make_dir(fd, "mkfs.folder"));
	(void)touch(fd, "mkfs.plain");
	write_script(fd, "mkfs.local", "#!/bin/sh\n");
	(void)setenv("PATH", "", 1);
	is_int(fstype_check("local", &err), -ENOENT, "an empty $PATH");
	(void)setenv("PATH", ".:", 1);
	is_int(fstype_check("local", &err), -ENOENT, "a relative $PATH");
	(void)setenv("PATH", both, 1);
	ok(fstype_check("local", &err) != -ENOENT, "a long $PATH");
	if (geteuid() == 0 && fstype_check("local", &err) != -EPERM) {
		is_int(fstype_check("local", &err), -ENODEV, "but no driver");
		ok(strstr(err.text, "driver for local"), "... and it is said");
	} else {
		skip(2, "not root here");
	}
	is_int(fstype_check("folder", &err), -ENOENT, "a directory is no mkfs");
	is_int(fstype_check("plain", &err), -ENOENT, "nor is a plain file");
	test_child(fd);
	test_complaints(fd);
	test_hanging(fd);
	(void)setenv("PATH", saved, 1);
}

/* Every mkfs that is here makes something on a file, and keeps its blocks. */
static void test_make(int fd, const struct fstype *fs)
{
	uint64_t size = MAX_OF(fs->min_bytes, 64 * MIB);
	autofree char *path = mem_printf("%s/image", scratch);
	int file = make_file(fd, "image", size);
	blkcnt_t before = blocks_of(file);
	struct err err = ERR_INIT;
	int ret = make_fs(fs->name, path, size, 100, NULL, &err);

	if (ret == -ENOENT) {
		skip(3, "that mkfs is not here");
	} else {
		if (!is_int(ret, 0, fs->mkfs))
			printf("# %s\n", err.text);
		ok(blocks_of(file) >= before, "... leaves what is allocated");
		if (ftruncate(file, 0) < 0 || ftruncate(file, MIB / 2) < 0)
			abort();
		ret = make_fs(fs->name, path, MIB / 2, 1, NULL, &err);
		ok(ret == -EIO || fs->min_bytes <= 2 * MIB,
		   "... or complains: %s", ret ? err.text : "no");
	}
	(void)close(file);
}

/* The number of inodes of an ext image: the first word of its super block. */
static uint32_t read_inodes(int file)
{
	uint32_t inodes = 0;

	if (pread(file, &inodes, sizeof(inodes), 1024) != sizeof(inodes))
		return 0;
	return inodes;
}

static void test_inodes(int fd)
{
	static const struct {
		uint64_t size, files, least, most;
	} cases[] = {
		{ GIB, 100, 65536, 65536 },
		{ GIB, 65000, 65001, 70000 },
		{ GIB, 200000, 200001, 210000 },
		{ GIB, UINT64_MAX, 260000, 262144 },
		{ GIB, 10000000, 260000, 262144 },
		{ 64 * MIB, 10000, 10001, 12000 },
	};
	autofree char *path = mem_printf("%s/image", scratch);
	struct err err = ERR_INIT;

	for (size_t i = 0; i < SIZE(cases); i++) {
		uint64_t files = cases[i].files;
		int file, ret;
		uint32_t got;

		/* sparse: only its tables are written */
		file = make_file(fd, "image", 4096);
		if (ftruncate(file, (off_t)cases[i].size) < 0)
			abort();
		ret = make_fs("ext4", path, cases[i].size, files, NULL,
				  &err);
		got = read_inodes(file);
		(void)close(file);
		if (ret == -ENOENT) {
			skip(1, "no mkfs.ext4");
			continue;
		}
		if (files == UINT64_MAX)
			continue; /* it only must not wrap around */
		ok(ret == 0 && got >= cases[i].least && got <= cases[i].most,
		   "ext4 for %" PRIu64 " files has %u inodes", files, got);
	}
}

/* What the child of test_mounted() is to try. */
static const struct {
	const char *fs;
	uint64_t size;
} trials[] = {
	{ "ext4", 8 * MIB },	{ "ext4", 64 * MIB },  { "ext4", 512 * MIB },
	{ "ext4", 2 * GIB },	{ "ext3", 32 * MIB },  { "ext3", GIB },
	{ "ext2", 64 * MIB },	{ "ext2", 700 * MIB }, { "xfs", 300 * MIB },
	{ "xfs", GIB },		{ "xfs", 5 * GIB },    { "btrfs", 110 * MIB },
	{ "btrfs", 500 * MIB }, { "btrfs", 4 * GIB },
};

static size_t trial;

/* Whether a mount of ours (on "mnt") gives blocks back to the image. */
static bool has_discard(void)
{
	autofp FILE *in = fopen("/proc/self/mountinfo", "re");
	autofree char *line = NULL;
	size_t cap = 0;
	bool found = false;

	need(in);
	while (getline(&line, &cap, in) > 0)
		found = found || (strstr(line, scratch) &&
				  strstr(line, ",discard"));
	return found;
}

/* Make, mount, look, and take it all down. */
static int mount_trial(int fd)
{
	const struct fstype *fs = fstype_find(trials[trial].fs);
	struct loopdev loop = LOOPDEV_INIT;
	struct err err = ERR_INIT;
	struct statvfs vfs;
	uint64_t room;
	int file, ret;

	fd = leave_mounts(scratch);
	file = make_file(fd, "image", 4096);
	need(ftruncate(file, (off_t)trials[trial].size) == 0);
	(void)mkdirat(fd, "mnt", 0755);
	ret = loopdev_attach(&loop, file, false, false, fd, &err);
	if (ret < 0) {
		printf("# %s\n", err.text);
		return CHILD_SKIP;
	}
	ret = make_fs(fs->name, loop.path, trials[trial].size, 100, NULL,
			  &err);
	if (ret == 0) {
		need(mount(loop.path, "mnt", fs->name, 0, fs->mount_option) ==
		     0);
		need(statvfs("mnt", &vfs) == 0);
		need(!has_discard());
		need(umount("mnt") == 0);
	}
	need(loopdev_detach(loop.number, loop.fd, false, &err) == 0);
	if (ret < 0)
		return CHILD_SKIP;
	room = fstype_room(fs, trials[trial].size, 0);
	printf("# %s: %" PRIu64 " of %" PRIu64 " bytes are free, %" PRIu64
	       " expected\n", fs->name, (uint64_t)vfs.f_bavail * vfs.f_frsize,
	       trials[trial].size, room);
	(void)fflush(stdout);
	/* not too few, and no waste either */
	return (uint64_t)vfs.f_bavail * vfs.f_frsize < room ||
	       room < trials[trial].size / 8;
}

static void test_mounted(int fd)
{
	struct err err = ERR_INIT;

	for (trial = 0; trial < SIZE(trials); trial++) {
		if (!can_mount() || loopdev_check(&err) < 0 ||
		    fstype_check(trials[trial].fs, &err) < 0) {
			skip(1, "cannot be tried here");
			continue;
		}
		check_in_child(mount_trial, fd, trials[trial].fs);
	}
}

int main(void)
{
	int fd = scratch_make(scratch, false);
	size_t i;

	test_table();
	test_sizes(NULL, "unknown");
	for (i = 0; i < fstypes_nr; i++)
		test_sizes(&fstypes[i], fstypes[i].name);
	test_missing();
	test_path(fd);
	for (i = 0; i < fstypes_nr; i++)
		test_make(fd, &fstypes[i]);
	test_inodes(fd);
	test_mounted(fd);
	scratch_remove(scratch, fd);
	return done_testing();
}
