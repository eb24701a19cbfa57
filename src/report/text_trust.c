/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What bears on whether the numbers may be believed.  Worst cases over the
 * runs are named with the run they are from; what differs between cells is
 * said cell by cell.
 */
#include "report/text.h"

#include <math.h>
#include <string.h>

#include "base/cleanup.h"
#include "report/escape.h"
#include "report/fmt.h"
#include "stats/compare.h"

#define CELLS_SHOWN 8
#define DISTURBED_SHOWN 3 /* runs one by one; more are summed up */

/* METHOD A2 and A19: beyond these the numbers are touched by ourselves. */
#define SKEW_SHARE_MAX 0.01
#define DRIVER_SHARE_MAX 0.05

/* The run in which the double at OFFSET is largest; NULL: all unknown. */
static const struct run_result *find_worst(const struct session *s,
					   size_t offset, double *out)
{
	const struct run_result *worst = NULL;

	*out = NAN;
	for (size_t i = 0; i < s->nruns; i++) {
		double v;

		memcpy(&v, (const char *)&s->runs[i] + offset, sizeof(v));
		if (run_judge(s, &s->runs[i]) == RUN_BAD || !isfinite(v) ||
		    (worst && v < *out))
			continue;
		worst = &s->runs[i];
		*out = v;
	}
	return worst;
}

#define WORST(s, member, out)                                                 \
	find_worst(s, offsetof(struct run_result, member), out)

static void note_lag(const struct session *s, FILE *out)
{
	char p50[FMT_SIZE], p99[FMT_SIZE], max[FMT_SIZE];
	const struct run_result *run;
	double worst;

	run = WORST(s, lag_max_us, &worst);
	if (!run)
		return;
	fprintf(out,
		"- schedule: %llu operations were due before their client got "
		"to them; all\n  scheduled ones started %s (median), %s "
		"(p99), %s (max) after their time (",
		(unsigned long long)run->late_ops,
		fmt_us(run->lag_p50_us, p50, sizeof(p50)),
		fmt_us(run->lag_p99_us, p99, sizeof(p99)),
		fmt_us(worst, max, sizeof(max)));
	text_run_name(s, run, out);
	fputs(")\n", out);
}

static void note_skew(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, start_skew_us, &worst);
	if (!run || run->clients < 2)
		return;
	fprintf(out, "- the clients started within %s of each other (",
		fmt_us(worst, text, sizeof(text)));
	text_run_name(s, run, out);
	fprintf(out, ")%s\n",
		worst / 1e6 > run->seconds * SKEW_SHARE_MAX ?
			": too far apart for so short a run" :
			"");
}

static void note_sync_time(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, sync_seconds, &worst);
	if (!run)
		return;
	fprintf(out, "- the closing sync took up to %s (",
		fmt_us(worst * 1e6, text, sizeof(text)));
	text_run_name(s, run, out);
	fputs(")\n", out);
}

/* The memory that TARGET stands on, or NULL: something else is volatile. */
static const char *find_memory(const struct target_info *target)
{
	for (size_t i = 0; i < target->nchain; i++)
		if (chain_is_memory(&target->chain[i]))
			return target->chain[i].fs;
	return NULL;
}

static void note_volatile(const struct session *s, FILE *out)
{
	for (size_t t = 0; t < s->ntargets; t++) {
		autofree char *name = escape_text(s->targets[t].name);
		const char *memory = find_memory(&s->targets[t]);

		if (!target_is_volatile(&s->targets[t]))
			continue;
		fprintf(out, "- nothing%s%s is durable: %s%s\n",
			s->ntargets > 1 ? " on " : "",
			s->ntargets > 1 ? name : "", memory ? memory : "",
			memory ? " is memory"
			       : "it is mounted volatile, syncs do nothing");
	}
}

/* How long layouts took; a plain directory has none. */
static void note_setup(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, setup_seconds, &worst);
	if (!run)
		return;
	fprintf(out, "- set-up of a layout took up to %s (",
		fmt_us(worst * 1e6, text, sizeof(text)));
	text_run_name(s, run, out);
	run = WORST(s, teardown_seconds, &worst);
	if (run) {
		fprintf(out, "), tear-down up to %s (",
			fmt_us(worst * 1e6, text, sizeof(text)));
		text_run_name(s, run, out);
	}
	fputs(")\n", out);
}

/* How many runs have a result, and how quiet those were. */
struct quiet {
	unsigned runs, disturbed, unknown;
};

static void count_quiet(const struct session *s, struct quiet *out)
{
	*out = (struct quiet){ 0 };
	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (run_judge(s, run) == RUN_BAD)
			continue;
		out->runs++;
		out->disturbed += run_disturbed(run);
		out->unknown += !run_disturbed(run) && !run->disturbance.known;
	}
}

/* Those that were disturbed have been named. */
static void note_quiet(const struct session *s, FILE *out)
{
	struct quiet quiet;

	count_quiet(s, &quiet);
	if (quiet.unknown)
		fprintf(out,
			"- disturbance unknown for %u of %u runs: other "
			"processes cannot be seen well enough\n",
			quiet.unknown, quiet.runs);
	else if (quiet.runs && !quiet.disturbed)
		fputs("- undisturbed: others hardly used the machine\n", out);
}

