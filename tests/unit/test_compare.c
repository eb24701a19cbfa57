/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdicts: each rule with a session made for it, then what chance does. */
#include "stats/compare.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/macro.h"
#include "base/mem.h"
#include "base/rng.h"
#include "tap.h"

#define COUNTS 7
#define TARGETS 3
#define ROUNDS 8

/*
 * Some counts, targets and rounds, all good, all of the same work.  The run
 * of (count, round, target), from 0, is at run_at(); tests set the speeds and
 * spoil what they are about.
 */
struct table {
	struct session s;
	struct target_info targets[TARGETS];
	unsigned counts[COUNTS];
	struct op_result ops[COUNTS * TARGETS * ROUNDS][2];
	struct run_result runs[COUNTS * TARGETS * ROUNDS];
	struct evaluation ev; /* the last result of compare() */
	struct comparison *c; /* of it; n */
	size_t n;
};

static struct run_result *run_at(struct table *t, size_t count, size_t round,
				 size_t target)
{
	return &t->runs[(count * t->s.rounds + round) * t->s.ntargets + target];
}

/* Have RUN execute READS and WRITES of 1000 bytes each. */
static void set_mix(struct run_result *run, uint64_t reads, uint64_t writes)
{
	run->ops[0].code = OP_READX;
	run->ops[0].stats.count = reads;
	run->ops[1].code = OP_WRITEX;
	run->ops[1].stats.count = writes;
	run->totals.ops = reads + writes;
	run->totals.bytes_read = reads * 1000;
	run->totals.bytes_written = writes * 1000;
	run->ops[0].since_gate = reads;
	run->ops[1].since_gate = writes;
	run->since_gate = run->totals;
}

static void set_speed(struct run_result *run, double speed)
{
	run->mb_per_s = speed;
	run->durable_mb_per_s = speed / 2;
	run->ops_per_s = speed * 3;
}

static void make_run(struct table *t, size_t count, size_t round, size_t target)
{
	struct run_result *run = run_at(t, count, round, target);

	*run = (struct run_result){
		.round = (unsigned)round + 1,
		.clients = t->counts[count],
		.target = (unsigned)target,
		.end = RUN_COMPLETE,
		.measured = true,
		.seconds = 10,
		.passes = { .min = 3.5 },
		.pass_p50_seconds = NAN,
		.first_done_seconds = NAN,
		.last_done_seconds = NAN,
		.ops = t->ops[run - t->runs],
		.nops = 2,
	};
	set_mix(run, 600, 400);
	set_speed(run, 100);
}

static struct table *make_table(size_t counts, size_t targets, size_t rounds)
{
	static const char *const names[TARGETS] = { "host", "loop", "other" };
	struct table *t = mem_zalloc(1, sizeof(*t));

	t->s = (struct session){
		.rounds = (unsigned)rounds, .metric = METRIC_MB,
		.targets = t->targets, .ntargets = targets,
		.counts = t->counts, .ncounts = counts,
		.runs = t->runs, .nruns = counts * targets * rounds,
		.load = { .bytes_read_per_pass = 6,
			  .bytes_written_per_pass = 4 },
	};
	for (size_t i = 0; i < TARGETS; i++)
		t->targets[i].name = names[i];
	for (size_t i = 0; i < counts; i++)
		t->counts[i] = 1U << i;
	for (size_t i = 0; i < counts; i++)
		for (size_t j = 0; j < rounds; j++)
			for (size_t k = 0; k < targets; k++)
				make_run(t, i, j, k);
	return t;
}

static void free_table(struct table *t)
{
	evaluation_done(&t->ev);
	free(t);
}

/* Compare again; returns the first comparison. */
static const struct comparison *compare(struct table *t)
{
	evaluation_done(&t->ev);
	session_evaluate(&t->s, &t->ev);
	t->c = t->ev.list;
	t->n = t->ev.n;
	return t->c;
}

/* One count; the ratios of target TARGET to the first, round by round. */
static void set_ratios(struct table *t, size_t target, const double *ratios)
{
	for (size_t i = 0; i < t->s.rounds; i++)
		set_speed(run_at(t, 0, i, target),
			  ratios[i] * run_at(t, 0, i, 0)->mb_per_s);
}

/* One count, two targets, a round for each of these ratios; 0 ends them. */
static struct table *make_pair(const double *ratios)
{
	size_t n = 0;
	struct table *t;

