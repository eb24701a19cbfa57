/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The undo stack: order, failures, what is reported of them. */
#include "layout/undo.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "tap.h"

/* What was undone, in order. */
static char done[UNDO_MAX + 1];
static unsigned ndone;

static int note(const struct undo_arg *arg, struct err *err)
{
	(void)err;
	done[ndone++] = arg->name[0];
	done[ndone] = '\0';
	return 0;
}

static int note_and_fail(const struct undo_arg *arg, struct err *err)
{
	(void)note(arg, NULL);
	return err_set(err, arg->number, "%c failed", arg->name[0]);
}

static void push(struct undo *undo, undo_fn *fn, char letter, int number)
{
	struct undo_arg arg = { .fd = -1, .number = number };

	arg.name[0] = letter;
	undo_push(undo, fn, &arg);
}

static void test_order(void)
{
	struct undo undo = { .n = 0 };
	struct err err = ERR_INIT;

	ndone = 0;
	is_int(undo_all(&undo, &err), 0, "nothing to undo");
	push(&undo, note, 'a', 0);
	push(&undo, note, 'b', 0);
	push(&undo, note, 'c', 0);
	is_int(undo_all(&undo, &err), 0, "three undone");
	is_str(done, "cba", "last first");
	is_int(undo_all(&undo, &err), 0, "and only once");
	is_str(done, "cba", "nothing more");
	is_int(err.code, 0, "no error");
}

static void test_failures(void)
{
	struct undo undo = { .n = 0 };
	struct err err = ERR_INIT;

	ndone = 0;
	push(&undo, note, 'a', 0);
	push(&undo, note_and_fail, 'b', -EIO);
	push(&undo, note_and_fail, 'c', -EBUSY);
	push(&undo, note, 'd', 0);
	is_int(undo_all(&undo, &err), -EBUSY, "the first failure is returned");
	is_str(done, "dcba", "and all the same is undone");
	is_str(err.text, "c failed", "its text is kept");
	push(&undo, note_and_fail, 'e', -EIO);
	is_int(undo_all(&undo, NULL), -EIO, "without an error object");
}

static void test_close(void)
{
	struct undo undo = { .n = 0 };
	struct undo_arg arg = { .fd = open("/", O_RDONLY | O_CLOEXEC) };
	struct err err = ERR_INIT;

	undo_push(&undo, undo_close, &arg);
	is_int(undo_all(&undo, &err), 0, "a descriptor is closed");
	ok(fcntl(arg.fd, F_GETFD) < 0 && errno == EBADF, "really");
	undo_push(&undo, undo_close, &arg);
	is_int(undo_all(&undo, &err), -EBADF, "what is closed already is said");
}

static void test_full(void)
{
	struct undo undo = { .n = 0 };
	unsigned i;

	ndone = 0;
	for (i = 0; i < UNDO_MAX; i++)
		push(&undo, note, 'x', 0);
	is_int(undo_all(&undo, NULL), 0, "a full stack");
	is_int(ndone, UNDO_MAX, "all of it");
}

int main(void)
{
	test_order();
	test_failures();
	test_close();
	test_full();
	return done_testing();
}
