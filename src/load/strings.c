/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Interning: from words to string numbers to places in the blob.
 *
 * Two sets stand behind each other.  The first maps a path as written to a
 * string, so that a path is checked once however often it is named; the
 * second maps the checked form to a string, so that "\a\b" and "/a//b" are
 * one.  What a "$3" means depends on whether RANDOMSTRING 3 has been seen,
 * so words with a '$' carry that knowledge in their key.
 */
#include "load/strings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int refuse_size(struct err *err)
{
	return err_set(err, -EINVAL, "strings of more than %u bytes in all",
		       LOAD_BLOB_MAX);
}

static enum string_kind kind_of(const char *key, size_t len)
{
	enum string_kind kind = STRING_SHARED;
	const char *end = key + len;

	while ((key = memchr(key, PATH_MARK, (size_t)(end - key))) != NULL) {
		if (key[1] != PATH_MARK_CLIENT)
			return STRING_DYNAMIC;
		kind = STRING_CLIENT;
		key += 2;
	}
	return kind;
}

uint32_t strings_plain(struct strings *strings, const char *s, size_t len,
		       struct err *err)
{
	struct string *string;
	bool is_new;
	uint32_t n = dict_add(&strings->keys, s, len, &is_new);

	if (n == DICT_FULL) {
		(void)refuse_size(err);
		return STRING_BAD;
	}
	if (is_new) {
		string = VEC_PUSH(&strings->v);
		string->kind = kind_of(s, len);
	}
	return n;
}

/* The number of a word among the raw ones. */
static uint32_t add_raw(struct strings *strings, const struct token *token,
			unsigned defined)
{
	size_t len = token->len;
	bool is_new;
	uint32_t raw;
	char *copy;

	if (!defined || !memchr(token->s, '$', len)) {
		raw = dict_add(&strings->raw, token->s, len, &is_new);
	} else {
		strings->scratch.v = mem_grow(strings->scratch.v,
					      &strings->scratch.cap,
					      len + 1 + sizeof(defined), 1);
		copy = strings->scratch.v;
		memcpy(copy, token->s, len);
		copy[len] = '\0'; /* no word has one: no mistaking */
		memcpy(copy + len + 1, &defined, sizeof(defined));
		raw = dict_add(&strings->raw, copy, len + 1 + sizeof(defined),
			       &is_new);
	}
	if (raw != DICT_FULL && is_new)
		*VEC_PUSH(&strings->raw_string) = STRING_BAD;
	return raw;
}

uint32_t strings_path(struct strings *strings, const struct token *token,
		      unsigned defined, struct err *err)
{
	struct path_key *key = &strings->key;
	uint32_t raw = add_raw(strings, token, defined);
	uint32_t n;

	if (raw == DICT_FULL) {
		(void)refuse_size(err);
		return STRING_BAD;
	}
	n = strings->raw_string.v[raw];
	if (n != STRING_BAD)
		return n;
	if (path_parse(token, defined, key, err) < 0)
		return STRING_BAD;
	n = strings_plain(strings, key->s, key->len, err);
	strings->raw_string.v[raw] = n;
	return n;
}

uint32_t strings_text(struct strings *strings, const struct token *text,
		      struct err *err)
{
	uint32_t n;
	bool is_new;

	strings->scratch.v = mem_grow(strings->scratch.v,
				      &strings->scratch.cap, text->len + 1, 1);
	memcpy(strings->scratch.v, text->s, text->len);
	strings->scratch.v[text->len] = '\n';
	n = dict_add(&strings->texts, strings->scratch.v, text->len + 1,
		     &is_new);
	if (n == DICT_FULL)
		(void)refuse_size(err);
	return n;
}

/* Append bytes to the blob; returns where they are. */
static uint32_t add_bytes(struct strings *strings, const void *s, size_t len)
{
	size_t at = strings->blob.n;

	strings->blob.v = mem_grow(strings->blob.v, &strings->blob.cap,
				   at + len + 1, 1);
	memcpy(strings->blob.v + at, s, len);
	strings->blob.n += len;
	return (uint32_t)at;
}

