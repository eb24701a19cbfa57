/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The janitor: two halves of a protocol over one SOCK_SEQPACKET pair.
 *
 * The coordinator's half sends a fixed-size message and waits for the answer
 * to each, so that there is no window between an announcement and its
 * effect: when janitor_watch() has returned, SIGKILL at any later moment
 * leads to the removal.  The descriptor of the parent directory travels with
 * the message (SCM_RIGHTS); a path would be another file after a mount.
 *
 * The janitor's half never uses a pipe of the caller (standard input, output
 * and error are /dev/null: whoever reads our output sees its end when the
 * coordinator dies), a controlling terminal, or a working directory (it
 * would pin a mount).
 *
 * End of file: the kernel tells it when the last copy of the other end is
 * closed, that is, when the coordinator and every client have died.  Locks
 * on the marker may outlive that by a moment, as the descriptors of a dying
 * process are closed one by one, so the removal is tried again for a while.
 */
#include "run/janitor.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "run/lastflush.h"
#include "run/mark.h"

/* How long, and how often, a removal is tried again that meets somebody's
 * last breath. */
#define RETRY_NS (2 * NS_PER_S)
#define RETRY_PAUSE_NS (5 * NS_PER_MS)

/* How long the coordinator waits for an answer, or for its end. */
#define PATIENCE_SECONDS 10

#define SOCKET_FD 3 /* the janitor's only descriptor from birth */

enum request { REQUEST_WATCH, REQUEST_LOOP, REQUEST_FORGET };

struct message {
	uint32_t request;            /* enum request */
	int32_t id;                  /* REQUEST_FORGET; REQUEST_LOOP: the
					number of the device */
	char name[RUNDIR_NAME_MAX];  /* REQUEST_WATCH, with one descriptor */
};

struct janitor {
	int fd;     /* our end; copies in all clients */
	pid_t pid;
};

/* One announcement, in the janitor. */
struct watched {
	bool used;
	bool is_loop;
	int parent_fd;               /* owned; -1 with is_loop */
	char name[RUNDIR_NAME_MAX];
	struct lastflush loop;
};

/*
 * Try to remove what was announced.  Anything that is not a directory of
 * ours is left alone, and so is one whose marker somebody holds: all of our
 * own processes are gone.
 */
static int remove_once(const struct watched *w)
{
	autoclose int dirfd = mark_open_dir(w->parent_fd, w->name);
	autoclose int marker = -1;

	if (dirfd < 0)
		return dirfd;
	marker = mark_lock(dirfd);
	if (marker == -ENOENT)
		return mark_remove_unborn(w->parent_fd, w->name, dirfd, true);
	if (marker < 0)
		return marker;
	return mark_remove_dir(w->parent_fd, w->name, dirfd);
}

/* Whether a failure may pass. */
static bool is_passing(int ret)
{
	return ret == -EWOULDBLOCK || ret == -EBUSY || ret == -ENOTEMPTY ||
	       ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM ||
	       ret == -EINTR;
}

static void remove_watched(const struct watched *w)
{
	uint64_t deadline_ns = clock_now_ns() + RETRY_NS;

	while (is_passing(remove_once(w)) && clock_now_ns() < deadline_ns)
		(void)clock_sleep_until(clock_now_ns() + RETRY_PAUSE_NS);
}

/*
 * Receive one message and the descriptor that comes with it, -1 if none.
 * Returns false at the end of file.
 */
