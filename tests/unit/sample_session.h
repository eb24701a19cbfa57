/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A session made by hand, for the tests of the writers: one target, counts
 * 1 2 4, one round, all good.  Tests spoil what they are about.
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

struct sample {
	struct session s;
	struct target_info target;
	struct run_result runs[SAMPLE_COUNTS];
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

static void sample_fill(struct sample *x)
{
	static char prog[] = "replay", arg[] = "/vz";

	memset(x, 0, sizeof(*x));
	x->target = (struct target_info){
		.name = "/vz", .spec = "/vz", .fs = "ext4", .device = "8:1",
		.source = "/dev/sda1", .mount_options = "rw,relatime",
		.size_bytes = UINT64_C(250) << 30,
		.free_bytes = UINT64_C(120) << 30,
	};
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
		.rounds = 1, .targets = &x->target, .ntargets = 1,
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

static void sample_done(struct sample *x)
{
	for (unsigned i = 0; i < SAMPLE_COUNTS; i++)
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
