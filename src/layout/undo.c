/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The undo stack: an array of actions, popped last first.
 *
 * An action that fails does not stop the others: a mount that somebody keeps
 * busy is no reason to leave the directories beside it.  The first failure is
 * the one reported, for the later ones follow from it as a rule.
 */
#include "layout/undo.h"

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <unistd.h>

void undo_push(struct undo *undo, undo_fn *fn, const struct undo_arg *arg)
{
	assert(undo->n < UNDO_MAX);
	undo->actions[undo->n].fn = fn;
	undo->actions[undo->n].arg = *arg;
	undo->n++;
}

int undo_close(const struct undo_arg *arg, struct err *err)
{
	/* EINTR: Linux has closed it nevertheless */
	if (close(arg->fd) == 0 || errno == EINTR)
		return 0;
	return err_sys(err, -errno, "cannot close a descriptor of the layout");
}

int undo_all(struct undo *undo, struct err *err)
{
	struct err failure;
	int ret, first = 0;

	while (undo->n) {
		undo->n--;
		failure = (struct err)ERR_INIT;
		ret = undo->actions[undo->n].fn(&undo->actions[undo->n].arg,
						&failure);
		if (ret >= 0 || first < 0)
			continue;
		first = ret;
		if (err)
			*err = failure;
	}
	return first;
}
