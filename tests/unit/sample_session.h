/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sessions made by hand, for the tests of the writers: one target, counts
 * 1 2 4, one round, all good; and the same with three targets, or four, and
 * six rounds.  Tests spoil what they are about.
 */
#ifndef REPLAY_TESTS_UNIT_SAMPLE_SESSION_H
#define REPLAY_TESTS_UNIT_SAMPLE_SESSION_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "report/report.h"

#define SAMPLE_COUNTS 3
#define SAMPLE_ROUNDS 6
#define SAMPLE_TARGETS 4
#define SAMPLE_RUNS (SAMPLE_COUNTS * SAMPLE_ROUNDS * SAMPLE_TARGETS)

struct sample {
	struct session s;
	struct target_info targets[SAMPLE_TARGETS];
	struct run_result runs[SAMPLE_RUNS];
	unsigned counts[SAMPLE_COUNTS];
	char *argv[4];
};

static void sample_ops(struct run_result *run)
{
	run->nops = 3;
	run->ops = mem_zalloc(run->nops, sizeof(*run->ops));
	run->ops[0] = (struct op_result){
		.code = OP_NTCREATEX,
		.stats = { .count = 64000, .sum_ns = 1600000000 },
		.mean_us = 25, .p50_us = 11.2, .p90_us = 48.5,
		.p99_us = 112.9, .p999_us = 900, .max_us = 15234.5,
	};
	run->ops[1] = (struct op_result){
		.code = OP_WRITEX,
		.stats = { .count = 76000, .bytes = 1016000000,
			   .sum_ns = 3800000000 },
		.mean_us = 50, .p50_us = 22.5, .p90_us = 99.9,
		.p99_us = 712.9, .p999_us = 1900, .max_us = 150234.5,
	};
	run->ops[2] = (struct op_result){
		.code = OP_FLUSH,
		.stats = { .count = 5553, .sum_ns = 4600000000 },
		.mean_us = 828, .p50_us = 700, .p90_us = 1200,
		.p99_us = 4712.9, .p999_us = 19000, .max_us = 1502345,
	};
	for (size_t i = 0; i < run->nops; i++)
		run->ops[i].since_gate = run->ops[i].stats.count * 6 / 5;
}

static void sample_run(struct run_result *run, unsigned index)
{
	unsigned n = 1U << index;

	*run = (struct run_result){
		.round = 1, .order = index + 1, .clients = n,
		.end = RUN_COMPLETE, .measured = true,
		.seconds = 10, .warmup_seconds = 2,
		.totals = { .ops = 450000 * (uint64_t)n,
			    .bytes_read = UINT64_C(1472088767) * n,
			    .bytes_written = UINT64_C(1015974170) * n },
		.since_gate = { .ops = 550000 * (uint64_t)n,
				.bytes_read = UINT64_C(1700000000) * n,
				.bytes_written = UINT64_C(1200000000) * n },
		.mb_per_s = 248.8062937 * n, .ops_per_s = 45000.0 * n,
		.sync_seconds = 0.345, .durable_mb_per_s = 234.5 * n,
		.passes = { .min = 1.01, .median = 1.1, .max = 1.2 },
		.pass_p50_seconds = 9.87, .pass_p90_seconds = 10.1,
		.first_done_seconds = NAN, .last_done_seconds = NAN,
		.fairness = 0.9987, .user_seconds = 0.8 * n,
		.system_seconds = 7.7 * n, .start_skew_us = 210,
		.ready_seconds = 0.02, .reap_seconds = 0.01,
		.lag_p50_us = NAN, .lag_p99_us = NAN, .lag_max_us = NAN,
		.setup_seconds = NAN, .teardown_seconds = NAN,
		.settle_seconds = NAN, .device_busy = NAN,
		.disturbance = { .cpu_seconds = NAN, .steal_seconds = NAN,
				 .read_bytes = NAN, .written_bytes = NAN },
		.driver_share = 0.012,
	};
	sample_ops(run);
	run->per_client = mem_zalloc(n, sizeof(*run->per_client));
	for (unsigned i = 0; i < n; i++) {
		run->per_client[i].totals = run->totals;
		run->per_client[i].passes = 1.1;
		run->per_client[i].passes_done = 1;
		run->per_client[i].finished_seconds = 10;
	}
}

/* Put the directory that everything stands on below what TARGET has. */
static void sample_dir(struct target_info *target)
{
	target->chain[target->nchain++] = (struct chain_link){
		.kind = "dir", .fs = "ext4", .device = "8:1",
		.source = "/dev/sda1", .mount_options = "rw,relatime",
		.size_bytes = UINT64_C(250) << 30,
		.free_bytes = UINT64_C(120) << 30, .free_inodes = 12345678,
		.has_journal = true, .journal_bytes = UINT64_C(1) << 30,
	};
}

