/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The heading of the readable report: load, targets, how, machine.  A table
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

/* "ext4 on /dev/sda1 (8:1), 252 GiB, 79.6 GiB free". */
static void print_fs(const struct chain_link *link, FILE *out)
{
	autofree char *fs = escape_text(link->fs);
	autofree char *source = escape_text(link->source);
	char size[FMT_SIZE], avail[FMT_SIZE];

	fputs(fs[0] ? fs : "unknown file system", out);
	if (source[0])
		fprintf(out, " on %s", source);
	if (link->device[0])
		fprintf(out, " (%s)", link->device);
	if (link->size_bytes)
		fprintf(out, ", %s, %s free",
			units_bytes_iec(link->size_bytes, size, sizeof(size)),
			units_bytes_iec(link->free_bytes, avail,
					sizeof(avail)));
	fputs("\n", out);
}

static void print_loop(const struct chain_link *link, FILE *out)
{
	autofree char *source = escape_text(link->source);
	autofree char *cache = escape_text(link->write_cache);
	char size[FMT_SIZE];

	fprintf(out, "         on loop %s (image", source);
	if (link->image_bytes)
		fprintf(out, " %s", units_bytes_iec(link->image_bytes, size,
						    sizeof(size)));
	fprintf(out, ", %s, direct I/O %s",
		link->sparse ? "sparse" : "preallocated",
		link->dio ? "on" : "off");
	if (cache[0])
		fprintf(out, ", %s", cache);
	fputs(")\n", out);
}

/* How a link that is no image stands on the one below it. */
static const char *get_relation(const char *kind)
{
	static const struct {
		const char *kind, *relation;
	} relations[] = {
		{ "bind", "bind of" },
		{ "overlay", "overlay over" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(relations); i++)
		if (strcmp(kind, relations[i].kind) == 0)
			return relations[i].relation;
	return NULL;
}

/* What LINK is to the one below it, which is printed next. */
static void print_relation(const struct chain_link *link, FILE *out)
{
	const char *relation = get_relation(link->kind);
	autofree char *kind = escape_text(link->kind);

	if (link->is_loop)
		print_loop(link, out);
	if (link->is_loop)
		fputs("         in ", out);
	else if (relation)
		fprintf(out, "         %s ", relation);
	else
		fprintf(out, "         %s on ", kind);
}

static void print_options(const struct chain_link *link, FILE *out)
{
	autofree char *options = escape_text(link->mount_options);

	if (options[0])
		fprintf(out, "         %.*s%s\n", OPTIONS_SHOWN, options,
			strlen(options) > OPTIONS_SHOWN ? "..." : "");
}

/*
 * The topmost link in the target's line, each further one in a line of its
 * own.  Of several targets the options are left to the list of differences.
 */
static void print_target(const struct session *s,
			 const struct target_info *target, FILE *out)
{
	autofree char *name = escape_text(target->name);
	autofree char *spec = escape_text(target->spec);
	/* as typed it begins with the name, if it was given one */
	bool named = strncmp(name, spec, strlen(name)) != 0;

	fprintf(out, "target   %s%s%s: %s", named ? name : "",
		named ? " = " : "", spec,
		target->is_test ? "TEST LAYER: " : "");
	if (!target->nchain)
		fputs("not built\n", out);
	for (size_t i = 0; i < target->nchain; i++) {
		if (i)
			print_relation(&target->chain[i - 1], out);
		print_fs(&target->chain[i], out);
		if (i == 0 && s->ntargets == 1)
			print_options(&target->chain[0], out);
	}
	if (target->nchain && target->chain[target->nchain - 1].is_loop)
		print_loop(&target->chain[target->nchain - 1], out);
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
	fprintf(out, "; %u round%s; seed %llu%s%s%s\n", s->rounds,
		s->rounds == 1 ? "" : "s", (unsigned long long)s->seed,
		s->flags[0] ? "; " : "", s->flags, s->cold ? "; cold" : "");
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
		print_target(s, &s->targets[i], out);
	print_counts(s, out);
	print_how(s, out);
	print_machine(s, out);
}
