/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sizes and mapping of the shared pages: one anonymous MAP_SHARED region,
 * the gate in its first page, the slots behind it, each from a page of its
 * own, so that no two clients write to the same cache line.
 */
#include "run/shm.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

#define PAGE UINT64_C(4096)

static size_t round_to_page(size_t n)
{
	return (n + PAGE - 1) & ~(PAGE - 1);
}

static size_t slot_size(unsigned nkinds, unsigned bits)
{
	size_t kind = sizeof(struct kind_stats) +
		      hist_buckets(bits) * sizeof(uint64_t);

	return round_to_page(sizeof(struct slot) + nkinds * kind);
}

/* The highest precision with which a slot stays small enough. */
static unsigned choose_bits(unsigned nkinds)
{
	unsigned bits = HIST_BITS_MAX;

	while (bits > HIST_BITS_MIN && slot_size(nkinds, bits) > SLOT_BYTES_MAX)
		bits--;
	return bits;
}

int shm_init(struct shm *shm, const struct prog *prog, unsigned clients,
	     struct err *err)
{
	unsigned char *base;

	*shm = (struct shm){ .clients = clients, .nkinds = prog->nkinds };
	shm->hist_bits = choose_bits(prog->nkinds);
	shm->slot_bytes = slot_size(prog->nkinds, shm->hist_bits);
	shm->total_bytes = round_to_page(sizeof(struct gate)) +
			   clients * shm->slot_bytes;
	base = mem_map_shared(shm->total_bytes);
	if (!base)
		return err_sys(err, -errno,
			       "cannot map %zu bytes of shared memory for the "
			       "statistics of %u clients",
			       shm->total_bytes, clients);
	shm->gate = (struct gate *)(void *)base;
	shm->slots = base + round_to_page(sizeof(struct gate));
	return 0;
}

void shm_done(struct shm *shm)
{
	if (shm->gate)
		mem_unmap(shm->gate, shm->total_bytes);
	shm->gate = NULL;
}

void futex_wait(_Atomic uint32_t *word, uint32_t while_value,
		uint64_t timeout_ns)
{
	struct timespec ts = clock_timespec(timeout_ns);

	(void)syscall(SYS_futex, word, FUTEX_WAIT, while_value, &ts, NULL, 0);
}

void futex_wake_all(_Atomic uint32_t *word)
{
	(void)syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}
