/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics, fairness, and which runs make a table cell. */
#include "stats/result.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tap.h"

static bool near(double got, double want)
{
	return fabs(got - want) < 1e-9;
}

static void test_order(void)
{
	double odd[] = { 3, 1, 2 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };
	double ten[] = { 10, 9, 8, 7, 6, 5, 4, 3, 2, 1 };
	struct spread spread;

	ok(isnan(stats_median(odd, 0)), "the median of nothing is unknown");
	ok(near(stats_median(odd, 3), 2), "odd");
	ok(near(stats_median(even, 4), 2.5), "even");
	ok(near(stats_median(one, 1), 7), "one");
	ok(isnan(stats_quantile(ten, 0, 0.5)), "a quantile of nothing");
	ok(near(stats_quantile(ten, 10, 0), 1), "q 0");
	ok(near(stats_quantile(ten, 10, 0.5), 5), "q .5 is a value");
	ok(near(stats_quantile(ten, 10, 0.9), 9), "q .9 of ten is the ninth");
	ok(near(stats_quantile(ten, 10, 0.91), 10), "q .91 is the tenth");
	ok(near(stats_quantile(ten, 10, 1), 10), "q 1");
	stats_spread(even, 4, &spread);
	ok(near(spread.min, 1) && near(spread.median, 2.5) &&
		   near(spread.max, 4), "a spread");
	stats_spread(even, 0, &spread);
	ok(isnan(spread.min) && isnan(spread.median) && isnan(spread.max),
	   "a spread of nothing");
}

static void test_jain(void)
{
	double equal[] = { 5, 5, 5, 5 }, one[] = { 0, 0, 8, 0 };
	double half[] = { 1, 1, 0, 0 }, none[] = { 0, 0 };

	ok(near(stats_jain(equal, 4), 1), "equal shares are fair");
	ok(near(stats_jain(one, 4), 0.25), "one has all: 1/n");
	ok(near(stats_jain(half, 4), 0.5), "half have all: 1/2");
	ok(near(stats_jain(none, 2), 1), "nobody has anything: fair");
}

static void test_adding(void)
{
	struct totals a = { 1, 2, 3, 4, 5 };
	const struct totals b = { 10, 20, 30, 40, 50 };
	struct kind_stats k = { .count = 1, .errors = 2, .bytes = 3,
				   .sum_ns = 4, .max_ns = 500 };
	const struct kind_stats l = { .count = 10, .errors = 20, .bytes = 30,
				   .sum_ns = 40, .max_ns = 50 };

	totals_add(&a, &b);
	ok(a.ops == 11 && a.skipped == 22 && a.errors == 33 &&
		   a.bytes_read == 44 && a.bytes_written == 55, "totals");
	kind_stats_add(&k, &l);
	ok(k.count == 11 && k.errors == 22 && k.bytes == 33 && k.sum_ns == 44,
	   "kinds");
	is_int(k.max_ns, 500, "the maximum is not a sum");
}

/* A complete run of 2 clients with RATE. */
static struct run_result make_run(double rate)
{
	return (struct run_result){
		.clients = 2,
		.end = RUN_COMPLETE,
		.measured = true,
		.seconds = 10,
		.totals = { .ops = 100, .bytes_read = 1000 },
		.mb_per_s = rate,
		.ops_per_s = rate * 10,
		.durable_mb_per_s = NAN,
		.pass_p50_seconds = NAN,
	};
}

static void test_judge(void)
{
	struct session s = { .load = { .bytes_read_per_pass = 10 } };
	struct run_result run = make_run(1);

	is_int(run_judge(&s, &run), RUN_GOOD, "complete");
	run.totals.errors = 3;
	is_int(run_judge(&s, &run), RUN_GOOD, "errors are counted, not hidden");
	run.totals.bytes_read = 0;
	is_int(run_judge(&s, &run), RUN_BAD, "errors and not a byte moved");
	s.load.bytes_read_per_pass = 0;
	is_int(run_judge(&s, &run), RUN_GOOD, "a load that moves none");
	run = make_run(1);
	run.totals.ops = 0;
	is_int(run_judge(&s, &run), RUN_BAD, "no operation");
	run = make_run(1);
	run.measured = false;
	is_int(run_judge(&s, &run), RUN_BAD, "not measured");
	run = make_run(1);
	run.seconds = NAN;
	is_int(run_judge(&s, &run), RUN_BAD, "no time");
	run = make_run(1);
	run.end = RUN_INTERRUPTED;
	is_int(run_judge(&s, &run), RUN_PARTIAL, "interrupted");
	run.end = RUN_RESERVE;
	is_int(run_judge(&s, &run), RUN_PARTIAL, "disk reserve");
	run.end = RUN_CLIENT_DIED;
	is_int(run_judge(&s, &run), RUN_BAD, "a client died");
	run.end = RUN_STUCK;
	is_int(run_judge(&s, &run), RUN_BAD, "stuck");
	run.end = RUN_FAILED;
	is_int(run_judge(&s, &run), RUN_BAD, "failed");
	run = make_run(1);
	run.lost_errno = EIO;
	is_int(run_judge(&s, &run), RUN_BAD, "lost data");
}

