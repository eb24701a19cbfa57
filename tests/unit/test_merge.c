/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic from slots to the printed numbers, on slots made by hand. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "run/merge.h"
#include "tap.h"

#define MS NS_PER_MS
#define CLIENTS 3

static const struct prog prog = {
	.nkinds = 2,
	.kind_code = { OP_READX, OP_CLOSE },
	.facts = { .ops_per_pass = 100 },
};

static bool near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fmax(1, fabs(want));
}

/* Client I did (I + 1) * 100 operations of 1 us and moved bytes. */
static void fill_slot(const struct shm *shm, unsigned i)
{
	struct slot *slot = shm_slot(shm, i);
	uint64_t ops = (i + 1) * 100;
	uint64_t n;

	slot->totals = (struct totals){ .ops = ops, .skipped = 1, .errors = 2,
					.bytes_read = 3000000,
					.bytes_written = 1000000 };
	slot->warmup = (struct totals){ .ops = 50, .errors = 1,
					.bytes_written = 2000000 };
	slot->once = (struct totals){ .errors = 1 };
	slot->first_op_ns = 1000 * MS + i * 1000;
	slot->last_op_ns = 3000 * MS + i * 100 * MS;
	slot->measured_from_ns = 2000 * MS;
	slot->user_us = 250000;
	slot->system_us = 500000;
	slot_kinds(slot)[0] = (struct kind_stats){ .count = ops,
						   .bytes = 4000000,
						   .sum_ns = ops * 1000,
						   .max_ns = 1000 + i };
	for (n = 0; n < ops; n++)
		hist_record(slot_hist(shm, slot, 0), shm->hist_bits, 1000);
	slot->pass_times_ns[0] = (i + 1) * 100 * MS;
	slot->pass_times_n = 1;
}

static const struct run_times times = {
	.fork_ns = 500 * MS, .ready_ns = 900 * MS, .open_ns = 1000 * MS,
	.measure_ns = 2000 * MS, .stop_ns = 4000 * MS, .reaped_ns = 4500 * MS,
};

static void test_timed(const struct shm *shm)
{
	struct run_result r = { .clients = CLIENTS, .sync_seconds = 0.5 };

	merge_slots(shm, &prog, &times, &r);
	ok(r.measured && near(r.seconds, 2) && near(r.warmup_seconds, 1),
	   "windows");
	ok(near(r.mb_per_s, 3 * 4e6 / 1e6 / 2), "MB/s: the measured window");
	/* 1 s warm-up, 2 s measured, 0.5 s until all had ended, 0.5 s sync */
	ok(near(r.durable_mb_per_s, 3 * 6e6 / 1e6 / 4), "durable MB/s");
	ok(near(r.ops_per_s, 600 / 2.0), "operations per second");
	is_int((long long)r.totals.errors, 12, "errors of the whole run");
	is_int((long long)r.totals.skipped, 3, "skipped");
	ok(near(r.passes.min, 1.01) && near(r.passes.max, 3.01) &&
		   near(r.passes.median, 2.01), "passes");
	ok(near(r.pass_p50_seconds, 0.2) && near(r.pass_p90_seconds, 0.3),
	   "pass times");
	ok(near(r.fairness, 600.0 * 600 / (3 * (1e4 + 4e4 + 9e4))), "Jain");
	ok(near(r.start_skew_us, 2), "start skew");
	ok(near(r.user_seconds, 0.75) && near(r.system_seconds, 1.5), "CPU");
	ok(near(r.ready_seconds, 0.4) && near(r.reap_seconds, 0.5), "ready");
	ok(r.nops == 2 && r.ops[0].code == OP_READX, "kinds");
	is_int((long long)r.ops[0].stats.count, 600, "count");
	ok(near(r.ops[0].mean_us, 1) && near(r.ops[0].max_us, 1.002), "mean");
	ok(r.ops[0].p50_us > 0.98 && r.ops[0].p999_us <= r.ops[0].max_us,
	   "percentiles stay below the maximum");
	ok(isnan(r.ops[1].mean_us), "nothing counted has no mean");
	ok(isnan(r.lag_max_us), "no schedule, no lag");
	run_result_done(&r);
}

static void test_ends(const struct shm *shm)
{
	struct run_result r = { .clients = CLIENTS, .sync_seconds = NAN };
	struct run_times early = times;

	early.stop_ns = 1500 * MS;
	early.reaped_ns = 1600 * MS;
	merge_slots(shm, &prog, &early, &r);
	ok(!r.measured && isnan(r.mb_per_s) && near(r.warmup_seconds, 0.5),
	   "stopped in the warm-up: nothing was measured");
	run_result_done(&r);
	r = (struct run_result){ .clients = CLIENTS, .sync_seconds = 0.1,
				 .lost_errno = 5 };
	merge_slots(shm, &prog, &times, &r);
	ok(isnan(r.durable_mb_per_s) && r.mb_per_s > 0,
	   "after a failed sync nothing is durable");
	run_result_done(&r);
	early = times;
	early.pass_mode = true;
	early.measure_ns = early.open_ns;
	r = (struct run_result){ .clients = CLIENTS, .sync_seconds = 0.1 };
	merge_slots(shm, &prog, &early, &r);
	ok(near(r.first_done_seconds, 2) && near(r.last_done_seconds, 2.2),
	   "first and last to finish");
	run_result_done(&r);
}

int main(void)
{
	struct err err = ERR_INIT;
	struct shm shm;
	unsigned i;

	is_int(shm_init(&shm, &prog, CLIENTS, &err), 0, "shared pages");
	for (i = 0; i < CLIENTS; i++)
		fill_slot(&shm, i);
	test_timed(&shm);
	test_ends(&shm);
	shm_done(&shm);
	{
		struct prog all = { .nkinds = OP_NR };

		is_int(shm_init(&shm, &all, 1, &err), 0, "all operations");
		is_int(shm.hist_bits, HIST_BITS_MAX, "at full precision");
		ok(shm.slot_bytes <= SLOT_BYTES_MAX, "within the slot: %zu",
		   shm.slot_bytes);
		shm_done(&shm);
	}
	return done_testing();
}
