/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The vocabulary: every operation and control word, in one table.
 *
 * Parser, compiler, dump, statistics, --list-ops, JSON keys, the fuzz
 * dictionary and the manual-page check all read op_table[].  A new operation
 * is a new code, a new row, and a function in the backends.
 *
 * The enum holds first the operations (they are executed by a backend,
 * timed and counted), then the control words (they are executed by the
 * interpreter and never counted).
 */
#ifndef REPLAY_OP_OP_H
#define REPLAY_OP_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum op_code {
	/* dbench's file operations, capital letters */
	OP_NTCREATEX,
	OP_CLOSE,
	OP_READX,
	OP_WRITEX,
	OP_FLUSH,
	OP_LOCKX,
	OP_UNLOCKX,
	OP_MKDIR,
	OP_RMDIR,
	OP_DELTREE,
	OP_UNLINK,
	OP_RENAME,
	OP_FIND_FIRST,
	OP_QUERY_PATH,
	OP_QUERY_FILE,
	OP_QUERY_FS,
	OP_SET_FILE,

	OP_NR, /* number of operations; what follows is control */

	/* control records of a compiled program */
	CTL_LOOP = OP_NR, /* offset: count; path: index past the ENDLOOP */
	CTL_ENDLOOP,      /* path: index of the first record of the body */
	CTL_SLEEP,        /* offset: microseconds */
	CTL_SETSP,        /* offset: sequence point */
	CTL_WAITSP,       /* offset: client, length: sequence point */
	CTL_RANDOMSTRING, /* handle: 0..9, path: blob offset of the pattern */
	CTL_WRITEPATTERN, /* path: index in prog->patterns */
	CTL_STAMP,        /* offset: due time, ns from the start of the pass */
	CTL_EVAL,         /* offset: first step, length: number of steps;
			     they change a copy of the record that follows */
	CTL_ONCE_END,     /* end of what is executed before the gate */
	CTL_END,          /* end of the pass */

	OP_CODES
};

/* op_info.flags */
enum {
	OPF_HANDLE = 1 << 0,  /* needs an open handle, else it is skipped */
	OPF_BIND = 1 << 1,    /* binds its handle when it succeeds */
	OPF_UNBIND = 1 << 2,  /* releases its handle */
	OPF_PATH = 1 << 3,    /* has a path */
	OPF_PATH2 = 1 << 4,   /* has a second path */
	OPF_READS = 1 << 5,   /* moves bytes out of a file */
	OPF_WRITES = 1 << 6,  /* moves bytes into a file */
	OPF_SYNCS = 1 << 7,   /* asks for durability */
	OPF_ASYNC = 1 << 8,   /* may be in flight beside others (data) */
	OPF_DBENCH = 1 << 9,  /* dbench's path and status conventions */
	OPF_CONTROL = 1 << 10 /* a control record, not an operation */
};

/*
 * Argument signature, one letter an argument, in the order of the text:
 *   p path           P second path        h handle
 *   o offset         n byte range length  s size of a transfer
 *   e bytes expected (number or '*')
 *   x y z            plain numbers num[0], num[1], num[2] of the record
 *   ?                what follows is optional (0 when left out)
 */
struct op_info {
	const char *name;  /* as in load files, tables and JSON keys */
	const char *sig;   /* argument signature, see above */
	const char *args;  /* the arguments as --list-ops prints them */
	const char *help;  /* one line, no full stop */
	unsigned flags;    /* OPF_* */
};

extern const struct op_info op_table[OP_CODES];

/* The row of CODE; CODE must be below OP_CODES. */
static inline const struct op_info *op_info(unsigned code)
{
	return &op_table[code];
}

static inline bool op_is_control(unsigned code)
{
	return code >= OP_NR;
}

/*
 * Find an operation (not a control word) by its name of LEN bytes, without
 * regard to case as dbench does.  Returns its code or -ENOENT.
 */
int op_find(const char *name, size_t len);

