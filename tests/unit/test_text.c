/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readable report: a failed run never looks like a slow one, marks and
 * notes say what is wrong, several targets are compared, and it stays a plain
 * table.
 */
#include <errno.h>
#include <locale.h>

#include "report/escape.h"
#include "report/fmt.h"
#include "sample_session.h"
#include "tap.h"

#define NO_OPTS (&(const struct report_opts){ 0 })

/* The line of the main table that begins with CLIENTS; freed by the caller. */
static char *find_row(const char *text, unsigned clients)
{
	const char *line = strstr(text, "Clients ");
	autofree char *key = mem_printf("%7u ", clients);

	while (line && *line && *line != '\n') {
		const char *end = strchrnul(line, '\n');

		if (strncmp(line, key, strlen(key)) == 0)
			return mem_strndup(line, (size_t)(end - line));
		line = *end ? end + 1 : end;
	}
	return mem_strdup("");
}

/* The first line that begins with START; freed by the caller. */
static char *find_line(const char *text, const char *start)
{
	autofree char *key = mem_printf("\n%s", start);
	const char *line = strstr(text, key);

	return line ? mem_strndup(line + 1, strcspn(line + 1, "\n")) :
		      mem_strdup("");
}

static bool has(const char *text, const char *part)
{
	return strstr(text, part) != NULL;
}

static size_t longest_line(const char *text)
{
	size_t longest = 0;

	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");

		longest = MAX_OF(longest, len);
		p += len + (p[len] == '\n');
	}
	return longest;
}

static bool is_plain(const char *text)
{
	for (; *text; text++) {
		if (*text != '\n' && (*text < ' ' || *text > '~'))
			return false;
	}
	return true;
}

static void test_good(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill(&x);
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 4);
	ok(has(row, " 995.2 ") && has(row, " 938.0 ") && has(row, " 180000 "),
	   "the numbers are in the row: %s", row);
	ok(has(text, "client.txt") && has(text, "1.47 GB read") &&
		   has(text, "5553 fsyncs"), "what was run");
	ok(has(text, "/vz: ext4 on /dev/sda1"), "where");
	ok(has(text, "2 s warm-up, then 10 s measured") &&
		   has(text, "seed 12345"), "how");
	ok(has(text, "clients  1 2 4\n"), "the list, expanded");
	ok(has(text, "Operations with 4 clients") &&
		   !has(text, "Operations with 2 clients"),
	   "the operations of the last row");
	ok(has(text, "1.2 % of the clients' CPU time"), "the driver's share");
	ok(has(text, "within 210us") && has(text, "(4 clients)"), "the skew");
	ok(has(text, "durability unknown"), "no silence about durability");
	ok(!has(text, "min..max"), "no range over one round");
	ok(longest_line(text) <= 100, "fits 100 columns: %zu",
	   longest_line(text));
	ok(is_plain(text), "is plain ASCII");
	ok(!has(text, " \n"), "no blanks at the ends of lines");
	sample_done(&x);
}

static void test_failed(void)
{
	autofree char *text = NULL, *one = NULL, *two = NULL, *four = NULL;
	struct sample x;

	sample_fill(&x);
	run_result_done(&x.runs[0]);
	x.runs[0] = (struct run_result){ .clients = 1, .end = RUN_FAILED,
					 .reason = "no space for this" };
	x.runs[1].end = RUN_CLIENT_DIED;
	(void)strcpy(x.runs[1].reason, "client 1 was killed by signal 9");
	x.runs[1].mb_per_s = 0;
	x.runs[2].totals = (struct totals){ .ops = 5, .errors = 5 };
	x.runs[2].mb_per_s = 0;
	text = sample_print(&x, report_text, NO_OPTS);
	one = find_row(text, 1);
	two = find_row(text, 2);
	four = find_row(text, 4);
	ok(has(one, "failed") && has(one, "not set up"), "not set up: %s", one);
	ok(has(two, "failed") && has(two, "client died"), "died: %s", two);
	ok(has(four, "failed") && has(four, "nothing worked"),
	   "nothing worked: %s", four);
	ok(!has(one, "0.0") && !has(two, "0.0") && !has(four, "0.0") &&
		   !has(two, " 0 ") && !has(two, "497.6"),
	   "there is no number, least of all 0");
	ok(has(text, "1 client: failed: no space for this") &&
		   has(text, "2 clients: failed: client 1 was killed") &&
		   has(text, "4 clients: failed: not a byte was read"),
	   "the notes say why");
	ok(!has(text, "Operations"), "no details of what failed");
	sample_done(&x);
}