	while (ratios[n] > 0)
		n++;
	t = make_table(1, 2, n);
	set_ratios(t, 1, ratios);
	return t;
}

static bool near(double got, double want)
{
	return fabs(got - want) <= 1e-9 * fabs(want);
}

static void is_verdict(const struct comparison *c, enum verdict verdict,
		       const char *why, const char *name)
{
	bool good = c->verdict == verdict &&
		    (*why ? strstr(c->why, why) != NULL : !*c->why);

	if (!ok(good, "%s", name))
		printf("#   got '%s' (%s)\n", verdict_name(c->verdict), c->why);
}

/* Ratios whose effect is clear. */
static const double clear[] = { 1.4, 1.5, 1.45, 1.55, 1.42, 1.48, 0 };

static void test_numbers(void)
{
	/* logarithms 0.1 0.2 0.3: mean 0.2, sd 0.1, t 3.4641016 with 2 df */
	const double ratios[] = { exp(0.1), exp(0.2), exp(0.3), 0 };
	struct table *t = make_pair(ratios);
	const struct comparison *c = compare(t);
	double half = 4.302652729749464 * 0.1 / sqrt(3);

	is_int(t->n, 1, "one comparison");
	ok(c->clients == 1 && c->target == 1 && c->to == 0 &&
		   c->metric == METRIC_MB && c->pairs == 3, "of what it is");
	ok(near(c->value, exp(0.2)) && near(c->sd, 0.1), "mean and deviation");
	ok(near(c->low, exp(0.2 - half)) && near(c->high, exp(0.2 + half)),
	   "interval");
	/* with two df p is 1 - t / sqrt(2 + t^2) */
	ok(near(c->p, 1 - sqrt(12) / sqrt(14)) && c->p_adjusted == c->p,
	   "p, which is adjusted for nothing");
	is_verdict(c, VERDICT_NO_DIFFERENCE, "p 0.074", "no claim yet");
	is_str(c->remark, "only 3 rounds", "and few rounds");
	free_table(t);
}

static void test_claims(void)
{
	const double slower[] = { 0.7, 0.72, 0.68, 0.71, 0.7, 0.69, 0 };
	const double noise[] = { 1.4, 0.8, 1.1, 0.9, 1.2, 0.7, 0 };
	const double one_off[] = { 1.5, 1.5, 1.5, 1.5, 1.5, 0.99, 0 };
	const double two_off[] = { 2, 2, 2, 2, 2, 2, 0.99, 1, 0 };
	const double small[] = { 1.02, 1.021, 1.022, 1.019, 1.02, 1.018, 0 };
	const double single[] = { 2, 0 };
	struct table *t = make_pair(clear);

	is_verdict(compare(t), VERDICT_FASTER, "", "faster");
	is_str(t->c->remark, "", "six rounds need no remark");
	free_table(t);
	t = make_pair(slower);
	is_verdict(compare(t), VERDICT_SLOWER, "", "slower");
	free_table(t);
	t = make_pair(noise);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "p 0.", "noise");
	free_table(t);
	t = make_pair(one_off);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "1 of 6 rounds the other way", "one round points elsewhere");
	ok(t->c->p < 0.05, "although p is small");
	free_table(t);
	t = make_pair(two_off);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "2 of 8 rounds the other way", "so does one without effect");
	free_table(t);
	t = make_pair(small);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "less than 3 %", "small");
	ok(t->c->p < 0.05, "although it is sure");
	free_table(t);
	t = make_pair(single);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "one round only",
		   "a single round");
	ok(near(t->c->value, 2) && isnan(t->c->low) && isnan(t->c->p) &&
		   isnan(t->c->p_adjusted) && isnan(t->c->sd),
	   "it has a ratio and nothing else");
	free_table(t);
}

static void test_identical(void)
{
	const double same[] = { 1, 1, 1, 1, 1, 1, 0 };
	const double twice[] = { 2, 2, 2, 2, 2, 2, 0 };
	struct table *t = make_pair(same);

	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "p 1", "equal numbers");
	ok(t->c->value == 1 && t->c->low == 1 && t->c->high == 1 &&
		   t->c->p == 1 && t->c->sd == 0, "divide by nothing");
	free_table(t);
	t = make_pair(twice);
	is_verdict(compare(t), VERDICT_FASTER, "", "twice, every time");
	ok(near(t->c->value, 2) && near(t->c->low, 2) && near(t->c->high, 2) &&
		   t->c->p == 0, "is without doubt");
	free_table(t);
}

