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

/* Settle and say how long that took. */
static uint64_t settle_ns(int fd, struct settle *settle)
{
	uint64_t start_ns = clock_now_ns();

	settle_before(fd, settle);
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
	struct settle settle = { .max_seconds = 0.01 };
	uint64_t ns;

	(void)settle_ns(fd, &settle);
	is_int(settle.sync_errno, EBADF, "a descriptor that cannot be synced");
	is_int(settle_after(fd, &ns), -EBADF, "... afterwards, too");
	(void)close(fd);
}

static void test_after(int fd)
{
	char *data = calloc(1, 1 << 20);
	uint64_t ns = 0;
	int file, i;

	file = openat(fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	for (i = 0; i < 8; i++)
		(void)!write(file, data, 1 << 20);
	(void)close(file);
	free(data);
	is_int(settle_after(fd, &ns), 0, "the closing sync");
	ok(ns > 0, "took %.2f ms", (double)ns / 1e6);
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
