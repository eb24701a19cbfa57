/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes of levels: computed ones hold what is wanted, given ones are kept or
 * refused with the arithmetic, and a need is passed on to the level below.
 */
#include "layout/space.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "layout/fstype.h"
#include "layout/layout.h"
#include "scratch.h"
#include "tap.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

static const struct space_need small = { .bytes = 100 * MIB, .files = 1000 };
static const struct space_need large = { .bytes = 20 * GIB, .files = 100000 };

/* Parse and plan; what goes wrong is in ERR. */
static int plan_for(const char *arg, const struct space_need *peak, bool force,
		    struct space_plan *plan, struct err *err)
{
	struct target_spec spec;
	int ret = spec_parse(arg, &spec, err);

	if (ret == 0)
		ret = space_plan(&spec, peak, force, plan, err);
	if (ret < 0)
		printf("# %s: %s\n", arg, err->text);
	else
		printf("# %s: %s\n", arg, plan->arithmetic);
	spec_done(&spec);
	return ret;
}

static void test_passed_on(void)
{
	struct err err = ERR_INIT;
	struct space_plan plan;

	is_int(plan_for("/", &small, false, &plan, &err), 0, "a directory");
	ok(plan.need[0].bytes >= small.bytes &&
		   plan.need[0].bytes < small.bytes + MIB,
	   "... takes what the clients take");
	is_int(plan.size[0], 0, "... and has no size");

	is_int(plan_for("/+bind+slow,op_us=1", &small, false, &plan, &err), 0,
	       "bind and slow");
	is_int(plan.need[0].bytes, plan.need[2].bytes, "... pass it on");
	is_int(plan.need[0].files, plan.need[2].files, "... in as many files");
	is_int(plan.size[0] + plan.size[1] + plan.size[2], 0,
	       "... and have no sizes");

	is_int(plan_for("/+overlay+bind", &small, false, &plan, &err), 0,
	       "an overlay");
	ok(plan.need[0].bytes >= 2 * plan.need[2].bytes &&
		   plan.need[0].files >= 2 * plan.need[2].files &&
		   plan.need[0].bytes < 2 * plan.need[2].bytes + MIB,
	   "... has everything twice");
	is_str(plan.arithmetic, "clients' files 100 MiB x 2 for overlay = "
	       "200 MiB -> 200 MiB on the base", "... and says so");
}

static void test_computed(void)
{
	struct err err = ERR_INIT;
	struct space_plan plan;

	is_int(plan_for("/+loop", &small, false, &plan, &err), 0, "an image");
	is_int(plan.size[1], SPACE_DEFAULT_MIN, "... has the least size");
	is_int(plan.need[0].files, 1, "... is one file");
	ok(plan.need[0].bytes >= GIB && plan.need[0].bytes < GIB + 2 * MIB,
	   "... of that size");
	is_str(plan.arithmetic, "clients' files 100 MiB -> image 1.00 GiB (the "
	       "least) -> 1.00 GiB on the base", "... and says so");

	is_int(plan_for("/+loop+loop,fs=xfs", &large, false, &plan, &err), 0,
	       "an image in an image");
	ok(fstype_room(fstype_find("xfs"), plan.size[2], plan.need[2].files) >=
		   plan.need[2].bytes,
	   "... the inner one holds the files");
	ok(fstype_room(fstype_find("ext4"), plan.size[1], 1) >=
		   plan.need[1].bytes && plan.need[1].bytes >= plan.size[2],
	   "... the outer one holds the inner one");
	ok(plan.size[1] < large.bytes * 5 / 4, "... without much waste");
	ok(strstr(plan.arithmetic, " + xfs ") &&
		   strstr(plan.arithmetic, " + ext4 "),
	   "... with what each adds");

	is_int(plan_for("/+loop,fs=unheard", &large, false, &plan, &err), 0,
	       "an unknown file system");
	ok(plan.size[1] > large.bytes * 5 / 4, "... gets more");
	is_int(plan_for("/+loop,fs=btrfs", &large, false, &plan, &err), 0,
	       "one that copies what is overwritten");
	ok(plan.size[1] > large.bytes * 3, "... gets room for that");
	is_int(plan_for("/+overlay+loop", &small, false, &plan, &err), 0,
	       "an image on an overlay");
	is_int(plan.need[0].bytes, plan.need[1].bytes, "... is not copied up");
}