static void test_marks(void)
{
	autofree char *text = NULL, *one = NULL, *two = NULL, *four = NULL;
	struct sample x;

	sample_fill(&x);
	x.runs[0].passes.min = 0.4;
	x.runs[1].end = RUN_INTERRUPTED;
	(void)strcpy(x.runs[1].reason, "interrupted by SIGINT");
	x.runs[2].totals.errors = 12;
	x.runs[2].first_error = (struct first_error){
		.set = true, .where = "client.txt:17", .op = "WriteX",
		.path = "a\x1b[31m", .expected = "4096 bytes",
		.actual = "ENOSPC", .client = 3,
	};
	text = sample_print(&x, report_text, NO_OPTS);
	one = find_row(text, 1);
	two = find_row(text, 2);
	four = find_row(text, 4);
	ok(has(one, "248.8 ") && has(one, "<1 pass"), "<1 pass: %s", one);
	ok(has(two, "497.6* ") && has(two, "cut short"), "partial: %s", two);
	ok(has(four, "995.2! ") && has(four, " 12"), "errors: %s", four);
	ok(has(text, "\n*  ") && has(text, "\n!  "), "the marks are explained");
	ok(has(text, "cut short: interrupted by SIGINT"), "why cut short");
	ok(has(text, "client.txt:17: WriteX a\\x1b[31m: expected 4096 bytes, "
		     "got ENOSPC (client 3)"), "the first error, escaped");
	ok(longest_line(text) <= 100, "fits 100 columns: %zu",
	   longest_line(text));
	sample_done(&x);
}

static void test_outside_window(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill(&x);
	x.runs[0].since_gate.errors = 3;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(has(row, "248.8!"), "an error in the warm-up marks the row");
	sample_done(&x);
}

static void test_no_bytes(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill(&x);
	x.s.load.bytes_read_per_pass = x.s.load.bytes_written_per_pass = 0;
	x.runs[0].totals.bytes_read = x.runs[0].totals.bytes_written = 0;
	x.runs[0].mb_per_s = x.runs[0].durable_mb_per_s = 0;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(has(row, "      1     -         -   45000"),
	   "a load without bytes has no MB/s: %s", row);
	sample_done(&x);
}

static void test_rounds(void)
{
	autofree char *text = NULL, *row = NULL, *last = NULL;
	struct sample x;

	sample_fill(&x);
	x.s.rounds = 3;
	for (unsigned i = 0; i < SAMPLE_COUNTS; i++) {
		x.runs[i].clients = 1;
		x.runs[i].round = i + 1;
	}
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(has(row, " 497.6 ") && has(row, "248.8..995.2"),
	   "median and range: %s", row);
	last = find_row(text, 4);
	ok(has(last, "not run"), "what was not run says so: %s", last);
	ok(has(text, "round 3 of 3"), "whose operations");
	ok(!has(text, "one round"), "no warning about one round");
	sample_done(&x);
}

static void test_passes(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill(&x);
	x.s.pass_mode = true;
	x.s.passes = 2;
	x.runs[0].first_done_seconds = 11;
	x.runs[0].last_done_seconds = 12.5;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(strncmp(row, "      1    12.50   11.00..12.50", 31) == 0,
	   "time comes first: %s", row);
	ok(has(text, "2 passes per client"), "how");
	sample_done(&x);
}

static void test_targets(void)
{
	autofree char *text = NULL;
	struct sample x;

	sample_fill(&x);
	x.targets[1] = x.targets[0];
	x.targets[0].name = "host";
	x.targets[1].name = "loop";
	x.s.ntargets = 2;
	x.runs[1].target = 1;
	x.runs[1].clients = 1;
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "\nhost          1    248.8 ") &&
		   has(text, "\nloop          1    497.6 ") &&
		   has(text, "\nloop          4  not run "),
	   "a row per target");
	sample_done(&x);
}