/* Few pairs that do not vary: the clock is coarse, not the matter certain. */
static void test_no_variation(void)
{
	const double twice[] = { 2, 2, 2, 2, 2, 0 };
	const double same[] = { 1, 1, 0 };
	const double other[] = { 2, 2, 1.5, 2, 2, 0 };
	struct table *t = make_pair(twice);
	const struct comparison *c = compare(t);

	is_verdict(c, VERDICT_NO_DIFFERENCE,
		   "no variation seen in so few rounds", "five times twice");
	ok(near(c->value, 2) && c->sd < 1e-9 && isnan(c->p) &&
		   isnan(c->p_adjusted) && isnan(c->low) && isnan(c->high),
	   "has a ratio, and neither interval nor p");
	run_at(t, 0, 0, 1)->mb_per_s *= 1 + 1e-12;
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "no variation",
		   "what is rounded is no variation");
	free_table(t);
	t = make_pair(same);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE, "p 1", "twice equal");
	free_table(t);
	t = make_pair(other);
	is_verdict(compare(t), VERDICT_FASTER, "", "some variation");
	free_table(t);
}

/* Runs that die are not missing at random. */
static void test_survivors(void)
{
	double ratios[13] = { 0 };
	struct table *t;
	size_t i;

	for (i = 0; i < 8; i++)
		ratios[i] = clear[i % 6];
	t = make_pair(ratios);
	is_verdict(compare(t), VERDICT_FASTER, "", "eight of eight rounds");
	run_at(t, 0, 3, 1)->end = RUN_STUCK;
	run_at(t, 0, 5, 1)->end = RUN_CLIENT_DIED;
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "2 of 8 rounds failed on loop", "two of them died");
	ok(t->c->pairs == 6 && t->c->value > 1.4 && !*t->c->remark,
	   "the others still have their ratio");
	run_at(t, 0, 3, 1)->end = RUN_RESERVE;
	run_at(t, 0, 5, 1)->end = RUN_COMPLETE;
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "1 of 8 rounds failed on loop", "the disk was full");
	run_at(t, 0, 3, 1)->end = RUN_COMPLETE;
	run_at(t, 0, 2, 0)->end = RUN_FAILED;
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "1 of 8 rounds failed on host", "the first target's too");
	run_at(t, 0, 2, 0)->end = RUN_COMPLETE;
	run_at(t, 0, 1, 1)->mb_per_s = NAN;
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "1 of 8 rounds on loop have no MB/s", "one without speed");
	run_at(t, 0, 1, 1)->end = RUN_INTERRUPTED;
	is_verdict(compare(t), VERDICT_FASTER, "", "one interrupted");
	is_str(t->c->remark, "7 of 8 rounds", "which is said");
	free_table(t);
}

static void test_holm(void)
{
	/* Holm by hand: 4 x .01, 3 x .013 -> .04 (not below), .06, .06 */
	double p[] = { 0.03, 0.01, NAN, 0.04, 0.013 };
	double big[] = { 0.9, 0.8 };
	double none[] = { NAN };

	holm_adjust(p, 5);
	ok(near(p[1], 0.04) && near(p[4], 0.04) && near(p[0], 0.06) &&
		   near(p[3], 0.06), "in steps, and never falling");
	ok(isnan(p[2]), "what has no p is not counted");
	holm_adjust(big, 2);
	ok(big[0] == 1 && big[1] == 1, "no more than 1");
	holm_adjust(none, 1);
	holm_adjust(none, 0);
	ok(isnan(none[0]), "nothing to adjust");
}

