/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one table of operations, and the questions asked about a row.
 *
 * The names are those of dbench's load files; sizes, offsets and meanings
 * are in replay-load(5).  Looking up a name is a linear scan: it happens
 * once per line of text, never in the timed loop.
 */
#include "op/op.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/macro.h"

/* clang-format off */
const struct op_info op_table[OP_CODES] = {
	[OP_NTCREATEX] = { "NTCreateX", "pxyh",
		"PATH OPTIONS DISPOSITION HANDLE", "open or create a file or directory",
		OPF_PATH | OPF_BIND | OPF_DBENCH },
	[OP_CLOSE] = { "Close", "h",
		"HANDLE", "close",
		OPF_HANDLE | OPF_UNBIND | OPF_DBENCH },
	[OP_READX] = { "ReadX", "hose",
		"HANDLE OFFSET SIZE EXPECTED", "read at an offset",
		OPF_HANDLE | OPF_READS | OPF_ASYNC | OPF_DBENCH },
	[OP_WRITEX] = { "WriteX", "hose",
		"HANDLE OFFSET SIZE EXPECTED", "write at an offset",
		OPF_HANDLE | OPF_WRITES | OPF_ASYNC | OPF_DBENCH },
	[OP_FLUSH] = { "Flush", "h",
		"HANDLE", "fsync",
		OPF_HANDLE | OPF_SYNCS | OPF_ASYNC | OPF_DBENCH },
	[OP_LOCKX] = { "LockX", "hon",
		"HANDLE OFFSET LENGTH", "lock a byte range for writing, waiting for it",
		OPF_HANDLE | OPF_DBENCH },
	[OP_UNLOCKX] = { "UnlockX", "hon",
		"HANDLE OFFSET LENGTH", "unlock a byte range",
		OPF_HANDLE | OPF_DBENCH },
	[OP_MKDIR] = { "Mkdir", "p",
		"PATH", "make a directory; one that exists is as good",
		OPF_PATH | OPF_DBENCH },
	[OP_RMDIR] = { "Rmdir", "p",
		"PATH", "remove an empty directory",
		OPF_PATH | OPF_DBENCH },
	[OP_DELTREE] = { "Deltree", "p",
		"PATH", "remove everything below a directory, not itself",
		OPF_PATH | OPF_DBENCH },
	[OP_UNLINK] = { "Unlink", "p?x",
		"PATH [ATTRIBUTES]", "remove a file",
		OPF_PATH | OPF_DBENCH },
	[OP_RENAME] = { "Rename", "pP",
		"OLD NEW", "rename",
		OPF_PATH | OPF_PATH2 | OPF_DBENCH },
	[OP_FIND_FIRST] = { "FIND_FIRST", "pxyz",
		"PATTERN LEVEL MAXIMUM COUNT", "read a directory for names that match",
		OPF_PATH | OPF_DBENCH },
	[OP_QUERY_PATH] = { "QUERY_PATH_INFORMATION", "px",
		"PATH LEVEL", "stat by path",
		OPF_PATH | OPF_DBENCH },
	[OP_QUERY_FILE] = { "QUERY_FILE_INFORMATION", "hx",
		"HANDLE LEVEL", "stat by handle",
		OPF_HANDLE | OPF_DBENCH },
	[OP_QUERY_FS] = { "QUERY_FS_INFORMATION", "x",
		"LEVEL", "statfs",
		OPF_DBENCH },
	[OP_SET_FILE] = { "SET_FILE_INFORMATION", "hx",
		"HANDLE LEVEL", "set the times of the path a handle was opened with",
		OPF_HANDLE | OPF_DBENCH },

	[CTL_LOOP] = { "LOOP", "x", "COUNT",
		"repeat what stands before the matching ENDLOOP", OPF_CONTROL },
	[CTL_ENDLOOP] = { "ENDLOOP", "", "", "end of a LOOP", OPF_CONTROL },
	[CTL_SLEEP] = { "SLEEP", "x", "MICROSECONDS", "sleep", OPF_CONTROL },
	[CTL_SETSP] = { "SETSP", "x", "POINT",
		"announce a sequence point", OPF_CONTROL },
	[CTL_WAITSP] = { "WAITSP", "xy", "CLIENT POINT",
		"wait until a client has reached a sequence point", OPF_CONTROL },
	[CTL_RANDOMSTRING] = { "RANDOMSTRING", "", "0..9 \"TEXT[SET]...\"",
		"draw a random string, used as $0..$9", OPF_CONTROL },
	[CTL_WRITEPATTERN] = { "WRITEPATTERN", "", "TEXT",
		"what later writes contain", OPF_CONTROL },
	[CTL_STAMP] = { "TIME", "", "SECONDS", "time stamp of an operation",
		OPF_CONTROL },
	[CTL_EVAL] = { "EVAL", "", "", "evaluate arguments", OPF_CONTROL },
	[CTL_ONCE_END] = { "END", "", "", "end of ONCE", OPF_CONTROL },
	[CTL_END] = { "EOF", "", "", "end of the pass", OPF_CONTROL },
};
/* clang-format on */

