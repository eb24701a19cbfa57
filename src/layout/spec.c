/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parser of targets: bytes to levels, by the rules of spec.h.
 *
 * It knows what '+', ',', '=' and '\' mean and what the file system says to a
 * path; which layers and keys there are it reads from the registry.  Nothing
 * is cut off the text before its end is known to be unquoted, so a piece is
 * passed around as a pointer and a length and only then unquoted.
 */
#include "layout/spec.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "layout/layout.h"
#include "layout/setups.h"

_Static_assert(LEVELS_MAX == CHAIN_MAX, "every level has a link of the chain");

_Static_assert(LAYER_KEYS_MAX <= 8 * sizeof(unsigned),
	       "the keys that were seen are bits of a number");

/* Of the text in front of a complaint, so that the complaint has room. */
#define SHOWN_MAX 300

static bool is_quote(const char *s)
{
	return s[0] == '\\' && s[1] && strchr(",+\\", s[1]);
}

/* How long S is up to an unquoted byte of STOPS, or to its end. */
static size_t piece_length(const char *s, const char *stops)
{
	size_t n = 0;

	while (s[n] && !strchr(stops, s[n]))
		n += is_quote(s + n) ? 2 : 1;
	return n;
}

/* The first LEN bytes of S, which do not end inside a quote, as meant. */
static char *unquote(const char *s, size_t len)
{
	char *text = mem_zalloc(len + 1, 1);
	char *to = text;

	for (const char *end = s + len; s < end; s++) {
		if (is_quote(s))
			s++;
		*to++ = *s;
	}
	return text;
}

static const char *kind_of_file(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFBLK:
		return "a block device";
	case S_IFCHR:
		return "a character device";
	case S_IFIFO:
		return "a named pipe";
	case S_IFSOCK:
		return "a socket";
	default:
		return "something else";
	}
}

/* Whether S begins with the base "tmpfs". */
static bool is_memory(const char *s)
{
	return strncmp(s, "tmpfs", 5) == 0 &&
	       (!s[5] || s[5] == ',' || s[5] == '+');
}

static bool is_base(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 &&
	       (S_ISDIR(st.st_mode) || S_ISREG(st.st_mode));
}

/*
 * The longest prefix of S, ending before a '+' or at the end, that exists as
 * it stands; 0 when there is none.
 */
static size_t existing_prefix(const char *s)
{
	size_t len = strnlen(s, PATH_MAX);
	char path[PATH_MAX];
	struct stat st;

	if (len == PATH_MAX) {
		/* no longer one is a path */
		len = PATH_MAX - 1;
		while (len > 0 && s[len] != '+')
			len--;
	}
	memcpy(path, s, len);
	while (len > 0) {
		path[len] = '\0';
		if (stat(path, &st) == 0)
			return len;
		do
			len--;
		while (len > 0 && s[len] != '+');
	}
	return 0;
}

/* The key of OPS that is called NAME, or NULL. */
static const struct layer_key *find_key(const struct layer_ops *ops,
					const char *name)
{
	for (const struct layer_key *k = ops->keys; k && k->name; k++)
		if (strcmp(k->name, name) == 0)
			return k;
	return NULL;
}

/* Read KEY=VALUE, of which *SEEN tells the positions of those before. */
static int read_key(struct layer_spec *level, const struct layer_key *key,
		    const char *value, unsigned *seen, struct err *err)
{
	unsigned bit = 1U << (key - level->ops->keys);

	if (value && !key->value)
		return err_set(err, -EINVAL, "it takes no value");
	if (key->value && (!value || !*value))
		return err_set(err, -EINVAL, "it needs a value: %s=%s",
			       key->name, key->value);
	if ((*seen & bit) && !(key->flags & KEY_REPEATS))
		return err_set(err, -EINVAL, "it is there twice");
	*seen |= bit;
	level->is_test |= (key->flags & KEY_TEST) != 0;
	return key->read(level, value, err);
}

/* Read the key in the LEN bytes of S. */
static int parse_key(struct layer_spec *level, const char *s, size_t len,
		     unsigned *seen, struct err *err)
{
	const char *equals = memchr(s, '=', len);
	size_t name_len = equals ? (size_t)(equals - s) : len;
	autofree char *name = unquote(s, name_len);
	autofree char *value = NULL;
	const struct layer_key *key = find_key(level->ops, name);

	if (!*name)
		return err_set(err, -EINVAL, "there is no key between two "
			       "commas, or after the last one");
	if (!key)
		return err_set(err, -EINVAL, "%s has no key '%.80s'%s",
			       level->ops->name, name,
			       level->ops->keys ? " (--list-layers shows them)"
						: "");
	if (equals)
		value = unquote(equals + 1, len - name_len - 1);
	if (read_key(level, key, value, seen, err) < 0)
		return err_prefix(err, "%s,%s", level->ops->name, key->name);
	return 0;
}

