/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The main job: read the load, make the plan, run it, report.
 *
 * Nothing of the user's is touched before everything has been checked.
 * Standard output gets the report alone; the plan, progress and warnings go
 * to standard error.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/fdio.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/targets.h"
#include "report/escape.h"
#include "report/report.h"
#include "run/cold.h"
#include "run/janitor.h"
#include "run/pool.h"
#include "run/session.h"

#define DEFAULT_LOAD "office"

struct job {
	const struct options *opts;
	struct prog *prog;
	struct janitor *janitor;
	struct watch watch;
	struct session_run *sr;
	struct session session;
	struct targets targets;
	struct progress progress;
};

static const struct backend_ops *choose_backend(const struct options *opts,
						struct err *err)
{
	const char *name = opts->backend ? opts->backend : "sync";
	const struct backend_ops *ops = backend_find(name);

	if (!ops)
		(void)err_set(err, -EINVAL,
			      "--backend %s: there is no such backend (see "
			      "--list-backends)",
			      name);
	return ops;
}

static void add_flag(char *flags, size_t size, bool on, const char *text)
{
	size_t used = strlen(flags);

	if (on)
		(void)snprintf(flags + used, size - used, "%s%s",
			       used ? ", " : "", text);
}

static void describe_flags(const struct options *o, char *flags, size_t size)
{
	add_flag(flags, size, o->sync_open, "sync open");
	add_flag(flags, size, o->sync_dir, "sync dirs");
	add_flag(flags, size, o->sync_write, "fsync writes");
	add_flag(flags, size, o->xattr, "xattr");
	add_flag(flags, size, o->no_resolve, "no resolve");
	add_flag(flags, size, o->rate > 0, "target rate");
	if (o->data)
		add_flag(flags, size, strcmp(o->data, "random") != 0,
			 "other data");
}

static void describe_load(struct job *job)
{
	const struct prog *prog = job->prog;
	struct loadfile_info *load = &job->session.load;

	load->path = prog->files[0].name;
	load->sha256 = prog->files[0].sha256;
	load->once_ops = prog->facts.once_ops;
	load->ops_per_pass = prog->facts.ops_per_pass;
	load->bytes_read_per_pass = prog->facts.bytes_read_per_pass;
	load->bytes_written_per_pass = prog->facts.bytes_written_per_pass;
	load->fsyncs_per_pass = prog->facts.fsyncs_per_pass;
	load->bytes_bounds = !prog->facts.bytes_exact;
}

static void start_session(struct job *job, const struct backend_ops *backend,
			  char **argv)
{
	const struct options *o = job->opts;
	struct session *s = &job->session;
	time_t now = time(NULL);
	struct tm tm;

	s->version = PACKAGE_VERSION;
	s->argv = argv;
	s->seed = o->seed;
	s->backend = backend->name;
	s->moves_nothing = backend->moves_nothing;
	s->iodepth = 1;
	s->pass_mode = o->passes > 0;
	s->passes = o->passes;
	s->timelimit_seconds = o->timelimit;
	s->warmup_seconds = o->warmup;
	s->rounds = o->rounds;
	s->counts = o->counts;
	s->ncounts = o->ncounts;
	s->targets = job->targets.infos;
	s->ntargets = job->targets.n;
	s->has_aa = job->targets.has_aa;
	s->metric = o->metric;
	s->cold = o->cold;
	(void)snprintf(s->cold_how, sizeof(s->cold_how), "%s",
		       !o->cold ? ""
		       : cold_whole_machine()
			       ? "the whole machine's"
			       : "only of the files there before the gate");
	describe_flags(o, s->flags, sizeof(s->flags));
	describe_load(job);
	host_describe(&s->host);
	if (gmtime_r(&now, &tm))
		(void)strftime(s->started, sizeof(s->started),
			       "%Y-%m-%dT%H:%M:%SZ", &tm);
}

static void on_progress(void *arg, const struct live *live)
{
	struct job *job = arg;

	progress_show(&job->progress, live);
}

static void on_run_begins(void *arg, const struct planned_run *planned)
{
	struct job *job = arg;
	const struct target_info *info = &job->targets.infos[planned->target];

	job->progress.run++;
	job->progress.clients = planned->clients;
	job->progress.target = job->targets.n > 1 ? info->name : NULL;
}

static void on_run_done(void *arg, const struct run_result *run)
{
	struct job *job = arg;

	progress_clear(&job->progress);
	if (job->opts->verbose)
		report_run_line(&job->session, run, stderr);
}

