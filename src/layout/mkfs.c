/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mkfs: whether it is there, and running it.
 *
 * It is found and started by us, with a fixed list of arguments; no shell
 * looks at what the user has typed.  It dies with us, sees none of our
 * descriptors, is in a process group of its own, so that it can be ended with
 * all that it has started, and is asked in the language C, so that what it
 * complains about can be searched for.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/mem.h"
#include "layout/fstype.h"

/* $PATH of a user, and of su(1), often lacks them. */
#define SBIN "/usr/local/sbin:/usr/sbin:/sbin"

/* Of what mkfs says, this much is kept, and of that these lines. */
#define SAID_MAX 512
#define SAID_LINES 3

/* How late its end, and the wish to end it, are noticed at the worst. */
#define PAUSE_MS_MAX 50

/* Inodes beside those of the clients' files: our own, lost+found, spare. */
#define INODES_SPARE 1024
#define INODE_BYTES_MIN 4096 /* mkfs.ext4 refuses to make them denser */

static bool is_program(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISREG(st.st_mode) &&
	       access(path, X_OK) == 0;
}

/* Look through DIRS, of which only absolute ones count. */
static bool find_in(const char *dirs, const char *name,
		    char path[static PATH_MAX])
{
	size_t len;

	for (; dirs && *dirs; dirs += len + (dirs[len] == ':')) {
		len = strcspn(dirs, ":");
		if (*dirs != '/' || len + strlen(name) + 2 > PATH_MAX)
			continue;
		(void)snprintf(path, PATH_MAX, "%.*s/%s", (int)len, dirs, name);
		if (is_program(path))
			return true;
	}
	return false;
}

/* Find mkfs of the file system NAME, FS in the table (or NULL). */
static int find_mkfs(const char *name, const struct fstype *fs,
		     char path[static PATH_MAX], struct err *err)
{
	autofree char *program = fs ? mem_strdup(fs->mkfs)
				    : mem_printf("mkfs.%s", name);

	if (find_in(getenv("PATH"), program, path) ||
	    find_in(SBIN, program, path))
		return 0;
	if (fs)
		return err_set(err, -ENOENT, "there is no %s (Debian has it "
			       "in the package %s)", program, fs->package);
	return err_set(err, -ENOENT, "there is no %s", program);
}

/* Whether the kernel has the file system, or can load its module. */
static int check_driver(const char *name, struct err *err)
{
	autoclose int fd = fsopen(name, FSOPEN_CLOEXEC);

	if (fd >= 0)
		return 0;
	if (errno == ENODEV)
		return err_set(err, -ENODEV, "the kernel has no driver for %s",
			       name);
	return err_sys(err, -errno, "cannot ask the kernel for %s", name);
}

int fstype_check(const char *name, struct err *err)
{
	char path[PATH_MAX];
	int ret = find_mkfs(name, fstype_find(name), path, err);

	return ret < 0 ? ret : check_driver(name, err);
}

/* How the child begins: as if a shell of the user's had started it. */
static void become_plain(pid_t parent)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE, SIGCHLD };
	sigset_t none;

	(void)setpgid(0, 0);
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		(void)signal(signals[i], SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

__attribute__((noreturn)) static void
become(const char *path, char *const *argv, int said_fd, pid_t parent)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);

	become_plain(parent);
	if (null_fd >= 0) {
		(void)dup2(null_fd, STDIN_FILENO);
		(void)dup2(null_fd, STDOUT_FILENO);
	}
	(void)dup2(said_fd, STDERR_FILENO);
	(void)setenv("LC_ALL", "C", 1);
	(void)execv(path, argv);
	(void)dprintf(STDERR_FILENO, "cannot be started: %s", strerror(errno));
	_exit(127);
}

/* A mkfs that is running. */
struct child {
	pid_t pid;               /* also its process group */
	int said_fd;             /* its standard error; -1: it was closed */
	char said[SAID_MAX];     /* the beginning of what came from there */
	size_t used;
	int pause_ms;            /* until it is looked after again */
};

/* Take what is in the pipe; only the first bytes are kept. */
static void read_said(struct child *child)
{
	size_t room = sizeof(child->said) - child->used - 1;
	char more[256];
	ssize_t n;

	n = room ? read(child->said_fd, child->said + child->used, room)
		 : read(child->said_fd, more, sizeof(more));
	if (n > 0 && room)
		child->used += (size_t)n;
	if (n > 0 || (n < 0 && errno == EINTR))
		return;
	/* closed, so it ends soon; poll(2) passes a negative number over */
	child->said_fd = -1;
	child->pause_ms = 1;
}

/* Whether it has ended, and how; or -errno. */
static bool has_ended(struct child *child, int *status)
{
	pid_t pid;

	do {
		pid = waitpid(child->pid, status, WNOHANG);
	} while (pid < 0 && errno == EINTR);
	if (pid < 0)
		*status = -errno;
	return pid != 0;
}

