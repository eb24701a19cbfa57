/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Open addressing with linear probing over key numbers; the hash is kept
 * beside each key, so growing the table and most misses touch no key bytes.
 *
 * A load names few distinct paths very often (client.txt: 261 in 458,344
 * lines), so what counts is the speed of a hit: one hash of some 40 bytes,
 * eight at a time, one probe and one memcmp.
 */
#include "load/dict.h"

#include <stdlib.h>
#include <string.h>

#include "load/prog.h"

#define TABLE_MIN 64U

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

static uint32_t hash_bytes(const char *s, size_t len)
{
	uint64_t h = len;
	uint64_t v;

	for (; len >= sizeof(v); s += sizeof(v), len -= sizeof(v)) {
		memcpy(&v, s, sizeof(v));
		h = mix(h, v);
	}
	v = 0;
	memcpy(&v, s, len);
	h = mix(h, v);
	return (uint32_t)(h ^ h >> 29);
}

static void grow_table(struct dict *dict)
{
	size_t size = dict->table ? (dict->mask + 1) * 2 : TABLE_MIN;
	size_t i;

	free(dict->table);
	dict->table = mem_zalloc(size, sizeof(*dict->table));
	dict->mask = size - 1;
	for (i = 0; i < dict->keys.n; i++) {
		size_t at = dict->keys.v[i].hash & dict->mask;

		while (dict->table[at])
			at = (at + 1) & dict->mask;
		dict->table[at] = (uint32_t)i + 1;
	}
}

static bool key_is(const struct dict *dict, uint32_t n, uint32_t hash,
		   const char *key, size_t len)
{
	const struct dict_key *have = &dict->keys.v[n];

	return have->hash == hash && have->len == len &&
	       memcmp(dict->bytes.v + have->off, key, len) == 0;
}

static uint32_t append_key(struct dict *dict, uint32_t hash, const char *key,
			   size_t len)
{
	size_t off = dict->bytes.n;

	if (len > LOAD_BLOB_MAX - off)
		return DICT_FULL;
	/* One byte more, so that the bytes of an empty key exist. */
	dict->bytes.v = mem_grow(dict->bytes.v, &dict->bytes.cap,
				 off + len + 1, 1);
	memcpy(dict->bytes.v + off, key, len);
	dict->bytes.n += len;
	*VEC_PUSH(&dict->keys) = (struct dict_key){ .off = (uint32_t)off,
						    .len = (uint32_t)len,
						    .hash = hash };
	return (uint32_t)(dict->keys.n - 1);
}

uint32_t dict_add(struct dict *dict, const char *key, size_t len,
		  bool *out_new)
{
	uint32_t hash = hash_bytes(key, len);
	uint32_t n;
	size_t at;

	if (!dict->table || dict->keys.n * 2 > dict->mask)
		grow_table(dict);
	for (at = hash & dict->mask; dict->table[at];
	     at = (at + 1) & dict->mask)
		if (key_is(dict, dict->table[at] - 1, hash, key, len)) {
			*out_new = false;
			return dict->table[at] - 1;
		}
	*out_new = true;
	n = append_key(dict, hash, key, len);
	if (n != DICT_FULL)
		dict->table[at] = n + 1;
	return n;
}

void dict_done(struct dict *dict)
{
	VEC_FREE(&dict->bytes);
	VEC_FREE(&dict->keys);
	free(dict->table);
	dict->table = NULL;
}