/* One thing that disturbs, as a number per second of a run. */
struct cause {
	double (*rate)(const struct session *s, const struct run_result *run);
	double least; /* more than that is told */
	const char *before, *after;
	double scale;
};

static double cpu_rate(const struct session *s, const struct run_result *run)
{
	(void)s;
	return run->disturbance.cpu_seconds / run->seconds;
}

static double byte_rate(const struct session *s, const struct run_result *run)
{
	(void)s;
	return (run->disturbance.read_bytes + run->disturbance.written_bytes) /
	       run->seconds;
}

static double steal_share(const struct session *s,
			  const struct run_result *run)
{
	return run->disturbance.steal_seconds / run->seconds / s->host.cpus;
}

static double stall_seconds(const struct session *s,
			    const struct run_result *run)
{
	(void)s;
	return run->stalled_seconds;
}

/* The worst of one cause, with the run; whether there is something to say. */
static bool print_cause(const struct session *s, const struct cause *cause,
			const char *between, FILE *out)
{
	const struct run_result *worst = NULL;
	char text[FMT_SIZE];

	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];
		double v = cause->rate(s, run);

		if (run_judge(s, run) != RUN_BAD && isfinite(v) &&
		    v > (worst ? cause->rate(s, worst) : cause->least))
			worst = run;
	}
	if (!worst)
		return false;
	fprintf(out, "%s%s up to %s%s (", between, cause->before,
		fmt_ratio(cause->rate(s, worst) * cause->scale, text,
			  sizeof(text)), cause->after);
	text_run_name(s, worst, out);
	fputs(")", out);
	return true;
}

/* What disturbed many runs, each cause where it was worst. */
static void print_causes(const struct session *s, FILE *out)
{
	static const struct cause causes[] = {
		{ cpu_rate, DISTURB_CPUS, "other processes used", " CPUs",
		  1 },
		{ byte_rate, DISTURB_BYTES_PER_S, "other processes moved",
		  " MB/s", 1e-6 },
		{ steal_share, DISTURB_STEAL_SHARE, "the hypervisor took",
		  " % of the time", 100 },
		{ stall_seconds, 0, "nothing ran for", " s", 1 },
	};
	bool any = false;

	for (size_t i = 0; i < ARRAY_SIZE(causes); i++)
		any |= print_cause(s, &causes[i], any ? ",\n  " : ": ", out);
	fputs("\n", out);
}

static void print_disturbed(const struct session *s,
			    const struct run_result *run, FILE *out)
{
	autofree char *why = escape_text(run->disturbance.why);

	if (!run->disturbance.disturbed || run_judge(s, run) == RUN_BAD)
		return;
	fputs("- ", out);
	text_run_name(s, run, out);
	fprintf(out, ": disturbed%s%s\n", why[0] ? ": " : "", why);
}

static void note_stall(const struct session *s, FILE *out)
{
	const struct run_result *run;
	char text[FMT_SIZE];
	double worst;

	run = WORST(s, stalled_seconds, &worst);
	if (!run || worst <= 0)
		return;
	fprintf(out, "- disturbed: for %s nothing could watch the clients (",
		fmt_us(worst * 1e6, text, sizeof(text)));
	text_run_name(s, run, out);
	fputs("): all\n  were stopped, or the machine was; these numbers are "
	      "too low\n",
	      out);
}

void text_disturbed(const struct session *s, FILE *out)
{
	struct quiet quiet;

	count_quiet(s, &quiet);
	if (quiet.disturbed > DISTURBED_SHOWN) {
		fprintf(out, "- %u of %u runs were disturbed", quiet.disturbed,
			quiet.runs);
		print_causes(s, out);
	}
	for (size_t i = 0;
	     i < s->nruns && quiet.disturbed <= DISTURBED_SHOWN; i++)
		print_disturbed(s, &s->runs[i], out);
	note_stall(s, out);
}

static void note_driver(const struct session *s, FILE *out)
{
	char text[FMT_SIZE];
	double worst;

	if (!WORST(s, driver_share, &worst))
		return;
	fprintf(out,
		"- the driver itself is about %s %% of the clients' CPU "
		"time%s\n",
		fmt_percent(worst, text, sizeof(text)),
		worst > DRIVER_SHARE_MAX ?
			": it shows in these numbers" : "");
}

static void note_pass(const struct session *s, FILE *out)
{
	bool marked = false;

	if (s->pass_mode)
		return;
	for (size_t i = 0; i < s->nruns; i++)
		marked = marked || (run_judge(s, &s->runs[i]) != RUN_BAD &&
				    s->runs[i].passes.min < 1);
	if (marked)
		fputs("- <1 pass: the slowest client did not get through the "
		      "load file once; unless\n  the load is even throughout, "
		      "such a row did other work than the others\n", out);
}

