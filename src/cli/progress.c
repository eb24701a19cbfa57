/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line that is rewritten on a terminal; elsewhere, when asked for, a
 * plain line a second.  Called from the coordinator's own loop, never from
 * a signal handler.
 */
#include "cli/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

void progress_init(struct progress *p, int want, size_t runs)
{
	*p = (struct progress){ .runs = runs, .last = -1 };
	p->terminal = isatty(STDERR_FILENO);
	p->on = want < 0 ? p->terminal : want;
}

static int terminal_width(void)
{
	struct winsize ws = { .ws_col = 0 };

	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &ws) < 0 || !ws.ws_col)
		return 80;
	return ws.ws_col;
}

static void format(const struct progress *p, const struct live *live,
		   char *buf, size_t size)
{
	char of[32] = "";

	if (live->total_seconds > 0)
		(void)snprintf(of, sizeof(of), "/%.0f", live->total_seconds);
	(void)snprintf(buf, size,
		       "run %zu of %zu: %s%s%u client%s, %s %.0f%s s, "
		       "%.1f MB/s, %" PRIu64 " errors",
		       p->run, p->runs, p->target ? p->target : "",
		       p->target ? ", " : "", p->clients,
		       p->clients == 1 ? "" : "s", live->phase,
		       live->elapsed_seconds, of, live->mb_per_s,
		       live->errors);
}

void progress_show(struct progress *p, const struct live *live)
{
	char line[256];

	if (!p->on)
		return;
	format(p, live, line, sizeof(line));
	if (p->terminal) {
		(void)fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1,
			      line);
		p->drawn = true;
		return;
	}
	if (live->elapsed_seconds < p->last)
		p->last = -1;
	if (p->last >= 0 && live->elapsed_seconds < p->last + 1)
		return;
	p->last = live->elapsed_seconds;
	(void)fprintf(stderr, "%s\n", line);
}

void progress_clear(struct progress *p)
{
	if (p->drawn)
		(void)fputs("\r\033[K", stderr);
	p->drawn = false;
}
