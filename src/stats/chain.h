/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The storage of a target, from the top down, as plain data: layout/ fills in
 * what it built, audit/ what can be seen of a descriptor, report/ prints it.
 */
#ifndef REPLAY_STATS_CHAIN_H
#define REPLAY_STATS_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CHAIN_MAX 9 /* a base and the layers on it, see LEVELS_MAX */

/* One storage step.  Strings are "" where unknown or without meaning. */
struct chain_link {
	char kind[16];           /* layer or base: "dir", "loop", ... */
	char fs[64];             /* file system seen there: "ext4", "0x..." */
	char device[64];         /* "major:minor" of that file system */
	char source[128];        /* "/dev/vda1", "/dev/loop3", "tmpfs" */
	char mount_options[512]; /* of mount and super block */
	uint64_t size_bytes, free_bytes; /* when built; size 0: unknown */
	uint64_t free_inodes;    /* 0: not limited or unknown */
	uint64_t journal_bytes;  /* ext3, ext4; 0: none or unknown */
	bool has_journal;        /* false: none or unknown */

	/* loop only */
	bool is_loop;
	bool dio;                /* direct I/O to the image, in effect */
	bool sparse;             /* the image was not preallocated */
	uint64_t image_bytes;
	char write_cache[16];    /* "write back", "write through" */
};

/*
 * Whether the LEN bytes at OPTION are one of the comma-separated OPTIONS (a
 * whole one, not a part).
 */
static inline bool chain_has_option(const char *options, const char *option,
				    size_t len)
{
	for (;;) {
		size_t n = strcspn(options, ",");

		if (n == len && memcmp(options, option, len) == 0)
			return true;
		if (!options[n])
			return false;
		options += n + 1;
	}
}

/* Whether the file system of LINK is memory. */
static inline bool chain_is_memory(const struct chain_link *link)
{
	return strcmp(link->fs, "tmpfs") == 0 ||
	       strcmp(link->fs, "ramfs") == 0 ||
	       strcmp(link->fs, "devtmpfs") == 0;
}

#endif