static void test_given(void)
{
	struct err err = ERR_INIT;
	struct space_plan plan;

	is_int(plan_for("/+loop,size=128M", &small, false, &plan, &err), 0,
	       "a size that is just enough");
	is_int(plan.size[1], 128 * MIB, "... is kept");
	is_int(plan_for("/+loop,size=124M,sparse", &small, false, &plan, &err),
	       0, "a sparse one");
	ok(plan.need[0].bytes >= 124 * MIB, "... counts as a whole");

	is_int(plan_for("/+loop,size=64M", &small, false, &plan, &err),
	       -ENOSPC, "one that is too small");
	is_str(err.text, "clients' files 100 MiB -> image 64.0 MiB (given): it "
	       "has room for 52.6 MiB, 47.4 MiB too little (--no-reserve "
	       "tries it)",
	       "... is refused with the arithmetic");
	is_int(plan_for("/+loop,size=64M", &small, true, &plan, &err), 0,
	       "... unless it is forced");
	is_int(plan.size[1], 64 * MIB, "... and then it is kept");
	is_int(plan_for("/+loop,size=1G+loop", &small, false, &plan, &err),
	       -ENOSPC, "one that is too small for an image in it");
	is_int(plan_for("/+loop,size=600M,fs=btrfs", &small, false, &plan,
			&err), 0, "no room for copies of what is overwritten");

	is_int(plan_for("/+loop,size=200M,fs=xfs", &small, true, &plan, &err),
	       -EINVAL, "one that mkfs refuses, even if forced");
	is_str(err.text, "loop: size= is 200 MiB, and xfs needs at least "
	       "300 MiB", "... and one hears the least");
}

static void test_tmpfs(void)
{
	struct err err = ERR_INIT;
	struct space_plan plan;

	is_int(plan_for("tmpfs", &small, false, &plan, &err), 0, "a tmpfs");
	is_int(plan.size[0], SPACE_DEFAULT_MIN, "... has the least size");
	ok(plan.need[0].bytes < 101 * MIB, "... which it need not fill");
	is_int(plan_for("tmpfs+loop", &large, false, &plan, &err), 0,
	       "an image in a tmpfs");
	ok(plan.size[0] > plan.need[0].bytes &&
		   plan.need[0].bytes >= plan.size[1] &&
		   plan.size[0] % 4096 == 0,
	   "... fits into it");
	is_int(plan_for("tmpfs,size=200M", &small, false, &plan, &err), 0,
	       "a given size");
	is_int(plan.size[0], 200 * MIB, "... is kept");
	is_int(plan_for("tmpfs,size=1G+loop,size=1G", &small, false, &plan,
			&err), 0, "an image as large as the tmpfs");
	is_int(plan_for("tmpfs,size=1G+loop,size=1025M", &small, false, &plan,
			&err), -ENOSPC, "a larger one");
	ok(strstr(err.text, "in memory, tmpfs 1.00 GiB (given): it has room "
		  "for 1.00 GiB, 1.00 MiB too little"), "... is refused");
	is_int(plan_for("tmpfs,size=1G+loop,size=1025M", &small, true, &plan,
			&err), 0, "... unless it is forced");
}

