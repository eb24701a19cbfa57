/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Load files: finding, reading, decompressing.
 *
 * A name is tried in several places, but only as long as nothing is there:
 * a file that exists and cannot be read is reported, not passed over for
 * another one of the same name.  What an INCLUDE names must be a regular
 * file, because the name comes from a file that may be somebody else's: a
 * pipe or a device could keep us waiting for ever.
 */
#include "load/load.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "load/digest.h"
#include "load/gunzip.h"
#include "load/huge.h"

#ifndef LOADFILES_DIR
#define LOADFILES_DIR "/usr/local/share/replay/loadfiles"
#endif

#define DBENCH_DIR "/usr/share/dbench"
#define STDIN_NAME "(standard input)"
#define READ_CHUNK (256U * 1024)

/* A file on its way into memory. */
struct found {
	int fd;
	char *path; /* owned */
};

const char *load_dir(void)
{
	const char *dir = getenv("REPLAY_LOADFILES");

	return dir && *dir ? dir : LOADFILES_DIR;
}

/* Whether to look elsewhere after a failure to open. */
static bool is_absent(int rc)
{
	return rc == -ENOENT || rc == -ENOTDIR;
}

/* Open PATH, which becomes the property of FOUND or is freed. */
static int try_path(char *path, bool regular_only, struct found *found)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY |
				    (regular_only ? O_NONBLOCK : 0));
	int rc = 0;

	if (fd < 0 || fstat(fd, &st) < 0)
		rc = -errno;
	else if (S_ISDIR(st.st_mode))
		rc = -EISDIR;
	else if (regular_only && !S_ISREG(st.st_mode))
		rc = -EINVAL;
	if (rc < 0) {
		if (fd >= 0)
			(void)close(fd);
		free(path);
		return rc;
	}
	found->fd = fd;
	found->path = path;
	return 0;
}

/* NAME as it stands in the directory of BESIDE. */
static char *beside_path(const char *name, const char *beside)
{
	const char *slash = strrchr(beside, '/');

	if (*name == '/' || !slash)
		return mem_strdup(name);
	return mem_printf("%.*s/%s", (int)(slash - beside), beside, name);
}

/* The I-th place to look in; NULL after the last. */
static char *place_to_look(const char *name, const char *beside, unsigned i)
{
	if (*name == '/' && i > 0)
		return NULL;
	switch (i) {
	case 0:
		return beside ? beside_path(name, beside) : mem_strdup(name);
	case 1:
		return mem_strdup(name);
	case 2:
		return mem_printf("%s/%s", load_dir(), name);
	case 3:
		return mem_printf("%s/%s.load", load_dir(), name);
	case 4:
		return mem_printf("%s/%s", DBENCH_DIR, name);
	case 5:
		return mem_printf("%s/%s.load", DBENCH_DIR, name);
	default:
		return NULL;
	}
}

static int find(const char *name, const char *beside, struct found *found,
		struct err *err)
{
	int first_rc = -ENOENT;
	unsigned i;
	char *path;
	int rc;

	for (i = 0; (path = place_to_look(name, beside, i)) != NULL; i++) {
		rc = try_path(path, beside != NULL, found);
		if (rc == 0)
			return 0;
		/* A directory may well be named as a load is. */
		if (!is_absent(rc) && rc != -EISDIR)
			return rc == -EINVAL ?
				       err_set(err, rc,
					       "%s: not a regular file", name) :
				       err_sys(err, rc, "cannot open %s", name);
		if (i == 0)
			first_rc = rc;
	}
	if (*name == '/' || first_rc == -EISDIR)
		return err_sys(err, first_rc, "cannot open %s", name);
	return err_set(err, first_rc,
		       "no load file %s, neither here nor in %s nor in %s",
		       name, load_dir(), DBENCH_DIR);
}

/* Read FD to its end. */
static int slurp(int fd, char **out, size_t *out_len, struct err *err)
{
	autofree char *bytes = NULL;
	size_t len = 0, cap = 0;
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) == 0 && st.st_size > 0 &&
	    st.st_size < LOAD_TEXT_MAX) {
		cap = (size_t)st.st_size + 2;
		bytes = huge_alloc(cap);
	}
	for (;;) {
		if (cap - len < 2)
			bytes = mem_grow(bytes, &cap, len + READ_CHUNK, 1);
		n = read(fd, bytes + len, cap - len - 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_sys(err, -errno, "cannot read");
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > LOAD_TEXT_MAX)
			return err_set(err, -EFBIG, "more than %u bytes",
				       LOAD_TEXT_MAX);
	}
	bytes[len] = '\0';
	*out_len = len;
	*out = take(bytes);
	return 0;
}

/* Fill TEXT, whose name is set, from FD. */
static int read_text(int fd, struct text *text, struct err *err)
{
	struct gunzip_input in = { .limit = LOAD_TEXT_MAX };
	char *raw = NULL;
	size_t len = 0;
	int rc;

	rc = slurp(fd, &raw, &len, err);
	if (rc < 0)
		return rc;
	if (!gunzip_is(raw, len)) {
		text->bytes = raw;
		text->len = len;
		return 0;
	}
	digest_bytes(raw, len, text->stored_sha256);
	in.bytes = raw;
	in.len = len;
	rc = gunzip_all(&in, &text->bytes, &text->len, err);
	free(raw);
	return rc;
}

int text_read(const char *name, const char *beside, struct text *out,
	      struct err *err)
{
	struct found found = { .fd = STDIN_FILENO };
	int rc = 0;

	*out = (struct text){ .bytes = NULL };
	if (!beside && strcmp(name, "-") == 0)
		found.path = mem_strdup(STDIN_NAME);
	else
		rc = find(name, beside, &found, err);
	if (rc < 0)
		return rc;
	out->name = found.path;
	rc = read_text(found.fd, out, err);
	if (found.fd != STDIN_FILENO)
		(void)close(found.fd);
	if (rc < 0) {
		(void)err_prefix(err, "%s", out->name);
		text_free(out);
	}
	return rc;
}

void text_sha256(const struct text *text, char out[65])
{
	if (text->stored_sha256[0])
		memcpy(out, text->stored_sha256, DIGEST_HEX);
	else
		digest_bytes(text->bytes, text->len, out);
}

void text_free(struct text *text)
{
	free(text->bytes);
	free(text->name);
	*text = (struct text){ .bytes = NULL };
}
