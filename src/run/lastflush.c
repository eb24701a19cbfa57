/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * See lastflush.h.  A device is only known by its number here: opening it
 * would keep it from being let go of.  Numbers are used again at once, and so
 * are inodes, so whether the device is still ours is told by two things: its
 * sequence number, which is another one after each attachment (Linux 5.15),
 * and the name of its image, "#INODE (deleted)" for one that has none (the
 * path before that changes while the mounts go).
 */
#include "run/lastflush.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fdio.h"
#include "layout/loopdev.h"

#define RELEASE_NS (30 * NS_PER_S)
#define PAUSE_NS (2 * NS_PER_MS)

/* The name of the image that device NUMBER has, without its directory. */
static int read_image(int number, char *buf, size_t size)
{
	char image[LOOPDEV_IMAGE_MAX];
	ssize_t n = loopdev_image(number, image, sizeof(image));
	const char *slash;

	if (n < 0)
		return (int)n;
	slash = strrchr(image, '/');
	(void)snprintf(buf, size, "%.*s", (int)size - 1,
		       slash ? slash + 1 : image);
	return 0;
}

/* What the kernel counts attachments with; "" before Linux 5.15. */
static void read_sequence(int number, char *buf, size_t size)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/sys/block/loop%d/diskseq", number);
	if (fdio_read_small(path, buf, size) < 0)
		buf[0] = '\0';
}

int lastflush_note(struct lastflush *lf, int number)
{
	lf->number = number;
	read_sequence(number, lf->sequence, sizeof(lf->sequence));
	return read_image(number, lf->image, sizeof(lf->image));
}

static bool is_ours(const struct lastflush *lf)
{
	struct lastflush now;

	return lastflush_note(&now, lf->number) == 0 &&
	       strcmp(now.image, lf->image) == 0 &&
	       strcmp(now.sequence, lf->sequence) == 0;
}

/* Drop what has been let go of from LF; returns how many are left. */
static unsigned set_right(struct lastflush *lf, unsigned n)
{
	unsigned i, left = 0;

	for (i = 0; i < n; i++) {
		if (is_ours(&lf[i]))
			lf[left++] = lf[i];
		else
			(void)!loopdev_set_write_cache(lf[i].number, false);
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
		lf[left++] = lf[i];
		(void)!loopdev_set_write_cache(lf[i].number, true);
	}
	while (left && clock_now_ns() < deadline_ns) {
		(void)clock_sleep_until(clock_now_ns() + PAUSE_NS);
		left = set_right(lf, left);
	}
	/* somebody else has them open: they are set right, and go later */
	for (i = 0; i < left; i++)
		if (is_ours(&lf[i]))
			(void)!loopdev_set_write_cache(lf[i].number, false);
}