static void test_pivot(void)
{
	autofree char *text = NULL, *titles = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	text = sample_print(&x, report_text, NO_OPTS);
	titles = find_line(text, "Clients ");
	row = find_row(text, 4);
	is_str(titles, "Clients  vzhost   simfs   ploop",
	       "a column per target");
	is_str(row, "      4   993.2   993.2    1490", "a row per count");
	ok(has(text, "MB/s, median of 6 rounds:\n"), "of what");
	ok(has(text, "\nploop         4   1490     1470..1508 "),
	   "the other numbers come later");
	ok(!has(text, "Operations"), "without the operations");
	ok(is_plain(text) && !has(text, " \n"), "is plain");
	sample_done(&x);
}

static void test_verdicts(void)
{
	autofree char *text = NULL, *same = NULL, *faster = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	text = sample_print(&x, report_text, NO_OPTS);
	same = find_line(text, "      2  simfs ");
	faster = find_line(text, "      2  ploop ");
	ok(has(text, "Compared by durable MB/s; the reference is vzhost:"),
	   "by what, with what");
	ok(has(same, " 470.6 ") && has(same, " x1.00 ") &&
		   has(same, " 0.98..1.01 ") && has(same, " 0.014 ") &&
		   has(same, "no difference shown  p 1.00"),
	   "no difference: %s", same);
	ok(has(faster, " 470.6 ") && has(faster, " 706.0 ") &&
		   has(faster, " x1.50 ") && has(faster, " 1.47..1.52 ") &&
		   has(faster, " <0.001  faster"),
	   "faster: %s", faster);
	ok(!has(text, "fewer than 6") && !has(text, "A-A"),
	   "no warning about rounds, no control");
	sample_done(&x);
}

/* Words, not numbers, where there is no number. */
static void test_cells(void)
{
	autofree char *text = NULL, *one = NULL, *two = NULL, *four = NULL;
	struct run_result *run;
	struct sample x;

	sample_fill_many(&x, 3);
	run = sample_at(&x, 0, 3, 2);
	run->lost_errno = ENOSPC;
	(void)strcpy(run->lost_what, "Flush at x.load:7 (client 3)");
	run = sample_at(&x, 1, 2, 1);
	run->disturbance.disturbed = true;
	(void)strcpy(run->disturbance.why, "others used 1.2 processors");
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
		sample_at(&x, 1, r, 2)->end = RUN_STUCK;
	x.s.nruns -= SAMPLE_ROUNDS * 3;
	x.s.partial = true;
	(void)strcpy(x.s.partial_why, "interrupted by SIGINT");
	text = sample_print(&x, report_text, NO_OPTS);
	one = find_row(text, 1);
	two = find_row(text, 2);
	four = find_row(text, 4);
	is_str(one, "      1    249.2     248.3   lost data", "data was lost");
	is_str(two, "      2    499.4     499.4~     failed", "disturbed");
	is_str(four, "      4  not run   not run     not run", "interrupted");
	ok(has(text, "1 client on ploop, round 3: data is lost: Flush at "
		     "x.load:7 (client 3): No space left on device (ENOSPC)"),
	   "who said that it is lost");
	ok(has(text, "  ENOSPC\n"), "the note beside its row");
	ok(has(text, "not comparable       ploop lost data (ENOSPC)") &&
		   has(text, "not comparable       ploop failed"),
	   "neither is compared");
	ok(has(text, "2 clients on simfs, round 2: disturbed: others used "
		     "1.2 processors") && has(text, "\n~  "),
	   "what disturbed it");
	ok(has(text, "not everything planned was run: interrupted by SIGINT"),
	   "why there is no more");
	ok(has(text, "median of the rounds that were made, of 6"),
	   "of which rounds the numbers are");
	x.s.nruns -= 3;
	free(text);
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "      2    501.1*    501.1*"), "cells with fewer rounds");
	sample_done(&x);
}

static void test_nothing_run(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 4);
	x.s.nruns = 0;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(has(row, "not run   not run   not run      not run"), "row: %s",
	   row);
	ok(has(text, "vzhost against itself:\n  unknown"), "no floor");
	ok(!has(text, "undisturbed") && !has(text, "regime"),
	   "nothing is known of no run");
	sample_done(&x);
}

static void test_cut_short(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	x.s.nruns = 1;
	x.runs[0].end = RUN_INTERRUPTED;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_row(text, 1);
	ok(has(row, "246.8*") && has(row, "not run"), "what there is: %s", row);
	ok(has(text, "\n*  "), "the mark is explained");
	sample_done(&x);
}

