/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What writes contain: read-only pages shared by all clients.
 *
 * Random data repeat after POOL_PERIOD bytes.  File systems compress at most
 * so much at a time (128 KiB are btrfs's extents and zfs's default record),
 * so none of them finds the repetition; and it is small enough to stay in a
 * processor's cache, where a program has what it has just made.  Every file
 * starts at another place in the pool.
 */
#ifndef REPLAY_RUN_POOL_H
#define REPLAY_RUN_POOL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "load/prog.h"

#define POOL_PERIOD (128U * 1024)

struct pool {
	unsigned char *bytes;           /* period + largest write */
	size_t mask;                    /* allowed start positions */
	const unsigned char **patterns; /* one for each prog->patterns */
	void *map;
	size_t map_bytes;
};

/*
 * Check SPEC, the value of --data: "random", "zero" or an even number of
 * hexadecimal digits that are repeated.  Returns 0 or -EINVAL with ERR set.
 */
int pool_check(const char *spec, struct err *err) must_check;

/*
 * Make the data that SPEC, which has been checked, says.  Returns 0 or
 * -ENOMEM with ERR set.
 */
int pool_make(struct pool *pool, const struct prog *prog, const char *spec,
	      uint64_t seed, struct err *err) must_check;
void pool_done(struct pool *pool);

#endif