static void test_image(int fd, const char *scratch)
{
	autofree char *target = mem_printf("%s/image+loop", scratch);
	struct err err = ERR_INIT;
	struct target_spec spec;
	struct space_plan plan;
	int file = openat(fd, "image", O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	if (ftruncate(file, (off_t)(300 * MIB)) < 0)
		abort();
	is_int(plan_for(target, &small, false, &plan, &err), 0,
	       "an image that exists");
	is_int(plan.size[0], 300 * MIB, "... has its length");
	is_int(plan.size[1], 300 * MIB, "... on both levels");
	ok(plan.need[0].bytes >= 300 * MIB && plan.need[0].files == 1,
	   "... and is copied as a whole");
	is_int(plan_for(target, &large, false, &plan, &err), -ENOSPC,
	       "... and cannot hold more than that");
	is_int(plan_for(target, &large, true, &plan, &err), 0,
	       "... unless that is to be tried");
	is_int(spec_parse(target, &spec, &err), 0, "one");
	(void)unlinkat(fd, "image", 0);
	is_int(space_plan(&spec, &small, false, &plan, &err), -ENOENT,
	       "... that has gone meanwhile");
	spec_done(&spec);
	(void)close(file);
}

/* Whatever is wanted, nothing wraps around, and the text ends. */
static void test_absurd(void)
{
	static const struct space_need absurd = { UINT64_MAX, UINT64_MAX };
	static const char *const args[] = {
		"/", "/+loop", "/+overlay", "tmpfs", "tmpfs+loop,fs=btrfs+loop",
		"/+overlay+loop,fs=btrfs+loop,fs=btrfs+loop,fs=xfs+overlay",
	};
	struct err err = ERR_INIT;
	struct space_plan plan;

	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++) {
		is_int(plan_for(args[i], &absurd, false, &plan, &err), 0,
		       args[i]);
		ok(plan.need[0].bytes > UINT64_MAX / 2,
		   "... needs the whole world");
		ok(strlen(plan.arithmetic) < sizeof(plan.arithmetic),
		   "... and the text ends");
	}
}

static void put_file(int fd, const char *name, const char *text)
{
	int file = openat(fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
			  0600);

	if (file < 0 || write(file, text, strlen(text)) < 0)
		abort();
	(void)close(file);
}

static void test_cgroup(int fd, const char *scratch)
{
	struct err err = ERR_INIT;

	is_int(space_check_cgroup(scratch, UINT64_MAX, &err), 0,
	       "what is no cgroup has no limit");
	put_file(fd, "memory.max", "max\n");
	put_file(fd, "memory.current", "1000\n");
	is_int(space_check_cgroup(scratch, UINT64_MAX, &err), 0,
	       "no limit is none");
	/* 1 GiB, of which 300 MiB are used, 100 of them for files */
	put_file(fd, "memory.max", "1073741824\n");
	put_file(fd, "memory.current", "314572800\n");
	put_file(fd, "memory.stat", "anon 1\ninactive_file 52428800\n"
		 "active_file 52428800\n");
	is_int(space_check_cgroup(scratch, 700 * MIB, &err), 0, "a limit");
	is_int(space_check_cgroup(scratch, 730 * MIB, &err), -ENOMEM,
	       "... of which a tenth stays free");
	ok(strstr(err.text, "a tmpfs with 730 MiB in it; 824 MiB of") &&
		   strstr(err.text, "102 MiB stay free: 8.40 MiB too little"),
	   "... with the arithmetic: %s", err.text);
	is_int(space_check_cgroup(scratch, UINT64_MAX, &err), -ENOMEM,
	       "... which does not wrap around");
	(void)unlinkat(fd, "memory.max", 0);
	(void)unlinkat(fd, "memory.current", 0);

	put_file(fd, "memory.limit_in_bytes", "9223372036854771712\n");
	put_file(fd, "memory.usage_in_bytes", "314572800\n");
	is_int(space_check_cgroup(scratch, 1024 * GIB, &err), 0,
	       "version 1: no limit is a large one");
	put_file(fd, "memory.limit_in_bytes", "1073741824\n");
	put_file(fd, "memory.stat", "total_inactive_file 52428800\n"
		 "total_active_file 52428800\n");
	is_int(space_check_cgroup(scratch, 700 * MIB, &err), 0,
	       "... a limit");
	is_int(space_check_cgroup(scratch, 730 * MIB, &err), -ENOMEM,
	       "... of which a tenth stays free");
}

static void test_memory(void)
{
	struct err err = ERR_INIT;

	is_int(space_check_memory(0, &err), 0, "nothing fits into memory");
	is_int(space_check_memory(UINT64_MAX / 4, &err), -ENOMEM,
	       "the whole world does not");
	ok(strstr(err.text, "of the machine's memory are available"),
	   "... with the arithmetic: %s", err.text);
}

int main(void)
{
	char scratch[64];
	int fd = scratch_make(scratch, true);

	test_passed_on();
	test_computed();
	test_given();
	test_tmpfs();
	test_image(fd, scratch);
	test_absurd();
	test_cgroup(fd, scratch);
	test_memory();
	scratch_remove(scratch, fd);
	return done_testing();
}