static void test_differences(void)
{
	autofree char *text = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "  mount options  relatime (vzhost, simfs); "
		     "noatime (ploop); all have rw\n"), "mount options");
	ok(has(text, "  journal        1.00 GiB (vzhost, simfs); "
		     "64.0 MiB (ploop)\n"), "journal");
	ok(has(text, "  size           250 GiB (vzhost, simfs); "
		     "1000 MiB (ploop)\n"), "size");
	ok(has(text, "  image          no image (vzhost, simfs); ") &&
	   has(text, " preallocated"), "image");
	ok(!has(text, "\n  file system "), "what is the same is left out");
	sample_done(&x);
}

static void test_no_differences(void)
{
	autofree char *text = NULL, *unbuilt = NULL;
	struct sample x;

	sample_fill_many(&x, 2);
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "  nothing that can be seen\n"), "there are none");
	x.targets[0].nchain = x.targets[1].nchain = 0;
	unbuilt = sample_print(&x, report_text, NO_OPTS);
	ok(!has(unbuilt, "What differs") && has(unbuilt, "/vz: not built"),
	   "nothing was built");
	sample_done(&x);
}

static void test_heading(void)
{
	autofree char *text = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	x.targets[2].is_test = true;
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "target   ploop = /vz+loop: TEST LAYER: ext4 on "
		     "/dev/loop3 (7:3), 1000 MiB, 900 MiB free\n"
		     "         on loop /dev/loop3 (image 1.00 GiB, "
		     "preallocated, direct I/O off, write back)\n"
		     "         in ext4 on /dev/sda1 (8:1), 250 GiB, 120 GiB "
		     "free\n"), "an image, link by link");
	ok(has(text, "target   simfs = /vz+bind: ext4 on /dev/sda1 (8:1), "
		     "250 GiB, 120 GiB free\n"
		     "         bind of ext4 on /dev/sda1"), "a bind mount");
	ok(has(text, "- TEST LAYER: ploop has a layer"), "and in the notes");
	sample_done(&x);
}

/* A single target may have layers as well. */
static void test_one_layered(void)
{
	autofree char *text = NULL;
	struct sample x;

	sample_fill(&x);
	x.targets[0].chain[1] = x.targets[0].chain[0];
	x.targets[0].nchain = 2;
	(void)strcpy(x.targets[0].chain[0].kind, "overlay");
	(void)strcpy(x.targets[0].chain[0].mount_options, "rw,volatile");
	x.targets[0].is_volatile = true;
	x.runs[1].setup_seconds = 0.125;
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "free\n         rw,volatile\n         overlay over ext4 "),
	   "its options are in the heading");
	ok(has(text, "nothing is durable: it is mounted volatile"), "volatile");
	ok(has(text, "set-up of a layout took up to 125ms (2 clients)"),
	   "set-up");
	ok(!has(text, "reference") && !has(text, "What differs") &&
		   !has(text, "Each target") && !has(text, "pairs"),
	   "nothing is compared");
	sample_done(&x);
}

static void test_aa(void)
{
	autofree char *text = NULL, *failed = NULL;
	struct sample x;

	sample_fill_many(&x, 4);
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "A-A floor, below which differences are noise: vzhost "
		     "against itself\n  came out at x1.00..x1.00, widest "
		     "interval 0.98..1.02 with 1 client\n"), "the floor");
	ok(!has(text, "A-A failed"), "which held");
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
		sample_at(&x, 1, r, 3)->durable_mb_per_s *= 2;
	failed = sample_print(&x, report_text, NO_OPTS);
	ok(has(failed, "A-A failed: with 2 clients the first target is "
		       "'faster' than itself"), "or did not");
	sample_done(&x);
}