static void note_cold(const struct session *s, FILE *out)
{
	autofree char *how = escape_text(s->cold_how);

	if (s->cold)
		fprintf(out,
			"- cold: before each run caches were dropped%s%s\n",
			how[0] ? ": " : "", how);
}

static void print_outliers(const struct oddities *odd, FILE *out)
{
	size_t listed = MIN_OF(odd->noutliers, ARRAY_SIZE(odd->outliers));

	fprintf(out, ": round%s", odd->noutliers == 1 ? "" : "s");
	for (size_t i = 0; i < listed; i++)
		fprintf(out, " %u", odd->outliers[i]);
	if (odd->noutliers > listed)
		fprintf(out, " and %zu more", odd->noutliers - listed);
	fprintf(out, " far from the others (counted all the same)%s\n",
		odd->first_slow ? "; the first round was slow" : "");
}

/* Rounds of a cell that stand out. */
static void note_oddities(const struct evaluation *ev, FILE *out)
{
	unsigned found = 0;

	for (size_t i = 0; i < ev->ncells; i++) {
		const struct cell *cell = &ev->cells[i];

		if (!cell->odd.noutliers || found++ >= CELLS_SHOWN)
			continue;
		fputs("- ", out);
		text_cell_name(ev->s, cell->clients, cell->target, out);
		print_outliers(&cell->odd, out);
	}
	if (found > CELLS_SHOWN)
		fprintf(out, "  and %u more like this\n", found - CELLS_SHOWN);
}

/* What the first target came out at against itself. */
struct floor {
	double min, max;                /* of the ratios; NAN: none */
	const struct comparison *widest; /* interval */
	const struct comparison *claim; /* one with a winner, which is wrong */
};

static bool is_wider(const struct comparison *a, const struct comparison *b)
{
	double reach = comparison_reach(a);

	return isfinite(reach) && (!b || reach > comparison_reach(b));
}

static void find_floor(const struct evaluation *ev, struct floor *out)
{
	*out = (struct floor){ .min = NAN, .max = NAN };
	for (size_t i = 0; i < ev->n; i++) {
		const struct comparison *cmp = &ev->list[i];

		if (cmp->target + 1 != ev->s->ntargets)
			continue;
		out->min = fmin(out->min, cmp->value);
		out->max = fmax(out->max, cmp->value);
		if (is_wider(cmp, out->widest))
			out->widest = cmp;
		if (cmp->verdict == VERDICT_FASTER ||
		    cmp->verdict == VERDICT_SLOWER)
			out->claim = cmp;
	}
}

static void print_floor(const struct floor *floor, FILE *out)
{
	char a[FMT_SIZE], b[FMT_SIZE];

	if (!isfinite(floor->min)) {
		fputs(":\n  unknown, no rounds can be paired\n", out);
		return;
	}
	fprintf(out, "\n  came out at x%s..x%s",
		fmt_ratio(floor->min, a, sizeof(a)),
		fmt_ratio(floor->max, b, sizeof(b)));
	if (floor->widest)
		fprintf(out, ", widest interval %s..%s with %u client%s",
			fmt_ratio(floor->widest->low, a, sizeof(a)),
			fmt_ratio(floor->widest->high, b, sizeof(b)),
			floor->widest->clients,
			floor->widest->clients == 1 ? "" : "s");
	fputs("\n", out);
	if (floor->claim)
		fprintf(out,
			"- A-A failed: with %u client%s the first target is "
			"'%s' than itself; believe no\n  verdict of that "
			"size\n",
			floor->claim->clients,
			floor->claim->clients == 1 ? "" : "s",
			verdict_name(floor->claim->verdict));
}

static void note_aa(const struct evaluation *ev, FILE *out)
{
	autofree char *name = escape_text(ev->s->targets[0].name);
	struct floor floor;

	if (!ev->s->has_aa)
		return;
	find_floor(ev, &floor);
	fprintf(out, "- A-A floor, below which differences are noise: %s "
		     "against itself",
		name);
	print_floor(&floor, out);
}

static void note_rounds(const struct session *s, FILE *out)
{
	if (s->ntargets == 1 && s->rounds < 2)
		fputs("- one round: how much the numbers vary is unknown "
		      "(--rounds)\n", out);
	else if (s->ntargets > 1 && s->rounds < COMPARE_PAIRS_GOOD)
		fprintf(out,
			"- only %u round%s: fewer than %d show large "
			"differences at best (--rounds)\n",
			s->rounds, s->rounds == 1 ? "" : "s",
			COMPARE_PAIRS_GOOD);
}

void text_trust(const struct evaluation *ev, FILE *out)
{
	const struct session *s = ev->s;

	note_pass(s, out);
	note_oddities(ev, out);
	note_aa(ev, out);
	note_volatile(s, out);
	note_quiet(s, out);
	note_lag(s, out);
	note_skew(s, out);
	note_cold(s, out);
	note_setup(s, out);
	note_sync_time(s, out);
	text_regimes(ev, out);
	note_driver(s, out);
	fputs("- durability unknown: whether synced data is on the disk was "
	      "not examined\n", out);
	note_rounds(s, out);
}
