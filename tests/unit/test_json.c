/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The JSON document: it parses, has every key of the schema, says null for
 * what is unknown, and has what was compared.
 */
#include <jansson.h>

#include <errno.h>
#include <unistd.h>

#include "base/fdio.h"
#include "report/escape.h"
#include "sample_session.h"
#include "tap.h"

/* Keys separated by blanks; all must be there. */
static void has_keys(const json_t *object, const char *keys, const char *name)
{
	autofree char *copy = mem_strdup(keys);
	bool all = json_is_object(object);
	char *save;

	for (char *k = strtok_r(copy, " ", &save); k && all;
	     k = strtok_r(NULL, " ", &save)) {
		all = json_object_get(object, k) != NULL;
		if (!all)
			printf("# missing: %s\n", k);
	}
	ok(all, "%s has its keys", name);
}

static json_t *parse(const struct sample *x, bool per_client)
{
	struct report_opts opts = { .per_client = per_client };
	autofree char *text = sample_print(x, report_json, &opts);
	json_error_t error;
	json_t *doc = json_loads(text, JSON_REJECT_DUPLICATES, &error);

	ok(doc, "the document parses%s%s", doc ? "" : ": ",
	   doc ? "" : error.text);
	if (!doc)
		exit(done_testing());
	return doc;
}

static json_t *get_run(const json_t *doc, size_t i)
{
	return json_array_get(json_object_get(doc, "runs"), i);
}

static bool is_null(const json_t *object, const char *key)
{
	return json_is_null(json_object_get(object, key));
}

static const char *get_text(const json_t *object, const char *key)
{
	return json_string_value(json_object_get(object, key));
}

static void test_schema(void)
{
	struct sample x;
	json_t *doc, *run, *cell;

	sample_fill(&x);
	doc = parse(&x, false);
	has_keys(doc, "schema replay host loadfile targets runs summary plan "
		      "complete", "the document");
	is_int(json_integer_value(json_object_get(doc, "schema")), 1,
	       "the schema");
	has_keys(json_object_get(doc, "replay"), "version argv seed started",
		 "replay");
	has_keys(json_object_get(doc, "host"),
		 "kernel cpu cpus memory_bytes sysctl", "host");
	has_keys(json_object_get(json_object_get(doc, "host"), "sysctl"),
		 "vm.dirty_ratio vm.dirty_background_bytes fs.aio-max-nr "
		 "kernel.io_uring_disabled", "sysctl");
	has_keys(json_object_get(doc, "loadfile"),
		 "path sha256 once_ops ops_per_pass bytes_read_per_pass "
		 "bytes_written_per_pass fsyncs_per_pass", "loadfile");
	cell = json_array_get(json_object_get(doc, "targets"), 0);
	has_keys(cell, "name spec chain", "a target");
	has_keys(cell, "size_bytes free_bytes test volatile setup_seconds",
		 "what else is known of it");
	has_keys(json_array_get(json_object_get(cell, "chain"), 0),
		 "kind fs device source mount_options dio sparse image_bytes "
		 "write_cache size_bytes free_bytes free_inodes journal_bytes",
		 "its chain");
	has_keys(json_object_get(doc, "plan"),
		 "clients rounds passes timelimit_seconds warmup_seconds "
		 "flags metric metric_asked aa cold cold_how", "the plan");
	run = get_run(doc, 2);
	has_keys(run,
		 "round order target clients backend iodepth complete "
		 "disturbed seconds warmup_seconds bytes_read "
		 "bytes_written mb_per_s "
		 "sync_seconds durable_mb_per_s ops ops_per_s "
		 "passes_per_client pass_seconds errors skipped first_error "
		 "user_seconds system_seconds start_skew_us fairness regime "
		 "per_op durability", "a run");
	has_keys(run,
		 "disturbed_why foreign stalled_seconds peak_dirty_bytes "
		 "device_busy setup_seconds teardown_seconds settle_seconds "
		 "sync_levels sync_error lost_error lost_what",
		 "what else is known of it");
	has_keys(json_object_get(run, "foreign"),
		 "cpu_seconds steal_seconds read_bytes written_bytes",
		 "others");
	has_keys(json_object_get(run, "passes_per_client"), "min median max",
		 "passes");
	has_keys(json_object_get(run, "pass_seconds"), "p50 p90", "pass");
	has_keys(json_object_get(json_object_get(run, "per_op"), "WriteX"),
		 "count bytes errors mean_us p50_us p90_us p99_us p999_us "
		 "max_us", "an operation");
	ok(!json_object_get(run, "per_client"), "clients only if asked for");
	cell = json_array_get(json_object_get(doc, "summary"), 2);
	has_keys(cell, "clients target mb_per_s ratio lost_data "
		       "disturbed_rounds oddities", "the summary");
	has_keys(json_object_get(cell, "oddities"), "outliers first_slow",
		 "oddities");
	ok(is_null(cell, "ratio"), "one target: no ratio");
	has_keys(cell, "first_done_seconds last_done_seconds", "and times");
	has_keys(json_object_get(cell, "mb_per_s"), "median min max n",
		 "a spread");
	json_decref(doc);
	sample_done(&x);
}