static void test_trust(void)
{
	autofree char *text = NULL, *line = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "- undisturbed:") && has(text, "- regime cached: "),
	   "nothing special");
	free(take(text));
	sample_at(&x, 0, 1, 0)->disturbance.known = false;
	sample_at(&x, 2, 1, 1)->durable_mb_per_s /= 3;
	sample_at(&x, 2, 4, 2)->regime = REGIME_DISK;
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
		sample_at(&x, 0, r, 2)->regime = REGIME_THROTTLED;
	x.s.cold = true;
	(void)strcpy(x.s.cold_how, "of the whole machine");
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "- 4 clients on simfs: round 1 far from the others "
		     "(counted all the same); the first round was slow\n"),
	   "an outlier, and a slow first round");
	line = find_line(text, "  ploop:");
	is_str(line, "  ploop: throttled 1; cached 2; cached/disk 4",
	       "regimes by client count");
	ok(has(text, "- disturbance unknown for 1 of 54 runs"), "one unknown");
	ok(has(text, "at most 123 MB were dirty"), "dirty memory");
	ok(has(text, "dropped: of the whole machine") &&
		   has(text, "seed 12345; cold\n"), "cold caches");
	ok(has(text, "set-up of a layout took up to 500ms (4 clients on ploop, "
		     "round 6), tear-down up to 250ms"), "set-up");
	sample_done(&x);
}

static void test_few_rounds(void)
{
	autofree char *text = NULL, *row = NULL;
	size_t n = 0;
	struct sample x;

	sample_fill_many(&x, 3);
	x.s.rounds = 3;
	for (size_t i = 0; i < x.s.nruns; i++) {
		if (x.runs[i].round <= 3)
			x.runs[n++] = x.runs[i];
		else
			run_result_done(&x.runs[i]);
	}
	memset(&x.runs[n], 0, (SAMPLE_RUNS - n) * sizeof(x.runs[0]));
	x.s.nruns = n;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_line(text, "      2  ploop ");
	ok(has(row, "only 3 rounds"), "beside the verdict: %s", row);
	ok(has(text, "- only 3 rounds: fewer than 6"), "and in a note");
	sample_done(&x);
}

/* The same in several rounds of a cell is one note. */
static void test_cell_notes(void)
{
	autofree char *text = NULL, *quiet = NULL;
	const struct report_opts opts = { .quiet = true };
	struct run_result *run;
	struct sample x;

	sample_fill_many(&x, 3);
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++) {
		run = sample_at(&x, 0, r, 1);
		run->lost_errno = EIO;
		(void)snprintf(run->lost_what, sizeof(run->lost_what),
			       "sync %u", r);
		run = sample_at(&x, 1, r, 2);
		run->totals.errors = 10 + r;
		run->first_error = (struct first_error){
			.set = true, .where = "x.load:7", .op = "Flush",
			.expected = "0", .actual = "EIO",
		};
	}
	sample_at(&x, 1, 1, 2)->totals.errors = 0;
	sample_at(&x, 1, 1, 2)->first_error.set = false;
	sample_at(&x, 2, 2, 1)->end = RUN_STUCK;
	(void)strcpy(sample_at(&x, 2, 2, 1)->reason, "client 0 hangs");
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "\n- 1 client on simfs: in 6 of 6 rounds; the first, "
		     "round 1: data is lost: sync 1: Input/output error (EIO)"
		     "\n") && !has(text, "sync 2"),
	   "lost in each");
	ok(has(text, "\n- 2 clients on ploop: in 5 of 6 rounds; the first, "
		     "round 2: 12 operations of the whole run did not end as "
		     "the load file says; the first:\n  x.load:7: Flush: "
		     "expected 0, got EIO (client 0)\n") &&
		   !has(text, ": 13 operations"),
	   "errors in five");
	ok(has(text, "\n- 4 clients on simfs, round 2: failed: client 0 hangs"
		     "\n"), "a failure in one");
	quiet = sample_print(&x, report_text, &opts);
	ok(has(quiet, "data is lost") && has(quiet, "client 0 hangs"),
	   "also with --quiet");
	sample_done(&x);
}

