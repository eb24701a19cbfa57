/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results of a run and of a whole session: plain data between run/,
 * which fills it, and report/, which prints it.
 *
 * What is unknown is marked so and printed as null or "-", never as 0:
 * doubles are NAN, counters that may be unknown have a flag beside them.
 */
#ifndef REPLAY_STATS_RESULT_H
#define REPLAY_STATS_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op/op.h"
#include "stats/chain.h"
#include "stats/stats.h"

/* The first outcome that was not as recorded. */
struct first_error {
	bool set;
	char where[512];     /* FILE:LINE */
	char op[32];
	char path[512];      /* "" when the operation has none */
	char expected[64];
	char actual[64];     /* "ENOSPC", "3 bytes" */
	uint32_t client;
};

/* One operation kind, merged over the clients of a run. */
struct op_result {
	enum op_code code;
	struct kind_stats stats; /* of the measured window */
	uint64_t since_gate;     /* executed in warm-up and window */
	double mean_us, p50_us, p90_us, p99_us, p999_us, max_us;
};

struct client_result {
	struct totals totals;   /* of the measured window */
	double passes;          /* fractional */
	uint64_t passes_done;   /* whole passes since the gate */
	double user_seconds, system_seconds;
	double finished_seconds; /* gate to its last operation */
};

/* How a run ended. */
enum run_end {
	RUN_COMPLETE,
	RUN_INTERRUPTED,   /* INT or TERM; partial */
	RUN_RESERVE,       /* the disk's reserve was reached; partial */
	RUN_CLIENT_DIED,   /* a client died; `reason` says how */
	RUN_STUCK,         /* the watchdog killed clients */
	RUN_FAILED         /* could not be set up or torn down */
};

/* What a run was bound by, see run/regime.h. */
enum regime {
	REGIME_UNKNOWN,
	REGIME_CACHED,           /* the page cache took it */
	REGIME_THROTTLED,        /* so much was dirty that writers wait */
	REGIME_DISK              /* the disk below was busy */
};

/* From when on others disturb a run, see run/foreign.c for how they came. */
#define DISTURB_CPUS 0.1         /* processors that others use */
#define DISTURB_BYTES_PER_S 1e6  /* that others move */
#define DISTURB_STEAL_SHARE 0.3  /* of the time, taken by the hypervisor */

/* What others did while a run was on, see run/foreign.h; NAN: unknown. */
struct disturbance {
	double cpu_seconds;      /* CPU of processes that are not ours */
	double steal_seconds;    /* taken by the hypervisor */
	double read_bytes, written_bytes; /* storage I/O of such processes */
	bool known;              /* enough was seen to call it undisturbed */
	bool disturbed;
	char why[128];           /* "" unless disturbed */
};

struct run_result {
	unsigned round;          /* from 1 */
	unsigned order;          /* position in the plan, from 1 */
	unsigned clients;
	unsigned target;         /* index in session->targets */
	enum run_end end;
	bool measured;           /* the measured window was entered */
	char reason[1024];       /* why not complete; "" otherwise */

	double seconds;          /* measured time */
	double warmup_seconds;
	struct totals totals;    /* measured window, all clients; but errors
				    and skipped of the whole run */
	struct totals since_gate;/* warm-up and measured window */
	double mb_per_s;
	double ops_per_s;
	double sync_seconds;     /* closing sync; NAN: not done */
	double level_sync_seconds[CHAIN_MAX]; /* of that, per level, topmost
						 first */
	unsigned nlevel_syncs;
	int sync_errno;          /* 0, or why the closing sync failed */
	int lost_errno;          /* 0, or why data that a client synced, or the
				    closing sync, is lost */
	char lost_what[200];     /* who said so: "the closing sync", "Flush
				    at FILE:LINE (client 3)", ...; or "" */
	double durable_mb_per_s;

	struct spread passes;    /* per client, fractional */
	double pass_p50_seconds; /* NAN: no whole pass was seen */
	double pass_p90_seconds;
	double first_done_seconds; /* -p: first and last client to finish */
	double last_done_seconds;
	double fairness;         /* Jain over the clients' operations */
	double user_seconds, system_seconds;
	double stalled_seconds;  /* of the measured run in which the
				    coordinator did not get to run */
	double start_skew_us;    /* first operation: last client - first */
	double ready_seconds;    /* fork to the last "ready" */
	double reap_seconds;     /* stop to the last client reaped */

	/* time stamps or target rate; NAN without them */
	uint64_t late_ops;
	double lag_p50_us, lag_p99_us, lag_max_us;

	double setup_seconds, teardown_seconds; /* of the layout; NAN: the
				    target has no layers */
	double settle_seconds;   /* waiting for quiet before; NAN */
	enum regime regime;
	uint64_t peak_dirty_bytes; /* of the machine, in the measured time */
	double device_busy;      /* share of the measured time that the disk
				    below was busy; NAN */
	struct disturbance disturbance;

	double driver_share;     /* of the clients' time, estimated; NAN */
	struct first_error first_error;

	struct op_result *ops;   /* owned; nops */
	size_t nops;
	struct client_result *per_client; /* owned; `clients` of them */
};

/*
 * A result without any: numbers that may be unknown are (NAN), the rest is 0.
 * The one place that says which; every result begins so.
 */
