/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A target: what layout/ and rundir know, put together.
 *
 *	base -> (scratch directory) -> layout, level by level -> run directory
 *
 * On a directory of the user's the run directory is announced to the
 * janitor, and so is the scratch directory in which layers (bind, overlay)
 * have their names.  A run directory on a level of our own is not: it goes
 * with that.
 *
 * Every run opens the levels afresh: syncfs(2) tells a descriptor of the
 * errors since it was opened, so one run does not hear of another's losses.
 */
#include "run/target.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "audit/describe.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "layout/setups.h"
#include "run/janitor.h"
#include "run/limits.h"

bool target_spec_has_layers(const struct target_spec *spec)
{
	return spec->nlevels > 1 || spec->levels[0].ops != &layer_dir;
}

bool target_has_layers(const struct target *target)
{
	return target_spec_has_layers(target->spec);
}

/* The directory that the base is, or is in; NULL: it is memory.  Owned. */
static char *base_dir(const struct layer_spec *base)
{
	const char *slash;

	if (!base->path)
		return NULL;
	if (base->ops == &layer_dir)
		return mem_strdup(base->path);
	slash = strrchr(base->path, '/');
	if (!slash)
		return mem_strdup(".");
	return mem_strndup(base->path,
			   slash == base->path ? 1
					       : (size_t)(slash - base->path));
}

