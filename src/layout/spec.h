/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets as text: [NAME=]BASE[+LAYER[,KEY[=VALUE]]...]...
 *
 * BASE is a directory, "tmpfs[,size=SIZE]" or a regular file, an image of a
 * file system that exists already.  These rules are tried in this order:
 *
 *	the word tmpfs, alone or before a ',' or a '+', is memory; a directory
 *	of that name is "./tmpfs"
 *	an argument that as a whole names an existing directory (or regular
 *	file) is that, whatever is in its name
 *	NAME is what stands before the first '=', if that is [A-Za-z0-9_.-]+;
 *	without one it is the text of the target (so "./a=b+bind" is the
 *	directory "a=b")
 *	the base is the longest prefix, ending before a '+' or at the end, that
 *	exists as it stands, byte for byte
 *	if there is none, it ends before the first '+' that is not quoted
 *
 * '\' quotes ',' '+' and '\'; before anything else it is itself.  It has its
 * meaning in layers and their keys, and in a base by the last rule only.
 *
 * Parsing looks at the file system (does this exist?), changes nothing, and
 * knows the registry of layers; what makes no sense is refused here with the
 * reason, before anything else is tried.
 */
#ifndef REPLAY_LAYOUT_SPEC_H
#define REPLAY_LAYOUT_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/mem.h"

struct layer_ops;

#define LEVELS_MAX 9 /* a base and eight layers */

/* One level of a target: the base (levels[0]) or a layer. */
struct layer_spec {
	const struct layer_ops *ops; /* borrowed, const */
	char *path;            /* base: directory or image; else NULL */
	char *fs;              /* loop: as given, NULL: the default */
	uint64_t size_bytes;   /* loop, tmpfs; 0: to be computed */
	bool dio, sparse;      /* loop */
	bool write_through;    /* loop: write_cache=through; a test */
	bool is_volatile;      /* overlay */
	bool is_test;          /* a key of it is for tests only */
	double op_us;          /* slow */
	VEC(char *) opts;      /* loop: opt=, one mount option each */
	VEC(char *) mkfs;      /* loop: mkfs=, one argument each */
};

struct target_spec {
	char *name;
	char *text;            /* the whole argument, as typed */
	struct layer_spec levels[LEVELS_MAX];
	size_t nlevels;        /* at least 1 */
};

/*
 * Parse ARG.  Returns 0, or -EINVAL (or the -errno of the base, such as
 * -ENOENT) with ERR set, beginning with the target as typed.  OUT owns copies
 * of everything; release with spec_done() in either case.
 */
int spec_parse(const char *arg, struct target_spec *out,
	       struct err *err) must_check;
void spec_done(struct target_spec *spec);

/* A copy under another name ("NAME(aa)"). */
void spec_copy(const struct target_spec *from, const char *name,
	       struct target_spec *out);

/* Whether any level has one of FLAGS (enum layer_flag, layout.h). */
bool spec_has(const struct target_spec *spec, unsigned flags);

/*
 * Whether anything in it is there for tests only (slow, write_cache=through):
 * such a target is marked wherever it is reported.
 */
bool spec_is_test(const struct target_spec *spec);

/* Whether nothing on the target can be durable: tmpfs, a volatile overlay. */
bool spec_is_volatile(const struct target_spec *spec);

/* --list-layers: bases and layers with their keys and a line each. */
void spec_print_layers(FILE *out);

#endif
