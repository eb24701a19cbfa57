/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small files, whole: reading the kernel's one-value files, and replacing a
 * result file so that there is always either the old or the new one.
 *
 * Replacing follows a symbolic link to the file it means and keeps the
 * file's mode.  What is no regular file (/dev/stdout, a pipe of the shell)
 * is not replaced but written to: renaming over /dev/null as root would be
 * a bad joke.
 */
#include "base/fdio.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define TMP_TRIES 100
#define READ_CHUNK ((size_t)4096)

ssize_t fdio_read_small(const char *path, char *buf, size_t size)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	size_t used = 0;
	ssize_t got;

	buf[0] = '\0';
	if (fd < 0)
		return -errno;
	do {
		got = read(fd, buf + used, size - used);
		if (got > 0)
			used += (size_t)got;
	} while ((got > 0 && used < size) || (got < 0 && errno == EINTR));
	if (got < 0 || used == size) {
		buf[0] = '\0';
		return got < 0 ? -errno : -EFBIG;
	}
	while (used && strchr(" \t\r\n", buf[used - 1]))
		used--;
	buf[used] = '\0';
	return (ssize_t)used;
}

ssize_t fdio_read_all(int fd, size_t max, char **out)
{
	autofree char *text = NULL;
	size_t used = 0, cap = 0;
	ssize_t got;

	*out = NULL;
	do {
		text = mem_grow(text, &cap, used + READ_CHUNK + 1, 1);
		got = read(fd, text + used, READ_CHUNK);
		used += got > 0 ? (size_t)got : 0;
		if (used > max)
			return -EFBIG;
	} while (got > 0 || (got < 0 && errno == EINTR));
	if (got < 0)
		return -errno;
	text[used] = '\0';
	*out = take(text);
	return (ssize_t)used;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

void fdio_unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && is_octal(s[1]) && is_octal(s[2]) &&
		    is_octal(s[3])) {
			*to++ = (char)((s[1] - '0') << 6 | (s[2] - '0') << 3 |
				       (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Whether LINE is KEY, perhaps a colon, blanks, a number. */
static bool line_has_key(const char *line, const char *key, uint64_t *out)
{
	size_t len = strlen(key);
	unsigned long long value;
	char *end;

	if (strncmp(line, key, len) != 0)
		return false;
	line += len;
	if (*line == ':')
		line++;
	if (*line != ' ' && *line != '\t')
		return false;
	line += strspn(line, " \t");
	if (*line < '0' || *line > '9')
		return false;
	errno = 0;
	value = strtoull(line, &end, 10);
	if (errno)
		return false;
	*out = value;
	return true;
}

int fdio_read_key(const char *path, const char *key, uint64_t *out)
{
	autofp FILE *in = fopen(path, "re");
	autofree char *line = NULL;
	size_t cap = 0;

	if (!in)
		return -errno;
	while (getline(&line, &cap, in) >= 0) {
		if (line_has_key(line, key, out))
			return 0;
	}
	return ferror(in) ? -EIO : -ENOENT;
}

/* A new file beside PATH; its name goes to *OUT_NAME. */
static int open_beside(const char *path, char **out_name)
{
	int fd = -EEXIST;

	for (unsigned i = 0; i < TMP_TRIES && fd == -EEXIST; i++) {
		autofree char *name = mem_printf("%s.tmp-%ld-%u", path,
						 (long)getpid(), i);

		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd < 0)
			fd = -errno;
		else
			*out_name = take(name);
	}
	return fd;
}

/* Let WRITE print to FD, flush it and, when SYNC, make it durable. */
static int write_out(int fd, bool sync,
		     int (*write)(FILE *out, void *arg), void *arg)
{
	autofp FILE *out = fdopen(fd, "w");
	int ret;

	if (!out) {
		ret = -errno;
		(void)close(fd);
		return ret;
	}
	ret = write(out, arg);
	if (ret < 0)
		return ret;
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	if (sync && fsync(fileno(out)) != 0)
		return -errno;
	return 0;
}

/* Not fatal: the file itself is safe, some file systems refuse this. */
static void sync_parent(const char *path)
{
	autofree char *copy = mem_strdup(path);
	autoclose int fd = open(dirname(copy),
				O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)fsync(fd);
}

static int replace_regular(const char *path, const struct stat *old,
			   int (*write)(FILE *out, void *arg), void *arg,
			   struct err *err)
{
	autofree char *tmp = NULL;
	int fd = open_beside(path, &tmp);
	int ret;

	if (fd < 0)
		return err_sys(err, fd, "cannot create a file beside %s",
			       path);
	if (old) {
		/* the owner first, since chown clears set-id bits; only
		   root can give files away, others keep theirs */
		int chowned = fchown(fd, old->st_uid, old->st_gid);

		(void)chowned;
		(void)fchmod(fd, old->st_mode & 07777);
	}
	ret = write_out(fd, true, write, arg);
	if (!ret && rename(tmp, path) != 0)
		ret = -errno;
	if (ret < 0) {
		(void)unlink(tmp);
		return err_sys(err, ret, "cannot write %s", path);
	}
	sync_parent(path);
	return 0;
}

/*
 * Open what is no regular file.  A FIFO that nobody reads is an error
 * (ENXIO), not something to wait for: whoever waits cannot be interrupted.
 */
static int open_other(const char *path)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return -errno;
	(void)fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

int fdio_replace(const char *path, int (*write)(FILE *out, void *arg),
		 void *arg, struct err *err)
{
	autofree char *real = NULL;
	struct stat st;
	int fd, ret;

	if (stat(path, &st) != 0) {
		/* a dangling link: replacing it would surprise */
		if (errno != ENOENT || lstat(path, &st) == 0)
			return err_sys(err, -errno, "cannot write %s", path);
		return replace_regular(path, NULL, write, arg, err);
	}
	if (S_ISREG(st.st_mode)) {
		real = realpath(path, NULL);
		if (!real)
			return err_sys(err, -errno, "cannot resolve %s", path);
		return replace_regular(real, &st, write, arg, err);
	}
	fd = open_other(path);
	if (fd == -ENXIO)
		return err_set(err, fd, "cannot write to %s: nobody reads it",
			       path);
	if (fd < 0)
		return err_sys(err, fd, "cannot write to %s", path);
	ret = write_out(fd, false, write, arg);
	return ret < 0 ? err_sys(err, ret, "cannot write to %s", path) : 0;
}

int fdio_can_replace(const char *path, struct err *err)
{
	const char *slash = strrchr(path, '/');
	autofree char *dir = slash ? mem_strndup(path, (size_t)(slash - path) +
							       1)
				   : mem_strdup(".");
	struct stat st;

	if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return err_sys(err, -EISDIR, "%s", path);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		return 0;
	if (access(dir, W_OK | X_OK) < 0)
		return err_sys(err, -errno, "cannot create a file beside %s",
			       path);
	return 0;
}
