/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The null backend makes no system call: every operation has the outcome
 * that the load file records.  What is left is the driver, so its time per
 * operation is the driver's own cost, and its MB/s are nobody's.
 */
#include "backend/backend.h"

#include <errno.h>

#include "base/macro.h"

/* A descriptor that is never given to the kernel. */
#define NULL_FD 0x3fffffff

static int64_t recorded_outcome(const struct rec *rec)
{
	switch (rec->want) {
	case WANT_OK:
	case WANT_ANY:
	case WANT_OK_EXIST:
		if (!(rec->flags & REC_IO))
			return 0;
		return rec->expect == EXPECT_ANY ? rec->size : rec->expect;
	case WANT_FAIL:
		return -EPERM;
	case WANT_NOENT_NOTDIR:
		return -ENOENT;
	default:
		return -(int64_t)(rec->want - WANT_ERRNO);
	}
}

static enum submit null_submit(struct backend *be unused_arg, struct req *req)
{
	req->ret = recorded_outcome(req->rec);
	if (req->rec->flags & REC_BIND)
		req->out_fd = NULL_FD;
	return SUBMIT_DONE;
}

static int null_open(struct backend *be unused_arg, int root unused_arg,
		     const char *path unused_arg, int flags unused_arg,
		     mode_t mode unused_arg)
{
	return NULL_FD;
}

static int null_fd(struct backend *be unused_arg, int fd unused_arg)
{
	return 0;
}

static int null_stat(struct backend *be unused_arg, int root unused_arg,
		     const char *path unused_arg, struct stat *st)
{
	*st = (struct stat){ .st_mode = S_IFREG };
	return 0;
}

static int null_mkdir(struct backend *be unused_arg, int root unused_arg,
		      const char *path unused_arg, mode_t mode unused_arg)
{
	return 0;
}

static int null_unlink(struct backend *be unused_arg, int root unused_arg,
		       const char *path unused_arg, int flags unused_arg)
{
	return 0;
}

static int null_rename(struct backend *be unused_arg, int root unused_arg,
		       const char *from unused_arg, const char *to unused_arg)
{
	return 0;
}

static int64_t null_read(struct backend *be unused_arg, int fd unused_arg,
			 void *buf unused_arg, size_t n,
			 uint64_t offset unused_arg)
{
	return (int64_t)n;
}

static int64_t null_write(struct backend *be unused_arg, int fd unused_arg,
			  const void *data unused_arg, size_t n,
			  uint64_t offset unused_arg)
{
	return (int64_t)n;
}

static const struct prim_ops prim_null = {
	.open = null_open,
	.close = null_fd,
	.stat = null_stat,
	.mkdir = null_mkdir,
	.unlink = null_unlink,
	.rename = null_rename,
	.read = null_read,
	.write = null_write,
	.fsync = null_fd,
	.fdatasync = null_fd,
};

const struct backend_ops backend_null = {
	.name = "null",
	.help = "no system calls: what the driver itself costs",
	.moves_nothing = true,
	.submit = null_submit,
	.prim = &prim_null,
};
