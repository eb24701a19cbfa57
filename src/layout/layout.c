/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Layouts: levels built one on the other, looked at, torn down.
 *
 * All that is known here of a layer is its row in the registry.  Success and
 * failure end in the same undo stack.
 */
#include "layout/layout.h"

#include <errno.h>
#include <stdio.h>

#include "layout/image.h"
#include "layout/level.h"
#include "layout/setups.h"

/* Whether levels[0] is an image; what is on it then needs no mkfs. */
static bool is_image(const struct target_spec *spec)
{
	return spec->levels[0].ops->setup == setup_image;
}

int layout_check(const struct target_spec *spec, struct err *err)
{
	for (size_t n = 0; n < spec->nlevels; n++) {
		const struct layer_spec *layer = &spec->levels[n];

		/* check_image() has looked at what this loop needs */
		if ((n == 1 && is_image(spec)) || !layer->ops->check)
			continue;
		if (layer->ops->check(layer, err) < 0)
			return level_blame(spec, n, err);
	}
	return 0;
}

int check_mounts(const struct layer_spec *spec, struct err *err)
{
	(void)spec;
	return mntns_check(err);
}

bool layout_scratch(const struct target_spec *spec, int base_fd)
{
	const unsigned stands_alone = LAYER_FS | LAYER_MOUNTS;

	if (base_fd < 0)
		return false;
	/* up to the first level with a directory of its own */
	for (size_t n = 0; n < spec->nlevels; n++) {
		unsigned flags = spec->levels[n].ops->flags;

		if (flags & LAYER_NAMES)
			return true;
		if (flags & LAYER_ANON)
			return !image_can_be_anonymous(base_fd);
		if (n > 0 && (flags & stands_alone))
			return false;
	}
	return false;
}

/* Whether the environment has what SPEC needs: our own mistakes only. */
static int check_env(const struct target_spec *spec,
		     const struct layout_env *env, struct err *err)
{
	for (size_t n = 0; n < spec->nlevels; n++) {
		if ((spec->levels[n].ops->flags & LAYER_MOUNTS) &&
		    (!env->ns || env->ns->root_fd < 0))
			return err_set(err, -EINVAL, "%s needs a mount "
				       "namespace, which was not entered",
				       spec->levels[n].ops->name);
	}
	return 0;
}

static int build_level(struct layout *layout, size_t n, struct err *err)
{
	const struct layer_ops *ops = layout->spec->levels[n].ops;
	struct level *level = &layout->levels[n];

	*level = (struct level){
		.dir_fd = -1,
		.names_fd = -1,
		.image_fd = -1,
		.loop = -1,
	};
	(void)snprintf(level->link.kind, sizeof(level->link.kind), "%s",
		       ops->name);
	if (layout->env.stop && layout->env.stop(layout->env.stop_arg))
		return err_set(err, -EINTR, "interrupted");
	return ops->setup(layout, n, err);
}

int layout_build(struct layout *layout, const struct target_spec *spec,
		 const struct layout_env *env, struct err *err)
{
	int ret;

	*layout = (struct layout){
		.spec = spec,
		.env = *env,
		.lower_fd = -1,
		.upper_fd = -1,
		.work_fd = -1,
	};
	ret = check_env(spec, env, err);
	if (ret < 0)
		return ret;
	for (size_t n = 0; n < spec->nlevels; n++) {
		ret = build_level(layout, n, err);
		if (ret < 0) {
			(void)level_blame(spec, n, err);
			(void)layout_teardown(layout, &layout->left);
			return ret;
		}
		layout->nlevels = n + 1;
	}
	return 0;
}

int layout_finish(struct layout *layout, struct err *err)
{
	int ret;

	if (!layout->pending)
		return 0;
	ret = overlay_finish(layout, err);
	if (ret < 0)
		(void)err_prefix(err, "overlay");
	return ret;
}

int layout_teardown(struct layout *layout, struct err *err)
{
	int ret;

	if (!layout)
		return 0;
	ret = undo_all(&layout->undo, err);
	layout->nlevels = 0;
	layout->pending = false;
	layout->op_delay_ns = 0;
	return ret;
}