static void sample_fill(struct sample *x)
{
	static char prog[] = "replay", arg[] = "/vz";

	memset(x, 0, sizeof(*x));
	x->targets[0] = (struct target_info){
		.name = "/vz", .spec = "/vz", .setup_seconds = NAN,
	};
	sample_dir(&x->targets[0]);
	x->argv[0] = prog;
	x->argv[1] = arg;
	for (unsigned i = 0; i < SAMPLE_COUNTS; i++) {
		x->counts[i] = 1U << i;
		sample_run(&x->runs[i], i);
	}
	x->s = (struct session){
		.version = "0.1", .argv = x->argv, .seed = 12345,
		.started = "2026-11-30T11:25:25+00:00", .backend = "sync",
		.iodepth = 1, .timelimit_seconds = 10, .warmup_seconds = 2,
		.rounds = 1, .targets = x->targets, .ntargets = 1,
		.counts = x->counts, .ncounts = SAMPLE_COUNTS,
		.runs = x->runs, .nruns = SAMPLE_COUNTS,
		.load = { .path = "/usr/share/dbench/client.txt",
			  .sha256 = "0123abcd", .ops_per_pass = 458344,
			  .bytes_read_per_pass = 1472088767,
			  .bytes_written_per_pass = 1015974170,
			  .fsyncs_per_pass = 5553 },
	};
	host_describe(&x->s.host);
}

static void sample_layouts(struct sample *x)
{
	struct target_info *t = x->targets;

	t[0].name = "vzhost";
	t[1] = (struct target_info){ .name = "simfs", .spec = "/vz+bind",
				     .setup_seconds = 0.001, .nchain = 1 };
	t[1].chain[0] = t[0].chain[0];
	(void)strcpy(t[1].chain[0].kind, "bind");
	sample_dir(&t[1]);
	t[2] = (struct target_info){ .name = "ploop", .spec = "/vz+loop",
				     .setup_seconds = 0.4, .nchain = 1 };
	t[2].chain[0] = (struct chain_link){
		.kind = "loop", .fs = "ext4", .device = "7:3",
		.source = "/dev/loop3", .mount_options = "rw,noatime",
		.size_bytes = UINT64_C(1000) << 20,
		.free_bytes = UINT64_C(900) << 20, .free_inodes = 65000,
		.has_journal = true, .journal_bytes = UINT64_C(64) << 20,
		.is_loop = true, .image_bytes = UINT64_C(1) << 30,
		.write_cache = "write back",
	};
	sample_dir(&t[2]);
	t[3] = t[0];
	t[3].name = "vzhost(aa)";
}

/* One of several rounds: ploop is half as fast again, the others alike. */
static void sample_round(struct run_result *run, unsigned count,
			 unsigned round, unsigned target)
{
	static const double wobble[] = { 1.000, 0.985, 1.010, 0.992,
					 1.007, 0.996, 1.013 };
	double factor = wobble[(round * 3 + target * 2 + count) % 7];

	if (target == 2)
		factor *= 1.5;
	sample_run(run, count);
	run->round = round;
	run->target = target;
	run->mb_per_s *= factor;
	run->durable_mb_per_s *= factor;
	run->ops_per_s *= factor;
	run->pass_p50_seconds /= factor;
	run->pass_p90_seconds /= factor;
	run->disturbance.known = true;
	run->regime = REGIME_CACHED;
	run->peak_dirty_bytes = 123000000;
	run->device_busy = 0.25;
	/* a plain directory has no layers */
	run->setup_seconds = target == 1 ? 0.001 : target == 2 ? 0.5 : NAN;
	run->teardown_seconds = run->setup_seconds / 2;
	run->level_sync_seconds[0] = 0.3;
	run->level_sync_seconds[1] = 0.045;
	run->nlevel_syncs = target == 2 ? 2 : 1;
}

/* Six rounds of NTARGETS targets: vzhost, simfs, ploop, and the A-A. */
unused_arg static void sample_fill_many(struct sample *x, unsigned ntargets)
{
	struct run_result *run = x->runs;

	sample_fill(x);
	sample_layouts(x);
	for (unsigned i = 0; i < SAMPLE_COUNTS; i++)
		run_result_done(&x->runs[i]);
	for (unsigned c = 0; c < SAMPLE_COUNTS; c++)
		for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
			for (unsigned t = 0; t < ntargets; t++)
				sample_round(run++, c, r, t);
	x->s.ntargets = ntargets;
	x->s.has_aa = ntargets == SAMPLE_TARGETS;
	x->s.rounds = SAMPLE_ROUNDS;
	x->s.nruns = (size_t)(run - x->runs);
}

/* The run of count number C (from 0) in ROUND on TARGET. */
unused_arg static struct run_result *sample_at(struct sample *x, unsigned c,
					       unsigned round, unsigned target)
{
	return &x->runs[(c * SAMPLE_ROUNDS + round - 1) * x->s.ntargets +
			target];
}

static void sample_done(struct sample *x)
{
	for (unsigned i = 0; i < SAMPLE_RUNS; i++)
		run_result_done(&x->runs[i]);
}

typedef int sample_writer(const struct session *s,
			  const struct report_opts *opts, FILE *out);

/* What a writer makes of it; the caller frees it. */
unused_arg static char *sample_print(const struct sample *x,
				     sample_writer *writer,
				     const struct report_opts *opts)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out || writer(&x->s, opts, out) < 0)
		abort();
	(void)fclose(out);
	return text;
}

#endif