/* End it and what it has started: mkfs may be a script. */
static void end(struct child *child)
{
	int status;

	(void)kill(-child->pid, SIGKILL);
	(void)kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR)
		;
}

/*
 * Listen to the child until it ends; its status or -errno.  That the pipe
 * stays open does not count: something that it has left behind may have it.
 */
static int attend(struct child *child, const struct fstype_job *job)
{
	struct pollfd from = { .events = POLLIN };
	int status;

	for (;;) {
		from.fd = child->said_fd;
		if (poll(&from, 1, child->pause_ms) > 0)
			read_said(child);
		else if (has_ended(child, &status))
			return status;
		else
			child->pause_ms = MIN_OF(2 * child->pause_ms,
						 PAUSE_MS_MAX);
		if (job->stop && job->stop(job->stop_arg)) {
			end(child);
			return -EINTR;
		}
	}
}

/*
 * The first lines of SAID that are not empty, as one, in OUT; without the
 * summary of options that some programs print behind every complaint.
 */
static void join_lines(char *said, char *out, size_t size)
{
	unsigned lines = 0;
	char *save, *line;
	size_t used = 0;

	out[0] = '\0';
	for (line = strtok_r(said, "\r\n", &save);
	     line && lines < SAID_LINES && used < size;
	     line = strtok_r(NULL, "\r\n", &save)) {
		for (char *p = line; *p; p++)
			if ((*p >= 0 && *p < ' ') || *p == '\x7f')
				*p = ' ';
		line += strspn(line, " ");
		if (lines && strncasecmp(line, "usage", 5) == 0)
			break;
		if (*line)
			used += (size_t)snprintf(out + used, size - used,
						 "%s%s", lines++ ? "; " : "",
						 line);
	}
}

/* Start PATH; its standard error is the pipe SAID. */
static pid_t start(const char *path, char *const *argv, const int said[2])
{
	pid_t parent = getpid();
	pid_t pid = fork();

	if (pid == 0)
		become(path, argv, said[1], parent);
	if (pid > 0)
		(void)setpgid(pid, pid); /* whoever of the two is first */
	return pid < 0 ? -errno : pid;
}

/* How it ended; what it has said on standard error is the complaint. */
static int judge(struct child *child, int status, struct err *err)
{
	char line[SAID_MAX];

	if (status == -EINTR)
		return err_set(err, status, "interrupted");
	if (status < 0)
		return err_sys(err, status, "cannot run it");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	join_lines(child->said, line, sizeof(line));
	if (WIFSIGNALED(status))
		return err_set(err, -EIO, "ended by signal %d",
			       WTERMSIG(status));
	return err_set(err, -EIO, "%s (exit status %d)",
		       *line ? line : "failed, without saying why",
		       WEXITSTATUS(status));
}

static int run(const char *path, char *const *argv,
	       const struct fstype_job *job, struct err *err)
{
	struct child child = { .pause_ms = 1 };
	int pipe_fd[2], status;

	if (pipe2(pipe_fd, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "cannot make a pipe");
	child.said_fd = pipe_fd[0];
	child.pid = start(path, argv, pipe_fd);
	(void)close(pipe_fd[1]);
	status = child.pid < 0 ? child.pid : attend(&child, job);
	(void)close(pipe_fd[0]);
	return judge(&child, status, err);
}

/* How many inodes to ask for; 0: mkfs's own number does. */
static uint64_t count_inodes(const struct fstype *fs, uint64_t size,
			     uint64_t files)
{
	uint64_t want = files + INODES_SPARE;

	if (!fs || !fs->inodes_option || want < files ||
	    want <= size / fs->bytes_per_inode)
		return 0;
	return MIN_OF(want, size / INODE_BYTES_MIN);
}

static size_t count_args(char *const *args)
{
	size_t n = 0;

	while (args && args[n])
		n++;
	return n;
}

int fstype_make(const char *name, const struct fstype_job *job,
		struct err *err)
{
	const struct fstype *fs = fstype_find(name);
	uint64_t inodes = count_inodes(fs, job->size, job->files);
	size_t i, n = 0, extras = count_args(job->extra);
	autofree const char **argv = mem_zalloc(FSTYPE_ARGS_MAX + extras + 5,
						sizeof(*argv));
	char path[PATH_MAX], number[32];
	int ret = find_mkfs(name, fs, path, err);

	if (ret < 0)
		return ret;
	argv[n++] = strrchr(path, '/') + 1;
	for (i = 0; fs && i < FSTYPE_ARGS_MAX && fs->args[i]; i++)
		argv[n++] = fs->args[i];
	if (inodes) {
		(void)snprintf(number, sizeof(number), "%" PRIu64, inodes);
		argv[n++] = fs->inodes_option;
		argv[n++] = number;
	}
	for (i = 0; i < extras; i++)
		argv[n++] = job->extra[i];
	argv[n++] = job->device;
	ret = run(path, (char *const *)(uintptr_t)argv, job, err);
	if (ret < 0 && ret != -EINTR)
		(void)err_prefix(err, "%s", argv[0]);
	return ret;
}
