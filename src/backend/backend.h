/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How an operation reaches the kernel.
 *
 * A backend is a const table of functions and private state.  The client
 * loop turns a record into a struct req and calls backend_submit(), the one
 * entry point; the answer is DONE (req->ret is final), QUEUED (a completion
 * will come from backend_reap()) or BUSY (reap first, then submit again).
 * `sync` and `null` always answer DONE.
 *
 * Operations of dbench are compositions: "open" is a look-up without regard
 * to case, perhaps a mkdir, an open and a fstat.  The compositions are
 * written once, in smb.c, over the primitives of struct prim_ops; a backend
 * that has another way to open, stat or unlink (an io_uring) replaces the
 * primitive and inherits the composition.
 *
 * Nothing here allocates, locks, formats or prints after backend_open().
 */
#ifndef REPLAY_BACKEND_BACKEND_H
#define REPLAY_BACKEND_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>
#include <time.h>

#include "base/err.h"
#include "op/op.h"

struct backend;

enum submit { SUBMIT_DONE, SUBMIT_QUEUED, SUBMIT_BUSY };

/* One operation, its strings and handles resolved. */
struct req {
	const struct rec *rec;  /* code and plain numbers; borrowed */
	int fd;                 /* of the handle, or -1 */
	int root;               /* directory descriptor the paths start at */
	const char *path;       /* garbage unless the operation has a path */
	const char *path2;
	const char *opened_as;  /* path the handle was opened with */
	int opened_root;        /* ... and where that starts */
	void *buf;              /* where reads go */
	const void *data;       /* what writes contain */
	int64_t ret;            /* result: >= 0 or -errno */
	int out_fd;             /* descriptor of a successful open */
};

/* What the command line and the target say about every operation. */
struct backend_env {
	bool resolve;        /* look names up without regard to case */
	bool sync_open;      /* -s: O_SYNC */
	bool sync_dir;       /* -S: fdatasync the parent of changes */
	bool sync_write;     /* -F: fsync after every write */
	bool xattr;          /* -x: user.DosAttrib as Samba does */
	bool no_symlinks;    /* openat2 with RESOLVE_NO_SYMLINKS */
	bool confined;       /* paths start in a mount of our own that follows
				no links: nothing can lead out of it */
	uint64_t delay_ns;   /* a pause after each operation, for tests of
				comparisons; 0: none */
	/* asked when a call is interrupted: is it time to stop? */
	bool (*stopping)(const void *arg);
	const void *stopping_arg;
};

/*
 * The primitives: system calls with openat2's and *at's arguments, returning
 * >= 0 or -errno.  All members are set; prim_sync is the plain one.
 */
struct prim_ops {
	/* openat2 below ROOT: RESOLVE_BENEATH and friends as ENV says */
	int (*open)(struct backend *be, int root, const char *path, int flags,
		    mode_t mode);
	int (*close)(struct backend *be, int fd);
	/* fstatat without following a final symlink; path "" = fd itself */
	int (*stat)(struct backend *be, int root, const char *path,
		    struct stat *st);
	int (*mkdir)(struct backend *be, int root, const char *path,
		     mode_t mode);
	int (*unlink)(struct backend *be, int root, const char *path,
		      int flags);
	int (*rename)(struct backend *be, int root, const char *from,
		      const char *to);
	int64_t (*read)(struct backend *be, int fd, void *buf, size_t n,
			uint64_t offset);
	int64_t (*write)(struct backend *be, int fd, const void *data,
			 size_t n, uint64_t offset);
	int (*fsync)(struct backend *be, int fd);
	int (*fdatasync)(struct backend *be, int fd);
};

extern const struct prim_ops prim_sync;

struct backend_ops {
	const char *name;
	const char *help;   /* one line for --list-backends */
	bool moves_nothing; /* makes no system call: it needs no target, and
			       no byte of its transfers counts */

	/*
	 * Make the state, in the client, after the fork.  NULL: nothing to
	 * do.  Returns 0 or -errno with ERR set.
	 */
	int (*open)(struct backend *be, struct err *err);

	/* Release the state.  NULL: nothing to do. */
	void (*close)(struct backend *be);

	/* Execute or start REQ, see enum submit.  Never NULL. */
	enum submit (*submit)(struct backend *be, struct req *req);

	/*
	 * Wait for at least one completion (WAIT) or take what is there;
	 * returns how many requests are final now.  NULL for backends that
	 * never answer QUEUED.
	 */
	int (*reap)(struct backend *be, bool wait);

	/* The primitives compositions are made of. */
	const struct prim_ops *prim;
};

#define DIR_BUF_BYTES 32768 /* as glibc's readdir on ordinary file systems */
#define LOOKUP_BUF 4400      /* LOAD_PATH_MAX and one more name */

struct backend {
	const struct backend_ops *ops;
	const struct prim_ops *prim; /* of ops */
	const struct backend_ops *delayed; /* env.delay_ns: what was chosen;
					      ops is slow_ops then */
	struct backend_ops slow_ops;
	struct backend_env env;
	void *priv;               /* the backend's own */
	char path_buf[LOOKUP_BUF];  /* a path under its real spelling */
	char path_buf2[LOOKUP_BUF]; /* ... of a second path */
	char dir_buf[DIR_BUF_BYTES] __attribute__((aligned(64)));
};

/* The registry, in the order of --list-backends. */
extern const struct backend_ops *const backends[];
extern const size_t backends_nr;

/* Find by name; NULL when there is none. */
const struct backend_ops *backend_find(const char *name);

/*
 * Prepare BE (caller's memory, which stays where it is) for use with OPS;
 * checks the table once.  With ENV's delay_ns, OPS is wrapped; without, it is
 * be->ops itself.
 */
int backend_open(struct backend *be, const struct backend_ops *ops,
		 const struct backend_env *env, struct err *err) must_check;
void backend_close(struct backend *be);

static inline enum submit backend_submit(struct backend *be, struct req *req)
{
	return be->ops->submit(be, req);
}

/* Close a descriptor that a handle held (end of pass, rebinding). */
static inline int backend_close_fd(struct backend *be, int fd)
{
	return be->prim->close(be, fd);
}

extern const struct backend_ops backend_sync;
extern const struct backend_ops backend_null;

/*
 * Wrap the table of BE, which is open, in one whose operations are followed
 * by a pause of env.delay_ns.  Called by backend_open().
 */
void slow_wrap(struct backend *be);

/*
 * dbench's operations over the primitives; what backends that execute at
 * once use as their submit function.
 */
enum submit smb_submit(struct backend *be, struct req *req);

/* SMB wildcard match: '*' and '<' any run, '?' and '>' one character, '"' a
 * dot; without regard to case. */
bool smb_match(const char *pattern, const char *name);

/* Whether the last component of PATH has one of the wildcards. */
bool smb_has_wildcard(const char *path);

#endif
