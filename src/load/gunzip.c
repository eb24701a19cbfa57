/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gzip in memory.  A file may have several members, one after the other
 * (that is what concatenating gzip files gives); what follows the last one
 * and is no member is ignored, as gzip(1) does.  The size is bounded: a few
 * kilobytes can decompress to any number of gigabytes.
 */
#include "load/gunzip.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/mem.h"

#define GZIP_WINDOW (MAX_WBITS + 16) /* + 16: a gzip header, see zlib.h */
#define CHUNK (256U * 1024)

struct inflating {
	z_stream zs;
	char *out;
	size_t len, cap;
	size_t limit;
	struct err *err;
};

bool gunzip_is(const char *bytes, size_t len)
{
	return len >= 2 && memcmp(bytes, "\x1f\x8b", 2) == 0;
}

/* Decompress into the room there is; zlib's code. */
static int inflate_some(struct inflating *in)
{
	size_t room;
	int rc;

	in->out = mem_grow(in->out, &in->cap, in->len + CHUNK, 1);
	room = MIN_OF(in->cap - in->len - 1, (size_t)UINT_MAX);
	in->zs.next_out = (Bytef *)in->out + in->len;
	in->zs.avail_out = (uInt)room;
	rc = inflate(&in->zs, Z_NO_FLUSH);
	in->len += room - in->zs.avail_out;
	return rc;
}

/* One member, which begins at zs.next_in. */
static int inflate_member(struct inflating *in)
{
	int rc;

	do {
		rc = inflate_some(in);
		if (in->len > in->limit)
			return err_set(in->err, -EFBIG,
				       "more than %zu bytes when decompressed",
				       in->limit);
	} while (rc == Z_OK);
	if (rc == Z_BUF_ERROR)
		return err_set(in->err, -EINVAL, "the gzip data is cut short");
	if (rc != Z_STREAM_END)
		return err_set(in->err, -EINVAL, "the gzip data is damaged");
	return 0;
}

static int inflate_members(struct inflating *in)
{
	int rc;

	for (;;) {
		rc = inflate_member(in);
		if (rc < 0)
			return rc;
		if (!gunzip_is((const char *)in->zs.next_in, in->zs.avail_in))
			return 0;
		(void)inflateReset(&in->zs);
	}
}

int gunzip_all(const struct gunzip_input *input, char **out, size_t *out_len,
	       struct err *err)
{
	struct inflating in = { .limit = input->limit, .err = err };
	int rc;

	if (input->len > UINT_MAX)
		return err_set(err, -EFBIG, "more than %u bytes", UINT_MAX);
	if (inflateInit2(&in.zs, GZIP_WINDOW) != Z_OK)
		return err_set(err, -ENOMEM, "zlib cannot start");
	/* zlib's interface lacks a const; it does not write there */
	in.zs.next_in = (Bytef *)(uintptr_t)input->bytes;
	in.zs.avail_in = (uInt)input->len;
	rc = inflate_members(&in);
	(void)inflateEnd(&in.zs);
	if (rc < 0) {
		free(in.out);
		return rc;
	}
	in.out[in.len] = '\0';
	*out = in.out;
	*out_len = in.len;
	return 0;
}