static void test_values(void)
{
	struct sample x;
	json_t *doc, *run, *clients;

	sample_fill(&x);
	x.s.seed = INT64_MAX;
	doc = parse(&x, true);
	run = get_run(doc, 0);
	ok(json_integer_value(json_object_get(run, "bytes_read")) ==
		   1472088767, "bytes are exact");
	ok(fabs(json_real_value(json_object_get(run, "mb_per_s")) -
		248.8062937) < 1e-9, "rates have all their digits");
	ok(json_integer_value(json_object_get(
		   json_object_get(doc, "replay"), "seed")) == INT64_MAX,
	   "a seed of 63 bits is an integer");
	clients = json_object_get(get_run(doc, 2), "per_client");
	is_int(json_array_size(clients), 4, "clients when asked for");
	has_keys(json_array_get(clients, 3),
		 "client ops bytes_read bytes_written passes errors skipped",
		 "a client");
	ok(is_null(run, "first_error") && is_null(run, "reason") &&
		   is_null(run, "disturbed") && is_null(run, "regime") &&
		   is_null(run, "durability") && is_null(run, "late_ops") &&
		   is_null(run, "setup_seconds") &&
		   is_null(run, "peak_dirty_bytes") &&
		   is_null(run, "device_busy") && is_null(run, "lost_error") &&
		   is_null(json_object_get(run, "foreign"), "cpu_seconds"),
	   "unknown is null");
	ok(json_is_true(json_object_get(run, "complete")), "complete");
	json_decref(doc);
	sample_done(&x);
}

/* The object of summary for count number C and TARGET. */
static json_t *get_cell(const struct sample *x, const json_t *doc, unsigned c,
			unsigned target)
{
	return json_array_get(json_object_get(doc, "summary"),
			      c * x->s.ntargets + target);
}

static double get_number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void test_ratios(void)
{
	struct sample x;
	json_t *doc, *ratio;

	sample_fill_many(&x, 4);
	doc = parse(&x, false);
	ok(is_null(get_cell(&x, doc, 1, 0), "ratio"),
	   "the first target has no ratio");
	ratio = json_object_get(get_cell(&x, doc, 1, 2), "ratio");
	has_keys(ratio, "to metric value low high sd p p_adjusted pairs "
			"verdict why remark", "a ratio");
	is_str(get_text(ratio, "to"), "vzhost", "to the first");
	is_str(get_text(ratio, "metric"), "durable_mb_per_s", "by");
	is_str(get_text(ratio, "verdict"), "faster", "verdict");
	ok(fabs(get_number(ratio, "value") - 1.5) < 0.01 &&
		   get_number(ratio, "low") < get_number(ratio, "value") &&
		   get_number(ratio, "high") > get_number(ratio, "value"),
	   "value and interval");
	ok(get_number(ratio, "p") < get_number(ratio, "p_adjusted") &&
		   get_number(ratio, "p_adjusted") < 0.05, "p");
	is_int(json_integer_value(json_object_get(ratio, "pairs")), 6,
	       "pairs");
	ok(is_null(ratio, "why") && is_null(ratio, "remark"),
	   "nothing to say of it");
	ratio = json_object_get(get_cell(&x, doc, 1, 1), "ratio");
	is_str(get_text(ratio, "verdict"), "no difference shown", "none");
	ok(get_text(ratio, "why"), "why not");
	ratio = json_object_get(doc, "plan");
	is_str(get_text(ratio, "metric"), "durable_mb_per_s", "metric");
	is_str(get_text(ratio, "metric_asked"), "auto", "as asked for");
	ok(json_is_true(json_object_get(ratio, "aa")) &&
		   json_is_false(json_object_get(ratio, "cold")), "plan");
	json_decref(doc);
	sample_done(&x);
}