static bool receive(struct message *msg, int *out_fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = msg, .iov_len = sizeof(*msg) };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1,
			      .msg_control = control.bytes,
			      .msg_controllen = sizeof(control.bytes) };
	const struct cmsghdr *cmsg;
	ssize_t n;

	do {
		n = recvmsg(SOCKET_FD, &hdr, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	*out_fd = -1;
	cmsg = CMSG_FIRSTHDR(&hdr);
	if (n > 0 && cmsg && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(out_fd, CMSG_DATA(cmsg), sizeof(*out_fd));
	return n == (ssize_t)sizeof(*msg);
}

static int find_free(const struct watched *watched)
{
	int i;

	for (i = 0; i < JANITOR_WATCHES; i++)
		if (!watched[i].used)
			return i;
	return -ENOSPC;
}

/* Note an announcement; takes FD over.  Returns its number or -errno. */
static int add_watched(struct watched *watched, const struct message *msg,
		       int fd)
{
	int i = find_free(watched);

	/* the kernel drops a descriptor when the receiver has too many */
	if (fd < 0)
		return -EMFILE;
	if (i < 0) {
		(void)close(fd);
		return i;
	}
	watched[i] = (struct watched){ .used = true, .parent_fd = fd };
	memcpy(watched[i].name, msg->name, RUNDIR_NAME_MAX);
	return i;
}

static int add_loop(struct watched *watched, int number)
{
	int i = find_free(watched);
	int ret;

	if (i < 0)
		return i;
	ret = lastflush_note(&watched[i].loop, number);
	if (ret < 0)
		return ret;
	watched[i].used = true;
	watched[i].is_loop = true;
	watched[i].parent_fd = -1;
	return i;
}

static int drop_watched(struct watched *watched, int id)
{
	if (id < 0 || id >= JANITOR_WATCHES || !watched[id].used)
		return -EINVAL;
	if (watched[id].parent_fd >= 0)
		(void)close(watched[id].parent_fd);
	watched[id].used = false;
	return 0;
}

static int answer_to(struct watched *watched, const struct message *msg,
		     int fd)
{
	switch (msg->request) {
	case REQUEST_WATCH:
		return add_watched(watched, msg, fd);
	case REQUEST_LOOP:
		return add_loop(watched, msg->id);
	default:
		return drop_watched(watched, msg->id);
	}
}

/* The devices first, for the kernel is at them already. */
static void clear_away(const struct watched *watched)
{
	struct lastflush loops[JANITOR_WATCHES];
	unsigned n = 0;
	int i;

	for (i = 0; i < JANITOR_WATCHES; i++)
		if (watched[i].used && watched[i].is_loop)
			loops[n++] = watched[i].loop;
	lastflush_release(loops, n);
	for (i = 0; i < JANITOR_WATCHES; i++)
		if (watched[i].used && !watched[i].is_loop)
			remove_watched(&watched[i]);
}

/* The janitor's life: serve until the end of file, then clear away. */
static void serve(void)
{
	static struct watched watched[JANITOR_WATCHES];
	struct message msg;
	int32_t answer;
	int fd;

	while (receive(&msg, &fd)) {
		answer = answer_to(watched, &msg, fd);
		(void)send(SOCKET_FD, &answer, sizeof(answer), MSG_NOSIGNAL);
	}
	clear_away(watched);
}

/*
 * Leave everything that whoever started us may end us by, or wait for.
 * SOCKET becomes the only descriptor beside the three standard ones.
 */
static void detach(int socket)
{
	static const int ignored[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT,
				       SIGPIPE, SIGTSTP, SIGTTIN, SIGTTOU,
				       SIGUSR1, SIGUSR2, SIGALRM };
	size_t i;
	int fd;

	for (i = 0; i < ARRAY_SIZE(ignored); i++)
		(void)signal(ignored[i], SIG_IGN);
	(void)setsid();
	(void)prctl(PR_SET_NAME, "replay-janitor");
	(void)chdir("/");
	if (socket != SOCKET_FD)
		(void)dup2(socket, SOCKET_FD);
	/* 5.9; before that we keep what the caller had opened, if anything */
	(void)close_range(SOCKET_FD + 1, ~0U, 0);
	for (fd = 0; fd < SOCKET_FD; fd++)
		(void)close(fd);
	(void)open("/dev/null", O_RDWR);
	(void)dup2(STDIN_FILENO, STDOUT_FILENO);
	(void)dup2(STDIN_FILENO, STDERR_FILENO);
}

static void run_janitor(int socket) __attribute__((noreturn));

static void run_janitor(int socket)
{
	detach(socket);
	serve();
	_exit(0);
}

int janitor_start(struct janitor **out, struct err *err)
{
	const struct timeval patience = { .tv_sec = PATIENCE_SECONDS };
	struct janitor *janitor;
	int pair[2];
	pid_t pid;
	int ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, -errno, "cannot make a socket pair");
	/* one that is stopped must not keep us waiting for ever */
	(void)setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &patience,
			 sizeof(patience));
	pid = fork();
	if (pid < 0) {
		ret = err_sys(err, -errno, "cannot start the janitor");
		(void)close(pair[0]);
		(void)close(pair[1]);
		return ret;
	}
	if (pid == 0) {
		(void)close(pair[0]);
		run_janitor(pair[1]);
	}
	(void)close(pair[1]);
	janitor = mem_zalloc(1, sizeof(*janitor));
	janitor->fd = pair[0];
	janitor->pid = pid;
	*out = janitor;
	return 0;
}

