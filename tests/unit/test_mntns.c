/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The private mount namespace, seen from a host whose mounts are shared, as
 * systemd makes them: it sees nothing of ours, and what it unmounts goes.
 * The host is a child in a namespace of its own.
 */
#include "layout/mntns.h"

#include <glob.h>
#include <signal.h>
#include <time.h>

#include "layout/mountfs.h"
#include "base/fdio.h"
#include "scratch.h"
#include "tap.h"

/* Between the two lists that mntns_follow() reads, somebody does something. */
static void (*meanwhile)(void);

static ssize_t read_and_wait(int fd, size_t max, char **out)
{
	ssize_t got = (fdio_read_all)(fd, max, out);

	if (meanwhile)
		meanwhile();
	meanwhile = NULL;
	return got;
}

#define fdio_read_all(fd, max, out) read_and_wait(fd, max, out)
#include "layout/follow.c"
#undef fdio_read_all

static char scratch[64];

/* In a child: a namespace with mounts of a KIND, a tmpfs on scratch/NAME. */
static void be_host(unsigned long kind, const char *name, char path[96])
{
	need(close(leave_mounts(scratch)) == 0);
	need(chdir("/") == 0);
	need(mount("none", "/", "none", MS_REC | kind, NULL) == 0);
	snprintf(path, 96, "%s/%s", scratch, name);
	need(mkdir(path, 0755) == 0);
	need(mount("host", path, "tmpfs", 0, NULL) == 0);
}

/* The whole of a mountinfo; of the process PID. */
static void read_mounts(pid_t pid, char buf[static 65536])
{
	char path[64];
	size_t n;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", (int)pid);
	need((in = fopen(path, "re")));
	n = fread(buf, 1, 65535, in);
	buf[n] = '\0';
	(void)fclose(in);
}

/* A tmpfs of ours, attached; its name to NAME. */
static void mount_one(struct mntns *ns, char name[MNTNS_NAME_MAX])
{
	struct err err = ERR_INIT;
	int fs_fd = mountfs_open("tmpfs", &err);
	int fd;

	need(fs_fd >= 0);
	need(mountfs_set(fs_fd, "source", "ours", &err) == 0);
	need((fd = mountfs_mount(fs_fd, 0, &err)) >= 0);
	need(mntns_attach(ns, fd, name, &err) == 0);
	need(close(fd) == 0 && close(fs_fd) == 0);
}

static const struct timespec moment = { .tv_nsec = 2000000 };

/* Inside: mount, say so by a byte, follow the host until killed. */
__attribute__((noreturn)) static void stay_inside(int say_fd)
{
	struct mntns ns = MNTNS_INIT;
	char name[MNTNS_NAME_MAX];
	struct err err = ERR_INIT;

	need(mntns_enter(&ns, &err) == 0);
	mount_one(&ns, name);
	need(write(say_fd, "x", 1) == 1);
	(void)alarm(LIFE_SECONDS);
	for (;;) {
		mntns_follow(&ns);
		(void)nanosleep(&moment, NULL);
	}
}

/* Fork somebody who is inside, and wait until they are. */
static pid_t start_inside(void)
{
	int pipe_fds[2];
	pid_t pid;
	char byte;

	need(pipe2(pipe_fds, O_CLOEXEC) == 0);
	need((pid = fork()) >= 0);
	if (pid == 0)
		stay_inside(pipe_fds[1]);
	need(close(pipe_fds[1]) == 0);
	need(read(pipe_fds[0], &byte, 1) == 1);
	need(close(pipe_fds[0]) == 0);
	return pid;
}

static void stop(pid_t pid)
{
	need(kill(pid, SIGKILL) == 0);
	need(wait_child(pid) == 128 + SIGKILL);
}

static int see_nothing(int unused)
{
	static char before[65536], during[65536], inside[65536];
	char path[96];
	pid_t pid;

	(void)unused;
	be_host(MS_SHARED, "seen", path);
	read_mounts(getpid(), before);
	pid = start_inside();
	read_mounts(getpid(), during);
	read_mounts(pid, inside);
	need(strcmp(before, during) == 0);
	need(strstr(inside, " - tmpfs ours "));
	need(strstr(inside, " - tmpfs replay "));
	stop(pid);
	return 0;
}

static int unmount_meanwhile(int unused)
{
	static char inside[65536];
	char path[96];
	pid_t pid;

	(void)unused;
	be_host(MS_SHARED, "shared", path);
	pid = start_inside();
	read_mounts(pid, inside);
	need(strstr(inside, path));
	need(umount(path) == 0);
	read_mounts(pid, inside);
	need(!strstr(inside, path));
	need(strstr(inside, " - tmpfs ours "));
	stop(pid);
	return 0;
}

/* Whether PID has a mount at PATH, or for a short while yet. */
static bool keeps_mount(pid_t pid, const char *path)
{
	static char inside[65536];

	for (unsigned i = 0; i < 2000; i++) {
		read_mounts(pid, inside);
		if (!strstr(inside, path))
			return false;
		(void)nanosleep(&moment, NULL);
	}
	return true;
}