static void on_warning(void *arg, const char *text)
{
	struct job *job = arg;

	autofree char *shown = escape_text(text);

	progress_clear(&job->progress);
	(void)fprintf(stderr, "replay: %s\n", shown);
}

static const char *data_kind(const struct options *o)
{
	return o->data ? o->data : "random";
}

static struct session_request make_request(struct job *job,
					   const struct backend_ops *backend)
{
	const struct options *o = job->opts;

	return (struct session_request){
		.prog = job->prog,
		.backend = backend,
		.env = {
			.resolve = !o->no_resolve,
			.sync_open = o->sync_open,
			.sync_dir = o->sync_dir,
			.sync_write = o->sync_write,
			.xattr = o->xattr && backend != &backend_null,
		},
		.specs = job->targets.specs,
		.infos = job->targets.infos,
		.ntargets = job->targets.n,
		.counts = o->counts,
		.ncounts = o->ncounts,
		.rounds = o->rounds,
		.timelimit_seconds = o->timelimit,
		.warmup_seconds = o->warmup,
		.passes = o->passes,
		.seed = o->seed,
		.rate_mb_per_s = o->rate,
		.data = data_kind(o),
		.watchdog_seconds = o->watchdog,
		.no_reserve = o->no_reserve,
		.keep = o->keep,
		.cold = o->cold,
		.run_begins = on_run_begins,
		.progress = on_progress,
		.run_done = on_run_done,
		.warn = on_warning,
		.arg = job,
	};
}

/* What the plan takes, seconds; set-up times are those of the trials. */
static double expected_seconds(const struct job *job)
{
	const struct options *o = job->opts;
	double each = 0;
	size_t i;

	for (i = 0; i < job->targets.n; i++) {
		double setup = job->targets.infos[i].setup_seconds;

		each += o->warmup + o->timelimit + (setup > 0 ? setup : 0);
	}
	return each * (double)o->ncounts * o->rounds;
}

/* "clients: 1 2 4; 54 runs (3 targets x 6 rounds) of 2 + 10 s, ..." */
static void print_plan(const struct job *job)
{
	const struct options *o = job->opts;
	size_t runs = session_planned(job->sr), i;

	if (o->quiet)
		return;
	(void)fputs("clients:", stderr);
	for (i = 0; i < o->ncounts; i++)
		(void)fprintf(stderr, " %u", o->counts[i]);
	(void)fprintf(stderr, "; %zu run%s", runs, runs == 1 ? "" : "s");
	if (job->targets.n > 1)
		(void)fprintf(stderr, " (%zu targets, %u round%s)",
			      job->targets.n, o->rounds,
			      o->rounds == 1 ? "" : "s");
	if (o->passes)
		(void)fprintf(stderr,
			      " of %" PRIu64 " pass%s, for how long is not "
			      "known; seed %" PRIu64 "\n", o->passes,
			      o->passes == 1 ? "" : "es", o->seed);
	else
		(void)fprintf(stderr,
			      " of %g + %g s, at least %.0f s; seed %" PRIu64
			      "\n", o->warmup, o->timelimit,
			      expected_seconds(job), o->seed);
}

static int write_reports(struct job *job)
{
	const struct options *o = job->opts;
	const struct report_opts how = {
		.per_client = o->per_client,
		.verbose = o->verbose,
		.quiet = o->quiet,
	};
	struct err err = ERR_INIT;
	int ret;

	if (o->output == OUTPUT_JSON)
		ret = report_json(&job->session, &how, stdout);
	else
		ret = report_text(&job->session, &how, stdout);
	if (o->json &&
	    report_json_file(&job->session, &how, o->json, &err) < 0) {
		complain(&err);
		return EXIT_UNEXPECTED;
	}
	return ret < 0 ? EXIT_UNEXPECTED : EXIT_GOOD;
}

/* 1 when anything was not as it should be. */
static int judge(const struct session *s)
{
	size_t i;

	if (s->partial)
		return EXIT_UNEXPECTED;
	for (i = 0; i < s->nruns; i++)
		if (run_judge(s, &s->runs[i]) != RUN_GOOD ||
		    run_surprised(&s->runs[i]) || s->runs[i].sync_errno)
			return EXIT_UNEXPECTED;
	return EXIT_GOOD;
}

static void note_partial(struct job *job, int ret)
{
	struct session *s = &job->session;

	if (ret == 0)
		return;
	s->partial = true;
	(void)snprintf(s->partial_why, sizeof(s->partial_why),
		       "interrupted by signal %d (%s)", job->watch.signal,
		       strsignal(job->watch.signal));
}

