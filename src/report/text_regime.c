/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What bound the runs: memory, the throttling of writers, or the disk.  One
 * line where it was the same everywhere, else a line per target: a ratio of
 * a run that measured memory and one that measured a disk is no ratio of
 * disks.
 */
#include "report/text.h"

#include "base/cleanup.h"
#include "base/macro.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/fmt.h"

#define REGIMES_NR (REGIME_DISK + 1)

static const struct {
	const char *name, *meaning;
} regimes[REGIMES_NR] = {
	[REGIME_UNKNOWN] = { "unknown",
			     "the disk below cannot be seen" },
	[REGIME_CACHED] = { "cached",
			    "what was written went to the page cache" },
	[REGIME_THROTTLED] = { "throttled",
			       "so much was dirty that writers had to wait" },
	[REGIME_DISK] = { "disk", "the disk below was busy" },
};

/* The regimes of the rounds of one cell that have a result, as bits. */
static unsigned find_regimes(const struct session *s, unsigned clients,
			     unsigned target)
{
	unsigned bits = 0;

	for (size_t i = 0; i < s->nruns; i++) {
		const struct run_result *run = &s->runs[i];

		if (run->clients == clients && run->target == target &&
		    run_judge(s, run) != RUN_BAD)
			bits |= 1U << run->regime;
	}
	return bits;
}

static void print_bits(unsigned bits, FILE *out)
{
	const char *between = "";

	for (size_t i = 0; i < REGIMES_NR; i++) {
		if (!(bits & 1U << i))
			continue;
		fprintf(out, "%s%s", between, regimes[i].name);
		between = "/";
	}
}

/* "cached 1 2 4; disk 8": counts with the same regimes stand together. */
static void print_target(const struct session *s, unsigned target, FILE *out)
{
	autofree char *name = escape_text(s->targets[target].name);
	unsigned last = 0;

	fprintf(out, "  %s:", name);
	for (size_t c = 0; c < s->ncounts; c++) {
		unsigned bits = find_regimes(s, s->counts[c], target);

		if (!bits)
			continue;
		if (bits != last) {
			fputs(last ? "; " : " ", out);
			print_bits(bits, out);
		}
		fprintf(out, " %u", s->counts[c]);
		last = bits;
	}
	fputs(last ? "\n" : " no result\n", out);
}

static unsigned find_all(const struct session *s)
{
	unsigned bits = 0;

	for (size_t c = 0; c < s->ncounts; c++)
		for (unsigned t = 0; t < s->ntargets; t++)
			bits |= find_regimes(s, s->counts[c], t);
	return bits;
}

/* The most that was dirty in any run. */
static uint64_t find_peak(const struct session *s)
{
	uint64_t peak = 0;

	for (size_t i = 0; i < s->nruns; i++)
		peak = MAX_OF(peak, s->runs[i].peak_dirty_bytes);
	return peak;
}

static void print_peak(const struct session *s, FILE *out)
{
	uint64_t peak = find_peak(s);
	char text[FMT_SIZE];

	if (peak)
		fprintf(out, "; at most %s were dirty",
			units_bytes(peak, text, sizeof(text)));
}

void text_regimes(const struct session *s, FILE *out)
{
	unsigned bits = find_all(s);

	if (!bits || !s->targets[0].nchain)
		return; /* no result, or the null backend */
	for (size_t i = 0; i < REGIMES_NR; i++) {
		if (bits != 1U << i)
			continue;
		fprintf(out, "- regime %s: %s", regimes[i].name,
			regimes[i].meaning);
		print_peak(s, out);
		fputs("\n", out);
		return;
	}
	fputs("- regimes differ, by client count", out);
	print_peak(s, out);
	fputs(":\n", out);
	for (unsigned t = 0; t < s->ntargets; t++)
		print_target(s, t, out);
}
