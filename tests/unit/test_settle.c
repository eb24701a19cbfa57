/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settling: syncs, waits no longer than it may, stops when it is told. */
#include "run/settle.h"

#include "base/clock.h"
#include "scratch.h"
#include "tap.h"

static unsigned asked;

static bool stop_at_once(void *arg)
{
	asked++;
	return *(bool *)arg;
}

static struct levels one_level(int fd)
{
	return (struct levels){ .fds = { fd }, .n = 1 };
}

/* Settle and say how long that took. */
static uint64_t settle_ns(int fd, struct settle *settle)
{
	const struct levels levels = one_level(fd);
	uint64_t start_ns = clock_now_ns();

	settle_before(&levels, settle);
	return clock_now_ns() - start_ns;
}

static void test_before(int fd)
{
	struct settle settle = { .max_seconds = 1 };
	uint64_t ns = settle_ns(fd, &settle);

	is_int(settle.sync_errno, 0, "synced");
	ok(settle.quiet || settle.wait_ns >= NS_PER_S,
	   "quiet, or the whole bound: %.1f ms",
	   (double)settle.wait_ns / 1e6);
	ok(ns >= settle.sync_ns + settle.wait_ns, "the times add up");
	ok(settle.writeback_bytes != UINT64_MAX, "writeback is known: %llu",
	   (unsigned long long)settle.writeback_bytes);
}

/* On a quiet machine there is nothing to be asked about. */
static void test_stop(int fd)
{
	bool yes = true;
	struct settle settle = { .stop = stop_at_once, .arg = &yes };

	asked = 0;
	(void)settle_ns(fd, &settle);
	ok(settle.quiet || asked == 1, "told to stop, it stops (%u)", asked);
}

static void test_errors(void)
{
	int fd = open("/tmp", O_PATH | O_CLOEXEC);
	const struct levels levels = { .fds = { AT_FDCWD, fd }, .n = 2 };
	const struct levels last = one_level(fd);
	struct settle settle = { .max_seconds = 0.01 };
	uint64_t ns[CHAIN_MAX];
	unsigned failed = 9;

	(void)settle_ns(fd, &settle);
	is_int(settle.sync_errno, EBADF, "a descriptor that cannot be synced");
	is_int(settle_after(&last, ns, &failed), -EBADF,
	       "... afterwards, too");
	is_int(failed, 0, "... and which level it was");
	is_int(settle_after(&levels, ns, &failed), -EBADF, "the first of two");
	is_int(failed, 0, "... is named");
	(void)close(fd);
}

static void test_after(int fd)
{
	char *data = calloc(1, 1 << 20);
	const struct levels levels = { .fds = { fd, fd }, .n = 2 };
	uint64_t ns[CHAIN_MAX] = { 0 };
	int file, i;

	file = openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	for (i = 0; i < 8; i++)
		(void)!write(file, data, 1 << 20);
	(void)close(file);
	free(data);
	is_int(settle_after(&levels, ns, NULL), 0, "the closing sync");
	ok(ns[0] > 0 && ns[1] > 0, "took %.2f ms and %.2f",
	   (double)ns[0] / 1e6, (double)ns[1] / 1e6);
}

int main(void)
{
	char path[64];
	int fd = scratch_make(path, false);

	test_before(fd);
	test_stop(fd);
	test_errors();
	test_after(fd);
	scratch_remove(path, fd);
	return done_testing();
}