/* Many disturbed runs are summed up, with the worst of each cause. */
static void test_disturbed(void)
{
	autofree char *few = NULL, *many = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	x.s.host.cpus = 4;
	for (unsigned r = 1; r <= 3; r++) {
		struct disturbance *d = &sample_at(&x, 0, r, 1)->disturbance;

		d->disturbed = true;
		d->cpu_seconds = 2.5 * r;
		d->read_bytes = d->written_bytes = 1e9;
		d->steal_seconds = 1;
		(void)snprintf(d->why, sizeof(d->why), "others %u", r);
	}
	few = sample_print(&x, report_text, NO_OPTS);
	ok(has(few, "1 client on simfs, round 1: disturbed: others 1\n") &&
		   has(few, ", round 3: disturbed: others 3\n") &&
		   !has(few, "runs were disturbed"), "three, one by one");
	sample_at(&x, 1, 4, 2)->stalled_seconds = 1.5;
	many = sample_print(&x, report_text, NO_OPTS);
	row = find_row(many, 2);
	ok(has(many, "\n- 4 of 54 runs were disturbed: other processes used "
		     "up to 0.75 CPUs (1 client on simfs, round 3),\n"
		     "  other processes moved up to 200 MB/s (1 client on "
		     "simfs, round 1),\n"
		     "  nothing ran for up to 1.50 s (2 clients on ploop, "
		     "round 4)\n"), "four in one");
	ok(!has(many, "others 1") && !has(many, "hypervisor") &&
		   !has(many, "- undisturbed"), "and nothing else");
	ok(has(row, "749.0~"), "a stall is marked: %s", row);
	sample_done(&x);
}

/* A verdict needs all rounds, and says which it lacks. */
static void test_missing_rounds(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 4);
	sample_at(&x, 1, 2, 2)->end = RUN_STUCK;
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
		sample_at(&x, 0, r, 3)->end = RUN_STUCK;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_line(text, "      2  ploop ");
	ok(has(row, "no difference shown  1 of 6 rounds failed on ploop"),
	   "survivors do not win: %s", row);
	free(take(row));
	row = find_line(text, "      1  ploop ");
	ok(has(row, "faster               no A-A floor"), "no floor: %s", row);
	sample_done(&x);
}

/* Nothing is measured in bytes where none are moved. */
static void test_moves_nothing(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	x.s.moves_nothing = true;
	x.s.backend = "null";
	for (size_t i = 0; i < x.s.nruns; i++)
		x.runs[i].mb_per_s = x.runs[i].durable_mb_per_s = NAN;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_line(text, "      1  ploop ");
	ok(has(text, "\noperations/s, median of 6 rounds:\n") &&
		   has(text, "\nCompared by operations/s;"),
	   "operations are what is left");
	ok(has(row, " faster"), "and compared: %s", row);
	sample_done(&x);
}

/* Trial builds follow each other on one disk: what is free changes. */
static void test_free_space(void)
{
	autofree char *same = NULL, *near = NULL, *far = NULL;
	struct chain_link *top;
	struct sample x;

	sample_fill_many(&x, 2);
	top = &x.targets[1].chain[0];
	top->free_bytes /= 2;
	same = sample_print(&x, report_text, NO_OPTS);
	ok(!has(same, "free space"), "of one device it is the same");
	(void)strcpy(top->device, "8:2");
	top->free_bytes = x.targets[0].chain[0].free_bytes / 100 * 96;
	top->size_bytes = x.targets[0].chain[0].size_bytes / 100 * 104;
	near = sample_print(&x, report_text, NO_OPTS);
	ok(!has(near, "free space") && !has(near, "  size "),
	   "some percent are no difference");
	top->free_bytes = x.targets[0].chain[0].free_bytes / 100 * 90;
	far = sample_print(&x, report_text, NO_OPTS);
	ok(has(far, "  free space     120 GiB (vzhost); 108 GiB (simfs)\n"),
	   "ten are");
	/* one was built after the other, and took its number */
	(void)strcpy(top->device, x.targets[0].chain[0].device);
	free(take(far));
	far = sample_print(&x, report_text, NO_OPTS);
	ok(has(far, "  free space     120 GiB (vzhost); 108 GiB (simfs)\n"),
	   "so are those of a device of another size");
	sample_done(&x);
	sample_fill_many(&x, 3);
	x.targets[1].chain[0].size_bytes -= UINT64_C(8) << 30;
	free(take(far));
	far = sample_print(&x, report_text, NO_OPTS);
	ok(has(far, "  size           about 250 GiB (vzhost, simfs); "),
	   "near ones are named together");
	sample_done(&x);
}

