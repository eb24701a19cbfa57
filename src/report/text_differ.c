/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * In what the layouts differ, beside being different layouts: whoever reads
 * "faster" must see at once that the one had a journal and the other had
 * none.  A property that is the same everywhere is not mentioned.
 *
 * Properties are texts, and targets with the same text are named together.
 * What is free changes while one target is built after the other: it is the
 * same on the same device, and sizes are when they differ by less than 5 %.
 * Targets that were not built (the null backend, a set-up that failed) are
 * left out.
 */
#include "report/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"

#define VALUE_SIZE 512
#define NEAR 0.05        /* share by which equal sizes may differ */
#define LINE_MAX_WISHED 110
#define TITLE_WIDTH 14

struct property {
	const char *title;
	void (*print)(const struct chain_link *link, char *buf, size_t size);
	bool images; /* of all images of the target, else of the topmost link */
	bool list;   /* separated by commas; what all have is left out */

	/* the number behind the text, when near ones are the same */
	uint64_t (*number)(const struct chain_link *link);
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
	if (strncmp(link->fs, "ext", 3) != 0)
		print_text("not looked for", buf, size);
	else if (link->journal_bytes)
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

static uint64_t get_size(const struct chain_link *link)
{
	return link->size_bytes;
}

static uint64_t get_free(const struct chain_link *link)
{
	return link->free_bytes;
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
	{ .title = "size", .print = print_size, .number = get_size },
	{ .title = "free space", .print = print_free, .number = get_free },
	{ .title = "image", .print = print_image, .images = true },
};

/* What a property is for one target. */
struct value {
	const struct target_info *target; /* borrowed */
	char text[VALUE_SIZE];
	bool named; /* it has been printed */
	bool near;  /* the text is that of another that is near */
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

/* The number of a device that is made for a run soon is another's. */
static bool is_same_device(const struct chain_link *a,
			   const struct chain_link *b)
{
	return a->device[0] && strcmp(a->device, b->device) == 0 &&
	       a->size_bytes == b->size_bytes && !a->is_loop && !b->is_loop;
}

static bool is_near(const struct property *property,
		    const struct chain_link *a, const struct chain_link *b)
{
	double x = (double)property->number(a);
	double y = (double)property->number(b);

	/* what is unknown is so on both, or they differ */
	if (!a->size_bytes || !b->size_bytes)
		return !a->size_bytes && !b->size_bytes;
	return is_same_device(a, b) ||
	       MAX_OF(x, y) - MIN_OF(x, y) <= NEAR * MAX_OF(x, y);
}

static void print_value(const struct property *property, struct value *value)
{
	value->named = value->near = false;
	if (property->images)
		print_images(property, value);
	else
		property->print(&value->target->chain[0], value->text,
				VALUE_SIZE);
}

/* Give the value number I the text of an earlier one that is near. */
static void join_near(const struct property *property, struct values *values,
		      size_t i)
{
	struct value *value = &values->v[i];

	for (size_t j = 0; j < i; j++) {
		const struct value *other = &values->v[j];

		if (!is_near(property, &value->target->chain[0],
			     &other->target->chain[0]))
			continue;
		value->near = strcmp(value->text, other->text) != 0;
		memcpy(value->text, other->text, VALUE_SIZE);
		return;
	}
}

/* Find the values; returns whether there is more than one. */
static bool find_values(const struct property *property,
			struct values *values)
{
	bool differ = false;

	for (size_t i = 0; i < values->n; i++) {
		print_value(property, &values->v[i]);
		if (property->number)
			join_near(property, values, i);
		differ = differ || strcmp(values->v[i].text,
					  values->v[0].text) != 0;
	}
	return differ;
}

/* Whether the list of every target has the LEN bytes at ITEM. */
static bool all_have(const struct values *values, const char *item, size_t len)
{
	for (size_t i = 0; i < values->n; i++)
		if (!chain_has_option(values->v[i].text, item, len))
			return false;
	return true;
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

/* Whether the text of a group is not to the letter that of all in it. */
static bool is_rough(const struct values *values, const char *text)
{
	for (size_t i = 0; i < values->n; i++)
		if (values->v[i].near && strcmp(values->v[i].text, text) == 0)
			return true;
	return false;
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
	fprintf(out, "%s%s (", is_rough(values, first->text) ? "about " : "",
		text[0] ? text : "nothing more");
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

/* The groups, and what all have, with BETWEEN between them. */
static void print_groups(const struct property *property,
			 struct values *values, const char *between, FILE *out)
{
	char common[VALUE_SIZE];

	for (size_t i = 0; i < values->n; i++)
		values->v[i].named = false;
	for (size_t i = 0; i < values->n; i++) {
		if (values->v[i].named)
			continue;
		fputs(i ? between : "", out);
		print_group(property, values, &values->v[i], out);
	}
	print_list(values, values->v[0].text, true, common);
	if (property->list && common[0]) {
		autofree char *text = escape_text(common);

		fprintf(out, "%sall have %s", between, text);
	}
}

/* In one line if it fits, else line by line. */
static void print_property(const struct property *property,
			   struct values *values, FILE *out)
{
	autofree char *line = NULL, *indented = NULL;
	size_t size = 0;
	FILE *mem = open_memstream(&line, &size);

	if (!mem)
		return;
	print_groups(property, values, "; ", mem);
	(void)fclose(mem);
	fprintf(out, "  %-*s ", TITLE_WIDTH, property->title);
	if (size + TITLE_WIDTH + 3 <= LINE_MAX_WISHED) {
		fprintf(out, "%s\n", line);
		return;
	}
	indented = mem_printf("\n%*s", TITLE_WIDTH + 3, "");
	print_groups(property, values, indented, out);
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