static int check_needed(const struct layer_ops *ops, unsigned seen,
			struct err *err)
{
	for (const struct layer_key *k = ops->keys; k && k->name; k++)
		if ((k->flags & KEY_NEEDED) && !(seen & 1U << (k - ops->keys)))
			return err_set(err, -EINVAL, "%s needs the key %s=%s",
				       ops->name, k->name, k->value);
	return 0;
}

/* Read ",KEY..." of LEVEL at *S, which moves to the '+' or the end. */
static int parse_keys(struct layer_spec *level, const char **s,
		      struct err *err)
{
	unsigned seen = 0;
	size_t len;
	int ret;

	while (**s == ',') {
		len = piece_length(++*s, ",+");
		ret = parse_key(level, *s, len, &seen, err);
		if (ret < 0)
			return ret;
		*s += len;
	}
	return check_needed(level->ops, seen, err);
}

/* What PATH, which is taken over, is. */
static int take_base(struct layer_spec *base, char *path, struct err *err)
{
	struct stat st;

	base->path = path;
	if (stat(path, &st) < 0)
		return err_sys(err, -errno, "'%.300s'", path);
	if (S_ISDIR(st.st_mode))
		base->ops = &layer_dir;
	else if (S_ISREG(st.st_mode))
		base->ops = &layer_image;
	else
		return err_set(err, -EINVAL, "'%.300s' is %s; a base is a "
			       "directory, an image file or tmpfs", path,
			       kind_of_file(st.st_mode));
	return 0;
}

/* A base of which nothing exists as it stands: LEN bytes of S, quoted. */
static int take_quoted(struct layer_spec *base, const char *s, size_t len,
		       struct err *err)
{
	size_t comma = piece_length(s, ",+");
	autofree char *before = unquote(s, comma);
	int ret = take_base(base, unquote(s, len), err);

	if (ret == -ENOENT && comma < len && is_base(before))
		return err_set(err, ret, "'%.200s' does not exist, and "
			       "'%.200s', which does, takes no keys",
			       base->path, before);
	return ret;
}

/* Read the base at *S, which moves to the first layer's '+' or the end. */
static int parse_base(struct layer_spec *base, const char **s,
		      struct err *err)
{
	const char *start = *s;
	size_t len;

	if (!*start)
		return err_set(err, -EINVAL, "a directory, an image file or "
			       "tmpfs is missing");
	if (is_memory(start)) {
		base->ops = &layer_tmpfs;
		*s += strlen("tmpfs");
		return parse_keys(base, s, err);
	}
	len = existing_prefix(start);
	if (len) {
		*s += len;
		return take_base(base, mem_strndup(start, len), err);
	}
	len = piece_length(start, "+");
	if (!len)
		return err_set(err, -EINVAL, "no base is in front of the "
			       "first layer");
	*s += len;
	return take_quoted(base, start, len, err);
}

/* Read the layer at *S, behind its '+', into LEVEL. */
static int parse_layer(struct layer_spec *level, const char **s,
		       struct err *err)
{
	size_t len = piece_length(*s, ",+");
	autofree char *name = unquote(*s, len);

	if (!*name)
		return err_set(err, -EINVAL, "there is no layer after a '+'");
	level->ops = layer_find(name);
	if (!level->ops)
		return err_set(err, -EINVAL, "there is no layer '%.80s' "
			       "(--list-layers shows those that are)", name);
	if (level->ops->flags & LAYER_BASE)
		return err_set(err, -EINVAL, "%s is a base, which stands in "
			       "front of all layers", name);
	*s += len;
	return parse_keys(level, s, err);
}

static int parse_layers(struct target_spec *spec, const char *s,
			struct err *err)
{
	int ret = 0;

	while (*s == '+' && ret == 0) {
		if (spec->nlevels == LEVELS_MAX)
			return err_set(err, -EINVAL,
				       "there are more than %d layers",
				       LEVELS_MAX - 1);
		s++;
		ret = parse_layer(&spec->levels[spec->nlevels++], &s, err);
	}
	return ret;
}

