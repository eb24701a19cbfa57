/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The JSON document: it parses, has every key of the schema, and says null
 * for what is unknown.
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
	has_keys(json_array_get(json_object_get(cell, "chain"), 0),
		 "kind fs device mount_options dio", "its chain");
	run = get_run(doc, 2);
	has_keys(run,
		 "round order target clients backend iodepth complete "
		 "disturbed seconds warmup_seconds bytes_read "
		 "bytes_written mb_per_s "
		 "sync_seconds durable_mb_per_s ops ops_per_s "
		 "passes_per_client pass_seconds errors skipped first_error "
		 "user_seconds system_seconds start_skew_us fairness regime "
		 "per_op durability", "a run");
	has_keys(json_object_get(run, "passes_per_client"), "min median max",
		 "passes");
	has_keys(json_object_get(run, "pass_seconds"), "p50 p90", "pass");
	has_keys(json_object_get(json_object_get(run, "per_op"), "WriteX"),
		 "count bytes errors mean_us p50_us p90_us p99_us p999_us "
		 "max_us", "an operation");
	ok(!json_object_get(run, "per_client"), "clients only if asked for");
	cell = json_array_get(json_object_get(doc, "summary"), 2);
	has_keys(cell, "clients target mb_per_s ratio", "the summary");
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
		   is_null(run, "durability") && is_null(run, "late_ops"),
	   "unknown is null");
	ok(json_is_true(json_object_get(run, "complete")), "complete");
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
	x.target.name = "a\"b\\c\n\x01";
	x.target.spec = "caf\xc3\xa9 \xff\xfe \xc3";
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
	test_failed();
	test_nan();
	test_names();
	test_utf8();
	test_file();
	return done_testing();
}