/* Why there is nothing to report; NULL: there is something. */
static const char *nothing_ran(const struct session *s)
{
	size_t i;

	for (i = 0; i < s->nruns; i++)
		if (s->runs[i].end != RUN_FAILED)
			return NULL;
	return s->nruns ? s->runs[0].reason : s->partial_why;
}

/* The plan is good: execute it and report. */
static int execute(struct job *job)
{
	struct session *s = &job->session;
	const char *why;
	int ret, status;

	print_plan(job);
	progress_init(&job->progress,
		      job->opts->quiet ? 0 : job->opts->progress,
		      session_planned(job->sr));
	ret = session_execute(job->sr, &s->runs, &s->nruns);
	progress_clear(&job->progress);
	note_partial(job, ret);
	why = nothing_ran(s);
	if (why) {
		autofree char *shown = escape_text(why);

		(void)fprintf(stderr, "replay: %s\n", shown);
		return ret == -EINTR ? EXIT_UNEXPECTED : EXIT_SETUP;
	}
	status = write_reports(job);
	if (session_left_behind(job->sr))
		return EXIT_UNEXPECTED;
	return status ? status : judge(s);
}

/* Whether PATH is the same file as ST; not where it is none. */
static bool is_file(const char *path, const struct stat *st)
{
	struct stat is;

	return path && stat(path, &is) == 0 && is.st_dev == st->st_dev &&
	       is.st_ino == st->st_ino;
}

/* The results must be writable, and not over what they are of. */
static int check_json(const struct job *job, struct err *err)
{
	const char *json = job->opts->json;
	struct stat st;
	size_t i;

	if (stat(json, &st) < 0)
		return fdio_can_replace(json, err);
	if (S_ISBLK(st.st_mode))
		return err_set(err, -EINVAL, "--json %s: a block device", json);
	for (i = 0; i < job->targets.n; i++)
		if (is_file(job->targets.specs[i].levels[0].path, &st))
			return err_set(err, -EINVAL,
				       "--json %s: that is a target", json);
	for (i = 0; i < job->prog->nfiles; i++)
		if (is_file(job->prog->files[i].name, &st))
			return err_set(err, -EINVAL,
				       "--json %s: that is a load file", json);
	return fdio_can_replace(json, err);
}

static int prepare_and_execute(struct job *job, char **argv)
{
	struct err err = ERR_INIT;
	const struct backend_ops *backend = choose_backend(job->opts, &err);
	struct session_request req;
	int ret;

	if (!backend || pool_check(data_kind(job->opts), &err) < 0) {
		complain(&err);
		return EXIT_USAGE;
	}
	if (job->opts->json && check_json(job, &err) < 0) {
		complain(&err);
		return EXIT_SETUP;
	}
	req = make_request(job, backend);
	start_session(job, backend, argv);
	ret = session_prepare(&req, job->janitor, &job->watch, &job->sr, &err);
	if (ret == -EINTR) {
		note_partial(job, ret);
		(void)fprintf(stderr, "replay: %s\n",
			      job->session.partial_why);
		return EXIT_UNEXPECTED;
	}
	if (ret < 0) {
		complain(&err);
		return EXIT_SETUP;
	}
	ret = execute(job);
	session_done(job->sr);
	return ret;
}

/*
 * Signals are caught from here on only: until now, while reading a load from
 * a terminal for example, they end the program as they always do.
 */
static int watch_and_run(struct job *job, char **argv)
{
	struct err err = ERR_INIT;
	int status = EXIT_SETUP;

	if (watch_init(&job->watch, &err) < 0)
		complain(&err);
	else
		status = prepare_and_execute(job, argv);
	watch_done(&job->watch);
	return status;
}

/* The janitor comes before everything that it must not hold on to. */
static int with_janitor(struct job *job, char **argv)
{
	const char *load = job->opts->loadfile;
	struct err err = ERR_INIT;
	int status;

	if (janitor_start(&job->janitor, &err) < 0) {
		complain(&err);
		return EXIT_SETUP;
	}
	status = compile_named(load ? load : DEFAULT_LOAD, &job->prog);
	if (!status)
		status = watch_and_run(job, argv);
	prog_free(job->prog);
	janitor_stop(job->janitor);
	return status;
}

int cmd_run(const struct options *opts, char **argv)
{
	struct job job = { .opts = opts, .watch = { .signal_fd = -1 } };
	struct err err = ERR_INIT;
	int ret = targets_parse(opts, &job.targets, &err);
	int status = ret == -EINVAL ? EXIT_USAGE : EXIT_SETUP;

	if (ret < 0)
		complain(&err);
	else
		status = with_janitor(&job, argv);
	targets_done(&job.targets);
	return status;
}