static void test_table(void)
{
	const double noise[] = { 1.4, 0.8, 1.1, 0.9, 1.2, 0.7 };
	/* p 0.0098: sure alone, and of two, but not of fourteen */
	const double some[] = { 1.02, 1.25, 1.12, 1.3, 1.07, 1.2 };
	struct table *t = make_table(COUNTS, TARGETS, 6);
	const struct comparison *c;

	set_ratios(t, 1, some);
	set_ratios(t, 2, noise);
	c = compare(t);
	is_int(t->n, 14, "seven counts, two targets beside the first");
	ok(c[0].clients == 1 && c[0].target == 1 && c[1].target == 2 &&
		   c[2].clients == 2 && c[13].clients == 64 &&
		   c[13].target == 2, "counts outside, targets inside");
	ok(near(c[0].p_adjusted, 14 * c[0].p), "adjusted over the table");
	ok(c[0].p < 0.05, "what would be sure alone");
	is_verdict(&c[0], VERDICT_NO_DIFFERENCE, " alone)", "is not, of many");
	for (size_t i = 0; i < t->s.nruns; i++)
		if (t->runs[i].clients > 1)
			t->runs[i].end = RUN_CLIENT_DIED;
	c = compare(t);
	ok(near(c[0].p_adjusted, 2 * c[0].p),
	   "over those that are comparable only");
	is_verdict(&c[0], VERDICT_FASTER, "", "of two it is");
	t->s.ntargets = 1;
	compare(t);
	is_int(t->n, 0, "one target, nothing to compare");
	free_table(t);
}

/* A cell without a result has a reason, and no numbers. */
static void is_refused(struct table *t, const char *why, const char *name)
{
	const struct comparison *c = compare(t);

	is_verdict(c, VERDICT_NOT_COMPARABLE, why, name);
	ok(isnan(c->value) && isnan(c->low) && isnan(c->high) &&
		   isnan(c->p) && isnan(c->p_adjusted) && isnan(c->sd) &&
		   !*c->remark, "no numbers then");
}

static void test_rounds(void)
{
	struct table *t = make_pair(clear);
	size_t i;

	run_at(t, 0, 0, 1)->end = RUN_INTERRUPTED;
	run_at(t, 0, 1, 0)->end = RUN_STUCK;
	run_at(t, 0, 2, 1)->mb_per_s = NAN;
	run_at(t, 0, 3, 1)->mb_per_s = 0;
	is_int(compare(t)->pairs, 2, "a pair has two good runs with a speed");
	ok(near(t->c->value, sqrt(1.42 * 1.48)), "the others add nothing");
	run_at(t, 0, 4, 0)->mb_per_s = INFINITY;
	run_at(t, 0, 5, 0)->mb_per_s = -1;
	is_refused(t, "no round in which both have a result (MB/s)", "no pair");
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->end = RUN_RESERVE;
	is_refused(t, "loop was cut short", "partial");
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 0)->end = RUN_FAILED;
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->end = RUN_COMPLETE;
	is_refused(t, "host failed", "failed, the first target too");
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 0)->clients = 99;
	is_refused(t, "host was not run", "not run");
	free_table(t);

	t = make_pair(clear);
	t->s.nruns -= 1;
	is_int(compare(t)->pairs, 5, "a plan that was not completed");
	is_verdict(t->c, VERDICT_FASTER, "", "which may have a winner");
	is_str(t->c->remark, "only 5 of 6 rounds", "and says so");
	run_at(t, 0, 4, 0)->end = RUN_INTERRUPTED;
	is_verdict(compare(t), VERDICT_FASTER, "", "a round cut short");
	is_str(t->c->remark, "only 4 of 6 rounds", "is one less");
	run_at(t, 0, 2, 1)->lost_errno = ENOSPC;
	is_refused(t, "loop lost data (ENOSPC)", "one round lost data");
	free_table(t);
}

static void test_volatile(void)
{
	struct table *t = make_pair(clear);

	t->targets[1].is_volatile = true;
	is_refused(t, "nothing on loop is durable", "one is volatile");
	t->targets[0].nchain = 1;
	strcpy(t->targets[0].chain[0].fs, "tmpfs");
	is_verdict(compare(t), VERDICT_FASTER, "", "both are");
	t->s.metric = METRIC_DURABLE;
	is_refused(t, "nothing on either is durable", "not by durable MB/s");
	t->s.metric = METRIC_MB;
	t->targets[1].is_volatile = false;
	is_refused(t, "nothing on host is durable", "the first is");
	free_table(t);
}

/* Every run of the second target executed READS and WRITES. */
static void set_second_mix(struct table *t, uint64_t reads, uint64_t writes)
{
	for (size_t i = 0; i < t->s.rounds; i++)
		set_mix(run_at(t, 0, i, 1), reads, writes);
}

