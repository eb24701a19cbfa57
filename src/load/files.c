/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every INCLUDE makes an entry in the list, because messages must say which
 * one a line came through; the text behind it is read once.  netbench.load
 * takes two ranges of one file of 26 MB.
 */
#include "load/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

uint32_t files_add(struct files *files, const struct text *text,
		   struct place from)
{
	struct file_list *list = &files->list;

	list->v = mem_grow(list->v, &list->cap, list->n + 1, sizeof(*list->v));
	list->v[list->n] = (struct prog_file){
		.name = mem_strdup(text->name),
		.included_from = from.file,
		.included_line = from.line,
	};
	*VEC_PUSH(&files->texts) = text;
	return (uint32_t)list->n++;
}

static const struct text *find_cached(const struct files *files,
				      const char *name, const char *beside)
{
	size_t i;

	for (i = 0; i < files->cache.n; i++) {
		const struct included *have = files->cache.v[i];

		if (strcmp(have->name, name) == 0 &&
		    strcmp(have->beside, beside) == 0)
			return &have->text;
	}
	return NULL;
}

static void free_included(struct included *included)
{
	text_free(&included->text);
	free(included->name);
	free(included->beside);
	free(included);
}

const struct text *files_include(struct files *files, const char *name,
				 struct place from, struct err *err)
{
	const char *beside = files->list.v[from.file].name;
	const struct text *have = find_cached(files, name, beside);
	struct included *included;

	if (have)
		return have;
	if (!files->source || !files->source->read) {
		(void)err_set(err, -EINVAL, "INCLUDE is not possible here");
		return NULL;
	}
	included = mem_zalloc(1, sizeof(*included));
	if (files->source->read(name, beside, &included->text, err) < 0) {
		free_included(included);
		return NULL;
	}
	files->included_bytes += included->text.len;
	if (files->included_bytes > LOAD_TEXT_MAX) {
		(void)err_set(err, -EFBIG, "more than %u bytes in all INCLUDEs",
			      LOAD_TEXT_MAX);
		free_included(included);
		return NULL;
	}
	included->name = mem_strdup(name);
	included->beside = mem_strdup(beside);
	*VEC_PUSH(&files->cache) = included;
	return &included->text;
}

struct prog_file *files_take(struct files *files, uint32_t *out_n)
{
	struct prog_file *list = files->list.v;
	size_t i, j;

	for (i = 0; i < files->list.n; i++) {
		/* Includes of one file are many, its checksum is one. */
		for (j = i; j > 0; j--)
			if (files->texts.v[j - 1] == files->texts.v[i])
				break;
		if (j > 0)
			memcpy(list[i].sha256, list[j - 1].sha256,
			       sizeof(list[i].sha256));
		else
			text_sha256(files->texts.v[i], list[i].sha256);
	}
	*out_n = (uint32_t)files->list.n;
	files->list = (struct file_list){ .v = NULL };
	return list;
}

static void free_names(struct file_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		free((void *)(uintptr_t)list->v[i].name);
	free(list->v);
}

void files_done(struct files *files)
{
	size_t i;

	for (i = 0; i < files->cache.n; i++)
		free_included(files->cache.v[i]);
	free_names(&files->list);
	VEC_FREE(&files->texts);
	VEC_FREE(&files->cache);
}
