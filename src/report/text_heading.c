/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heading of the readable report: load, target, how, machine.  A table
 * that is pasted somewhere must still say what it is about.
 */
#include "report/text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/escape.h"
#include "report/fmt.h"

#define OPTIONS_SHOWN 200

static void print_load(const struct session *s, FILE *out)
{
	const struct loadfile_info *load = &s->load;
	autofree char *path = escape_text(load->path);
	char read[FMT_SIZE], written[FMT_SIZE];

	fprintf(out, "load     %s\n", path);
	if (load->once_ops)
		fprintf(out,
			"         once, before the clock: %llu operations\n",
			(unsigned long long)load->once_ops);
	fprintf(out,
		"         a pass: %llu operations, %s read, %s written, "
		"%llu fsyncs\n",
		(unsigned long long)load->ops_per_pass,
		units_bytes(load->bytes_read_per_pass, read, sizeof(read)),
		units_bytes(load->bytes_written_per_pass, written,
			    sizeof(written)),
		(unsigned long long)load->fsyncs_per_pass);
}

static void print_target(const struct target_info *target, FILE *out)
{
	autofree char *name = escape_text(target->name);
	autofree char *spec = escape_text(target->spec);
	autofree char *source = escape_text(target->source);
	autofree char *options = escape_text(target->mount_options);
	char size[FMT_SIZE], avail[FMT_SIZE];
	bool named = strcmp(name, spec) != 0;

	fprintf(out, "target   %s%s%s: %s", named ? name : "",
		named ? " = " : "", spec,
		target->fs[0] ? target->fs : "unknown file system");
	if (source[0])
		fprintf(out, " on %s", source);
	if (target->device[0])
		fprintf(out, " (%s)", target->device);
	if (target->size_bytes)
		fprintf(out, ", %s, %s free",
			units_bytes_iec(target->size_bytes, size,
					sizeof(size)),
			units_bytes_iec(target->free_bytes, avail,
					sizeof(avail)));
	fputs("\n", out);
	if (options[0])
		fprintf(out, "         %.*s%s\n", OPTIONS_SHOWN, options,
			strlen(options) > OPTIONS_SHOWN ? "..." : "");
}

static void print_counts(const struct session *s, FILE *out)
{
	fputs("clients ", out);
	for (size_t i = 0; i < s->ncounts; i++)
		fprintf(out, " %u", s->counts[i]);
	fputs("\n", out);
}

static void print_how(const struct session *s, FILE *out)
{
	fprintf(out, "how      backend %s", s->backend);
	if (s->iodepth > 1)
		fprintf(out, ", depth %u", s->iodepth);
	if (s->pass_mode)
		fprintf(out, "; %llu pass%s per client",
			(unsigned long long)s->passes,
			s->passes == 1 ? "" : "es");
	else
		fprintf(out, "; %g s warm-up, then %g s measured",
			s->warmup_seconds, s->timelimit_seconds);
	fprintf(out, "; %u round%s; seed %llu%s%s\n", s->rounds,
		s->rounds == 1 ? "" : "s", (unsigned long long)s->seed,
		s->flags[0] ? "; " : "", s->flags);
}

static void print_machine(const struct session *s, FILE *out)
{
	const struct host_info *host = &s->host;
	autofree char *kernel = escape_text(host->kernel);
	autofree char *cpu = escape_text(host->cpu);
	char memory[FMT_SIZE];

	fprintf(out, "machine  %s; %u CPU%s", kernel, host->cpus,
		host->cpus == 1 ? "" : "s");
	if (cpu[0])
		fprintf(out, " (%s)", cpu);
	if (host->memory_bytes)
		fprintf(out, "; %s memory",
			units_bytes_iec(host->memory_bytes, memory,
					sizeof(memory)));
	fputs("\n", out);
}

void text_heading(const struct session *s, FILE *out)
{
	autofree char *started = escape_text(s->started);

	fprintf(out, "replay %s, started %s\n\n", s->version, started);
	print_load(s, out);
	for (size_t i = 0; i < s->ntargets; i++)
		print_target(&s->targets[i], out);
	print_counts(s, out);
	print_how(s, out);
	print_machine(s, out);
}
