/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The readable report: a failed run never looks like a slow one, marks and
 * notes say what is wrong, and it stays a plain table.
 */
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
	struct target_info targets[2];
	autofree char *text = NULL;
	struct sample x;

	sample_fill(&x);
	targets[0] = targets[1] = x.target;
	targets[0].name = "host";
	targets[1].name = "loop";
	x.s.targets = targets;
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
	(void)fclose(out);
	is_str(text, "1 client: 248.8 MB/s (durable 234.5), 45000 ops/s\n"
		     "2 clients: failed: client 0 hangs\n", "one line a run");
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
	struct target_info target = { .name = "x", .spec = "x" };
	struct host_info host;

	host_describe(&host);
	ok(strncmp(host.kernel, "Linux ", 6) == 0, "kernel: %s", host.kernel);
	ok(host.cpus >= 1 && host.memory_bytes > 1 << 20, "cpus and memory");
	ok(host.nsysctl == 9 &&
		   strcmp(host.sysctl[0].name, "vm.dirty_ratio") == 0,
	   "sysctls");
	target_describe(-1, &target);
	ok(!target.fs[0] && !target.size_bytes, "no descriptor: unknown");
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
	test_opts();
	test_run_line();
	test_formats();
	test_escape();
	test_describe();
	return done_testing();
}
