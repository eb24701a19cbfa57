/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a session comes to: its runs cell by cell, and whether one target is
 * faster than another.  Pairs of runs of the same round and client count, a t
 * interval on the logarithm of their ratio, Holm's adjustment over the whole
 * table, and the rules of a claim: see the top of compare.c.
 */
#ifndef REPLAY_STATS_COMPARE_H
#define REPLAY_STATS_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/result.h"

/* Fewer pairs than this are said beside the verdict. */
#define COMPARE_PAIRS_GOOD 6

enum verdict {
	VERDICT_FASTER,
	VERDICT_SLOWER,
	VERDICT_NO_DIFFERENCE,  /* none shown */
	VERDICT_NOT_COMPARABLE
};

/* One target against the first, at one client count. */
struct comparison {
	unsigned clients;
	unsigned target, to;   /* indices in session->targets; to is 0 */
	enum metric metric;    /* never METRIC_AUTO */
	size_t pairs;          /* rounds in which both runs count */
	double value;          /* how many times as fast as `to`: geometric
				  mean over the pairs; like the numbers
				  below NAN where it is not comparable */
	double low, high;      /* its 95 % interval; NAN below two pairs */
	double sd;             /* standard deviation of the pairs' log
				  ratios; NAN below two pairs */
	double p, p_adjusted;  /* two-sided, alone and after Holm; NAN where
				  there is none */
	enum verdict verdict;
	char why[200];         /* for NOT_COMPARABLE the reason, for
				  NO_DIFFERENCE which rule was not met; "" */
	char remark[100];      /* "only 4 rounds", "8 of 12 rounds", "no A-A
				  floor", or "" */
};

/* "faster", "slower", "no difference shown", "not comparable". */
const char *verdict_name(enum verdict verdict);

/* Whether backend and load move bytes at all: else there are no MB/s. */
bool session_moves_bytes(const struct session *s);

/*
 * The metric that decides: session->metric, with METRIC_AUTO resolved: pass
 * time with -p; operations per second when no bytes are moved; durable MB/s
 * when the load writes and some target can be durable at all; MB/s else.
 */
enum metric session_metric(const struct session *s);

/*
 * As in JSON: "mb_per_s", "durable_mb_per_s", "ops_per_s", "pass_seconds", or
 * "last_done_seconds" when the pass time of S is that of all passes.
 */
const char *metric_key(const struct session *s, enum metric metric);

/*
 * For people: "MB/s", "durable MB/s", "operations/s", "pass time", "time of
 * all passes".
 */
const char *metric_title(const struct session *s, enum metric metric);

/*
 * The speed of RUN by METRIC: larger is better, so for pass time it is its
 * inverse, passes per second.  NAN where it has none.
 */
double run_speed(const struct session *s, const struct run_result *run,
		 enum metric metric);

/*
 * What is odd about the rounds of one cell; nothing is ever dropped for it.
 * Outliers are rounds whose modified z-score |x - median| / MAD is above
 * 14.826 (ten times the standard deviation that the MAD stands for), with at
 * least five rounds; MADs of 0 have none.
 */
struct oddities {
	unsigned outliers[8];  /* rounds, from 1 */
	size_t noutliers;      /* may be more than are listed */
	bool first_slow;       /* the first round is one, and slower */
};

/* The runs of one client count on one target. */
struct cell {
	unsigned clients, target;
	const struct run_result **runs; /* that were made, by round; nruns */
	size_t nruns;
	struct summary_result sum;
	struct oddities odd;            /* by session_metric() */
};

/* A session with all that follows from it, worked out once. */
struct evaluation {
	const struct session *s;  /* borrowed */
	struct cell *cells;       /* owned; ncells: client counts outside,
				     targets inside */
	size_t ncells;
	const struct run_result **runs; /* owned; those of the cells */
	struct comparison *list;  /* owned; n: client counts outside, targets
				     but the first inside */
	size_t n;
};

/*
 * Fill EV; release it with evaluation_done().  Takes time for N runs as N log
 * N has it; the session must stay as it is until then.
 */
void session_evaluate(const struct session *s, struct evaluation *ev);
void evaluation_done(struct evaluation *ev);

/* The cell of count number COUNT (from 0) and TARGET. */
const struct cell *evaluation_cell(const struct evaluation *ev, size_t count,
				   size_t target);

/* The comparison of CELL with the first target; NULL: it is of that one. */
const struct comparison *evaluation_find(const struct evaluation *ev,
					 const struct cell *cell);

/* The errno of the first loss in CELL; 0: nothing was lost. */
int cell_loss(const struct cell *cell);

/* The first half of session_evaluate(): all but the comparisons. */
void cells_fill(const struct session *s, struct evaluation *ev);

/* How far the interval of CMP reaches from 1, as a logarithm; or NAN. */
double comparison_reach(const struct comparison *cmp);

/* Holm's step-down adjustment of N p values, in place; NANs do not count. */
void holm_adjust(double *p, size_t n);

#endif
