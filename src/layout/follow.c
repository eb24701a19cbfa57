/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Following a host whose mounts are private.
 *
 * Our namespace began as a copy of the host's.  A mount that is in the copy
 * and no longer in the host's own list has been unmounted there, so we do the
 * same; what is in use here, the base of a target, answers EBUSY and stays.
 * The host's list is read through a descriptor that was opened before we
 * left; poll(2) on it tells of changes.  Mounts are recognised by device,
 * root and mount point, their numbers differ.
 */
#include "layout/mntns.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fdio.h"

/* No list of mounts is longer; the kernel allows 100,000 by default. */
#define LIST_MAX ((size_t)256 << 20)

/* The list of mounts that FD is open on, as it is now; NULL: none to be had. */
static char *read_list(int fd)
{
	char *text;

	if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0 ||
	    fdio_read_all(fd, LIST_MAX, &text) < 0)
		return NULL;
	return text;
}

/*
 * From a line of mountinfo, "36 35 98:0 /root /point rw...", the three fields
 * that name a mount, with the blanks around them, into KEY.
 */
static bool get_key(const char *line, char *key, size_t size)
{
	int from = 0, to = 0;

	if (sscanf(line, "%*u %*u%n %*u:%*u %*s %*s%n", &from, &to) < 0 ||
	    to == 0 || (size_t)(to - from) + 2 > size)
		return false;
	(void)snprintf(key, size, "%.*s ", to - from, line + from);
	return true;
}

/* The mount point at the end of KEY, which is changed, without escapes. */
static const char *get_point(char *key)
{
	char *point;

	key[strlen(key) - 1] = '\0';
	point = strrchr(key, ' ') + 1;
	fdio_unescape(point);
	return point;
}

static bool is_ours(const char *point)
{
	size_t len = strlen(MNTNS_PLACE);

	return strncmp(point, MNTNS_PLACE, len) == 0 &&
	       (point[len] == '/' || point[len] == '\0');
}

/* Unmount what a line tells of unless HOST has it still. */
static void follow_line(const char *line, const char *host)
{
	char key[8192];
	const char *point;

	if (!get_key(line, key, sizeof(key)) || strstr(host, key))
		return;
	point = get_point(key);
	if (!is_ours(point))
		(void)umount2(point, UMOUNT_NOFOLLOW);
}

void mntns_follow(struct mntns *ns)
{
	struct pollfd host_poll = { .fd = ns->host_fd, .events = POLLPRI };
	autoclose int own_fd = -1;
	autofree char *host = NULL, *own = NULL;
	char *end;

	if (ns->host_fd < 0 || poll(&host_poll, 1, 0) < 1 ||
	    !(host_poll.revents & POLLPRI))
		return;
	/*
	 * Ours first: a mount that the host makes meanwhile, and that spreads
	 * to us, is then in its list alone.  The other way round it would be
	 * in ours alone, and be unmounted.
	 */
	own_fd = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC);
	own = read_list(own_fd);
	host = read_list(ns->host_fd);
	if (!host || !own)
		return;
	/* from the last line up: a mount comes before those on it */
	while ((end = strrchr(own, '\n'))) {
		*end = '\0';
		end = strrchr(own, '\n');
		follow_line(end ? end + 1 : own, host);
	}
}
