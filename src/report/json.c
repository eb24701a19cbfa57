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
 *	                       passes), flags
 *	host                   kernel, cpu, cpus (usable), memory_bytes,
 *	                       sysctl
 *	loadfile               path, sha256, once_ops, ops_per_pass,
 *	                       bytes_read_per_pass, bytes_written_per_pass,
 *	                       fsyncs_per_pass
 *	targets[]              name, spec, size_bytes, free_bytes (at the
 *	                       start), chain[]: kind, fs, device
 *	                       ("major:minor"), source, mount_options, dio
 *	runs[]                 one for every run that was made, in order; see
 *	                       json_run.c
 *	summary[]              one for every client count and target:
 *	  clients, target
 *	  rounds, failed_rounds  that count; that were made but do not
 *	  partial              the rounds that count were cut short
 *	  errors               in all rounds, also those that do not count
 *	  mb_per_s, durable_mb_per_s, ops_per_s, pass_seconds, seconds
 *	                       median, min, max, n over the rounds, or null
 *	  ratio                null: needs several targets
 */
#include "report/report.h"

#include <errno.h>
#include <math.h>

#include "base/fdio.h"
#include "report/json_run.h"
#include "report/jsonval.h"

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
	if (host->cpus)
		jsonval_put_count(o, "cpus", host->cpus);
	else
		jsonval_put_null(o, "cpus");
	if (host->memory_bytes)
		jsonval_put_count(o, "memory_bytes", host->memory_bytes);
	else
		jsonval_put_null(o, "memory_bytes");
	jsonval_put(o, "sysctl", sysctl);
	return o;
}

static bool all_good(const struct session *s)
{
	for (size_t i = 0; i < s->nruns; i++)
		if (run_judge(s, &s->runs[i]) != RUN_GOOD)
			return false;
	return true;
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

static json_t *build_target(const struct target_info *target)
{
	json_t *o = jsonval_object(), *chain = jsonval_array();
	json_t *base = jsonval_object();

	jsonval_put_text(base, "kind", "dir");
	jsonval_put_text(base, "fs", target->fs);
	jsonval_put_text(base, "device", target->device);
	jsonval_put_text(base, "source", target->source);
	jsonval_put_text(base, "mount_options", target->mount_options);
	jsonval_put_null(base, "dio");
	jsonval_append(chain, base);
	jsonval_put_text(o, "name", target->name);
	jsonval_put_text(o, "spec", target->spec);
	if (target->size_bytes) {
		jsonval_put_count(o, "size_bytes", target->size_bytes);
		jsonval_put_count(o, "free_bytes", target->free_bytes);
	} else {
		jsonval_put_null(o, "size_bytes");
		jsonval_put_null(o, "free_bytes");
	}
	jsonval_put(o, "chain", chain);
	return o;
}

static void put_spread(json_t *o, const char *key,
		       const struct spread *spread)
{
	json_t *v;

	if (!isfinite(spread->median)) {
		jsonval_put_null(o, key);
		return;
	}
	v = jsonval_object();
	jsonval_put_number(v, "median", spread->median);
	jsonval_put_number(v, "min", spread->min);
	jsonval_put_number(v, "max", spread->max);
	jsonval_put_count(v, "n", spread->n);
	jsonval_put(o, key, v);
}

static json_t *build_summary(const struct session *s, unsigned clients,
			     unsigned target)
{
	json_t *o = jsonval_object();
	struct summary_result sum;

	session_summary(s, clients, target, &sum);
	jsonval_put_count(o, "clients", clients);
	jsonval_put_text(o, "target", s->targets[target].name);
	jsonval_put_count(o, "rounds", sum.n);
	jsonval_put_count(o, "failed_rounds", sum.failed);
	jsonval_put_bool(o, "partial", sum.partial);
	jsonval_put_count(o, "errors", sum.errors);
	put_spread(o, "mb_per_s", &sum.mb_per_s);
	put_spread(o, "durable_mb_per_s", &sum.durable_mb_per_s);
	put_spread(o, "ops_per_s", &sum.ops_per_s);
	put_spread(o, "pass_seconds", &sum.pass_seconds);
	put_spread(o, "seconds", &sum.seconds);
	jsonval_put_null(o, "ratio");
	return o;
}

static json_t *build_document(const struct session *s, bool per_client)
{
	json_t *o = jsonval_object(), *targets = jsonval_array();
	json_t *runs = jsonval_array(), *summary = jsonval_array();

	for (size_t t = 0; t < s->ntargets; t++)
		jsonval_append(targets, build_target(&s->targets[t]));
	for (size_t i = 0; i < s->nruns; i++)
		jsonval_append(runs, json_run_build(s, &s->runs[i],
						    per_client));
	for (size_t c = 0; c < s->ncounts; c++) {
		for (unsigned t = 0; t < s->ntargets; t++)
			jsonval_append(summary,
				       build_summary(s, s->counts[c], t));
	}
	jsonval_put_count(o, "schema", 1);
	jsonval_put_bool(o, "complete", !s->partial && all_good(s));
	jsonval_put_text(o, "incomplete_reason", s->partial_why);
	jsonval_put(o, "replay", build_replay(s));
	jsonval_put(o, "plan", build_plan(s));
	jsonval_put(o, "host", build_host(&s->host));
	jsonval_put(o, "loadfile", build_loadfile(&s->load));
	jsonval_put(o, "targets", targets);
	jsonval_put(o, "runs", runs);
	jsonval_put(o, "summary", summary);
	return o;
}

int report_json(const struct session *s, const struct report_opts *opts,
		FILE *out)
{
	json_t *document = build_document(s, opts->per_client);
	int ret;

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