/* Send MSG, with FD unless it is -1. */
static int send_message(const struct janitor *janitor, struct message *msg,
			int fd)
{
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { .bytes = { 0 } };
	struct iovec iov = { .iov_base = msg, .iov_len = sizeof(*msg) };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;
	ssize_t n;

	if (fd >= 0) {
		hdr.msg_control = control.bytes;
		hdr.msg_controllen = sizeof(control.bytes);
		cmsg = CMSG_FIRSTHDR(&hdr);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(fd));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	do {
		n = sendmsg(janitor->fd, &hdr, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* Send MSG and wait for the answer, which may be a -errno as well. */
static int ask(const struct janitor *janitor, struct message *msg, int fd)
{
	int ret = send_message(janitor, msg, fd);
	int32_t answer;
	ssize_t n;

	if (ret < 0)
		return ret;
	do {
		n = recv(janitor->fd, &answer, sizeof(answer), 0);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(answer) ? answer : -EPIPE;
}

int janitor_watch(struct janitor *janitor, int parent_fd, const char *name,
		  struct err *err)
{
	struct message msg = { .request = REQUEST_WATCH };
	int ret;

	if (!mark_is_name(name))
		return err_set(err, -EINVAL,
			       "'%s' is no name for a run directory", name);
	memcpy(msg.name, name, strlen(name) + 1);
	ret = ask(janitor, &msg, parent_fd);
	if (ret == -EPIPE || ret == -ECONNRESET)
		return err_set(err, -EPIPE, "the janitor process is gone; "
			       "without it nothing may be created");
	if (ret < 0)
		return err_sys(err, ret, "the janitor cannot watch %s", name);
	return ret;
}

int janitor_watch_loop(struct janitor *janitor, int number, struct err *err)
{
	struct message msg = { .request = REQUEST_LOOP, .id = number };
	int ret = ask(janitor, &msg, -1);

	if (ret < 0)
		return err_sys(err, ret, "the janitor cannot watch loop%d",
			       number);
	return ret;
}

void janitor_forget(struct janitor *janitor, int id)
{
	struct message msg = { .request = REQUEST_FORGET, .id = id };

	if (janitor && id >= 0)
		(void)ask(janitor, &msg, -1);
}

/* It ends within milliseconds; one that is stopped is killed. */
static void reap_janitor(pid_t pid)
{
	uint64_t deadline_ns = clock_now_ns() + PATIENCE_SECONDS * NS_PER_S;

	while (waitpid(pid, NULL, WNOHANG) == 0 &&
	       clock_now_ns() < deadline_ns)
		(void)clock_sleep_until(clock_now_ns() + NS_PER_MS / 5);
	if (kill(pid, 0) == 0 && waitpid(pid, NULL, WNOHANG) == 0) {
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, NULL, 0);
	}
}

void janitor_stop(struct janitor *janitor)
{
	if (!janitor)
		return;
	/* not close() alone: a forgotten process may hold a copy */
	(void)shutdown(janitor->fd, SHUT_RDWR);
	(void)close(janitor->fd);
	reap_janitor(janitor->pid);
	free(janitor);
}