_Static_assert(ARRAY_SIZE(op_table) == OP_CODES, "a row for every code");

static bool name_is(const char *want, const char *name, size_t len)
{
	return strlen(want) == len && strncasecmp(want, name, len) == 0;
}

int op_find(const char *name, size_t len)
{
	int code;

	for (code = 0; code < OP_NR; code++)
		if (name_is(op_table[code].name, name, len))
			return code;
	return -ENOENT;
}

struct foreign {
	const char *name;
	const char *dialect;
};

/*
 * Operations of dbench 5's other back ends, of any of its versions.  Those
 * whose names are also ours (Deltree, MKDIR, CLOSE ...) are not here: their
 * arguments give them away.
 */
static const struct foreign foreign_ops[] = {
	{ "GETATTR3", "NFS" },
	{ "SETATTR3", "NFS" },
	{ "LOOKUP3", "NFS" },
	{ "ACCESS3", "NFS" },
	{ "READLINK3", "NFS" },
	{ "READ3", "NFS" },
	{ "WRITE3", "NFS" },
	{ "CREATE3", "NFS" },
	{ "MKDIR3", "NFS" },
	{ "SYMLINK3", "NFS" },
	{ "MKNOD3", "NFS" },
	{ "REMOVE3", "NFS" },
	{ "RMDIR3", "NFS" },
	{ "RENAME3", "NFS" },
	{ "LINK3", "NFS" },
	{ "READDIR3", "NFS" },
	{ "READDIRPLUS3", "NFS" },
	{ "FSSTAT3", "NFS" },
	{ "FSINFO3", "NFS" },
	{ "PATHCONF3", "NFS" },
	{ "COMMIT3", "NFS" },
	{ "LOCK4", "NFS" },
	{ "UNLOCK4", "NFS" },
	{ "TEST4", "NFS" },
	{ "READ6", "SCSI" },
	{ "READ10", "SCSI and iSCSI" },
	{ "READ16", "SCSI and iSCSI" },
	{ "WRITE10", "SCSI and iSCSI" },
	{ "WRITE16", "SCSI and iSCSI" },
	{ "SYNCHRONIZECACHE10", "SCSI and iSCSI" },
	{ "TESTUNITREADY", "SCSI and iSCSI" },
	{ "READCAPACITY10", "SCSI and iSCSI" },
	{ "READCAPACITY16", "SCSI and iSCSI" },
	{ "INQUIRY", "SCSI and iSCSI" },
	{ "PREFETCH10", "SCSI and iSCSI" },
	{ "PROUT", "iSCSI" },
	{ "PRIN", "iSCSI" },
	{ "RESERVE6", "iSCSI" },
	{ "RELEASE6", "iSCSI" },
	{ "UNMAP", "iSCSI" },
	{ "VERIFY10", "iSCSI" },
	{ "WRITESAME16", "iSCSI" },
	{ "OPEN", "SMB" },
	{ "READ", "SMB" },
	{ "WRITE", "SMB" },
	{ "READDIR", "SMB" },
};

const char *op_foreign_dialect(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(foreign_ops); i++)
		if (strlen(foreign_ops[i].name) == len &&
		    memcmp(foreign_ops[i].name, name, len) == 0)
			return foreign_ops[i].dialect;
	return NULL;
}

bool errno_is_storage(int errnum)
{
	return errnum == EIO || errnum == ENOSPC || errnum == EDQUOT ||
	       errnum == EROFS || errnum == ENOMEM || errnum == EMFILE ||
	       errnum == ENFILE;
}

bool want_slow(const struct rec *rec, int64_t ret)
{
	switch (rec->want) {
	case WANT_OK:
		if (rec->flags & REC_IO && rec->expect != EXPECT_ANY)
			return ret == (int64_t)rec->expect;
		return ret >= 0;
	case WANT_ANY:
		return true;
	case WANT_FAIL:
		return ret < 0 && !errno_is_storage((int)-ret);
	case WANT_NOENT_NOTDIR:
		return ret == -ENOENT || ret == -ENOTDIR;
	case WANT_OK_EXIST:
		return ret >= 0 || ret == -EEXIST;
	default:
		return ret == -(int64_t)(rec->want - WANT_ERRNO);
	}
}

void want_describe(const struct rec *rec, char *buf, size_t size)
{
	switch (rec->want) {
	case WANT_OK:
		if (rec->flags & REC_IO && rec->expect != EXPECT_ANY)
			(void)snprintf(buf, size, "%u bytes", rec->expect);
		else
			(void)snprintf(buf, size, "success");
		break;
	case WANT_ANY:
		(void)snprintf(buf, size, "any outcome");
		break;
	case WANT_FAIL:
		(void)snprintf(buf, size, "a failure");
		break;
	case WANT_NOENT_NOTDIR:
		(void)snprintf(buf, size, "ENOENT or ENOTDIR");
		break;
	case WANT_OK_EXIST:
		(void)snprintf(buf, size, "success or EEXIST");
		break;
	default:
		(void)snprintf(buf, size, "%s",
			       err_name(rec->want - WANT_ERRNO));
	}
}