void target_hold(struct target *target)
{
	autofree char *path = base_dir(&target->spec->levels[0]);

	if (path)
		target->host_fd = open(path,
				       O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_base(struct target *target, struct err *err)
{
	autofree char *path = base_dir(&target->spec->levels[0]);

	if (!path)
		return 0;
	target->base_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (target->base_fd < 0)
		return err_sys(err, -errno, "%s", path);
	if (faccessat(target->base_fd, ".", W_OK | X_OK, AT_EACCESS) < 0)
		return err_sys(err, -errno,
			       "%s: cannot make a directory in it", path);
	return 0;
}

/* Layers: sizes from the top down, then room for them on the base. */
static int check_layers(struct target *target, const struct limits_peak *peak,
			struct err *err)
{
	const struct space_need need = {
		.bytes = limits_peak_bytes(peak),
		.files = limits_peak_files(peak),
	};
	struct limits_room room = { .arithmetic = target->space.arithmetic };
	int ret = space_plan(target->spec, &need, target->force,
			     &target->space, err);

	if (ret < 0)
		return ret;
	room.bytes = target->space.need[0].bytes;
	room.files = target->space.need[0].files;
	if (target->base_fd >= 0)
		return limits_check_room(target->base_fd, &room,
					 target->force, &target->reserve_bytes,
					 err);
	return target->force ? 0 : space_check_memory(room.bytes, err);
}

static int check_target(struct target *target, const struct limits_peak *peak,
			struct err *err)
{
	int ret = layout_check(target->spec, err);

	if (ret == 0)
		ret = open_base(target, err);
	if (ret < 0)
		return ret;
	if (target_has_layers(target))
		return check_layers(target, peak, err);
	ret = limits_check_space(target->base_fd, peak, target->force,
				 &target->reserve_bytes, err);
	return ret < 0 ? (err_prefix(err, "%s", target->spec->levels[0].path),
			  ret)
		       : 0;
}

int target_open(struct target *target, const struct limits_peak *peak,
		struct err *err)
{
	int ret = check_target(target, peak, err);

	if (ret < 0 && target_has_layers(target))
		(void)err_prefix(err, "%s", target->spec->text);
	return ret;
}

int target_remove_stale(const struct target *target, struct err *err)
{
	if (target->base_fd < 0)
		return 0;
	return rundir_remove_stale(target->base_fd, err);
}

void target_close(struct target *target)
{
	cleanup_close(&target->base_fd);
	cleanup_close(&target->host_fd);
	target->base_fd = target->host_fd = -1;
}

/* Whether what is on LEVEL is also on the file system of the one below. */
static bool same_fs(const struct level *level, const struct level *below)
{
	struct stat a, b;

	return fstat(level->dir_fd, &a) == 0 && fstat(below->dir_fd, &b) == 0 &&
	       a.st_dev == b.st_dev;
}

void target_levels(const struct target_run *tr, struct levels *levels)
{
	const struct layout *layout = &tr->layout;
	size_t i;

	levels->n = 0;
	for (i = layout->nlevels; i-- > 0;)
		if (i == 0 || !same_fs(&layout->levels[i],
				       &layout->levels[i - 1]))
			levels->fds[levels->n++] = layout->levels[i].dir_fd;
}

static int make_scratch(struct target_run *tr, struct err *err)
{
	struct target *target = tr->target;

	if (target->base_fd < 0 ||
	    !layout_scratch(target->spec, target->base_fd))
		return 0;
	tr->scratch.bare = true;
	return rundir_make(&tr->scratch, target->base_fd, target->janitor,
			   err);
}

static int make_layout(struct target_run *tr, struct err *err)
{
	struct target *target = tr->target;
	const struct layout_env env = {
		.ns = target->ns,
		.base_fd = target->base_fd,
		.scratch_fd = tr->scratch.fd,
		.space = &target->space,
		.prepare_below = target->prepare,
		.symlinks = target->symlinks,
		.stop = target->stop,
		.stop_arg = target->stop_arg,
	};
	int ret = layout_build(&tr->layout, target->spec, &env, err);

	tr->built = ret == 0;
	return ret;
}

/*
 * The janitor hears of the loop devices when they are there: in the moment
 * before there is hardly anything in them that could be slow to go.
 */
static void announce_loops(struct target_run *tr)
{
	struct err why = ERR_INIT;
	size_t i;

	for (i = 0; i < tr->layout.nlevels; i++)
		if (tr->layout.levels[i].link.is_loop)
			tr->loop_ids[i] = janitor_watch_loop(
				tr->target->janitor,
				tr->layout.levels[i].loop, &why);
	/* without it they go all the same when we are killed, only slower */
}

static void forget_loops(struct target_run *tr)
{
	size_t i;

	for (i = 0; i < LEVELS_MAX; i++)
		janitor_forget(tr->target->janitor, tr->loop_ids[i]);
}

/*
 * A file system of our own turned out to be smaller than was thought, or an
 * existing image is full.
 */
static int check_room(struct target_run *tr, struct err *err)
{
	const struct target *target = tr->target;
	size_t top = target->spec->nlevels - 1;
	const struct space_need *need = &target->space.need[top];
	char want[32], have[32];
	struct statvfs fs;
	uint64_t avail;

	if (!target_has_layers(target) || target->force ||
	    fstatvfs(layout_top(&tr->layout)->dir_fd, &fs) < 0 || !fs.f_blocks)
		return 0;
	avail = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (fs.f_files && need->files > fs.f_favail)
		return err_set(err, -ENOSPC,
			       "the clients have %" PRIu64 " files at the "
			       "peak, and in what was built for them %" PRIu64
			       " inodes are free (--no-reserve tries it)",
			       need->files, (uint64_t)fs.f_favail);
	if (need->bytes <= avail)
		return 0;
	return err_set(err, -ENOSPC,
		       "the clients' files take %s at the peak, and in what "
		       "was built for them %s are free (--no-reserve tries it)",
		       units_bytes_iec(need->bytes, want, sizeof(want)),
		       units_bytes_iec(avail, have, sizeof(have)));
}

static int build(struct target_run *tr, struct err *err)
{
	struct target *target = tr->target;
	bool plain = !target_has_layers(target);
	int ret = make_scratch(tr, err);

	if (ret == 0)
		ret = make_layout(tr, err);
	if (ret < 0)
		return ret;
	announce_loops(tr);
	ret = check_room(tr, err);
	if (ret < 0)
		return ret;
	tr->dir.symlinks = target->symlinks;
	return rundir_make(&tr->dir, layout_top(&tr->layout)->dir_fd,
			   plain ? target->janitor : NULL, err);
}

int target_build(struct target *target, struct target_run *tr,
		 struct err *err)
{
	uint64_t start_ns = clock_now_ns();
	size_t i;
	int ret;

	*tr = (struct target_run){
		.target = target,
		.scratch = RUNDIR_INIT,
		.dir = RUNDIR_INIT,
	};
	for (i = 0; i < LEVELS_MAX; i++)
		tr->loop_ids[i] = -1;
	ret = build(tr, err);
	tr->setup_seconds = (double)(clock_now_ns() - start_ns) / 1e9;
	if (ret < 0) {
		tr->left = tr->layout.left;
		(void)target_remove(tr, false,
				    tr->left.code ? NULL : &tr->left);
		if (target_has_layers(target))
			(void)err_prefix(err, "%s", target->spec->text);
	}
	return ret;
}

int target_finish(struct target_run *tr, char *path, size_t size,
		  struct err *err)
{
	int ret;

	if (!tr->layout.pending)
		return 0;
	ret = layout_finish(&tr->layout, err);
	if (ret < 0)
		return ret;
	(void)snprintf(path, size, "%s/%s/fleet",
		       layout_top(&tr->layout)->mount, tr->dir.name);
	return 0;
}

void target_describe(const struct target_run *tr, struct target_info *info)
{
	const struct layout *layout = &tr->layout;
	size_t i;

	info->nchain = 0;
	for (i = layout->nlevels; i-- > 0;) {
		struct chain_link *link = &info->chain[info->nchain++];

		*link = layout->levels[i].link;
		describe_dir(layout->levels[i].dir_fd, link);
	}
	info->setup_seconds = tr->setup_seconds;
}

void target_describe_base(const struct target *target,
			  struct target_info *info)
{
	struct chain_link *link = &info->chain[0];

	*link = (struct chain_link){ .kind = "dir" };
	describe_dir(target->base_fd, link);
	info->nchain = 1;
	info->setup_seconds = NAN;
}

/* Keep the first failure, and go on. */
static void add_failure(int ret, const struct err *why, int *first,
			struct err *err)
{
	if (ret >= 0 || *first < 0)
		return;
	*first = ret;
	if (err)
		*err = *why;
}

int target_remove(struct target_run *tr, bool keep, struct err *err)
{
	struct err why = ERR_INIT;
	int first = 0;

	if (target_has_layers(tr->target))
		rundir_abandon(&tr->dir);
	else
		add_failure(rundir_remove(&tr->dir, keep, &why), &why, &first,
			    err);
	forget_loops(tr);
	if (tr->built)
		add_failure(layout_teardown(&tr->layout, &why), &why, &first,
			    err);
	tr->built = false;
	if (tr->scratch.fd >= 0)
		add_failure(rundir_remove(&tr->scratch, false, &why), &why,
			    &first, err);
	return first;
}
