/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fsopen(2), fsconfig(2), fsmount(2), and what the kernel has to say.
 *
 * A context keeps a log that is read from its descriptor, one message at a
 * time: "e ext4: Unknown parameter 'x'"; e is an error, w a warning, i for
 * information.  Not every file system uses it; then there is the errno alone,
 * and often more in the kernel's own log, to which we point.
 */
#include "layout/mountfs.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

/* The last error in the log of FS_FD, without its mark; "" if there is none. */
static void read_log(int fs_fd, char *buf, size_t size)
{
	char line[512];
	ssize_t got;

	buf[0] = '\0';
	while ((got = read(fs_fd, line, sizeof(line) - 1)) > 0) {
		line[got] = '\0';
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "e ", 2) == 0)
			(void)snprintf(buf, size, "%s", line + 2);
	}
}

/* Fail with the kernel's words, if it has any. */
static int fail(int fs_fd, int code, const char *what, struct err *err)
{
	char said[512];

	read_log(fs_fd, said, sizeof(said));
	if (said[0])
		return err_set(err, code, "%s: %s", what, said);
	if (code == -EINVAL || code == -EUCLEAN)
		return err_sys(err, code, "%s (see dmesg(1))", what);
	return err_sys(err, code, "%s", what);
}

int mountfs_open(const char *type, struct err *err)
{
	int fd = fsopen(type, FSOPEN_CLOEXEC);

	if (fd >= 0)
		return fd;
	if (errno == ENODEV)
		return err_set(err, -ENODEV, "the kernel has no driver for %s",
			       type);
	return err_sys(err, -errno, "cannot mount %s", type);
}

int mountfs_set(int fs_fd, const char *key, const char *value,
		struct err *err)
{
	autofree char *what = NULL;
	unsigned cmd = value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
	int ret = fsconfig(fs_fd, cmd, key, value, 0) < 0 ? -errno : 0;

	if (ret == 0)
		return 0;
	what = mem_printf("mount option %s%s%s", key, value ? "=" : "",
			  value ? value : "");
	return fail(fs_fd, ret, what, err);
}

int mountfs_set_fd(int fs_fd, const char *key, int fd, struct err *err)
{
	char path[sizeof("/proc/self/fd/") + 3 * sizeof(int)];

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return mountfs_set(fs_fd, key, path, err);
}

/* Options of mount(8) that are attributes of the mount. */
static const struct {
	const char *name;
	unsigned clear, set;
} attributes[] = {
	{ "rw", 0, 0 },
	{ "defaults", 0, 0 },
	{ "nosuid", 0, MOUNT_ATTR_NOSUID },
	{ "nodev", 0, MOUNT_ATTR_NODEV },
	{ "noexec", 0, MOUNT_ATTR_NOEXEC },
	{ "nosymfollow", 0, MOUNT_ATTR_NOSYMFOLLOW },
	{ "relatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_RELATIME },
	{ "noatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_NOATIME },
	{ "strictatime", MOUNT_ATTR__ATIME, MOUNT_ATTR_STRICTATIME },
	{ "nodiratime", 0, MOUNT_ATTR_NODIRATIME },
	{ "diratime", MOUNT_ATTR_NODIRATIME, 0 },
};

int mountfs_option(int fs_fd, const char *option, unsigned *attrs,
		   struct err *err)
{
	autofree char *key = mem_strdup(option);
	char *value = strchr(key, '=');

	for (size_t i = 0; i < ARRAY_SIZE(attributes); i++) {
		if (strcmp(option, attributes[i].name) == 0) {
			*attrs &= ~attributes[i].clear;
			*attrs |= attributes[i].set;
			return 0;
		}
	}
	if (value)
		*value++ = '\0';
	return mountfs_set(fs_fd, key, value, err);
}

int mountfs_mount(int fs_fd, unsigned attrs, struct err *err)
{
	int mount_fd;

	if (fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return fail(fs_fd, -errno, "cannot mount it", err);
	mount_fd = fsmount(fs_fd, FSMOUNT_CLOEXEC, attrs);
	return mount_fd < 0 ? fail(fs_fd, -errno, "cannot mount it", err)
			    : mount_fd;
}
