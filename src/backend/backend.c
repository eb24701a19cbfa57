/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registry of backends and what is the same for all of them.  A table is
 * checked once, when it is chosen; after that every call goes straight
 * through it.
 */
#include "backend/backend.h"

#include <assert.h>
#include <string.h>

#include "base/macro.h"

const struct backend_ops *const backends[] = {
	&backend_sync,
	&backend_null,
};

const size_t backends_nr = ARRAY_SIZE(backends);

const struct backend_ops *backend_find(const char *name)
{
	size_t i;

	for (i = 0; i < backends_nr; i++)
		if (strcmp(backends[i]->name, name) == 0)
			return backends[i];
	return NULL;
}

static void check_table(const struct backend_ops *ops)
{
	const struct prim_ops *prim = ops->prim;

	assert(ops->name && ops->help && ops->submit && prim);
	assert(prim->open && prim->close && prim->stat && prim->mkdir &&
	       prim->unlink && prim->rename && prim->read && prim->write &&
	       prim->fsync && prim->fdatasync);
	(void)prim;
}

int backend_open(struct backend *be, const struct backend_ops *ops,
		 const struct backend_env *env, struct err *err)
{
	int ret;

	check_table(ops);
	be->ops = ops;
	be->prim = ops->prim;
	be->env = *env;
	be->priv = NULL;
	ret = ops->open ? ops->open(be, err) : 0;
	if (!ret && env->delay_ns)
		slow_wrap(be);
	return ret;
}

void backend_close(struct backend *be)
{
	if (be->ops && be->ops->close)
		be->ops->close(be);
	be->ops = NULL;
}