static void add_piece(struct strings *strings, enum piece_kind kind,
		      uint32_t off, size_t len)
{
	*VEC_PUSH(&strings->pieces) = (struct piece){
		.kind = (uint32_t)kind, .off = off, .len = (uint32_t)len
	};
}

/* Add the template of KEY.  Returns how long it can get, with its NUL. */
static size_t add_template(struct strings *strings, const char *key,
			   size_t len)
{
	struct tmpl *tmpl = VEC_PUSH(&strings->tmpls);
	const char *end = key + len;
	const char *mark;
	size_t bytes = 1;

	tmpl->first = (uint32_t)strings->pieces.n;
	for (; key < end; key = mark + 2) {
		mark = memchr(key, PATH_MARK, (size_t)(end - key));
		len = (size_t)((mark ? mark : end) - key);
		bytes += len;
		if (len)
			add_piece(strings, PIECE_TEXT,
				  add_bytes(strings, key, len), len);
		if (!mark)
			break;
		if (mark[1] == PATH_MARK_CLIENT)
			add_piece(strings, PIECE_CLIENT, 0, 0);
		else
			add_piece(strings, PIECE_RANDOM,
				  (uint32_t)(mark[1] - PATH_MARK_RANDOM), 0);
		bytes += PATH_CLIENT_DIGITS;
	}
	tmpl->n = (uint32_t)strings->pieces.n - tmpl->first;
	return bytes;
}

static void place_string(struct strings *strings, uint32_t n)
{
	struct string *string = &strings->v.v[n];
	const char *key = dict_bytes(&strings->keys, n);
	size_t len = dict_len(&strings->keys, n);
	struct tmpl *tmpl;
	size_t bytes;

	if (string->kind == STRING_SHARED) {
		string->place = add_bytes(strings, key, len);
		(void)add_bytes(strings, "", 1);
		return;
	}
	bytes = add_template(strings, key, len);
	tmpl = &strings->tmpls.v[strings->tmpls.n - 1];
	if (string->kind == STRING_DYNAMIC) {
		tmpl->dest = UINT32_MAX;
		string->place = (uint32_t)(strings->tmpls.n - 1);
		return;
	}
	tmpl->dest = strings->client_bytes;
	string->place = strings->client_bytes | STR_CLIENT;
	strings->client_bytes += (uint32_t)bytes;
}

int strings_seal(struct strings *strings, struct err *err)
{
	uint32_t len;
	uint32_t n;

	(void)add_bytes(strings, "", 1); /* place 0 is the empty string */
	for (n = 0; n < strings->keys.keys.n; n++) {
		if (strings->blob.n > LOAD_BLOB_MAX - PATH_KEY_MAX ||
		    strings->client_bytes > LOAD_BLOB_MAX)
			return refuse_size(err);
		place_string(strings, n);
	}
	for (n = 0; n < strings->texts.keys.n; n++) {
		len = (uint32_t)dict_len(&strings->texts, n);
		if (strings->blob.n > LOAD_BLOB_MAX - len - sizeof(len))
			return refuse_size(err);
		*VEC_PUSH(&strings->patterns) =
			add_bytes(strings, &len, sizeof(len));
		(void)add_bytes(strings, dict_bytes(&strings->texts, n), len);
	}
	/* whatever is last: reading a string stops inside the blob */
	(void)add_bytes(strings, "", 1);
	return 0;
}

void strings_done(struct strings *strings)
{
	dict_done(&strings->raw);
	dict_done(&strings->keys);
	dict_done(&strings->texts);
	VEC_FREE(&strings->raw_string);
	VEC_FREE(&strings->v);
	VEC_FREE(&strings->scratch);
	VEC_FREE(&strings->blob);
	VEC_FREE(&strings->pieces);
	VEC_FREE(&strings->tmpls);
	VEC_FREE(&strings->patterns);
}
