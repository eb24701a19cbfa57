/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --list-layers: the registry and the table of file systems, printed.  What
 * is for tests says so in its own words.
 */
#include "layout/fstype.h"
#include "layout/layout.h"

#define COLUMN 24

static void print_row(FILE *out, const char *text, const char *help)
{
	(void)fprintf(out, "%-*s %s\n", COLUMN, text, help);
}

/* The layer, and its keys below it. */
static void print_layer(FILE *out, const struct layer_ops *ops)
{
	char text[64];

	print_row(out, ops->name, ops->help);
	for (const struct layer_key *k = ops->keys; k && k->name; k++) {
		(void)snprintf(text, sizeof(text), "  ,%s%s%s", k->name,
			       k->value ? "=" : "", k->value ? k->value : "");
		print_row(out, text, k->help);
	}
}

static void print_layers(FILE *out, bool bases)
{
	for (size_t i = 0; i < layers_nr; i++)
		if (!(layers[i]->flags & LAYER_BASE) == !bases)
			print_layer(out, layers[i]);
}

void spec_print_layers(FILE *out)
{
	char text[64];

	(void)fputs("Targets: [NAME=]BASE[+LAYER[,KEY[=VALUE]]...]...\n\n"
		    "Bases:\n", out);
	print_layers(out, true);
	(void)fputs("\nLayers:\n", out);
	print_layers(out, false);
	(void)fputs("\nFile systems for loop, beside all that have a "
		    "mkfs.NAME and a driver:\n", out);
	for (size_t i = 0; i < fstypes_nr; i++) {
		(void)snprintf(text, sizeof(text), "%s (Debian: %s)",
			       fstypes[i].mkfs, fstypes[i].package);
		print_row(out, fstypes[i].name, text);
	}
}
