/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The results as one JSON document, schema 1.
 *
 * Keys are stable: keys are added, none is renamed or removed without a new
 * schema number.  The unit is in the key.  Unknown is null, never 0.  All
 * keys are always there.  Bytes in names that are not UTF-8 appear as \xHH.
 *
 *	schema                 1
 *	complete               everything planned was run
 *	incomplete_reason      why not, or null
 *	replay                 version, argv, seed, started (RFC 3339)
 *	plan                   what was asked for: clients (the counts),
 *	                       rounds, passes (null: timed),
 *	                       timelimit_seconds and warmup_seconds (null with
 *	                       passes), flags; metric (the key that targets
 *	                       are compared by), metric_asked (auto, mb,
 *	                       durable, ops, pass), aa (the last target is the
 *	                       first once more), cold, cold_how (of what)
 *	host                   kernel, cpu, cpus (usable), memory_bytes,
 *	                       sysctl
 *	loadfile               path, sha256, once_ops, ops_per_pass,
 *	                       bytes_read_per_pass, bytes_written_per_pass,
 *	                       fsyncs_per_pass
 *	targets[]              name, spec, size_bytes, free_bytes (of the
 *	                       topmost link), test (a layer is for tests
 *	                       only), volatile, setup_seconds (of the trial),
 *	                       chain[]: from the top down
 *	  kind                 base or layer
 *	  fs, device ("major:minor"), source, mount_options
 *	  size_bytes, free_bytes, free_inodes, journal_bytes
 *	  dio, sparse, image_bytes, write_cache  null unless it is an image
 *	runs[]                 one for every run that was made, in order; see
 *	                       json_run.c
 *	summary[]              one for every client count and target; see
 *	                       json_summary.c
 */
#include "report/report.h"

#include <errno.h>
#include <math.h>

#include "base/fdio.h"
#include "report/json_run.h"
#include "report/json_summary.h"
#include "report/jsonval.h"
#include "stats/compare.h"

#define JSON_DIGITS 15 /* every double survives; 0.1 stays 0.1 */

static json_t *build_replay(const struct session *s)
{
	json_t *o = jsonval_object(), *argv = jsonval_array();

	for (char **arg = s->argv; arg && *arg; arg++)
		jsonval_append_text(argv, *arg);
	jsonval_put_text(o, "version", s->version);
	jsonval_put(o, "argv", argv);
	jsonval_put_count(o, "seed", s->seed);
	jsonval_put_text(o, "started", s->started);
	return o;
}

/* As --metric has it. */
static const char *get_asked(enum metric metric)
{
	switch (metric) {
	case METRIC_MB:
		return "mb";
	case METRIC_DURABLE:
		return "durable";
	case METRIC_OPS:
		return "ops";
	case METRIC_PASS:
		return "pass";
	case METRIC_AUTO:
		break;
	}
	return "auto";
}

static json_t *build_plan(const struct session *s)
{
	json_t *o = jsonval_object(), *clients = jsonval_array();

	for (size_t i = 0; i < s->ncounts; i++)
		jsonval_append_count(clients, s->counts[i]);
	jsonval_put(o, "clients", clients);
	jsonval_put_count(o, "rounds", s->rounds);
	if (s->pass_mode)
		jsonval_put_count(o, "passes", s->passes);
	else
		jsonval_put_null(o, "passes");
	jsonval_put_number(o, "timelimit_seconds",
			   s->pass_mode ? NAN : s->timelimit_seconds);
	jsonval_put_number(o, "warmup_seconds",
			   s->pass_mode ? NAN : s->warmup_seconds);
	jsonval_put_text(o, "flags", s->flags);
	jsonval_put_text(o, "metric", metric_key(s, session_metric(s)));
	jsonval_put_text(o, "metric_asked", get_asked(s->metric));
	jsonval_put_bool(o, "aa", s->has_aa);
	jsonval_put_bool(o, "cold", s->cold);
	jsonval_put_text(o, "cold_how", s->cold_how);
	return o;
}

static json_t *build_host(const struct host_info *host)
{
	json_t *o = jsonval_object(), *sysctl = jsonval_object();

	for (size_t i = 0; i < host->nsysctl; i++)
		jsonval_put_text(sysctl, host->sysctl[i].name,
				 host->sysctl[i].value);
	jsonval_put_text(o, "kernel", host->kernel);
	jsonval_put_text(o, "cpu", host->cpu);
	jsonval_put_nonzero(o, "cpus", host->cpus);
	jsonval_put_nonzero(o, "memory_bytes", host->memory_bytes);
	jsonval_put(o, "sysctl", sysctl);
	return o;
}

static size_t count_bad(const struct session *s)
{
	size_t bad = 0;

	for (size_t i = 0; i < s->nruns; i++)
		bad += run_judge(s, &s->runs[i]) != RUN_GOOD;
	return bad;
}

/* Whether all that was planned counts, and if not, why. */
static void put_complete(json_t *o, const struct session *s)
{
	size_t bad = count_bad(s);
	char why[80];

	(void)snprintf(why, sizeof(why), "%zu of %zu runs do not count", bad,
		       s->nruns);
	jsonval_put_bool(o, "complete", !s->partial && !bad);
	jsonval_put_text(o, "incomplete_reason",
			 s->partial ? s->partial_why : bad ? why : "");
}