static void test_chain(void)
{
	struct sample x;
	json_t *doc, *target, *chain, *link;

	sample_fill_many(&x, 3);
	x.targets[2].is_test = true;
	doc = parse(&x, false);
	target = json_array_get(json_object_get(doc, "targets"), 2);
	chain = json_object_get(target, "chain");
	is_int(json_array_size(chain), 2, "two links");
	link = json_array_get(chain, 0);
	is_str(get_text(link, "kind"), "loop", "from the top down");
	ok(json_is_false(json_object_get(link, "dio")) &&
		   json_is_false(json_object_get(link, "sparse")) &&
		   get_number(link, "image_bytes") == 1 << 30 &&
		   get_number(link, "journal_bytes") == 64 << 20,
	   "of the image");
	is_str(get_text(link, "write_cache"), "write back", "write cache");
	ok(get_number(target, "size_bytes") == get_number(link, "size_bytes"),
	   "the size is that of the top");
	ok(json_is_true(json_object_get(target, "test")) &&
		   json_is_false(json_object_get(target, "volatile")) &&
		   get_number(target, "setup_seconds") == 0.4, "its marks");
	link = json_array_get(chain, 1);
	ok(is_null(link, "dio") && is_null(link, "sparse") &&
		   is_null(link, "image_bytes") && is_null(link, "write_cache"),
	   "no image: null");
	json_decref(doc);
	sample_done(&x);
}

static void spoil(struct sample *x)
{
	struct run_result *run = sample_at(x, 0, 2, 2);

	run->lost_errno = EIO;
	(void)strcpy(run->lost_what, "the closing sync");
	run->disturbance.known = false;
	run = sample_at(x, 1, 1, 1);
	run->disturbance.disturbed = true;
	run->disturbance.cpu_seconds = 1.25;
	(void)strcpy(run->disturbance.why, "others");
	run->durable_mb_per_s /= 3;
	run->regime = REGIME_THROTTLED;
}

static void test_circumstances(void)
{
	struct sample x;
	json_t *doc, *run, *cell;

	sample_fill_many(&x, 3);
	spoil(&x);
	doc = parse(&x, false);
	run = get_run(doc, 3 + 2);
	is_str(get_text(run, "lost_error"), "EIO", "lost data");
	ok(!json_object_get(run, "lost_data"), "a name has one type");
	is_str(get_text(run, "lost_what"), "the closing sync", "who says so");
	ok(is_null(run, "disturbed") && is_null(run, "mb_per_s") &&
		   json_is_false(json_object_get(run, "complete")),
	   "disturbed is unknown, and it does not count");
	is_int(json_array_size(json_object_get(run, "sync_levels")), 2,
	       "a sync for each level");
	run = get_run(doc, SAMPLE_ROUNDS * 3 + 1);
	ok(json_is_true(json_object_get(run, "disturbed")), "disturbed");
	is_str(get_text(run, "disturbed_why"), "others", "by whom");
	ok(get_number(json_object_get(run, "foreign"), "cpu_seconds") == 1.25 &&
		   get_number(run, "device_busy") == 0.25 &&
		   get_number(run, "peak_dirty_bytes") == 123000000,
	   "the numbers");
	is_str(get_text(run, "regime"), "throttled", "regime");
	ok(json_is_false(json_object_get(get_run(doc, 0), "disturbed")),
	   "known not to be disturbed");
	cell = get_cell(&x, doc, 0, 2);
	ok(json_is_true(json_object_get(cell, "lost_data")) &&
		   is_null(cell, "mb_per_s"), "the cell has no number");
	is_str(get_text(json_object_get(cell, "ratio"), "verdict"),
	       "not comparable", "and is not compared");
	ok(is_null(json_object_get(cell, "ratio"), "value"), "no ratio");
	cell = get_cell(&x, doc, 1, 1);
	is_int(json_integer_value(json_object_get(cell, "disturbed_rounds")),
	       1, "disturbed rounds");
	cell = json_object_get(cell, "oddities");
	ok(json_is_true(json_object_get(cell, "first_slow")) &&
		   json_integer_value(json_array_get(
			   json_object_get(cell, "outliers"), 0)) == 1,
	   "the first round stands out");
	json_decref(doc);
	sample_done(&x);
}

