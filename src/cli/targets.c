/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The targets of the command line.  The grammar is layout/spec.h's; here is
 * what concerns several of them, and them and the other options.
 */
#include "cli/targets.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "run/target.h"

static int check_names(const struct targets *targets, struct err *err)
{
	size_t i, j;

	for (i = 0; i < targets->n; i++)
		for (j = 0; j < i; j++)
			if (!strcmp(targets->specs[i].name,
				    targets->specs[j].name))
				return err_set(err, -EINVAL,
					       "two targets are called '%s': "
					       "give one of them another "
					       "name (NAME=...)",
					       targets->specs[i].name);
	return 0;
}

/* What is in a layout of ours goes with it. */
static int check_keep(const struct options *opts,
		      const struct targets *targets, struct err *err)
{
	size_t i;

	for (i = 0; opts->keep && i < targets->n; i++)
		if (target_spec_has_layers(&targets->specs[i]))
			return err_set(err, -EINVAL,
				       "--keep: nothing can be kept of %s, "
				       "its layers are gone after the run",
				       targets->specs[i].text);
	return 0;
}

static int parse_all(const struct options *opts, struct targets *targets,
		     struct err *err)
{
	int ret = 0;

	while (ret == 0 && targets->n < opts->ntargets) {
		ret = spec_parse(opts->targets[targets->n],
				 &targets->specs[targets->n], err);
		targets->n++;
	}
	return ret;
}

static void add_aa(struct targets *targets)
{
	autofree char *name = mem_printf("%s(aa)", targets->specs[0].name);

	spec_copy(&targets->specs[0], name, &targets->specs[targets->n++]);
	targets->has_aa = true;
}

int targets_parse(const struct options *opts, struct targets *targets,
		  struct err *err)
{
	size_t i;
	int ret;

	*targets = (struct targets){ .n = 0 };
	if (!opts->ntargets)
		return err_set(err, -EINVAL,
			       "no target: name the directory to run in");
	targets->specs = mem_zalloc(opts->ntargets + 1,
				    sizeof(*targets->specs));
	targets->infos = mem_zalloc(opts->ntargets + 1,
				    sizeof(*targets->infos));
	ret = parse_all(opts, targets, err);
	if (ret == 0 && opts->aa)
		add_aa(targets);
	if (ret == 0)
		ret = check_names(targets, err);
	if (ret == 0)
		ret = check_keep(opts, targets, err);
	for (i = 0; i < targets->n; i++)
		targets->infos[i] = (struct target_info){
			.name = targets->specs[i].name,
			.spec = targets->specs[i].text,
			.setup_seconds = NAN,
		};
	return ret;
}

void targets_done(struct targets *targets)
{
	size_t i;

	for (i = 0; i < targets->n; i++)
		spec_done(&targets->specs[i]);
	free(targets->specs);
	free(targets->infos);
}