/* A list that is too long for a line has a line for each group. */
static void test_long_list(void)
{
	autofree char *text = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	(void)strcpy(x.targets[2].chain[0].mount_options,
		     "rw,inode64,logbufs=8,logbsize=32k,noquota,largeio,"
		     "nouuid,swalloc,wsync");
	(void)strcpy(x.targets[2].chain[0].fs, "xfs");
	text = sample_print(&x, report_text, NO_OPTS);
	ok(has(text, "  mount options  relatime (vzhost, simfs)\n"
		     "                 inode64,logbufs=8,logbsize=32k,"
		     "noquota,largeio,nouuid,swalloc,wsync (ploop)\n"
		     "                 all have rw\n"), "line by line");
	ok(has(text, "; not looked for (ploop)\n"),
	   "a journal of another kind is not denied");
	sample_done(&x);
}

/* A reason that is too long for the table is printed below it. */
static void test_long_why(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	for (unsigned r = 1; r <= SAMPLE_ROUNDS; r++)
		sample_at(&x, 0, r, 2)->ops[1].since_gate *= 3;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_line(text, "      1  ploop ");
	ok(has(row, "not comparable ") && has(row, "see below"), "row: %s",
	   row);
	ok(has(text, "\n1 client on ploop, not comparable: operations differ"),
	   "why");
	ok(longest_line(text) <= 120, "fits 120 columns: %zu",
	   longest_line(text));
	sample_done(&x);
}

static void test_pass_metric(void)
{
	autofree char *text = NULL, *row = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	x.s.pass_mode = true;
	x.s.passes = 1;
	for (size_t i = 0; i < x.s.nruns; i++)
		x.runs[i].last_done_seconds = x.runs[i].target == 2 ? 5 : 10;
	text = sample_print(&x, report_text, NO_OPTS);
	row = find_line(text, "      1  ploop ");
	ok(has(text, "Compared by time of all passes (seconds)"),
	   "by the time");
	ok(has(row, " 10.00 ") && has(row, " 5.000 ") && has(row, " x2.00 "),
	   "half the time is twice as fast: %s", row);
	sample_done(&x);
}

static void test_many_opts(void)
{
	const struct report_opts verbose = { .verbose = true };
	const struct report_opts quiet = { .quiet = true };
	autofree char *a = NULL, *b = NULL;
	struct sample x;

	sample_fill_many(&x, 3);
	a = sample_print(&x, report_text, &verbose);
	ok(has(a, "Operations with 2 clients on ploop, round 6 of 6"),
	   "verbose: the operations of every target");
	b = sample_print(&x, report_text, &quiet);
	ok(strncmp(b, "MB/s, ", 6) == 0 && has(b, "no difference shown") &&
		   !has(b, "What differs") && !has(b, "machine") &&
		   !has(b, "min..max"), "quiet: two tables");
	sample_done(&x);
}

static void test_opts(void)
{
	const struct report_opts verbose = { .verbose = true };
	const struct report_opts clients = { .per_client = true };
	const struct report_opts quiet = { .quiet = true };
	autofree char *a = NULL, *b = NULL, *c = NULL;
	struct sample x;

	sample_fill(&x);
	a = sample_print(&x, report_text, &verbose);
	ok(has(a, "Operations with 1 client ") &&
		   has(a, "Operations with 2 clients"), "verbose: all rows");
	b = sample_print(&x, report_text, &clients);
	ok(has(b, "Clients of the run with 4 clients") &&
		   has(b, "\n     3  1800000 "), "client by client");
	c = sample_print(&x, report_text, &quiet);
	ok(strncmp(c, "Clients ", 8) == 0 && !has(c, "Operations") &&
		   !has(c, "machine"), "quiet: the table");
	sample_done(&x);
}

static void test_run_line(void)
{
	autofree char *text = NULL;
	struct sample x;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	sample_fill(&x);
	x.runs[1].end = RUN_STUCK;
	(void)strcpy(x.runs[1].reason, "client 0 hangs");
	report_run_line(&x.s, &x.runs[0], out);
	report_run_line(&x.s, &x.runs[1], out);
	x.runs[2].lost_errno = EIO;
	(void)strcpy(x.runs[2].lost_what, "the closing sync");
	report_run_line(&x.s, &x.runs[2], out);
	x.runs[0].disturbance.disturbed = true;
	report_run_line(&x.s, &x.runs[0], out);
	(void)fclose(out);
	is_str(text, "1 client: 248.8 MB/s (durable 234.5), 45000 ops/s\n"
		     "2 clients: failed: client 0 hangs\n"
		     "4 clients: lost data: the closing sync: EIO\n"
		     "1 client: 248.8 MB/s (durable 234.5), 45000 ops/s, "
		     "disturbed\n", "one line a run");
	sample_done(&x);
}