/* The same where nothing goes by itself; a name with a blank in it. */
static int unmount_private(int unused)
{
	static char inside[65536];
	char path[96], above[128];
	pid_t pid;

	(void)unused;
	be_host(MS_PRIVATE, "pri vate", path);
	snprintf(above, sizeof(above), "%s/above", path);
	need(mkdir(above, 0755) == 0);
	need(mount("host", above, "tmpfs", 0, NULL) == 0);
	pid = start_inside();
	read_mounts(pid, inside);
	need(strstr(inside, "/pri\\040vate/above "));
	need(umount(above) == 0);
	need(!keeps_mount(pid, "/pri\\040vate/above "));
	read_mounts(pid, inside);
	need(strstr(inside, "/pri\\040vate "));
	need(umount(path) == 0);
	need(!keeps_mount(pid, "/pri\\040vate "));
	read_mounts(pid, inside);
	need(strstr(inside, " - tmpfs ours "));
	stop(pid);
	return 0;
}

/* On the host: mount something at PATH, which spreads to us. */
static int host_ns_fd;
static char late_path[128];

static int mount_on_host(int unused)
{
	(void)unused;
	need(setns(host_ns_fd, CLONE_NEWNS) == 0);
	need(mount("late", late_path, "tmpfs", 0, NULL) == 0);
	return 0;
}

static void mount_meanwhile(void)
{
	need(in_child(mount_on_host, -1) == 0);
}

/* What the host mounts while we look is not taken for something old. */
static int keep_new_mounts(int unused)
{
	static char inside[65536];
	struct mntns ns = MNTNS_INIT;
	struct err err = ERR_INIT;
	char path[96];

	(void)unused;
	be_host(MS_SHARED, "busy", path);
	need((host_ns_fd = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC)) >=
	     0);
	need(mntns_enter(&ns, &err) == 0);
	snprintf(late_path, sizeof(late_path), "%s", path);
	mount_meanwhile();
	snprintf(late_path, sizeof(late_path), "%s/late", path);
	need(mkdir(late_path, 0755) == 0);
	meanwhile = mount_meanwhile;
	mntns_follow(&ns);
	need(!meanwhile);
	read_mounts(getpid(), inside);
	need(strstr(inside, "/busy/late "));
	mntns_done(&ns);
	return 0;
}

/* Files are where they were, also those behind the tmpfs of ours. */
static int find_everything(int unused)
{
	struct mntns ns = MNTNS_INIT;
	char path[80], name[MNTNS_NAME_MAX], other[MNTNS_NAME_MAX];
	struct err err = ERR_INIT;
	struct stat st, st2;
	int fd;

	(void)unused;
	need(stat("/", &st) == 0);
	need(mntns_enter(&ns, &err) == 0);
	need(stat("/", &st2) == 0 && st.st_dev == st2.st_dev);
	need(stat("/..", &st2) == 0 && st.st_ino == st2.st_ino);
	snprintf(path, sizeof(path), "%s/file", scratch);
	need(close(creat(path, 0600)) == 0 && unlink(path) == 0);
	mount_one(&ns, name);
	mount_one(&ns, other);
	need(strcmp(name, other) != 0);
	need((fd = mntns_open(&ns, name)) >= 0);
	need(fstat(fd, &st) == 0 && fstat(ns.root_fd, &st2) == 0);
	need(st.st_dev != st2.st_dev);
	need(close(fd) == 0);
	need(mntns_detach(ns.root_fd, name, &err) == 0);
	need(mntns_detach(ns.root_fd, name, &err) < 0);
	need(mntns_detach(ns.root_fd, other, &err) == 0);
	need(count_entries(ns.root_fd) == 0);
	mntns_done(&ns);
	mntns_done(&ns);
	return 0;
}

static int be_refused(int unused)
{
	struct mntns ns = MNTNS_INIT;
	struct err err = ERR_INIT;

	(void)unused;
	become_nobody();
	need(mntns_check(&err) == -EPERM);
	need(strstr(err.text, "CAP_SYS_ADMIN"));
	need(mntns_enter(&ns, &err) < 0 && ns.root_fd < 0);
	return 0;
}

int main(void)
{
	int fd = scratch_make(scratch, false);

	check_in_child(be_refused, -1, "without rights it says so");
	if (can_mount() && mntns_check(NULL) == 0) {
		check_in_child(find_everything, -1, "mounts of ours");
		check_in_child(see_nothing, -1, "the host sees none of them");
		check_in_child(unmount_meanwhile, -1,
			       "what the host unmounts goes inside, too");
		check_in_child(unmount_private, -1,
			       "also where mounts are private");
		check_in_child(keep_new_mounts, -1,
			       "what it mounts at that moment stays");
	} else {
		skip(5, "needs root");
	}
	scratch_remove(scratch, fd);
	return done_testing();
}
