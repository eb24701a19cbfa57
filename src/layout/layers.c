/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The registry: what each base and layer is called, which keys it has, and on
 * what it can stand.  --list-layers and the parser read it; the setup
 * functions it points at are in files of their own.
 *
 * The rules refuse only what can be told from the text alone; whether the
 * machine can do it is the business of the checks.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/units.h"
#include "layout/fstype.h"
#include "layout/setups.h"

#define BLOCK 4096
#define TMPFS_MIN (UINT64_C(1) << 20)
#define SIZE_MAX_BYTES (UINT64_C(1) << 60)
#define OP_US_MAX 1e6
#define FS_NAME_MAX 15

static int read_size(struct layer_spec *spec, const char *value,
		     struct err *err)
{
	uint64_t bytes;
	int ret = units_parse_u64(value, strlen(value), &bytes);

	if (ret == -EINVAL)
		return err_set(err, ret, "'%.40s' is no size: 512M and 2G are",
			       value);
	if (ret < 0 || bytes > SIZE_MAX_BYTES)
		return err_set(err, -EINVAL, "%.40s is too large", value);
	if (bytes == 0)
		return err_set(err, -EINVAL, "there is no room in nothing");
	if (bytes % BLOCK)
		return err_set(err, -EINVAL, "%.40s is not a multiple of 4096",
			       value);
	spec->size_bytes = bytes;
	return 0;
}

/* The name becomes part of a program's, "mkfs.NAME". */
static int read_fs(struct layer_spec *spec, const char *value, struct err *err)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyz0123456789_-";

	if (strlen(value) > FS_NAME_MAX || value[0] == '-' ||
	    value[strspn(value, good)])
		return err_set(err, -EINVAL,
			       "'%.40s' cannot be the name of a file system",
			       value);
	spec->fs = mem_strdup(value);
	return 0;
}

static int read_dio(struct layer_spec *spec, const char *value,
		    struct err *err)
{
	(void)value;
	(void)err;
	spec->dio = true;
	return 0;
}

static int read_sparse(struct layer_spec *spec, const char *value,
		       struct err *err)
{
	(void)value;
	(void)err;
	spec->sparse = true;
	return 0;
}

static int read_volatile(struct layer_spec *spec, const char *value,
			 struct err *err)
{
	(void)value;
	(void)err;
	spec->is_volatile = true;
	return 0;
}

static int read_write_cache(struct layer_spec *spec, const char *value,
			    struct err *err)
{
	if (strcmp(value, "through") != 0)
		return err_set(err, -EINVAL, "it can only be \"through\"; "
			       "without the key it is \"write back\"");
	spec->write_through = true;
	return 0;
}

static int read_opt(struct layer_spec *spec, const char *value,
		    struct err *err)
{
	static const char *const refused[] = { "suid", "dev", "exec",
					       "symfollow" };

	if (strcmp(value, "ro") == 0)
		return err_set(err, -EINVAL,
			       "nothing can be run on a read-only mount");
	for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
		if (strcmp(value, refused[i]) == 0)
			return err_set(err, -EINVAL, "'%s' cannot be had: "
				       "every mount of ours is nosuid, nodev, "
				       "noexec and, unless the load makes "
				       "links, nosymfollow", value);
	*VEC_PUSH(&spec->opts) = mem_strdup(value);
	return 0;
}

/*
 * Whether the first LEN bytes of TEXT are the path of something that can be
 * written to.  Directories cannot, and mkfs only reads what is in them.
 */
static bool is_file(const char *text, size_t len)
{
	autofree char *path = mem_strndup(text, len);
	struct stat st;

	return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Whether TEXT names a device by what is on it, as libblkid lets one. */
static bool is_tag(const char *text)
{
	static const char *const tags[] = { "UUID=", "LABEL=", "PARTUUID=",
					    "PARTLABEL=", "UUID_SUB=", "TYPE=",
					    "ID=" };

	for (size_t i = 0; i < ARRAY_SIZE(tags); i++)
		if (strncmp(text, tags[i], strlen(tags[i])) == 0)
			return true;
	return false;
}

/* A name at TEXT: up to where a list or a suboption may end it. */
static bool is_file_name(const char *text)
{
	return is_tag(text) || is_file(text, strlen(text)) ||
	       is_file(text, strcspn(text, ",")) ||
	       is_file(text, strcspn(text, ",:@"));
}

/* Whether S[AT] may be the value of an option glued to it ("-qlFILE"). */
static bool is_glued(const char *s, size_t at)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz";

	return s[0] == '-' && at > 1 && strspn(s + 1, letters) >= at - 1;
}