/*
 * When NAME belongs to another dialect that dbench 5 reads (NFS, SCSI,
 * iSCSI, SMB), the dialect's name; otherwise NULL.  Those are written in
 * capital letters; the native operations `read' and `write' are not.
 */
const char *op_foreign_dialect(const char *name, size_t len);

/*
 * One compiled record: 32 bytes, no pointers.  Strings are offsets in the
 * program's blob; the bit STR_CLIENT says that the string is in the
 * client's own copy, where its name has been put in.
 */
struct rec {
	uint8_t code;     /* enum op_code */
	uint8_t kind;     /* dense number among the kinds the program uses */
	uint8_t want;     /* enum want, or WANT_ERRNO + errno */
	uint8_t flags;    /* REC_* */
	uint16_t handle;  /* slot of the handle in the client's table */
	uint16_t handle2; /* second slot, or 0 */
	uint32_t path;    /* string, or a jump target */
	uint32_t path2;   /* second string */
	union {
		uint64_t offset;    /* file offset, count, time ... */
		uint32_t num[2];    /* plain numbers of path operations */
	};
	union {
		uint64_t length;    /* length of a byte range */
		struct {
			uint32_t size;    /* bytes to move */
			uint32_t expect;  /* bytes expected, see below */
		};
		uint32_t num2[2];   /* num2[0] is the third plain number */
	};
};

_Static_assert(sizeof(struct rec) == 32, "a record is half a cache line");

/* rec.flags */
enum {
	REC_HANDLE = 1 << 0,    /* op_info has OPF_HANDLE */
	REC_BIND = 1 << 1,      /* OPF_BIND */
	REC_UNBIND = 1 << 2,    /* OPF_UNBIND */
	REC_IO = 1 << 3,        /* moves bytes: the result is a byte count */
	REC_WRITES = 1 << 5,    /* ... into a file */
	REC_CLIENT_ROOT = 1 << 4, /* paths are below the client's directory,
				     not the fleet's (native operations) */
};

#define STR_CLIENT UINT32_C(0x80000000)
#define STR_OFFSET UINT32_C(0x7fffffff)

/* rec.expect: any byte count will do. */
#define EXPECT_ANY UINT32_MAX

/* rec.want: which outcomes are as recorded. */
enum want {
	WANT_OK,           /* success (and the byte count, for transfers) */
	WANT_ANY,          /* anything */
	WANT_FAIL,         /* any failure but one of the storage itself */
	WANT_NOENT_NOTDIR, /* ENOENT or ENOTDIR */
	WANT_OK_EXIST,     /* success or EEXIST (dbench's Mkdir) */
	WANT_ERRNO = 16    /* + errno: exactly that failure */
};

/*
 * Whether RET (>= 0 or -errno) is what the record wants.  EXPECT_OK is the
 * value that success must return: the expected byte count of a transfer,
 * 0 otherwise.  The common case is one comparison; want_slow() does the
 * rest.
 */
bool want_slow(const struct rec *rec, int64_t ret);

static inline bool want_met(const struct rec *rec, int64_t ret)
{
	int64_t expect = rec->flags & REC_IO ? (int64_t)rec->expect : 0;

	if (__builtin_expect(rec->want == WANT_OK && ret == expect, 1))
		return true;
	return want_slow(rec, ret);
}

/* What WANT means in words ("success", "ENOENT", ...), into BUF. */
void want_describe(const struct rec *rec, char *buf, size_t size);

/* True for errnos that mean the storage failed: EIO, ENOSPC, EDQUOT, ... */
bool errno_is_storage(int errnum);

/* Create options and dispositions of NTCreateX (MS-SMB2 2.2.13). */
enum {
	NT_OPTION_DIRECTORY = 0x1,
	NT_SUPERSEDE = 0,
	NT_OPEN = 1,
	NT_CREATE = 2,
	NT_OPEN_IF = 3,
	NT_OVERWRITE = 4,
	NT_OVERWRITE_IF = 5
};

#endif