static json_t *build_loadfile(const struct loadfile_info *load)
{
	json_t *o = jsonval_object();

	jsonval_put_text(o, "path", load->path);
	jsonval_put_text(o, "sha256", load->sha256);
	jsonval_put_count(o, "once_ops", load->once_ops);
	jsonval_put_count(o, "ops_per_pass", load->ops_per_pass);
	if (load->bytes_bounds) {
		jsonval_put_null(o, "bytes_read_per_pass");
		jsonval_put_null(o, "bytes_written_per_pass");
	} else {
		jsonval_put_count(o, "bytes_read_per_pass",
				  load->bytes_read_per_pass);
		jsonval_put_count(o, "bytes_written_per_pass",
				  load->bytes_written_per_pass);
	}
	jsonval_put_count(o, "fsyncs_per_pass", load->fsyncs_per_pass);
	return o;
}

/* What is free means nothing where the size is unknown. */
static void put_space(json_t *o, const struct chain_link *link)
{
	jsonval_put_nonzero(o, "size_bytes", link->size_bytes);
	if (link->size_bytes)
		jsonval_put_count(o, "free_bytes", link->free_bytes);
	else
		jsonval_put_null(o, "free_bytes");
}

static void put_loop(json_t *o, const struct chain_link *link)
{
	jsonval_put_bool(o, "dio", link->dio);
	jsonval_put_bool(o, "sparse", link->sparse);
	jsonval_put_nonzero(o, "image_bytes", link->image_bytes);
	jsonval_put_text(o, "write_cache", link->write_cache);
}

static void put_no_loop(json_t *o)
{
	jsonval_put_null(o, "dio");
	jsonval_put_null(o, "sparse");
	jsonval_put_null(o, "image_bytes");
	jsonval_put_null(o, "write_cache");
}

static json_t *build_link(const struct chain_link *link)
{
	json_t *o = jsonval_object();

	jsonval_put_text(o, "kind", link->kind);
	jsonval_put_text(o, "fs", link->fs);
	jsonval_put_text(o, "device", link->device);
	jsonval_put_text(o, "source", link->source);
	jsonval_put_text(o, "mount_options", link->mount_options);
	if (link->is_loop)
		put_loop(o, link);
	else
		put_no_loop(o);
	put_space(o, link);
	jsonval_put_nonzero(o, "free_inodes", link->free_inodes);
	jsonval_put_nonzero(o, "journal_bytes", link->journal_bytes);
	return o;
}

static json_t *build_target(const struct target_info *target)
{
	const struct chain_link unknown = { .size_bytes = 0 };
	json_t *o = jsonval_object(), *chain = jsonval_array();

	for (size_t i = 0; i < target->nchain; i++)
		jsonval_append(chain, build_link(&target->chain[i]));
	jsonval_put_text(o, "name", target->name);
	jsonval_put_text(o, "spec", target->spec);
	put_space(o, target->nchain ? &target->chain[0] : &unknown);
	jsonval_put_bool(o, "test", target->is_test);
	jsonval_put_bool(o, "volatile", target_is_volatile(target));
	jsonval_put_number(o, "setup_seconds", target->setup_seconds);
	jsonval_put(o, "chain", chain);
	return o;
}

static json_t *build_document(const struct evaluation *ev, bool per_client)
{
	const struct session *s = ev->s;
	json_t *o = jsonval_object(), *targets = jsonval_array();
	json_t *runs = jsonval_array();

	for (size_t t = 0; t < s->ntargets; t++)
		jsonval_append(targets, build_target(&s->targets[t]));
	for (size_t i = 0; i < s->nruns; i++)
		jsonval_append(runs, json_run_build(s, &s->runs[i],
						    per_client));
	jsonval_put_count(o, "schema", 1);
	put_complete(o, s);
	jsonval_put(o, "replay", build_replay(s));
	jsonval_put(o, "plan", build_plan(s));
	jsonval_put(o, "host", build_host(&s->host));
	jsonval_put(o, "loadfile", build_loadfile(&s->load));
	jsonval_put(o, "targets", targets);
	jsonval_put(o, "runs", runs);
	jsonval_put(o, "summary", json_summary_build(ev));
	return o;
}

int report_json(const struct session *s, const struct report_opts *opts,
		FILE *out)
{
	struct evaluation ev;
	json_t *document;
	int ret;

	session_evaluate(s, &ev);
	document = build_document(&ev, opts->per_client);
	evaluation_done(&ev);
	errno = 0;
	ret = json_dumpf(document, out,
			 JSON_INDENT(2) | JSON_REAL_PRECISION(JSON_DIGITS));
	json_decref(document);
	if (ret != 0 || fputc('\n', out) == EOF || fflush(out) != 0)
		return errno ? -errno : -EIO;
	return 0;
}

struct file_args {
	const struct session *s;
	const struct report_opts *opts;
};

static int write_file(FILE *out, void *arg)
{
	const struct file_args *args = arg;

	return report_json(args->s, args->opts, out);
}

int report_json_file(const struct session *s, const struct report_opts *opts,
		     const char *path, struct err *err)
{
	struct file_args args = { .s = s, .opts = opts };

	return fdio_replace(path, write_file, &args, err);
}