/*
 * Whether ARG names a file or a device: as it is, as the value of something
 * ("-Jdevice=/dev/sdb"), in a list, or right behind an option's letter
 * ("-l/dev/sdb").  Which of an option's letters has a value mkfs alone knows.
 */
static bool names_file(const char *arg)
{
	const char *slash = strchr(arg, '/');

	for (size_t at = 0; arg[at]; at++) {
		bool starts = at == 0 || arg + at == slash ||
			      strchr("=,:", arg[at - 1]) || is_glued(arg, at);

		if (starts && is_file_name(arg + at))
			return true;
	}
	return false;
}

/*
 * mkfs.btrfs formats every device on its command line, mkfs.xfs writes its
 * log to what it is told, and they run as root.  Some options only read
 * (mkfs.xfs -p); they are not told apart.
 */
/*
 * Whether mkfs could make a file out of ARG: what is behind a '/' is no
 * directory that exists, or it is the undo file of e2fsprogs.
 */
static bool makes_file(const char *arg)
{
	const char *slash = strchr(arg, '/');
	struct stat st;

	if (strncmp(arg, "-z", 2) == 0)
		return true;
	return slash && (stat(slash, &st) < 0 || !S_ISDIR(st.st_mode));
}

static int read_mkfs(struct layer_spec *spec, const char *value,
		     struct err *err)
{
	if (strlen(value) >= PATH_MAX)
		return err_set(err, -EINVAL, "it is too long");
	if (names_file(value) || makes_file(value))
		return err_set(err, -EINVAL, "'%.80s' names a file or device: "
			       "mkfs might write to it", value);
	*VEC_PUSH(&spec->mkfs) = mem_strdup(value);
	return 0;
}

static int read_op_us(struct layer_spec *spec, const char *value,
		      struct err *err)
{
	double us;

	if (units_parse_seconds(value, &us) < 0 || us <= 0 || us > OP_US_MAX)
		return err_set(err, -EINVAL, "'%.40s' is no number of "
			       "microseconds above 0, up to 1000000", value);
	spec->op_us = us;
	return 0;
}

static int fits_tmpfs(const struct target_spec *spec, size_t level,
		      struct err *err)
{
	uint64_t bytes = spec->levels[level].size_bytes;

	if (bytes && bytes < TMPFS_MIN)
		return err_set(err, -EINVAL, "size= must be 1M or more");
	return 0;
}

static int fits_image(const struct target_spec *spec, size_t level,
		      struct err *err)
{
	if (spec->nlevels > level + 1 &&
	    spec->levels[level + 1].ops == &layer_loop)
		return 0;
	return err_set(err, -EINVAL, "%.200s is a regular file, which can only "
		       "be the image for a loop device (FILE+loop)",
		       spec->levels[level].path);
}

/*
 * The layer below levels[LEVEL] that its mount is made of: slow has none of
 * its own, and a bind mount shows what is below it.
 */
static const struct layer_ops *below(const struct target_spec *spec,
				     size_t level, bool skip_bind)
{
	const struct layer_ops *ops;

	do
		ops = spec->levels[--level].ops;
	while (level > 0 &&
	       (ops == &layer_slow || (skip_bind && ops == &layer_bind)));
	return ops;
}

static int fits_bind(const struct target_spec *spec, size_t level,
		     struct err *err)
{
	if (below(spec, level, false) == &layer_bind)
		return err_set(err, -EINVAL, "a bind mount of a bind mount is "
			       "the same as one");
	return 0;
}

/* No key may say how to make a file system, where there is one. */
static int fits_existing(const struct layer_spec *loop, struct err *err)
{
	if (loop->fs || loop->mkfs.n || loop->size_bytes || loop->sparse)
		return err_set(err, -EINVAL, "fs=, mkfs=, size= and sparse are "
			       "for images that are made; this one exists and "
			       "is used as it is");
	return 0;
}

static bool is_discard(const char *opt)
{
	return strcmp(opt, "discard") == 0 || strncmp(opt, "discard=", 8) == 0;
}

static int fits_loop(const struct target_spec *spec, size_t level,
		     struct err *err)
{
	const struct layer_spec *loop = &spec->levels[level];

	for (size_t i = 0; i < loop->opts.n; i++) {
		if (is_discard(loop->opts.v[i]) && !loop->sparse)
			return err_set(err, -EINVAL, "opt=discard would punch "
				       "holes into the image, which was "
				       "allocated as a whole; with \"sparse\" "
				       "it may");
	}
	if (spec->levels[level - 1].ops == &layer_image)
		return fits_existing(loop, err);
	return 0;
}

