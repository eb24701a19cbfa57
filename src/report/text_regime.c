/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What bound the runs: memory, the throttling of writers, or the disk.  One
 * line where it was the same everywhere, else targets line by line: a ratio of
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
static unsigned find_regimes(const struct session *s, const struct cell *cell)
{
	unsigned bits = 0;

	for (size_t i = 0; i < cell->nruns; i++)
		if (run_judge(s, cell->runs[i]) != RUN_BAD)
			bits |= 1U << cell->runs[i]->regime;
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
static void print_counts(const struct evaluation *ev, size_t target, FILE *out)
{
	unsigned last = 0;

	for (size_t c = 0; c < ev->s->ncounts; c++) {
		const struct cell *cell = evaluation_cell(ev, c, target);
		unsigned bits = find_regimes(ev->s, cell);

		if (!bits)
			continue;
		if (bits != last) {
			fputs(last ? "; " : " ", out);
			print_bits(bits, out);
		}
		fprintf(out, " %u", cell->clients);
		last = bits;
	}
	fputs(last ? "\n" : " no result\n", out);
}

/* The same at every client count. */
static bool is_alike(const struct evaluation *ev, size_t a, size_t b)
{
	for (size_t c = 0; c < ev->s->ncounts; c++)
		if (find_regimes(ev->s, evaluation_cell(ev, c, a)) !=
		    find_regimes(ev->s, evaluation_cell(ev, c, b)))
			return false;
	return true;
}

/* A line for TARGET and those like it, unless it was in one before. */
static void print_targets(const struct evaluation *ev, size_t target,
			  FILE *out)
{
	for (size_t t = 0; t < target; t++)
		if (is_alike(ev, t, target))
			return;
	for (size_t t = target; t < ev->s->ntargets; t++) {
		autofree char *name = escape_text(ev->s->targets[t].name);

		if (is_alike(ev, t, target))
			fprintf(out, "%s%s", t == target ? "  " : ", ", name);
	}
	fputs(":", out);
	print_counts(ev, target, out);
}

static unsigned find_all(const struct evaluation *ev)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ev->ncells; i++)
		bits |= find_regimes(ev->s, &ev->cells[i]);
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

void text_regimes(const struct evaluation *ev, FILE *out)
{
	const struct session *s = ev->s;
	unsigned bits = find_all(ev);

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
	for (size_t t = 0; t < s->ntargets; t++)
		print_targets(ev, t, out);
}