/* Whether every level can stand on those below it. */
static int check_fits(const struct target_spec *spec, struct err *err)
{
	for (size_t i = 0; i < spec->nlevels; i++) {
		const struct layer_ops *ops = spec->levels[i].ops;

		if (ops->fits && ops->fits(spec, i, err) < 0)
			return err_prefix(err, "%s", ops->name);
	}
	return 0;
}

/* The length of ARG's NAME, without the '='; 0: it has none. */
static size_t name_length(const char *arg)
{
	static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "abcdefghijklmnopqrstuvwxyz0123456789_.-";
	size_t len = strspn(arg, good);

	return arg[len] == '=' && !is_base(arg) ? len : 0;
}

static int parse(const char *arg, struct target_spec *out, struct err *err)
{
	size_t name_len = is_memory(arg) ? 0 : name_length(arg);
	const char *s = arg;
	int ret;

	out->text = mem_strdup(arg);
	out->name = name_len ? mem_strndup(arg, name_len) : mem_strdup(arg);
	if (name_len)
		s += name_len + 1;
	out->nlevels = 1;
	ret = parse_base(&out->levels[0], &s, err);
	if (ret == 0)
		ret = parse_layers(out, s, err);
	if (ret == 0)
		ret = check_fits(out, err);
	return ret;
}

/* Put the target in front of the complaint, and make that one line. */
static void blame(const char *arg, struct err *err)
{
	bool cut = strlen(arg) > SHOWN_MAX;

	if (!err)
		return;
	(void)err_prefix(err, "%.*s%s", SHOWN_MAX, *arg ? arg : "''",
			 cut ? "..." : "");
	for (char *p = err->text; *p; p++)
		if ((*p >= 0 && *p < ' ') || *p == '\x7f')
			*p = '?';
}

int spec_parse(const char *arg, struct target_spec *out, struct err *err)
{
	struct err why = ERR_INIT;
	int ret;

	*out = (struct target_spec){ .nlevels = 0 };
	ret = parse(arg, out, &why);
	if (ret < 0) {
		blame(arg, &why);
		(void)err_set(err, ret, "%s", why.text);
	}
	return ret;
}

static void level_done(struct layer_spec *level)
{
	size_t i;

	free(level->path);
	free(level->fs);
	for (i = 0; i < level->opts.n; i++)
		free(level->opts.v[i]);
	for (i = 0; i < level->mkfs.n; i++)
		free(level->mkfs.v[i]);
	VEC_FREE(&level->opts);
	VEC_FREE(&level->mkfs);
}

void spec_done(struct target_spec *spec)
{
	if (!spec)
		return;
	free(spec->name);
	free(spec->text);
	for (size_t i = 0; i < spec->nlevels; i++)
		level_done(&spec->levels[i]);
	*spec = (struct target_spec){ .nlevels = 0 };
}

static void level_copy(const struct layer_spec *from, struct layer_spec *out)
{
	size_t i;

	*out = *from;
	out->path = from->path ? mem_strdup(from->path) : NULL;
	out->fs = from->fs ? mem_strdup(from->fs) : NULL;
	memset(&out->opts, 0, sizeof(out->opts));
	memset(&out->mkfs, 0, sizeof(out->mkfs));
	for (i = 0; i < from->opts.n; i++)
		*VEC_PUSH(&out->opts) = mem_strdup(from->opts.v[i]);
	for (i = 0; i < from->mkfs.n; i++)
		*VEC_PUSH(&out->mkfs) = mem_strdup(from->mkfs.v[i]);
}

void spec_copy(const struct target_spec *from, const char *name,
	       struct target_spec *out)
{
	*out = (struct target_spec){ .nlevels = from->nlevels };
	out->name = mem_strdup(name);
	out->text = mem_strdup(from->text);
	for (size_t i = 0; i < from->nlevels; i++)
		level_copy(&from->levels[i], &out->levels[i]);
}

bool spec_has(const struct target_spec *spec, unsigned flags)
{
	for (size_t i = 0; i < spec->nlevels; i++)
		if (spec->levels[i].ops->flags & flags)
			return true;
	return false;
}

bool spec_is_test(const struct target_spec *spec)
{
	for (size_t i = 0; i < spec->nlevels; i++)
		if (spec->levels[i].is_test)
			return true;
	return spec_has(spec, LAYER_TEST);
}

bool spec_is_volatile(const struct target_spec *spec)
{
	for (size_t i = 0; i < spec->nlevels; i++)
		if (spec->levels[i].is_volatile)
			return true;
	return spec_has(spec, LAYER_MEMORY);
}