static void test_mix(void)
{
	struct table *t = make_pair(clear);

	set_second_mix(t, 6000, 4000);
	is_verdict(compare(t), VERDICT_FASTER, "", "ten times as much of it");
	set_second_mix(t, 619, 381);
	is_verdict(compare(t), VERDICT_FASTER, "", "1.9 % of another kind");
	set_second_mix(t, 723, 277);
	is_refused(t, "operations differ: 12.3 % of them are of another kind"
		   " (slowest client: 3.5 passes)", "12.3 %");
	run_at(t, 0, 4, 0)->passes.min = 0.4;
	is_refused(t, "(slowest client got through 0.4 of the load file)",
		   "half a pass");
	/* what the rounds have in common counts, not each of them */
	set_second_mix(t, 600, 400);
	set_mix(run_at(t, 0, 0, 1), 660, 340);
	is_verdict(compare(t), VERDICT_FASTER, "", "one of six a bit off");
	set_mix(run_at(t, 0, 0, 1), 1000, 0);
	is_refused(t, "operations differ: 6.7 %", "one of six way off");
	run_at(t, 0, 0, 1)->end = RUN_INTERRUPTED;
	compare(t);
	is_verdict(t->c, VERDICT_FASTER, "", "rounds that do not count do not");
	free_table(t);
}

