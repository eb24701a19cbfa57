/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the clients of some runs executed, and whether the clients of others
 * executed the same.
 *
 * A load file need not be even: of client.txt a short run sees the beginning
 * only, and a faster target gets further.  Two speeds are then of different
 * work, and their ratio means nothing.
 */
#ifndef REPLAY_STATS_MIX_H
#define REPLAY_STATS_MIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/result.h"

struct mix {
	uint64_t counts[OP_NR], counted; /* operations of each kind, and all */
	struct totals totals;
	double least_passes;             /* of the slowest client; NAN */
};

void mix_init(struct mix *mix);

/*
 * Add RUN: its measured window or, for a metric that also covers the warm-up,
 * everything SINCE_GATE.
 */
void mix_add(struct mix *mix, const struct run_result *run, bool since_gate);

/*
 * Whether A and B, both of good runs, are the same mix: the total variation
 * distance of the shares of the operations is at most 0.02, and bytes per
 * operation are within 5 %.  If not, the difference is told in WHY.
 */
bool mix_is_same(const struct mix *a, const struct mix *b, char *why,
		 size_t size);

#endif
