/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pool is one mapping: the data for ordinary writes, then a buffer for
 * each WRITEPATTERN text, each as long as the largest write of the program.
 * It is filled once, in the coordinator, and made read-only; clients inherit
 * it through fork.
 */
#include "run/pool.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/macro.h"
#include "base/mem.h"
#include "base/rng.h"

#define HEX_MAX 4096

static void fill_by_repeating(unsigned char *to, size_t bytes,
			      const unsigned char *what, size_t len)
{
	size_t i;

	for (i = 0; i < bytes; i += len)
		memcpy(to + i, what, MIN_OF(len, bytes - i));
}

static int hex_value(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return tolower((unsigned char)c) - 'a' + 10;
}

int pool_check(const char *spec, struct err *err)
{
	size_t n = strlen(spec);

	if (strcmp(spec, "zero") == 0 || strcmp(spec, "random") == 0)
		return 0;
	if (!n || n > HEX_MAX || n % 2 ||
	    strspn(spec, "0123456789abcdefABCDEF") != n)
		return err_set(err, -EINVAL,
			       "--data %s: want random, zero or an even number "
			       "of hexadecimal digits (at most %d)",
			       spec, HEX_MAX);
	return 0;
}

static void fill_hex(unsigned char *to, size_t bytes, const char *spec)
{
	unsigned char what[HEX_MAX / 2];
	size_t n = strlen(spec) / 2;
	size_t i;

	for (i = 0; i < n; i++)
		what[i] = (unsigned char)(hex_value(spec[2 * i]) << 4 |
					  hex_value(spec[2 * i + 1]));
	fill_by_repeating(to, bytes, what, n);
}

/* Fill the data of ordinary writes: BYTES of them. */
static void fill_data(struct pool *pool, size_t bytes, const char *spec,
		      uint64_t seed)
{
	struct rng rng;
	size_t tail;

	if (strcmp(spec, "random") == 0) {
		rng_init(&rng, seed, UINT64_MAX);
		rng_fill(&rng, pool->bytes, POOL_PERIOD);
		for (tail = POOL_PERIOD; tail < bytes; tail++)
			pool->bytes[tail] = pool->bytes[tail - POOL_PERIOD];
		pool->mask = (POOL_PERIOD - 1) & ~(size_t)63;
	} else if (strcmp(spec, "zero") == 0) {
		/* written to, so that clients inherit pages, not faults */
		memset(pool->bytes, 0, bytes);
	} else {
		fill_hex(pool->bytes, bytes, spec);
	}
}

static void fill_patterns(struct pool *pool, const struct prog *prog,
			  unsigned char *at, size_t each)
{
	uint32_t i, len;

	pool->patterns = mem_zalloc(prog->npatterns + 1U,
				    sizeof(*pool->patterns));
	for (i = 0; i < prog->npatterns; i++) {
		const char *text = prog->blob + prog->patterns[i];

		memcpy(&len, text, sizeof(len));
		fill_by_repeating(at, each, (const void *)(text + sizeof(len)),
				  len);
		pool->patterns[i] = at;
		at += each;
	}
}

int pool_make(struct pool *pool, const struct prog *prog, const char *spec,
	      uint64_t seed, struct err *err)
{
	size_t most = (prog->facts.max_write + 4095) & ~(size_t)4095;
	size_t data = POOL_PERIOD + most;

	*pool = (struct pool){ .map_bytes = data + most * prog->npatterns };
	pool->map = mem_map_private(pool->map_bytes, 1);
	if (!pool->map)
		return err_sys(err, -errno,
			       "cannot map %zu bytes for the data of writes",
			       pool->map_bytes);
	pool->bytes = pool->map;
	fill_data(pool, data, spec, seed);
	fill_patterns(pool, prog, pool->bytes + data, most);
	(void)mprotect(pool->map, pool->map_bytes, PROT_READ);
	return 0;
}

void pool_done(struct pool *pool)
{
	free(pool->patterns);
	mem_unmap(pool->map, pool->map_bytes);
	*pool = (struct pool){ .bytes = NULL };
}