static void is_number(double v, const char *want)
{
	char buf[FMT_SIZE];

	is_str(fmt_number(v, buf, sizeof(buf)), want, want);
}

static void is_us(double v, const char *want)
{
	char buf[FMT_SIZE];

	is_str(fmt_us(v, buf, sizeof(buf)), want, want);
}

static void test_formats(void)
{
	char buf[FMT_SIZE];

	is_number(NAN, "-");
	is_number(INFINITY, "-");
	is_number(0, "0");
	is_number(0.00001, "1.0e-05");
	is_number(0.12345, "0.1235");
	is_number(1, "1.000");
	is_number(9.99996, "10.00");
	is_number(99.996, "100.0");
	is_number(999.96, "1000");
	is_number(123456.7, "123457");
	is_us(NAN, "-");
	is_us(0.0256, "26ns");
	is_us(0.9999, "1.00us");
	is_us(12.34, "12.3us");
	is_us(999.9, "1.00ms");
	is_us(12345, "12.3ms");
	is_us(1e6, "1.00s");
	is_us(275e6, "275s");
	is_str(fmt_percent(0.0123, buf, sizeof(buf)), "1.2", "small percent");
	is_str(fmt_percent(1, buf, sizeof(buf)), "100", "all percent");
	is_str(fmt_ratio(NAN, buf, sizeof(buf)), "-", "no ratio");
	is_str(fmt_ratio(0.052345, buf, sizeof(buf)), "0.052", "small ratio");
	is_str(fmt_ratio(0.987, buf, sizeof(buf)), "0.99", "ratio near 1");
	is_str(fmt_ratio(12.345, buf, sizeof(buf)), "12.3", "large ratio");
	is_str(fmt_ratio(1234.5, buf, sizeof(buf)), "1234", "huge ratio");
	is_str(fmt_p(NAN, buf, sizeof(buf)), "-", "no p");
	is_str(fmt_p(0.0009, buf, sizeof(buf)), "<0.001", "small p");
	is_str(fmt_p(0.0423, buf, sizeof(buf)), "0.042", "p");
	is_str(fmt_mb(0, buf, sizeof(buf)), "-", "no bytes");
	is_str(fmt_mb(12345678, buf, sizeof(buf)), "12.35", "megabytes");
}

static void test_escape(void)
{
	autofree char *plain = escape_text("caf\xc3\xa9\t\x7f");
	autofree char *utf8 = NULL;

	is_str(plain, "caf\\xc3\\xa9\\x09\\x7f", "the C locale has ASCII");
	if (!setlocale(LC_CTYPE, "C.UTF-8")) {
		skip(1, "no C.UTF-8 locale");
		return;
	}
	utf8 = escape_text("caf\xc3\xa9\t\xc2\x9b");
	is_str(utf8, "caf\xc3\xa9\\x09\\xc2\\x9b",
	       "a UTF-8 one has more, but no control characters");
	(void)setlocale(LC_CTYPE, "C");
}

static void test_describe(void)
{
	struct host_info host;

	host_describe(&host);
	ok(strncmp(host.kernel, "Linux ", 6) == 0, "kernel: %s", host.kernel);
	ok(host.cpus >= 1 && host.memory_bytes > 1 << 20, "cpus and memory");
	ok(host.nsysctl == 9 &&
		   strcmp(host.sysctl[0].name, "vm.dirty_ratio") == 0,
	   "sysctls");
}

int main(void)
{
	test_good();
	test_failed();
	test_marks();
	test_outside_window();
	test_no_bytes();
	test_rounds();
	test_passes();
	test_targets();
	test_pivot();
	test_verdicts();
	test_cells();
	test_nothing_run();
	test_cut_short();
	test_differences();
	test_no_differences();
	test_heading();
	test_one_layered();
	test_aa();
	test_trust();
	test_few_rounds();
	test_cell_notes();
	test_disturbed();
	test_missing_rounds();
	test_moves_nothing();
	test_free_space();
	test_long_list();
	test_long_why();
	test_pass_metric();
	test_many_opts();
	test_opts();
	test_run_line();
	test_formats();
	test_escape();
	test_describe();
	return done_testing();
}
