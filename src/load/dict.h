/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of byte strings, numbered densely in the order in which they came.
 * A zeroed struct is an empty set.
 */
#ifndef REPLAY_LOAD_DICT_H
#define REPLAY_LOAD_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "base/mem.h"

#define DICT_FULL UINT32_MAX

struct dict_key {
	uint32_t off; /* in bytes.v */
	uint32_t len;
	uint32_t hash;
};

struct dict {
	VEC(char) bytes;            /* all keys, one after the other */
	VEC(struct dict_key) keys;
	uint32_t *table;            /* owned; number of a key + 1, or 0 */
	size_t mask;                /* size of the table - 1 */
};

/*
 * The number of a key, which is added if it is not there.  *OUT_NEW tells.
 * DICT_FULL when LOAD_BLOB_MAX bytes are exceeded.
 */
uint32_t dict_add(struct dict *dict, const char *key, size_t len,
		  bool *out_new) must_check;

static inline const char *dict_bytes(const struct dict *dict, uint32_t n)
{
	return dict->bytes.v + dict->keys.v[n].off;
}

static inline size_t dict_len(const struct dict *dict, uint32_t n)
{
	return dict->keys.v[n].len;
}

void dict_done(struct dict *dict);

#endif