/* With passes it is the time until the last client was done. */
static void test_passes(void)
{
	struct sample x;
	json_t *doc, *cell, *ratio;

	sample_fill_many(&x, 3);
	for (size_t i = 0; i < x.s.nruns; i++) {
		x.runs[i].first_done_seconds = 4;
		x.runs[i].last_done_seconds = x.runs[i].target == 2 ? 5 : 10;
	}
	doc = parse(&x, false);
	cell = get_cell(&x, doc, 1, 2);
	ok(is_null(cell, "first_done_seconds") &&
		   is_null(cell, "last_done_seconds"), "timed: null");
	json_decref(doc);
	x.s.pass_mode = true;
	x.s.passes = 3;
	doc = parse(&x, false);
	is_str(get_text(json_object_get(doc, "plan"), "metric"),
	       "last_done_seconds", "metric of the plan");
	cell = get_cell(&x, doc, 1, 2);
	ratio = json_object_get(cell, "ratio");
	is_str(get_text(ratio, "metric"), "last_done_seconds",
	       "metric of a ratio");
	ok(fabs(get_number(ratio, "value") - 2) < 1e-9, "half the time");
	ok(get_number(json_object_get(cell, "last_done_seconds"), "median") ==
			   5 &&
		   get_number(json_object_get(cell, "first_done_seconds"),
			      "median") == 4,
	   "and the times it is of");
	json_decref(doc);
	sample_done(&x);
}

/* What a layout cost is known of layers only, and a stall disturbs. */
static void test_setup(void)
{
	struct sample x;
	json_t *doc;

	sample_fill_many(&x, 3);
	sample_at(&x, 0, 1, 1)->stalled_seconds = 0.5;
	doc = parse(&x, false);
	ok(is_null(get_run(doc, 0), "setup_seconds") &&
		   is_null(get_run(doc, 0), "teardown_seconds"),
	   "a plain directory: null");
	ok(get_number(get_run(doc, 2), "setup_seconds") == 0.5 &&
		   get_number(get_run(doc, 2), "teardown_seconds") == 0.25,
	   "layers: a time");
	ok(json_is_true(json_object_get(get_run(doc, 1), "disturbed")) &&
		   get_number(get_cell(&x, doc, 0, 1), "disturbed_rounds") == 1,
	   "stalled is disturbed, in the run and in the summary");
	json_decref(doc);
	sample_done(&x);
}

static void test_failed(void)
{
	struct sample x;
	json_t *doc, *run, *cell;

	sample_fill(&x);
	run_result_done(&x.runs[1]);
	x.runs[1] = (struct run_result){
		.round = 1, .order = 2, .clients = 2, .end = RUN_CLIENT_DIED,
		.reason = "client 1 was killed by signal 9",
	};
	x.runs[2].end = RUN_STUCK;
	x.s.partial = true;
	doc = parse(&x, true);
	run = get_run(doc, 1);
	ok(is_null(run, "mb_per_s") && is_null(run, "ops") &&
		   is_null(run, "ops_per_s") && is_null(run, "bytes_read") &&
		   is_null(run, "durable_mb_per_s") && is_null(run, "seconds"),
	   "a run that was not measured has no numbers");
	is_str(get_text(run, "end"), "client_died", "its end");
	is_str(get_text(run, "reason"), "client 1 was killed by signal 9",
	       "its reason");
	ok(json_is_false(json_object_get(run, "complete")), "not complete");
	run = get_run(doc, 2);
	ok(is_null(run, "mb_per_s") && !is_null(run, "bytes_read"),
	   "a run that went wrong has counts but no rate");
	cell = json_array_get(json_object_get(doc, "summary"), 1);
	ok(is_null(cell, "mb_per_s"), "nor is there one in the summary");
	ok(json_is_false(json_object_get(doc, "complete")),
	   "the document says it is incomplete");
	json_decref(doc);
	sample_done(&x);
}

