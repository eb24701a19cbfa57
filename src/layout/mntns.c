/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The private mount namespace: entering it, and mount points in it.
 *
 * Mounts are moved to, opened and unmounted through the descriptor of the
 * tmpfs that holds the mount points.  umount2(2) has no such form, so there
 * the tmpfs is named by the magic link /proc/self/fd/N.
 */
#include "layout/mntns.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "layout/mountfs.h"
#include "layout/retry.h"

/* Inode of the initial user namespace: PROC_USER_INIT_INO of the kernel. */
#define INITIAL_USER_NS 0xeffffffdU

/* Mount points are directories: a few pages hold hundreds. */
#define ROOT_SIZE "1M"

int mntns_check(struct err *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capget, &head, caps) < 0)
		return err_sys(err, -errno, "cannot ask for our capabilities");
	if (caps[0].effective & (1U << CAP_SYS_ADMIN))
		return 0;
	return err_set(err, -EPERM, "mounting needs root (CAP_SYS_ADMIN)");
}

bool mntns_is_initial(void)
{
	struct stat st;

	return stat("/proc/self/ns/user", &st) < 0 ||
	       st.st_ino == INITIAL_USER_NS;
}

/* The tmpfs for the mount points; device nodes may be needed in it. */
static int make_root(struct err *err)
{
	autoclose int fs_fd = mountfs_open("tmpfs", err);
	int ret = fs_fd;

	if (ret >= 0)
		ret = mountfs_set(fs_fd, "source", "replay", err);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "mode", "0700", err);
	if (ret >= 0)
		ret = mountfs_set(fs_fd, "size", ROOT_SIZE, err);
	if (ret >= 0)
		ret = mountfs_mount(fs_fd,
				    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC, err);
	return ret;
}

/*
 * What we mount must not spread to where we came from.  In a chroot whose root
 * is no mount point only the mounts in it can be told so; the one that ours
 * are put on is enough.
 */
static int keep_private(struct err *err)
{
	if (mount("", "/", NULL, MS_SLAVE | MS_REC, NULL) == 0)
		return 0;
	if (errno == EINVAL &&
	    mount("", "/proc", NULL, MS_SLAVE | MS_REC, NULL) == 0)
		return 0;
	return err_sys(err, -errno, "cannot keep our mounts private");
}

int mntns_enter(struct mntns *ns, struct err *err)
{
	/* what this shows is decided when it is opened */
	autoclose int host_fd = open("/proc/self/mountinfo",
				     O_RDONLY | O_CLOEXEC);
	autoclose int root_fd = -1;
	int ret;

	if (unshare(CLONE_NEWNS) < 0)
		return err_sys(err, -errno,
			       "cannot enter a mount namespace of our own");
	ret = keep_private(err);
	if (ret < 0)
		return ret;
	root_fd = make_root(err);
	if (root_fd < 0)
		return root_fd;
	if (move_mount(root_fd, "", AT_FDCWD, MNTNS_PLACE,
		       MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return err_sys(err, -errno, "cannot mount over %s",
			       MNTNS_PLACE);
	ns->root_fd = take_fd(&root_fd);
	ns->host_fd = take_fd(&host_fd);
	ns->next = 0;
	return 0;
}

void mntns_done(struct mntns *ns)
{
	if (!ns)
		return;
	cleanup_close(&ns->root_fd);
	cleanup_close(&ns->host_fd);
	ns->root_fd = ns->host_fd = -1;
}

int mntns_attach(struct mntns *ns, int mount_fd,
		 char name[static MNTNS_NAME_MAX], struct err *err)
{
	int ret;

	(void)snprintf(name, MNTNS_NAME_MAX, "%u", ns->next++);
	if (mkdirat(ns->root_fd, name, 0700) < 0)
		return err_sys(err, -errno, "cannot make a mount point");
	if (move_mount(mount_fd, "", ns->root_fd, name,
		       MOVE_MOUNT_F_EMPTY_PATH) == 0)
		return 0;
	ret = err_sys(err, -errno, "cannot attach a mount");
	(void)unlinkat(ns->root_fd, name, AT_REMOVEDIR);
	return ret;
}

int mntns_open(const struct mntns *ns, const char *name)
{
	int fd = openat(ns->root_fd, name,
			O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* umount2(2) until it is no longer busy; 0 or -errno. */
static int unmount(const char *path)
{
	struct retry retry = retry_for(MNTNS_DEADLINE_S);
	int ret;

	do {
		ret = umount2(path, UMOUNT_NOFOLLOW) < 0 ? -errno : 0;
	} while (ret == -EBUSY && retry_again(&retry));
	return ret;
}

int mntns_detach(int root_fd, const char *name, struct err *err)
{
	char path[sizeof("/proc/self/fd//") + 3 * sizeof(int) + MNTNS_NAME_MAX];
	int ret;

	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/%.*s", root_fd,
		       MNTNS_NAME_MAX - 1, name);
	ret = unmount(path);
	if (ret == -EBUSY) {
		(void)umount2(path, UMOUNT_NOFOLLOW | MNT_DETACH);
		(void)err_set(err, ret, "a file system was still in use after "
			      "%d seconds; it goes when its last user does",
			      MNTNS_DEADLINE_S);
	} else if (ret < 0) {
		(void)err_sys(err, ret, "cannot unmount");
	}
	if (unlinkat(root_fd, name, AT_REMOVEDIR) < 0 && ret == 0)
		ret = err_sys(err, -errno, "cannot remove a mount point");
	return ret;
}