/* Durable MB/s are of warm-up and window, and so is the work behind them. */
static void test_mix_since_gate(void)
{
	struct table *t = make_pair(clear);

	for (size_t i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->ops[0].since_gate += 300;
	is_verdict(compare(t), VERDICT_FASTER, "", "a warm-up of other work");
	t->s.metric = METRIC_DURABLE;
	is_refused(t, "operations differ", "counts with durable MB/s");
	free_table(t);
}

static void test_mix_bytes(void)
{
	struct table *t = make_pair(clear);
	size_t i;

	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->totals.bytes_read = 640000;
	is_verdict(compare(t), VERDICT_FASTER, "", "bytes per op off by 4 %");
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->totals.bytes_read = 660000;
	is_refused(t, "bytes per operation differ: 1060.0 against 1000.0",
		   "6 % more");
	for (i = 0; i < 6; i++)
		run_at(t, 0, i, 1)->totals.bytes_read = 545000;
	is_refused(t, "bytes per operation differ: 945.0 against 1000.0",
		   "6 % less");
	for (i = 0; i < t->s.nruns; i++)
		t->runs[i].totals.bytes_read =
			t->runs[i].totals.bytes_written = 0;
	is_verdict(compare(t), VERDICT_FASTER, "", "no bytes on either side");
	free_table(t);
}

/* Target 2 is the first once more, and its rounds differ by NOISE. */
static void set_control(struct table *t, double noise)
{
	double ratios[] = { 1 + noise, 1 / (1 + noise), 1 + noise,
			    1 / (1 + noise), 1 + noise, 1 / (1 + noise) };

	t->s.has_aa = true;
	set_ratios(t, 2, ratios);
}

static void test_floor(void)
{
	const double broken[] = { 1.5, 1.5, 1.6, 1.5, 1.55, 1.5 };
	struct table *t = make_table(1, 3, 6);

	set_ratios(t, 1, clear);
	set_control(t, 0.1);
	is_verdict(compare(t), VERDICT_FASTER, "", "beyond a small noise");
	is_verdict(&t->c[1], VERDICT_NO_DIFFERENCE, "p 1", "A-A is equal");
	/* logarithms +-0.412, sd 0.4518, half width 2.5706 sd / sqrt(6) */
	set_control(t, 0.51);
	is_verdict(compare(t), VERDICT_NO_DIFFERENCE,
		   "within the A-A noise (60.6 %)", "within a large one");
	t->s.has_aa = false;
	is_verdict(compare(t), VERDICT_FASTER, "", "a target like others");
	t->s.has_aa = true;
	is_str(compare(t)->remark, "", "nothing to remark");
	for (size_t i = 1; i < 6; i++)
		run_at(t, 0, i, 2)->end = RUN_STUCK;
	is_verdict(compare(t), VERDICT_FASTER, "", "one A-A pair is no floor");
	is_str(t->c->remark, "no A-A floor", "which is said");
	is_str(t->c[1].remark, "", "not of the control itself");
	for (size_t i = 0; i < 6; i++)
		run_at(t, 0, i, 2)->end = RUN_STUCK;
	is_str(compare(t)->remark, "no A-A floor", "nor is a failed control");
	run_at(t, 0, 0, 2)->end = RUN_COMPLETE;
	for (size_t i = 1; i < 6; i++)
		run_at(t, 0, i, 2)->end = RUN_COMPLETE;
	set_ratios(t, 2, broken);
	is_verdict(&compare(t)[1], VERDICT_FASTER, "",
		   "a control that fails is seen");
	is_verdict(&t->c[0], VERDICT_NO_DIFFERENCE, "within the A-A noise",
		   "and raises the floor");
	free_table(t);
}

static void test_floor_is_of_its_count(void)
{
	struct table *t = make_table(2, 3, 6);
	const struct comparison *c;

	set_ratios(t, 1, clear);
	for (size_t i = 0; i < 6; i++)
		set_speed(run_at(t, 1, i, 1), 100 * clear[i]);
	set_control(t, 0.8);
	c = compare(t);
	is_verdict(&c[0], VERDICT_NO_DIFFERENCE, "within the A-A", "noise");
	is_verdict(&c[2], VERDICT_FASTER, "", "the other is judged by its own");
	free_table(t);
}

static void test_metric(void)
{
	struct table *t = make_table(1, 2, 1);
	struct session *s = &t->s;

	is_int(session_metric(s), METRIC_MB, "what was asked for");
	s->metric = METRIC_AUTO;
	is_int(session_metric(s), METRIC_DURABLE, "a load that writes");
	t->targets[0].is_volatile = true;
	is_int(session_metric(s), METRIC_DURABLE, "one that can be durable");
	t->targets[1].is_volatile = true;
	is_int(session_metric(s), METRIC_MB, "none that can");
	t->targets[1].is_volatile = false;
	s->load.bytes_written_per_pass = 0;
	is_int(session_metric(s), METRIC_MB, "a load that reads");
	s->load.bytes_read_per_pass = 0;
	is_int(session_metric(s), METRIC_OPS, "a load that moves nothing");
	s->load.bytes_read_per_pass = s->load.bytes_written_per_pass = 6;
	s->moves_nothing = true;
	is_int(session_metric(s), METRIC_OPS, "a backend that moves nothing");
	s->moves_nothing = false;
	is_str(metric_key(s, METRIC_PASS), "pass_seconds", "key of one pass");
	s->pass_mode = true;
	is_int(session_metric(s), METRIC_PASS, "-p");
	is_int(compare(t)->metric, METRIC_PASS, "a comparison tells it");
	is_str(metric_key(s, METRIC_DURABLE), "durable_mb_per_s", "key");
	is_str(metric_title(s, METRIC_OPS), "operations/s", "title");
	is_str(metric_key(s, METRIC_PASS), "last_done_seconds",
	       "-p has all of them");
	is_str(metric_title(s, METRIC_PASS), "time of all passes", "titled");
	free_table(t);
}

/* What cannot be measured is no basis, even if it was asked for. */
static void test_no_bytes(void)
{
	struct table *t = make_pair(clear);

	t->s.moves_nothing = true;
	is_refused(t, "no MB/s: the backend moves no bytes", "null backend");
	t->s.metric = METRIC_DURABLE;
	is_refused(t, "no durable MB/s: the backend moves no bytes", "durable");
	t->s.metric = METRIC_OPS;
	is_verdict(compare(t), VERDICT_FASTER, "", "by operations");
	t->s.metric = METRIC_AUTO;
	is_verdict(compare(t), VERDICT_FASTER, "", "which is the default");
	t->s.moves_nothing = false;
	t->s.metric = METRIC_MB;
	t->s.load.bytes_read_per_pass = t->s.load.bytes_written_per_pass = 0;
	is_refused(t, "no MB/s: the load moves no bytes", "a load");
	free_table(t);
}

static void test_speed(void)
{
	struct session s = { .passes = 5 };
	struct run_result run = {
		.mb_per_s = 1, .durable_mb_per_s = 2, .ops_per_s = 3,
		.pass_p50_seconds = 4, .seconds = 10,
		.last_done_seconds = 20,
	};

	ok(run_speed(&s, &run, METRIC_MB) == 1 &&
		   run_speed(&s, &run, METRIC_DURABLE) == 2 &&
		   run_speed(&s, &run, METRIC_OPS) == 3, "rates are speeds");
	ok(run_speed(&s, &run, METRIC_PASS) == 0.25, "time of a pass");
	run.pass_p50_seconds = NAN;
	ok(isnan(run_speed(&s, &run, METRIC_PASS)), "no pass, no speed");
	run.pass_p50_seconds = 0;
	ok(isnan(run_speed(&s, &run, METRIC_PASS)), "nor one of no time");
	s.pass_mode = true;
	ok(run_speed(&s, &run, METRIC_PASS) == 0.25, "-p: until the end");
	run.last_done_seconds = NAN;
	ok(run_speed(&s, &run, METRIC_PASS) == 0.5, "-p: else of the run");
	run.seconds = NAN;
	ok(isnan(run_speed(&s, &run, METRIC_PASS)), "-p: or unknown");
	ok(isnan(run_speed(&s, &run, METRIC_AUTO)), "auto is no metric");
}

/* The oddities of the first cell. */
static struct oddities find_odd(struct table *t)
{
	compare(t);
	return t->ev.cells[0].odd;
}

static void test_oddities(void)
{
	static const double speeds[] = { 50, 100, 101, 99, 160, 102, 98, 100 };
	struct table *t = make_table(1, 1, 8);
	struct oddities odd;
	size_t i;

	for (i = 0; i < 8; i++)
		set_speed(run_at(t, 0, i, 0), speeds[i]);
	odd = find_odd(t);
	ok(odd.noutliers == 2 && odd.outliers[0] == 1 && odd.outliers[1] == 5,
	   "rounds 1 and 5 (median 100, MAD 1.5)");
	ok(odd.first_slow, "the first was slow");
	set_speed(run_at(t, 0, 0, 0), 150);
	odd = find_odd(t);
	ok(odd.noutliers == 2 && !odd.first_slow, "an odd first that was fast");
	run_at(t, 0, 0, 0)->end = RUN_STUCK;
	run_at(t, 0, 4, 0)->mb_per_s = NAN;
	odd = find_odd(t);
	ok(!odd.noutliers && !odd.first_slow, "only rounds with a result");
	t->counts[0] = 2;
	odd = find_odd(t);
	is_int(odd.noutliers, 0, "a cell that was not run");
	t->counts[0] = 1;
	run_at(t, 0, 0, 0)->end = RUN_COMPLETE;
	for (i = 0; i < 8; i++)
		set_speed(run_at(t, 0, i, 0), i ? 100 : 1);
	odd = find_odd(t);
	is_int(odd.noutliers, 0, "a MAD of 0 has none");
	for (i = 0; i < 8; i++)
		set_speed(run_at(t, 0, i, 0), speeds[i]);
	t->s.nruns = 5;
	odd = find_odd(t);
	is_int(odd.noutliers, 2, "five rounds have");
	t->s.nruns = 4;
	odd = find_odd(t);
	is_int(odd.noutliers, 0, "nor have four rounds");
	free_table(t);
}

/* -- the cells ------------------------------------------------------------ */

#define MANY_COUNTS 64
#define MANY_TARGETS 7
#define MANY_ROUNDS 100
#define MANY_RUNS (MANY_COUNTS * MANY_TARGETS * MANY_ROUNDS)

/* As many runs as anybody will ever make, in the order of rounds. */
static void fill_many(struct session *s, const struct run_result *model)
{
	for (size_t i = 0; i < MANY_RUNS; i++) {
		struct run_result *run = &s->runs[i];

		*run = *model;
		run->round = (unsigned)(i / (MANY_COUNTS * MANY_TARGETS)) + 1;
		run->clients = s->counts[i / MANY_TARGETS % MANY_COUNTS];
		run->target = (unsigned)(i % MANY_TARGETS);
		set_speed(run, 100 + (double)(i % 13));
	}
}

/* No time is asserted; where each cell looks at all runs this takes minutes. */
static void test_large(void)
{
	struct table *t = make_table(1, 2, 1);
	struct target_info targets[MANY_TARGETS] = { { .name = "a" } };
	unsigned counts[MANY_COUNTS];
	struct evaluation ev;
	bool good = true;

	t->s.targets = targets;
	t->s.ntargets = MANY_TARGETS;
	t->s.counts = counts;
	t->s.ncounts = MANY_COUNTS;
	t->s.rounds = MANY_ROUNDS;
	t->s.nruns = MANY_RUNS;
	t->s.runs = mem_zalloc(MANY_RUNS, sizeof(*t->s.runs));
	for (unsigned i = 0; i < MANY_COUNTS; i++)
		counts[i] = MANY_COUNTS - i;
	for (size_t i = 0; i < MANY_TARGETS; i++)
		targets[i].name = "x";
	fill_many(&t->s, &t->runs[0]);
	session_evaluate(&t->s, &ev);
	is_int(ev.n, MANY_COUNTS * (MANY_TARGETS - 1), "all comparisons");
	for (size_t i = 0; i < ev.ncells; i++)
		good = good && ev.cells[i].nruns == MANY_ROUNDS &&
		       ev.cells[i].sum.n == MANY_ROUNDS &&
		       ev.cells[i].runs[99]->round == 100;
	for (size_t i = 0; i < ev.n; i++)
		good = good && ev.list[i].pairs == MANY_ROUNDS;
	ok(good, "every cell has its runs, by round");
	ok(evaluation_find(&ev, evaluation_cell(&ev, 3, 2)) ==
			   &ev.list[3 * (MANY_TARGETS - 1) + 1] &&
		   !evaluation_find(&ev, evaluation_cell(&ev, 3, 0)),
	   "a cell finds its comparison");
	evaluation_done(&ev);
	free(t->s.runs);
	free_table(t);
}

/* -- chance --------------------------------------------------------------- */

/* A normal number, by Box and Muller. */
static double draw_normal(struct rng *rng)
{
	double u = ((double)(rng_next(rng) >> 11) + 1) * 0x1p-53;
	double v = (double)(rng_next(rng) >> 11) * 0x1p-53;

	return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/*
 * The share of SAMPLES tables in which some target is called different, where
 * speeds are log-normal with deviation SD, and those of the targets but the
 * first EFFECT times as high.
 */
static double share_of_claims(struct table *t, unsigned samples, double sd,
			      double effect)
{
	struct rng rng;
	unsigned claims = 0;

	rng_init(&rng, 20140301, samples);
	for (unsigned i = 0; i < samples; i++) {
		bool claimed = false;

		for (size_t j = 0; j < t->s.nruns; j++)
			set_speed(&t->runs[j],
				  (t->runs[j].target ? 100 * effect : 100) *
					  exp(sd * draw_normal(&rng)));
		compare(t);
		for (size_t j = 0; j < t->n; j++)
			claimed = claimed ||
				  t->c[j].verdict == VERDICT_FASTER ||
				  t->c[j].verdict == VERDICT_SLOWER;
		claims += claimed;
	}
	return (double)claims / samples;
}

static void test_chance(void)
{
	struct table *t = make_table(1, 2, 6);
	double share;

	share = share_of_claims(t, 2000, 0.14, 1);
	ok(share <= 0.05, "equal targets: %.1f %% of 2000 claim a difference",
	   100 * share);
	/*
	 * The deviation of a pair is that of its runs times sqrt(2).  What
	 * is missed has a round that points the other way.
	 */
	share = share_of_claims(t, 1000, 0.10 / sqrt(2), 0.8);
	ok(share >= 0.90, "20 %% slower, pairs by 0.10: %.1f %% of 1000 found",
	   100 * share);
	free_table(t);
	t = make_table(COUNTS, TARGETS, 6);
	share = share_of_claims(t, 1000, 0.14, 1);
	ok(share <= 0.05, "14 comparisons of equals: %.1f %% of 1000 tables",
	   100 * share);
	t->s.has_aa = true;
	share = share_of_claims(t, 300, 0.14, 1);
	ok(share <= 0.05, "with a control: %.1f %% of 300 tables",
	   100 * share);
	free_table(t);
}

int main(void)
{
	test_numbers();
	test_claims();
	test_identical();
	test_no_variation();
	test_survivors();
	test_holm();
	test_table();
	test_rounds();
	test_volatile();
	test_mix();
	test_mix_since_gate();
	test_mix_bytes();
	test_floor();
	test_floor_is_of_its_count();
	test_metric();
	test_no_bytes();
	test_large();
	test_speed();
	test_oddities();
	test_chance();
	return done_testing();
}