static void test_nan(void)
{
	struct sample x;
	json_t *doc, *run;

	sample_fill(&x);
	x.runs[0].mb_per_s = NAN;
	x.runs[0].durable_mb_per_s = INFINITY;
	x.runs[0].sync_seconds = -INFINITY;
	x.runs[0].ops[0].stats.count = 0;
	doc = parse(&x, false);
	run = get_run(doc, 0);
	ok(is_null(run, "mb_per_s") && is_null(run, "durable_mb_per_s") &&
		   is_null(run, "sync_seconds"), "not finite is null");
	run = json_object_get(json_object_get(run, "per_op"), "NTCreateX");
	ok(is_null(run, "mean_us") && is_null(run, "max_us"),
	   "no time for what was not executed");
	json_decref(doc);
	sample_done(&x);
}

static void test_names(void)
{
	struct sample x;
	json_t *doc, *error;

	sample_fill(&x);
	x.targets[0].name = "a\"b\\c\n\x01";
	x.targets[0].spec = "caf\xc3\xa9 \xff\xfe \xc3";
	x.runs[0].first_error = (struct first_error){
		.set = true, .where = "client.txt:17", .op = "WriteX",
		.path = "\xed\xa0\x80/x", .expected = "4096 bytes",
		.actual = "ENOSPC", .client = 3,
	};
	doc = parse(&x, false);
	error = json_array_get(json_object_get(doc, "targets"), 0);
	is_str(get_text(error, "name"), "a\"b\\c\n\x01",
	       "quotes and control characters survive");
	is_str(get_text(error, "spec"), "caf\xc3\xa9 \\xff\\xfe \\xc3",
	       "what is not UTF-8 is escaped");
	error = json_object_get(get_run(doc, 0), "first_error");
	has_keys(error, "where op path expected actual client", "an error");
	is_str(get_text(error, "path"), "\\xed\\xa0\\x80/x",
	       "surrogates are not UTF-8");
	is_int(json_integer_value(json_object_get(error, "client")), 3,
	       "its client");
	json_decref(doc);
	sample_done(&x);
}

/* TEXT as UTF-8 is WANT, which jansson accepts. */
static void is_utf8(const char *text, const char *want, const char *name)
{
	autofree char *got = escape_utf8(text);
	json_t *value = json_string(got);

	is_str(got, want, name);
	ok(value, "%s: accepted", name);
	json_decref(value);
}

static void test_utf8(void)
{
	is_utf8(NULL, "", "nothing");
	is_utf8("plain", "plain", "ASCII");
	is_utf8("\xe2\x82\xac", "\xe2\x82\xac", "three bytes");
	is_utf8("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80", "four bytes");
	is_utf8("\xc0\x80", "\\xc0\\x80", "an overlong NUL");
	is_utf8("\xe0\x80\x80", "\\xe0\\x80\\x80", "overlong, three bytes");
	is_utf8("\xf0\x80\x80\x80", "\\xf0\\x80\\x80\\x80", "overlong, four");
	is_utf8("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80", "too large");
	is_utf8("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80", "five");
	is_utf8("\x80", "\\x80", "a stray continuation");
	is_utf8("\xe2\x82", "\\xe2\\x82", "cut short");
	is_utf8("\xe2(\xa1", "\\xe2(\\xa1", "broken in the middle");
}

static void test_file(void)
{
	struct report_opts opts = { .per_client = true };
	char path[] = "/tmp/test_json.XXXXXX";
	struct err err = ERR_INIT;
	struct sample x;
	int fd = mkstemp(path);
	json_t *doc;

	sample_fill(&x);
	is_int(report_json_file(&x.s, &opts, path, &err), 0, "to a file");
	doc = json_load_file(path, 0, NULL);
	ok(doc, "which parses");
	json_decref(doc);
	is_int(report_json_file(&x.s, &opts, "/dev/full", &err), -ENOSPC,
	       "a full device");
	ok(strstr(err.text, "/dev/full"), "is named: %s", err.text);
	if (fd >= 0)
		(void)close(fd);
	(void)unlink(path);
	sample_done(&x);
}

int main(void)
{
	test_schema();
	test_values();
	test_ratios();
	test_chain();
	test_circumstances();
	test_passes();
	test_setup();
	test_failed();
	test_nan();
	test_names();
	test_utf8();
	test_file();
	return done_testing();
}
