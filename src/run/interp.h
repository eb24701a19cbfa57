/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The state of one client, shared by the files that make up the
 * interpreter: client.c (operations), control.c (control records), pace.c
 * (schedules), and of life.c, what surrounds it.  Nobody else includes this.
 */
#ifndef REPLAY_RUN_INTERP_H
#define REPLAY_RUN_INTERP_H

#include <stdbool.h>
#include <stdint.h>

#include "backend/backend.h"
#include "base/rng.h"
#include "run/client.h"

struct handle {
	int fd;                /* -1: not open */
	uint32_t salt;         /* sets apart the data of different files */
	const char *opened_as; /* path; in one of the client's strings */
};

struct client {
	/* what every operation touches */
	struct slot *slot;
	struct kind_stats *kinds;
	uint64_t *hists;
	size_t hist_stride;
	unsigned hist_bits;
	uint8_t moves;         /* REC_IO: transfers are counted; or 0 */
	uint64_t *pending;     /* bucket of the last operation, see client.c */
	uint64_t now;          /* end of the last operation */
	uint64_t boundary;     /* when the window changes */
	struct gate *gate;
	struct handle *handles;
	uintptr_t blobs[2];    /* shared strings, own strings */
	const unsigned char *pool; /* what writes contain */
	size_t pool_mask;
	double rate_ns_per_byte;
	struct req req;

	/* the rest */
	const struct client_setup *setup;
	const struct prog *prog;
	const struct shm *shm;
	uint32_t id;
	uint64_t nothing;      /* where `pending` points when there is none */
	bool gate_passed;
	bool stopped;          /* set by control_step() */
	uint64_t pass_start_ns;
	uint64_t pace_start_ns;
	uint64_t loops[LOAD_NEST_MAX];    /* rounds left */
	uint64_t spins;
	uint64_t prev[LOAD_PARAMS_MAX];   /* parameters of the previous op */
	char strings[RANDOMSTRINGS][RANDOMSTRING_MAX + 1];
	struct rec scratch;               /* copy changed by CTL_EVAL */
	struct rng rng;
	struct backend be;
};

static inline bool client_stopping(const struct client *cl)
{
	return atomic_load_explicit(&cl->gate->stop, memory_order_relaxed);
}

static inline uint64_t client_stop_ns(const struct client *cl)
{
	return atomic_load_explicit(&cl->gate->stop_ns, memory_order_relaxed);
}

static inline uint32_t client_pc(const struct client *cl)
{
	return atomic_load_explicit(&cl->slot->pc, memory_order_relaxed);
}

/*
 * Where in the pool the data of a write begin.  It depends on the file and
 * the offset alone, so that the same load leaves the same bytes whatever
 * backend wrote them; it is a multiple of a cache line.
 */
static inline size_t client_data_at(const struct client *cl,
				    const struct rec *rec,
				    const struct handle *h)
{
	return (size_t)(rec->offset + h->salt) & cl->pool_mask;
}

/* Whether STR is in memory that the next CTL_EVAL writes to. */
static inline bool client_is_dynamic(const struct client *cl, uint32_t str)
{
	return str & STR_CLIENT &&
	       (str & STR_OFFSET) >= cl->prog->client_blob_bytes;
}

/* The bucket of the operation before is counted when the next has ended. */
static inline void client_count_pending(struct client *cl, uint64_t *next)
{
	(*cl->pending)++;
	cl->pending = next;
}

/* client.c, for life.c: CPU time used so far, microseconds. */
void client_cpu_used(uint64_t *user_us, uint64_t *system_us);

/*
 * Move the counters to KEEP and start again from nothing; but errors are
 * those of the whole run.
 */
void client_reset(struct client *cl, struct totals *keep);

/*
 * Interpret from record PC to the end of the pass (or of the preamble).
 * Returns false when it is time to stop.
 */
bool client_interpret(struct client *cl, uint32_t pc);

/* What is open at the end of a pass is closed. */
void client_close_handles(struct client *cl);

/* Passes until the time or the passes are over. */
void client_run_passes(struct client *cl);

bool client_cross(struct client *cl);
bool client_tick(struct client *cl);
void client_error(struct client *cl, const struct rec *rec, int64_t ret);

#endif
