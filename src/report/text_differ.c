/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In what the layouts differ, beside being different layouts: whoever reads
 * "faster" must see at once that the one had a journal and the other had
 * none.  A property that is the same everywhere is not mentioned.
 *
 * Properties are texts, and targets with the same text are named together.
 * Sizes are compared as printed, with three digits: two mounts of one disk
 * are not different because of a few blocks.  Targets that were not built
 * (the null backend, a set-up that failed) are left out.
 */
#include "report/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"

#define VALUE_SIZE 512

struct property {
	const char *title;
	void (*print)(const struct chain_link *link, char *buf, size_t size);
	bool images; /* of all images of the target, else of the topmost link */
	bool list;   /* separated by commas; what all have is left out */
};

static void print_text(const char *text, char *buf, size_t size)
{
	(void)snprintf(buf, size, "%s", text[0] ? text : "unknown");
}

static void print_bytes(uint64_t known, uint64_t bytes, char *buf, size_t size)
{
	if (known)
		(void)units_bytes_iec(bytes, buf, size);
	else
		print_text("", buf, size);
}

static void print_fs(const struct chain_link *link, char *buf, size_t size)
{
	print_text(link->fs, buf, size);
}

/* Clients are protected so on every target, if not by its own mount. */
static bool is_protection(const char *option, size_t len)
{
	static const char *const ours[] = { "nosuid", "nodev", "noexec",
					    "nosymfollow" };

	for (size_t i = 0; i < ARRAY_SIZE(ours); i++)
		if (strlen(ours[i]) == len && !memcmp(ours[i], option, len))
			return true;
	return false;
}

static void print_options(const struct chain_link *link, char *buf,
			  size_t size)
{
	const char *list = link->mount_options;
	size_t used = 0;

	print_text(list, buf, size);
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n && !is_protection(list, n)) {
			(void)snprintf(buf + used, size - used, "%s%.*s",
				       used ? "," : "", (int)n, list);
			used = strlen(buf);
		}
		list += n + (list[n] == ',');
	}
}

static void print_journal(const struct chain_link *link, char *buf,
			  size_t size)
{
	if (link->journal_bytes)
		(void)units_bytes_iec(link->journal_bytes, buf, size);
	else
		print_text(link->has_journal ? "of unknown size" : "none seen",
			   buf, size);
}

static void print_size(const struct chain_link *link, char *buf, size_t size)
{
	print_bytes(link->size_bytes, link->size_bytes, buf, size);
}

static void print_free(const struct chain_link *link, char *buf, size_t size)
{
	print_bytes(link->size_bytes, link->free_bytes, buf, size);
}

/* "1.00 GiB, preallocated", and what is not as usual. */
static void print_image(const struct chain_link *link, char *buf, size_t size)
{
	char bytes[32];

	print_bytes(link->image_bytes, link->image_bytes, bytes,
		    sizeof(bytes));
	(void)snprintf(buf, size, "%s %s%s%s%s", bytes,
		       link->sparse ? "sparse" : "preallocated",
		       link->dio ? ", direct I/O" : "",
		       link->write_cache[0] ? ", " : "", link->write_cache);
}

static const struct property properties[] = {
	{ .title = "file system", .print = print_fs },
	{ .title = "mount options", .print = print_options, .list = true },
	{ .title = "journal", .print = print_journal },
	{ .title = "size", .print = print_size },
	{ .title = "free space", .print = print_free },
	{ .title = "image", .print = print_image, .images = true },
};

/* What a property is for one target. */
struct value {
	const struct target_info *target; /* borrowed */
	char text[VALUE_SIZE];
	bool named; /* it has been printed */
};

/* Those of all targets that were built. */
struct values {
	struct value *v; /* owned */
	size_t n;
};

/* Topmost image first: "512 MiB in 1.00 GiB". */
static void print_images(const struct property *property, struct value *value)
{
	char text[VALUE_SIZE];

	value->text[0] = '\0';
	for (size_t i = 0; i < value->target->nchain; i++) {
		size_t used = strlen(value->text);

		if (!value->target->chain[i].is_loop)
			continue;
		property->print(&value->target->chain[i], text, sizeof(text));
		(void)snprintf(value->text + used, VALUE_SIZE - used, "%s%s",
			       used ? " in " : "", text);
	}
	if (!value->text[0])
		print_text("no image", value->text, VALUE_SIZE);
}