/* overlayfs(5): the file system of the upper directory. */
static int fits_overlay(const struct target_spec *spec, size_t level,
			struct err *err)
{
	if (below(spec, level, true) == &layer_overlay)
		return err_set(err, -EINVAL, "an overlay cannot have its upper "
			       "directory on another overlay; an image between "
			       "them (+loop) makes it possible");
	return 0;
}

static int fits_slow(const struct target_spec *spec, size_t level,
		     struct err *err)
{
	while (level-- > 0)
		if (spec->levels[level].ops == &layer_slow)
			return err_set(err, -EINVAL,
				       "there is one already; its op_us= can "
				       "be the sum");
	return 0;
}

/* clang-format off */

static const struct layer_key tmpfs_keys[] = {
	{ "size", "SIZE", "default: what is needed, at least 1 GiB",
	  0, read_size },
	{ .name = NULL },
};

static const struct layer_key loop_keys[] = {
	{ "fs", "FS", "the file system to make, default " FSTYPE_DEFAULT,
	  0, read_fs },
	{ "size", "SIZE", "of the image, default: what is needed, at least "
	  "1 GiB", 0, read_size },
	{ "dio", NULL, "direct I/O from the device to the image",
	  0, read_dio },
	{ "sparse", NULL, "do not allocate the image beforehand",
	  0, read_sparse },
	{ "opt", "OPTION", "a mount option; may be repeated",
	  KEY_REPEATS, read_opt },
	{ "mkfs", "ARG", "an argument for mkfs; may be repeated",
	  KEY_REPEATS, read_mkfs },
	{ "write_cache", "through", "for tests: flushes go nowhere",
	  KEY_TEST, read_write_cache },
	{ .name = NULL },
};

static const struct layer_key overlay_keys[] = {
	{ "volatile", NULL, "never sync anything", 0, read_volatile },
	{ .name = NULL },
};

static const struct layer_key slow_keys[] = {
	{ "op_us", "N", "so many microseconds longer", KEY_NEEDED,
	  read_op_us },
	{ .name = NULL },
};

#define FITS(keys) (ARRAY_SIZE(keys) - 1 <= LAYER_KEYS_MAX)
_Static_assert(FITS(tmpfs_keys) && FITS(loop_keys) && FITS(overlay_keys) &&
	       FITS(slow_keys), "the parser has a bit for every key");

const struct layer_ops layer_dir = {
	.name = "dir",
	.help = "a directory, given by its path",
	.flags = LAYER_BASE,
	.setup = setup_dir,
};

const struct layer_ops layer_tmpfs = {
	.name = "tmpfs",
	.help = "a file system in memory",
	.flags = LAYER_BASE | LAYER_MOUNTS | LAYER_FS | LAYER_MEMORY,
	.keys = tmpfs_keys,
	.fits = fits_tmpfs,
	.check = check_mounts,
	.setup = setup_tmpfs,
};

const struct layer_ops layer_image = {
	.name = "image",
	.help = "an existing image, given by its path; +loop follows",
	.flags = LAYER_BASE | LAYER_ANON,
	.fits = fits_image,
	.check = check_image,
	.setup = setup_image,
};

const struct layer_ops layer_bind = {
	.name = "bind",
	.help = "a bind mount (like OpenVZ's simfs)",
	.flags = LAYER_MOUNTS | LAYER_NAMES,
	.fits = fits_bind,
	.check = check_mounts,
	.setup = setup_bind,
};

const struct layer_ops layer_loop = {
	.name = "loop",
	.help = "a file system in an image file (like OpenVZ's ploop)",
	.flags = LAYER_MOUNTS | LAYER_FS | LAYER_ANON,
	.keys = loop_keys,
	.fits = fits_loop,
	.check = check_loop,
	.setup = setup_loop,
};

const struct layer_ops layer_overlay = {
	.name = "overlay",
	.help = "overlayfs (like Docker's overlay2)",
	.flags = LAYER_MOUNTS | LAYER_NAMES,
	.keys = overlay_keys,
	.fits = fits_overlay,
	.check = check_mounts,
	.setup = setup_overlay,
};

const struct layer_ops layer_slow = {
	.name = "slow",
	.help = "for tests: every operation takes longer",
	.flags = LAYER_TEST,
	.keys = slow_keys,
	.fits = fits_slow,
	.setup = setup_slow,
};

const struct layer_ops *const layers[] = {
	&layer_dir,
	&layer_tmpfs,
	&layer_image,
	&layer_bind,
	&layer_loop,
	&layer_overlay,
	&layer_slow,
};

/* clang-format on */

const size_t layers_nr = ARRAY_SIZE(layers);

const struct layer_ops *layer_find(const char *name)
{
	for (size_t i = 0; i < layers_nr; i++)
		if (strcmp(layers[i]->name, name) == 0)
			return layers[i];
	return NULL;
}
