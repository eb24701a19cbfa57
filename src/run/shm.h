/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pages that coordinator and clients share, and who writes what.
 *
 *	struct gate   written by the coordinator (times, open, stop) and, in
 *	              lines of their own, by clients (counters of the ready)
 *	struct slot   one per client, page-aligned, written by that client
 *	              alone; the coordinator reads it
 *
 * A slot is a fixed head and, for every kind of operation the program uses,
 * a struct kind_stats and a histogram.  The precision of the histograms is
 * the highest that keeps a slot within SLOT_BYTES_MAX.
 *
 * Orderings.  The coordinator stores the times, then gate->open with
 * release; a client loads open with acquire, then reads the times.  A client
 * stores its results, then slot->state with release; the coordinator loads
 * state with acquire (or has reaped the process) before it merges.  An early
 * stop stores another stop_ns, then the stop word with release; a client
 * loads the word relaxed, once per operation, and after it has seen it, behind
 * an acquire fence, the time.
 */
#ifndef REPLAY_RUN_SHM_H
#define REPLAY_RUN_SHM_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/macro.h"
#include "load/prog.h"
#include "stats/result.h"
#include "stats/stats.h"

#define SLOT_BYTES_MAX (160U * 1024)
#define LAG_BITS 4
#define PASS_TIMES 256 /* pass times kept; even */

enum client_state {
	CLIENT_STARTING,
	CLIENT_READY,    /* waits at the gate */
	CLIENT_RUNNING,
	CLIENT_DONE,     /* results are final */
	CLIENT_FAILED    /* slot->err says why */
};

/* Not executing an operation, but ... */
enum waiting { WAIT_NOT, WAIT_TIME, WAIT_POINT };

enum gate_word { GATE_SHUT, GATE_OPEN, GATE_ABANDONED };

struct gate {
	_Atomic uint32_t word;       /* enum gate_word; futex */
	_Atomic uint32_t stop;       /* not 0: stop early */
	uint64_t open_ns;            /* when the gate was opened */
	uint64_t measure_ns;         /* start of the measured window */
	_Atomic uint64_t stop_ns;    /* its end; UINT64_MAX with -p */
	char late_path[64];          /* where to go on after the gate, below
					setup->late_dirfd; "": where we are */
	_Atomic uint32_t ready cacheline_aligned; /* clients ready */
	_Atomic uint32_t points;     /* moves with every SETSP; futex */
};

struct slot {
	/* read by the watchdog and the progress line while running */
	_Atomic uint32_t state cacheline_aligned;
	_Atomic uint32_t pc;         /* record being executed */
	_Atomic uint32_t waiting;    /* enum waiting */
	_Atomic uint64_t sp;         /* pass << 32 | last sequence point */
	struct totals totals;        /* current window; ends the line that
					every operation writes to */
	_Atomic uint64_t spins;      /* moves in loops without operations */
	struct totals once;          /* before the gate */
	struct totals warmup;        /* gate to measure_ns */
	uint64_t warmup_counts[OP_NR]; /* its operations, by kind */
	uint64_t first_op_ns;        /* when the first operation started */
	uint64_t last_op_ns;         /* when the last counted one ended */
	uint64_t measured_from_ns;   /* when this client crossed measure_ns;
					0: it did not */
	uint64_t passes_done;        /* whole passes since the gate */
	uint64_t passes_measured;    /* ... completed in the window */
	uint64_t late_ops;           /* stamps that were missed */
	uint64_t lag_max_ns;
	uint64_t user_us, system_us; /* CPU of the measured window */
	uint64_t first_error_ns;     /* when it happened */
	int lost_errno;              /* a sync said that data is lost */
	uint32_t lost_pc;            /* where */
	struct first_error first_error;
	struct err err;              /* CLIENT_FAILED */
	uint64_t lag[(HIST_TOP - LAG_BITS + 1) << LAG_BITS];
	/*
	 * Times of the measured passes: all of them while there is room, then
	 * every second, every fourth, ... of them.
	 */
	uint64_t pass_times_ns[PASS_TIMES];
	uint32_t pass_times_n;
	uint32_t pass_stride;        /* 0 is 1 */
	/* then nkinds x struct kind_stats, nkinds x histogram */
};

/* Where everything is; private to each process after the fork. */
struct shm {
	struct gate *gate;
	unsigned char *slots;
	size_t slot_bytes;
	size_t total_bytes;
	unsigned clients;
	unsigned nkinds;
	unsigned hist_bits;
};

/*
 * Map the pages for CLIENTS of a program.  Returns 0 or -errno with ERR set.
 * Released by shm_done() in the coordinator, by exit in clients.
 */
int shm_init(struct shm *shm, const struct prog *prog, unsigned clients,
	     struct err *err) must_check;
void shm_done(struct shm *shm);

static inline struct slot *shm_slot(const struct shm *shm, unsigned client)
{
	return (struct slot *)(void *)(shm->slots +
				       (size_t)client * shm->slot_bytes);
}

static inline struct kind_stats *slot_kinds(struct slot *slot)
{
	return (struct kind_stats *)(void *)(slot + 1);
}

static inline uint64_t *slot_hist(const struct shm *shm, struct slot *slot,
				  unsigned kind)
{
	uint64_t *first = (uint64_t *)(void *)(slot_kinds(slot) + shm->nkinds);

	return first + (size_t)kind * hist_buckets(shm->hist_bits);
}

/* futex(2) on a shared word; the wait returns at any wake, signal or change. */
void futex_wait(_Atomic uint32_t *word, uint32_t while_value,
		uint64_t timeout_ns);
void futex_wake_all(_Atomic uint32_t *word);

#endif
