/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Signals of the coordinator, read from a signalfd.
 *
 * INT, TERM, HUP and CHLD are blocked from the start; nothing is ever
 * executed in a signal handler.  The terminal's stop (Ctrl-Z) is ignored: a
 * run that is stopped in the middle measures nothing.  The descriptor is
 * polled by whoever waits for something, which is also the sleep of the
 * coordinator's loops.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "run/watch.h"

static void watched_signals(sigset_t *set)
{
	(void)sigemptyset(set);
	(void)sigaddset(set, SIGINT);
	(void)sigaddset(set, SIGTERM);
	(void)sigaddset(set, SIGHUP);
	(void)sigaddset(set, SIGCHLD);
}

int watch_init(struct watch *watch, struct err *err)
{
	sigset_t set;

	*watch = (struct watch){ .signal_fd = -1 };
	watched_signals(&set);
	/* nohup(1) ignores HUP; that wish is respected */
	if (signal(SIGHUP, SIG_DFL) == SIG_IGN) {
		(void)signal(SIGHUP, SIG_IGN);
		(void)sigdelset(&set, SIGHUP);
	}
	(void)signal(SIGCHLD, SIG_DFL);
	(void)signal(SIGTSTP, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN); /* an image beyond ulimit -f: EFBIG */
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(err, -errno, "cannot block signals");
	watch->signal_fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (watch->signal_fd < 0)
		return err_sys(err, -errno, "cannot make a signalfd");
	return 0;
}

void watch_done(struct watch *watch)
{
	if (watch->signal_fd >= 0)
		(void)close(watch->signal_fd);
	watch->signal_fd = -1;
}

bool watch_poll(struct watch *watch, int timeout_ms)
{
	struct pollfd pfd = { .fd = watch->signal_fd, .events = POLLIN };
	struct signalfd_siginfo info;
	bool child = false;

	if (poll(&pfd, 1, timeout_ms) <= 0)
		return false;
	while (read(watch->signal_fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		if (info.ssi_signo == SIGCHLD) {
			child = true;
			continue;
		}
		watch->twice = watch->interrupted;
		watch->interrupted = true;
		watch->signal = (int)info.ssi_signo;
	}
	return child;
}