/* Find the values; returns whether there is more than one. */
static bool find_values(const struct property *property,
			struct values *values)
{
	bool differ = false;

	for (size_t i = 0; i < values->n; i++) {
		struct value *value = &values->v[i];

		value->named = false;
		if (property->images)
			print_images(property, value);
		else
			property->print(&value->target->chain[0], value->text,
					VALUE_SIZE);
		differ = differ ||
			 strcmp(value->text, values->v[0].text) != 0;
	}
	return differ;
}

/* Whether the list of every target has the LEN bytes at ITEM. */
static bool all_have(const struct values *values, const char *item, size_t len)
{
	size_t have = 0;

	for (size_t i = 0; i < values->n; i++) {
		const char *p = values->v[i].text;
		size_t n = strcspn(p, ",");

		while (p[n] && (n != len || memcmp(p, item, len) != 0)) {
			p += n + 1;
			n = strcspn(p, ",");
		}
		have += n == len && memcmp(p, item, len) == 0;
	}
	return have == values->n;
}

/* LIST without what all have, or with nothing else, into BUF. */
static void print_list(const struct values *values, const char *list,
		       bool common, char *buf)
{
	size_t used = 0;

	buf[0] = '\0';
	while (*list) {
		size_t n = strcspn(list, ",");

		if (n && all_have(values, list, n) == common) {
			(void)snprintf(buf + used, VALUE_SIZE - used,
				       "%s%.*s", used ? "," : "", (int)n,
				       list);
			used = strlen(buf);
		}
		list += n + (list[n] == ',');
	}
}

/* "VALUE (a, b)" for every target with the value of FIRST. */
static void print_group(const struct property *property, struct values *values,
			struct value *first, FILE *out)
{
	char list[VALUE_SIZE];
	autofree char *text = NULL;
	const char *between = "";

	print_list(values, first->text, false, list);
	text = escape_text(property->list ? list : first->text);
	fprintf(out, "%s (", text[0] ? text : "nothing more");
	for (size_t i = 0; i < values->n; i++) {
		struct value *value = &values->v[i];
		autofree char *name = escape_text(value->target->name);

		if (strcmp(value->text, first->text) != 0)
			continue;
		fprintf(out, "%s%s", between, name);
		between = ", ";
		value->named = true;
	}
	fputs(")", out);
}

static void print_property(const struct property *property,
			   struct values *values, FILE *out)
{
	char common[VALUE_SIZE];

	fprintf(out, "  %-14s ", property->title);
	for (size_t i = 0; i < values->n; i++) {
		if (values->v[i].named)
			continue;
		fputs(i ? "; " : "", out);
		print_group(property, values, &values->v[i], out);
	}
	print_list(values, values->v[0].text, true, common);
	if (property->list && common[0]) {
		autofree char *text = escape_text(common);

		fprintf(out, "; all have %s", text);
	}
	fputs("\n", out);
}

/* Begin with the targets that were built. */
static void start_values(const struct session *s, struct values *values)
{
	values->v = mem_zalloc(s->ntargets, sizeof(*values->v));
	values->n = 0;
	for (size_t t = 0; t < s->ntargets; t++)
		if (s->targets[t].nchain)
			values->v[values->n++].target = &s->targets[t];
}

void text_differences(const struct session *s, FILE *out)
{
	struct values values;
	bool any = false;

	start_values(s, &values);
	if (values.n > 1)
		fputs("\nWhat differs between the layouts (the topmost file "
		      "system, and the images):\n\n", out);
	for (size_t i = 0; values.n > 1 && i < ARRAY_SIZE(properties); i++) {
		if (!find_values(&properties[i], &values))
			continue;
		print_property(&properties[i], &values, out);
		any = true;
	}
	if (values.n > 1 && !any)
		fputs("  nothing that can be seen\n", out);
	free(values.v);
}
