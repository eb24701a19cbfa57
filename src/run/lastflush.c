/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See lastflush.h.  A device is only known by its number here: opening it
 * would keep it from being let go of.  Whether it is still ours is told by
 * the name of its image, "#INODE (deleted)" for one that has none; the path
 * before that changes while the mounts go.
 */
#include "run/lastflush.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fdio.h"

#define RELEASE_NS (30 * NS_PER_S)
#define PAUSE_NS (2 * NS_PER_MS)

/* The name of the image that device NUMBER has, without its directory. */
static int read_image(int number, char *buf, size_t size)
{
	char path[64];
	char image[4096];
	const char *slash;
	ssize_t n;

	(void)snprintf(path, sizeof(path),
		       "/sys/block/loop%d/loop/backing_file", number);
	n = fdio_read_small(path, image, sizeof(image));
	if (n < 0)
		return (int)n;
	slash = strrchr(image, '/');
	(void)snprintf(buf, size, "%.*s", (int)size - 1,
		       slash ? slash + 1 : image);
	return 0;
}

int lastflush_note(struct lastflush *lf, int number)
{
	lf->number = number;
	return read_image(number, lf->image, sizeof(lf->image));
}

static bool is_ours(const struct lastflush *lf)
{
	char image[sizeof(lf->image)];

	return read_image(lf->number, image, sizeof(image)) == 0 &&
	       strcmp(image, lf->image) == 0;
}

static void set_write_cache(const struct lastflush *lf, const char *how)
{
	char path[64];
	int fd;

	(void)snprintf(path, sizeof(path),
		       "/sys/block/loop%d/queue/write_cache", lf->number);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	(void)!write(fd, how, strlen(how));
	(void)close(fd);
}

/* Drop what has been let go of from LF; returns how many are left. */
static unsigned set_right(struct lastflush *lf, unsigned n, bool all)
{
	unsigned i, left = 0;

	for (i = 0; i < n; i++) {
		if (!all && is_ours(&lf[i]))
			lf[left++] = lf[i];
		else
			set_write_cache(&lf[i], "write back");
	}
	return left;
}

void lastflush_release(struct lastflush *lf, unsigned n)
{
	uint64_t deadline_ns = clock_now_ns() + RELEASE_NS;
	unsigned i, left = 0;

	for (i = 0; i < n; i++) {
		if (!is_ours(&lf[i]))
			continue;
		lf[left] = lf[i];
		set_write_cache(&lf[left++], "write through");
	}
	while (left && clock_now_ns() < deadline_ns) {
		(void)clock_sleep_until(clock_now_ns() + PAUSE_NS);
		left = set_right(lf, left, false);
	}
	(void)set_right(lf, left, true);
}