static void test_volatile(void)
{
	struct target_info target = { .nchain = 2 };
	struct chain_link *top = &target.chain[0], *below = &target.chain[1];

	strcpy(top->kind, "loop");
	strcpy(top->fs, "ext4");
	strcpy(top->mount_options, "rw,volatile");
	strcpy(below->fs, "xfs");
	ok(!target_is_volatile(&target), "an image on a disk");
	strcpy(below->fs, "tmpfs");
	ok(target_is_volatile(&target), "an image in memory");
	target.nchain = 1;
	ok(!target_is_volatile(&target), "what is below the chain is not its");
	strcpy(top->fs, "ramfs");
	ok(target_is_volatile(&target), "ramfs");
	strcpy(top->kind, "dir");
	strcpy(top->fs, "overlay");
	ok(target_is_volatile(&target), "an overlay that ignores fsync");
	strcpy(top->mount_options, "rw,upperdir=/volatile,volatiles,volatil");
	ok(!target_is_volatile(&target), "volatile is an option, not a part");
	strcpy(top->mount_options, "volatile,rw");
	strcpy(top->kind, "overlay");
	strcpy(top->fs, "");
	ok(target_is_volatile(&target), "it may stand anywhere");
	strcpy(top->mount_options, "");
	ok(!target_is_volatile(&target), "an overlay without options");
	target.is_volatile = true;
	target.nchain = 0;
	ok(target_is_volatile(&target), "what says so itself");
}

static void test_summary(void)
{
	struct run_result runs[5];
	struct session s = { .runs = runs, .nruns = 5 };
	struct summary_result sum;

	for (unsigned i = 0; i < 5; i++)
		runs[i] = make_run(i + 1);
	runs[4].clients = 3;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.n, 4, "all rounds of the cell, no other");
	ok(near(sum.mb_per_s.median, 2.5) && near(sum.mb_per_s.min, 1) &&
		   near(sum.mb_per_s.max, 4), "their median and range");
	ok(near(sum.ops_per_s.median, 25), "each field has its own");
	ok(isnan(sum.pass_seconds.median), "unknown stays unknown");
	is_int(sum.totals.ops, 400, "totals are added up");

	runs[3].end = RUN_INTERRUPTED;
	runs[2].end = RUN_CLIENT_DIED;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.n, 2, "only whole rounds count where there are any");
	is_int(sum.failed, 2, "the others are counted apart");
	ok(!sum.partial && near(sum.mb_per_s.max, 2), "and add nothing");

	runs[0].end = runs[1].end = RUN_STUCK;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.n, 1, "else the one cut short");
	ok(sum.partial && near(sum.mb_per_s.median, 4), "marked as such");

	runs[3].end = RUN_FAILED;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.n, 0, "nothing counts");
	ok(isnan(sum.mb_per_s.median), "then there is no number, and no 0");
	session_summary(&s, 99, 0, &sum);
	ok(sum.n == 0 && sum.failed == 0, "a cell that was never run");
}

static void test_summary_marks(void)
{
	struct run_result runs[4];
	struct session s = { .runs = runs, .nruns = 4 };
	struct summary_result sum;

	for (unsigned i = 0; i < 4; i++) {
		runs[i] = make_run(i + 1);
		runs[i].disturbance.disturbed = i > 0;
	}
	runs[3].end = RUN_STUCK;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.disturbed, 2, "disturbed rounds, of those that count");
	ok(!sum.lost && sum.n == 3, "nothing was lost");
	runs[1].lost_errno = ENOSPC;
	session_summary(&s, 2, 0, &sum);
	ok(sum.lost && sum.n == 0 && !sum.partial,
	   "a cell that lost data has no result");
	is_int(sum.failed, 4, "none of its rounds counts");
	ok(isnan(sum.mb_per_s.median) && sum.mb_per_s.n == 0 &&
		   sum.totals.ops == 0 && sum.disturbed == 0, "nor is shown");
	runs[1].clients = 3;
	session_summary(&s, 2, 0, &sum);
	ok(!sum.lost && sum.n == 2, "another cell's loss is not this one's");
	s.rounds = 4;
	session_summary(&s, 2, 0, &sum);
	ok(!sum.fewer, "rounds that failed are not rounds left out");
	s.partial = true;
	session_summary(&s, 2, 0, &sum);
	ok(sum.fewer, "the plan was cut short before all its rounds");
	runs[0].stalled_seconds = 1;
	session_summary(&s, 2, 0, &sum);
	is_int(sum.disturbed, 2, "one that was stopped is disturbed, too");
}

static void test_init_and_limit(void)
{
	struct run_result run;

	run_result_init(&run);
	ok(isnan(run.mb_per_s) && isnan(run.sync_seconds) &&
		   isnan(run.disturbance.cpu_seconds), "nothing is known yet");
	run.mb_per_s = run.durable_mb_per_s = 1;
	run_result_limit(&run, false, true);
	ok(run.mb_per_s > 0 && isnan(run.durable_mb_per_s),
	   "nothing is durable in memory");
	run_result_limit(&run, true, false);
	ok(isnan(run.mb_per_s), "nothing was moved");
}

static void test_done(void)
{
	struct run_result run = { .nops = 1 };

	run.ops = mem_zalloc(1, sizeof(*run.ops));
	run.per_client = mem_zalloc(1, sizeof(*run.per_client));
	run_result_done(&run);
	ok(!run.ops && !run.nops && !run.per_client, "freed and forgotten");
	run_result_done(&run);
	run_result_done(NULL);
	ok(true, "twice and NULL are harmless");
}

int main(void)
{
	test_order();
	test_jain();
	test_adding();
	test_judge();
	test_volatile();
	test_summary();
	test_summary_marks();
	test_init_and_limit();
	test_done();
	return done_testing();
}
