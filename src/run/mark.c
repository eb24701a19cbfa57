/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What makes a directory one of ours.
 *
 * Removing somebody's data by mistake is the worst this program could do, so
 * a directory is taken for a run's only when all of this holds:
 *
 *	- it is called replay.XXXXXX, is a real directory in the same mount,
 *	  belongs to us and is closed to everybody else;
 *	- it has a regular file ".replay" of ours, with one link, that begins
 *	  with the words below;
 *	- nobody holds the lock on that file, and after we have it the file is
 *	  still there under its name (or somebody has removed it between our
 *	  open and our lock).
 *
 * The marker is created as ".replay.new", locked, written, and only then
 * renamed, so that there is no moment in which a live directory looks stale.
 * It is synced, file and directory: a power cut may then leave the
 * directory, but not one without its marker.
 *
 * flock(2) and not fcntl(2): the lock belongs to the open file, children
 * inherit it, and it works across PID namespaces.
 */
#include "run/mark.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/tree.h"

#define MARKER_NEW RUNDIR_MARKER ".new"
#define RANDOM_CHARS 6

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789";

static const char words[] =
	"A run of replay works in this directory.  When the run has been\n"
	"killed, the next one in the parent directory removes it.\n";

#define ALPHABET_NR (sizeof(alphabet) - 1)
#define WORDS_BYTES (sizeof(words) - 1)

/* A random index of the alphabet; 248 is the largest multiple of 62. */
static size_t random_index(void)
{
	unsigned char byte;

	do {
		/* one byte after boot: neither fails nor is interrupted */
		while (getrandom(&byte, 1, 0) != 1)
			;
	} while (byte >= 256 - 256 % ALPHABET_NR);
	return byte % ALPHABET_NR;
}

void mark_random_name(char name[static RUNDIR_NAME_MAX])
{
	size_t used = sizeof(RUNDIR_PREFIX) - 1;
	size_t i;

	_Static_assert(sizeof(RUNDIR_PREFIX) + RANDOM_CHARS <= RUNDIR_NAME_MAX,
		       "the name fits");
	memcpy(name, RUNDIR_PREFIX, used);
	for (i = 0; i < RANDOM_CHARS; i++)
		name[used++] = alphabet[random_index()];
	name[used] = '\0';
}

bool mark_is_name(const char *name)
{
	const char *random = name + sizeof(RUNDIR_PREFIX) - 1;

	return strncmp(name, RUNDIR_PREFIX, sizeof(RUNDIR_PREFIX) - 1) == 0 &&
	       strlen(random) == RANDOM_CHARS &&
	       strspn(random, alphabet) == RANDOM_CHARS;
}

int mark_open_dir(int parent_fd, const char *name)
{
	struct stat st;
	int fd;

	if (!mark_is_name(name))
		return -EPERM;
	fd = tree_open(parent_fd, name);
	if (fd < 0)
		return fd;
	/* a set-group-ID parent hands that bit down: it does no harm */
	if (!fstat(fd, &st) && st.st_uid == geteuid() &&
	    (st.st_mode & 0777) == 0700)
		return fd;
	(void)close(fd);
	return -EPERM;
}

/* Lock, write and sync the new marker, then let it appear. */
static int publish(int dirfd, int fd)
{
	ssize_t n;

	/* the umask may have taken our own rights away */
	if (fchmod(fd, 0600) < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	n = write(fd, words, WORDS_BYTES);
	if (n != (ssize_t)WORDS_BYTES)
		return n < 0 ? -errno : -ENOSPC;
	if (fsync(fd) < 0 ||
	    renameat(dirfd, MARKER_NEW, dirfd, RUNDIR_MARKER) < 0)
		return -errno;
	/* EINVAL: some FUSE file systems have no such call on directories */
	if (fsync(dirfd) < 0 && errno != EINVAL)
		return -errno;
	return 0;
}

int mark_create(int dirfd)
{
	int fd = openat(dirfd, MARKER_NEW,
			O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);
	int ret;

	if (fd < 0)
		return -errno;
	ret = publish(dirfd, fd);
	if (ret == 0)
		return fd;
	(void)close(fd);
	return ret;
}

/* Whether this can be a marker of ours, by what its inode says. */
static bool is_marker(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_uid == geteuid() &&
	       st->st_nlink == 1;
}

static bool has_words(int fd)
{
	char buf[WORDS_BYTES];

	return pread(fd, buf, WORDS_BYTES, 0) == (ssize_t)WORDS_BYTES &&
	       memcmp(buf, words, WORDS_BYTES) == 0;
}

/* Whether the marker's name still means the file FD. */
static bool is_linked(int dirfd, int fd)
{
	struct stat by_name, by_fd;

	return !fstat(fd, &by_fd) && is_marker(&by_fd) &&
	       !fstatat(dirfd, RUNDIR_MARKER, &by_name, AT_SYMLINK_NOFOLLOW) &&
	       by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino;
}

int mark_lock(int dirfd)
{
	autoclose int fd = -1;
	struct stat st;

	/* looked at before it is opened: opening a device may act on it */
	if (fstatat(dirfd, RUNDIR_MARKER, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (!is_marker(&st))
		return -EPERM;
	/* for writing: NFS wants that for exclusive locks, flock(2) */
	fd = openat(dirfd, RUNDIR_MARKER,
		    O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	if (!is_linked(dirfd, fd))
		return -ENOENT;
	return has_words(fd) ? take_fd(&fd) : -EPERM;
}

/* Whether NAME of PARENT_FD is the directory DIRFD: 0, or -errno. */
static int check_name(int parent_fd, const char *name, int dirfd)
{
	struct stat by_name, by_fd;

	if (fstat(dirfd, &by_fd) < 0 ||
	    fstatat(parent_fd, name, &by_name, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	return by_name.st_dev == by_fd.st_dev && by_name.st_ino == by_fd.st_ino
		       ? 0 : -ESTALE;
}

int mark_remove_dir(int parent_fd, const char *name, int dirfd)
{
	int ret = tree_empty_but(dirfd, RUNDIR_MARKER);

	if (ret == 0)
		ret = check_name(parent_fd, name, dirfd);
	if (ret == 0)
		ret = tree_empty(dirfd);
	if (ret)
		return ret;
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

/* No run takes so long to make its marker. */
#define UNBORN_SECONDS 60

int mark_remove_unborn(int parent_fd, const char *name, int dirfd,
		       bool announced)
{
	autoclose int fd = -1;
	struct stat st;

	if (fstat(dirfd, &st) < 0)
		return -errno;
	if (!announced && time(NULL) - st.st_mtime < UNBORN_SECONDS)
		return -EBUSY;
	if (fstatat(dirfd, MARKER_NEW, &st, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno != ENOENT || !announced)
			return -errno;
	} else {
		if (!is_marker(&st))
			return -EPERM;
		fd = openat(dirfd, MARKER_NEW, O_RDWR | O_NOFOLLOW |
						       O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ||
		    unlinkat(dirfd, MARKER_NEW, 0) < 0)
			return -errno;
	}
	/* it fails where anything else is in it, or NAME is another one */
	return unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}