void run_result_init(struct run_result *run);

/*
 * RUN without the rates that would mean nothing: NOTHING_MOVED, all of them;
 * IS_VOLATILE, the durable one.
 */
void run_result_limit(struct run_result *run, bool nothing_moved,
		      bool is_volatile);

/* Free what RUN owns; it may be used again after run_result_init(). */
void run_result_done(struct run_result *run);

struct session;

/* What a run is worth. */
enum run_worth {
	RUN_GOOD,    /* complete: it counts */
	RUN_PARTIAL, /* cut short on purpose; counts only where nothing else is,
			and marked */
	RUN_BAD      /* no number of it may be shown as a result */
};

/*
 * Judge RUN.  Bad are runs that were not measured, whose clients died or had
 * to be killed, in which nothing was executed, or in which a load that moves
 * bytes moved none and there were errors, and those that lost data.
 */
enum run_worth run_judge(const struct session *s,
			 const struct run_result *run);

/* Whether others disturbed it, or it was stopped for a while. */
bool run_disturbed(const struct run_result *run);

/* Whether any outcome was not as recorded, before, in or after the window. */
bool run_surprised(const struct run_result *run);

/*
 * Over the rounds of one (client count, target).  Only good runs count; when
 * there are none the partial ones do, and `partial` says so.  Spreads are
 * over the rounds and leave NANs out.
 */
struct summary_result {
	unsigned clients;
	unsigned target;
	size_t n;                /* rounds that count; 0: the cell failed */
	size_t failed;           /* rounds that were made and do not */
	bool partial;            /* those that count were cut short */
	bool fewer;              /* the plan was cut short before all rounds of
				    this cell were made */
	uint64_t errors;         /* in all rounds, whether they count or not */
	bool surprised;          /* an outcome was not as recorded, at any time
				    of any round, also outside the window */
	bool lost;               /* some round lost data: the cell has no
				    number */
	unsigned disturbed;      /* rounds that count and were disturbed */
	enum run_end end;        /* of the last round that does not count */
	struct totals totals;    /* added up over the rounds that count */
	struct spread mb_per_s;
	struct spread durable_mb_per_s;
	struct spread ops_per_s;
	struct spread pass_seconds; /* p50 of the runs */
	struct spread seconds;   /* measured time */
	struct spread first_done_seconds, last_done_seconds;
	struct spread passes_min, passes_median; /* of the runs' clients */
	struct spread fairness;
	struct spread user_seconds, system_seconds;
};

struct target_info {
	const char *name;
	const char *spec;        /* as typed */
	bool is_test;            /* has a layer that is there for tests only */
	bool is_volatile;        /* nothing on it can be durable */
	struct chain_link chain[CHAIN_MAX]; /* from the top down */
	size_t nchain;           /* 0: not built (yet) */
	double setup_seconds;    /* of the trial; NAN: none was made */
};

/* Whether nothing on TARGET is durable: a level of it is memory, or says so. */
bool target_is_volatile(const struct target_info *target);

struct host_info {
	char kernel[200];        /* system, release, architecture */
	char cpu[128];
	unsigned cpus;           /* that this process may use */
	uint64_t memory_bytes;   /* 0: unknown */
	struct {
		const char *name;  /* "vm.dirty_ratio" */
		char value[64];    /* "" unknown */
	} sysctl[16];
	size_t nsysctl;
};

struct loadfile_info {
	const char *path;
	const char *sha256;
	uint64_t once_ops, ops_per_pass;
	uint64_t bytes_read_per_pass, bytes_written_per_pass;
	bool bytes_bounds;       /* sizes are random: these are the most */
	uint64_t fsyncs_per_pass;
};

/* What targets are compared by. */
enum metric {
	METRIC_AUTO,
	METRIC_MB,
	METRIC_DURABLE,
	METRIC_OPS,
	METRIC_PASS
};

/* Everything that is reported. */
struct session {
	const char *version;
	char **argv;             /* borrowed; NULL at the end */
	uint64_t seed;
	char started[40];        /* RFC 3339 */
	const char *backend;
	bool moves_nothing;      /* the backend makes no system calls */
	unsigned iodepth;
	bool pass_mode;          /* -p: the answer is the time */
	uint64_t passes;
	double timelimit_seconds, warmup_seconds;
	unsigned rounds;
	enum metric metric;      /* as asked for */
	bool has_aa;             /* the last target is the first once more */
	bool cold;               /* caches were dropped before each run */
	char cold_how[100];      /* of what, "" unless cold */
	char flags[128];         /* "sync open, sync dirs", or "" */
	struct host_info host;
	struct loadfile_info load;
	struct target_info *targets; /* borrowed */
	size_t ntargets;         /* 1: nothing is compared */
	unsigned *counts;        /* client counts in order; borrowed */
	size_t ncounts;
	struct run_result *runs; /* borrowed; those that were made */
	size_t nruns;
	bool partial;            /* the plan was not completed */
	char partial_why[256];
};

/*
 * Fill SUM from the session's runs of (CLIENTS, TARGET).  All spreads are
 * NANs when no run counts.
 */
void session_summary(const struct session *s, unsigned clients,
		     unsigned target, struct summary_result *sum);

#endif
