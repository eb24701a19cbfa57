/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Targets as text: every odd name that a file system allows, quoting, nested
 * stacks, and each refusal with its reason.
 */
#include "layout/spec.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "layout/layout.h"
#include "scratch.h"
#include "tap.h"

#define SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* What is there when the targets are parsed. */
static const char *const dirs[] = {
	"plain", "tmpfs",  "tmpfs2", "tmpfs+bind", "a=b",	"a,b",
	"a+b",	 "c++",	   "plus",   "plus+loop",  "back\\slash", "with space",
	"\xff",	 "q,r+s\\t", "loop", "+bind",	   ",x",	"x=",
};
static const char *const files[] = { "image.img", "image+loop", "e=f" };

static void make_things(int fd)
{
	size_t i;

	for (i = 0; i < SIZE(dirs); i++)
		(void)mkdirat(fd, dirs[i], 0755);
	for (i = 0; i < SIZE(files); i++)
		(void)touch(fd, files[i]);
	(void)mkfifoat(fd, "fifo", 0644);
	(void)symlinkat("plain", fd, "link");
	(void)symlinkat("nowhere", fd, "dangling");
}

static void put_texts(FILE *out, const char *key, char *const *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, " %s(%s)", key, v[i]);
}

static void put_level(FILE *out, const struct layer_spec *level)
{
	fprintf(out, "%s", level->ops->name);
	if (level->path)
		fprintf(out, "(%s)", level->path);
	if (level->fs)
		fprintf(out, " fs(%s)", level->fs);
	if (level->size_bytes)
		fprintf(out, " size(%lld)", (long long)level->size_bytes);
	fprintf(out, "%s%s%s%s", level->dio ? " dio" : "",
		level->sparse ? " sparse" : "",
		level->write_through ? " through" : "",
		level->is_volatile ? " volatile" : "");
	if (level->op_us > 0)
		fprintf(out, " op_us(%g)", level->op_us);
	put_texts(out, "opt", level->opts.v, level->opts.n);
	put_texts(out, "mkfs", level->mkfs.v, level->mkfs.n);
}

/* "NAME: dir(PATH); loop fs(xfs) dio". */
static char *describe(const struct target_spec *spec)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	fprintf(out, "%s: ", spec->name);
	for (size_t i = 0; i < spec->nlevels; i++) {
		fputs(i ? "; " : "", out);
		put_level(out, &spec->levels[i]);
	}
	(void)fclose(out);
	return text;
}

static const struct {
	const char *arg, *want;
} good[] = {
	/* directories, and their names */
	{ "plain", "plain: dir(plain)" },
	{ "plain/", "plain/: dir(plain/)" },
	{ ".", ".: dir(.)" },
	{ "link", "link: dir(link)" },
	{ "with space", "with space: dir(with space)" },
	{ "\xff", "\xff: dir(\xff)" },
	{ "x=plain", "x: dir(plain)" },
	{ "Az09_.-=plain", "Az09_.-: dir(plain)" },
	{ "loop=loop+loop", "loop: dir(loop); loop" },

	/* '=' in a path */
	{ "a=b", "a=b: dir(a=b)" },
	{ "./a=b", "./a=b: dir(./a=b)" },
	{ "./a=b+bind", "./a=b+bind: dir(./a=b); bind" },
	{ "x=a=b", "x: dir(a=b)" },
	{ "x=a=b+bind", "x: dir(a=b); bind" },
	{ "x=", "x=: dir(x=)" },
	{ "plain+loop,fs=xfs", "plain+loop,fs=xfs: dir(plain); loop fs(xfs)" },

	/* ',' in a path */
	{ "a,b", "a,b: dir(a,b)" },
	{ "a,b+bind", "a,b+bind: dir(a,b); bind" },
	{ "x=a,b+loop,dio", "x: dir(a,b); loop dio" },
	{ "x=a\\,b+loop,dio", "x: dir(a,b); loop dio" },
	{ ",x", ",x: dir(,x)" },

	/* '+' in a path: the longest that exists */
	{ "a+b", "a+b: dir(a+b)" },
	{ "x=a+b+bind", "x: dir(a+b); bind" },
	{ "x=a\\+b+bind", "x: dir(a+b); bind" },
	{ "c++", "c++: dir(c++)" },
	{ "x=c+++loop", "x: dir(c++); loop" },
	{ "+bind", "+bind: dir(+bind)" },
	{ "x=+bind+bind", "x: dir(+bind); bind" },
	{ "x=plus+loop", "x: dir(plus+loop)" },
	{ "x=plus+loop+loop", "x: dir(plus+loop); loop" },
	{ "x=plus/+loop", "x: dir(plus/); loop" },
	{ "x=plus+bind", "x: dir(plus); bind" },

	/* '\' as it stands, and as a quote */
	{ "back\\slash", "back\\slash: dir(back\\slash)" },
	{ "x=back\\slash+bind", "x: dir(back\\slash); bind" },
	{ "x=back\\\\slash+bind", "x: dir(back\\slash); bind" },
	{ "x=q\\,r\\+s\\\\t+bind", "x: dir(q,r+s\\t); bind" },
	{ "x=q\\,r\\+s\\t", "x: dir(q,r+s\\t)" },

	/* memory, and directories of that name */
	{ "tmpfs", "tmpfs: tmpfs" },
	{ "x=tmpfs", "x: tmpfs" },
	{ "./tmpfs", "./tmpfs: dir(./tmpfs)" },
	{ "x=./tmpfs+loop", "x: dir(./tmpfs); loop" },
	{ "tmpfs2", "tmpfs2: dir(tmpfs2)" },
	{ "tmpfs+bind", "tmpfs+bind: tmpfs; bind" },
	{ "./tmpfs+bind", "./tmpfs+bind: dir(./tmpfs+bind)" },
	{ "tmpfs,size=8M", "tmpfs,size=8M: tmpfs size(8388608)" },
	{ "x=tmpfs,size=1g+loop+loop",
	  "x: tmpfs size(1073741824); loop; loop" },

	/* images */
	{ "image.img+loop", "image.img+loop: image(image.img); loop" },
	{ "x=image+loop+loop,dio,opt=noatime",
	  "x: image(image+loop); loop dio opt(noatime)" },
	{ "./image+loop+loop+overlay",
	  "./image+loop+loop+overlay: image(./image+loop); loop; overlay" },

	/* layers and keys */
	{ "x=plain+loop,fs=xfs,size=0x40000000,dio,sparse,opt=a,opt=b=c,"
	  "opt=a,mkfs=-N,mkfs=9,write_cache=through",
	  "x: dir(plain); loop fs(xfs) size(1073741824) dio sparse through "
	  "opt(a) opt(b=c) opt(a) mkfs(-N) mkfs(9)" },
	{ "x=plain+loop,mkfs=-O^journal,mkfs=\\,\\+\\\\,mkfs=a\\b,mkfs=\\",
	  "x: dir(plain); loop mkfs(-O^journal) mkfs(,+\\) mkfs(a\\b) "
	  "mkfs(\\)" },
	{ "x=plain+loop,opt=data=a\\,b", "x: dir(plain); loop opt(data=a,b)" },
	{ "x=plain+loop,opt=rw,opt=defaults",
	  "x: dir(plain); loop opt(rw) opt(defaults)" },
	{ "x=plain+loop,opt=discard,sparse",
	  "x: dir(plain); loop sparse opt(discard)" },
	{ "x=plain+loop,fs=xfs+overlay",
	  "x: dir(plain); loop fs(xfs); overlay" },
	{ "x=plain+overlay,volatile+loop+overlay",
	  "x: dir(plain); overlay volatile; loop; overlay" },
	{ "x=plain+bind+loop+bind", "x: dir(plain); bind; loop; bind" },
	{ "x=plain+slow,op_us=2.5", "x: dir(plain); slow op_us(2.5)" },
	{ "x=plain+slow,op_us=1000000+loop",
	  "x: dir(plain); slow op_us(1e+06); loop" },
	{ "x=plain+loop+loop+loop+loop+loop+loop+loop+loop",
	  "x: dir(plain); loop; loop; loop; loop; loop; loop; loop; loop" },
};

static void test_good(void)
{
	for (size_t i = 0; i < SIZE(good); i++) {
		struct target_spec spec, copy;
		struct err err = ERR_INIT;

		if (!ok(spec_parse(good[i].arg, &spec, &err) == 0,
			"%s is a target", good[i].arg)) {
			printf("# %s\n", err.text);
		} else {
			autofree char *got = describe(&spec);
			autofree char *again = NULL;

			is_str(got, good[i].want, "... and this one");
			is_str(spec.text, good[i].arg, "... with its text");
			spec_copy(&spec, spec.name, &copy);
			again = describe(&copy);
			is_str(again, got, "... and can be copied");
			spec_done(&copy);
		}
		spec_done(&spec);
	}
}

static const struct {
	const char *arg;
	int code;
	const char *why;
} bad[] = {
	{ "", -EINVAL, "is missing" },
	{ "x2=", -EINVAL, "is missing" },
	{ "=", -ENOENT, "'='" },
	{ "=plain", -ENOENT, "'=plain'" },
	{ "a b=plain", -ENOENT, "'a b=plain'" },
	{ "+loop", -EINVAL, "no base" },
	{ "none", -ENOENT, "'none': No such file" },
	{ "x=none+loop", -ENOENT, "'none': No such file" },
	{ "a=b+bind", -ENOENT, "'b': No such file" },
	{ "dangling", -ENOENT, "No such file" },
	{ "plain,size=1G", -ENOENT, "'plain', which does, takes no keys" },
	{ "plain/x/y", -ENOENT, "No such file" },
	{ "image.img/x", -ENOTDIR, "Not a directory" },
	{ "fifo", -EINVAL, "a named pipe" },
	{ "/dev/null+loop", -EINVAL, "a character device" },
	{ "image.img", -EINVAL, "(FILE+loop)" },
	{ "e=f", -EINVAL, "(FILE+loop)" },
	{ "image+loop", -EINVAL, "(FILE+loop)" },
	{ "image.img+bind+loop", -EINVAL, "(FILE+loop)" },
	{ "image.img+loop,fs=ext4", -EINVAL, "this one exists" },
	{ "image.img+loop,size=1G", -EINVAL, "this one exists" },
	{ "image.img+loop,sparse", -EINVAL, "this one exists" },
	{ "image.img+loop,mkfs=-q", -EINVAL, "this one exists" },
	{ "image.img+loop,opt=discard", -EINVAL, "punch holes" },
	{ "plain+", -EINVAL, "no layer after a '+'" },
	{ "plain++loop", -EINVAL, "no layer after a '+'" },
	{ "plain+,dio", -EINVAL, "no layer after a '+'" },
	{ "plain+lop", -EINVAL, "no layer 'lop' (--list-layers" },
	{ "plain+LOOP", -EINVAL, "no layer 'LOOP'" },
	{ "plain+tmpfs", -EINVAL, "a base" },
	{ "plain+dir", -EINVAL, "a base" },
	{ "plain+image", -EINVAL, "a base" },
	{ "plain+loop,", -EINVAL, "no key" },
	{ "plain+loop,,dio", -EINVAL, "no key" },
	{ "plain+loop,=1", -EINVAL, "no key" },
	{ "plain+loop,foo", -EINVAL, "no key 'foo'" },
	{ "plain+bind,dio", -EINVAL, "bind has no key 'dio'" },
	{ "tmpfs,fs=ext4", -EINVAL, "tmpfs has no key 'fs'" },
	{ "plain+loop,dio=1", -EINVAL, "takes no value" },
	{ "plain+loop,dio=", -EINVAL, "takes no value" },
	{ "plain+loop,fs", -EINVAL, "needs a value: fs=FS" },
	{ "plain+loop,fs=", -EINVAL, "needs a value: fs=FS" },
	{ "plain+loop,mkfs=", -EINVAL, "needs a value" },
	{ "plain+loop,opt=", -EINVAL, "needs a value" },
	{ "plain+loop,dio,dio", -EINVAL, "twice" },
	{ "plain+loop,fs=xfs,fs=xfs", -EINVAL, "twice" },
	{ "plain+loop,size=1G,size=1G", -EINVAL, "twice" },
	{ "plain+overlay,volatile,volatile", -EINVAL, "twice" },
	{ "tmpfs,size=1G,size=2G", -EINVAL, "twice" },
	{ "plain+loop,fs=../x", -EINVAL, "cannot be the name" },
	{ "plain+loop,fs=-x", -EINVAL, "cannot be the name" },
	{ "plain+loop,fs=x y", -EINVAL, "cannot be the name" },
	{ "plain+loop,size=0", -EINVAL, "no room in nothing" },
	{ "plain+loop,size=big", -EINVAL, "no size" },
	{ "plain+loop,size=1.5G", -EINVAL, "no size" },
	{ "plain+loop,size=-1", -EINVAL, "no size" },
	{ "plain+loop,size=1GB", -EINVAL, "no size" },
	{ "plain+loop,size=1000000", -EINVAL, "multiple of 4096" },
	{ "plain+loop,size=99999999999999999999", -EINVAL, "too large" },
	{ "plain+loop,size=2000000T", -EINVAL, "too large" },
	{ "tmpfs,size=512K", -EINVAL, "1M or more" },
	{ "plain+loop,opt=ro", -EINVAL, "read-only" },
	{ "plain+loop,opt=suid", -EINVAL, "'suid' cannot be had" },
	{ "plain+loop,opt=dev", -EINVAL, "nodev" },
	{ "plain+loop,opt=exec", -EINVAL, "noexec" },
	{ "plain+loop,opt=symfollow", -EINVAL, "nosymfollow" },
	{ "plain+loop,opt=discard", -EINVAL, "punch holes" },
	{ "plain+loop,opt=discard=async", -EINVAL, "punch holes" },
	{ "plain+loop,write_cache=back", -EINVAL, "only be \"through\"" },
	{ "plain+slow", -EINVAL, "needs the key op_us=N" },
	{ "plain+slow,op_us=0", -EINVAL, "no number of microseconds" },
	{ "plain+slow,op_us=-1", -EINVAL, "no number of microseconds" },
	{ "plain+slow,op_us=1000001", -EINVAL, "no number of microseconds" },
	{ "plain+slow,op_us=1e3", -EINVAL, "no number of microseconds" },
	{ "plain+slow,op_us=1+bind+slow,op_us=1", -EINVAL, "one already" },
	{ "plain+bind+bind", -EINVAL, "same as one" },
	{ "plain+bind+slow,op_us=1+bind", -EINVAL, "same as one" },
	{ "plain+overlay+overlay", -EINVAL, "on another overlay" },
	{ "plain+overlay+bind+overlay", -EINVAL, "on another overlay" },
	{ "plain+overlay+slow,op_us=1+bind+overlay", -EINVAL,
	  "on another overlay" },
	{ "plain+bind+loop+bind+loop+bind+loop+bind+loop+bind", -EINVAL,
	  "more than 8 layers" },
};

/* Whether the complaint is one line that begins with what was typed. */
static bool is_told(const char *arg, const char *text)
{
	size_t len = strlen(arg);

	if (len && (strncmp(text, arg, len) != 0 ||
		    strncmp(text + len, ": ", 2) != 0))
		return false;
	return !strchr(text, '\n');
}

static void test_bad(void)
{
	for (size_t i = 0; i < SIZE(bad); i++) {
		struct target_spec spec;
		struct err err = ERR_INIT;
		int ret = spec_parse(bad[i].arg, &spec, &err);

		if (!ok(ret == bad[i].code && err.code == ret &&
				strstr(err.text, bad[i].why) &&
				is_told(bad[i].arg, err.text),
			"'%s' is refused: %s", bad[i].arg, bad[i].why))
			printf("# got %d: %s\n", ret, err.text);
		spec_done(&spec);
		is_int(spec_parse(bad[i].arg, &spec, NULL), ret,
		       "... also when nobody wants to know why");
		spec_done(&spec);
	}
}

/* Texts that are too long, or not fit to be printed. */
static void test_monsters(void)
{
	struct target_spec spec;
	struct err err = ERR_INIT;
	char *arg = mem_zalloc(40001, 1);

	memset(arg, '+', 40000);
	is_int(spec_parse(arg, &spec, &err), -EINVAL, "40000 times '+'");
	ok(strstr(err.text, "no base"), "... is refused, and one hears why");
	spec_done(&spec);

	memset(arg, 'x', 40000);
	is_int(spec_parse(arg, &spec, &err), -ENAMETOOLONG, "an endless name");
	ok(strlen(err.text) < sizeof(err.text) - 1, "... is not repeated");
	spec_done(&spec);

	memcpy(arg, "plain+", 6);
	is_int(spec_parse(arg, &spec, &err), -EINVAL, "an endless layer");
	ok(strstr(err.text, "--list-layers"), "... and one hears why");
	spec_done(&spec);
	free(arg);

	is_int(spec_parse("no\nsuch\x1b[2J\x7f", &spec, &err), -ENOENT,
	       "control characters");
	ok(!strpbrk(err.text, "\n\x1b\x7f"), "... are not let through");
	spec_done(&spec);
}

static void refuse_mkfs(const char *mkfs)
{
	struct target_spec spec;
	struct err err = ERR_INIT;
	char arg[160];

	snprintf(arg, sizeof(arg), "plain+loop,mkfs=%s", mkfs);
	ok(spec_parse(arg, &spec, &err) == -EINVAL &&
		   strstr(err.text, "names a file or device"),
	   "%s is refused", arg);
	spec_done(&spec);
}

/* What mkfs might write to is named neither openly nor in disguise. */
static void test_mkfs_files(void)
{
	static const char *const names[] = { "image.img", "./image.img",
					     "plain/../image.img", "fifo",
					     "/dev/null" };
	static const char *const ways[][2] = {
		{ "", "" },	     { "-Jdevice=", "" },
		{ "-l", "" },	     { "-qFz", "" },
		{ "-Ea=1\\,b=", "\\,c" }, { "-c", "\\,plain" },
		{ "-cplain\\,", "" }, { "--log=plain:", ":x" },
		{ "-c", "@alias" },
	};
	static const char *const tags[] = {
		"UUID=1", "LABEL=x", "-Jdevice=LABEL=x", "-JPARTUUID=1-2",
		"-Ea\\,PARTLABEL=y",
	};
	static const char *const harmless[] = {
		"plain", "-dplain", "image", "-Odir_index\\,^image.img2",
		"-N4096", "-L", "nofile", "--label=UUID", "-muuid=1-2",
	};
	char text[80];
	size_t i, k;

	for (i = 0; i < SIZE(names); i++) {
		for (k = 0; k < SIZE(ways); k++) {
			snprintf(text, sizeof(text), "%s%s%s", ways[k][0],
				 names[i], ways[k][1]);
			refuse_mkfs(text);
		}
	}
	for (i = 0; i < SIZE(tags); i++)
		refuse_mkfs(tags[i]);
	for (i = 0; i < SIZE(harmless); i++) {
		struct target_spec spec;
		struct err err = ERR_INIT;

		snprintf(text, sizeof(text), "plain+loop,mkfs=%s", harmless[i]);
		ok(spec_parse(text, &spec, &err) == 0, "%s is not: %s", text,
		   err.text);
		spec_done(&spec);
	}
}

/* Whether ARG is durable, for real, and needs rights. */
static void test_asked(void)
{
	static const struct {
		const char *arg;
		bool test, is_volatile, mounts;
	} asked[] = {
		{ "plain", false, false, false },
		{ "plain+bind", false, false, true },
		{ "plain+slow,op_us=1", true, false, false },
		{ "plain+loop,write_cache=through", true, false, true },
		{ "plain+loop", false, false, true },
		{ "tmpfs", false, true, true },
		{ "tmpfs+loop", false, true, true },
		{ "plain+overlay", false, false, true },
		{ "plain+overlay,volatile+loop", false, true, true },
	};

	for (size_t i = 0; i < SIZE(asked); i++) {
		struct target_spec spec;
		struct err err = ERR_INIT;

		ok(spec_parse(asked[i].arg, &spec, &err) == 0 &&
			   spec_is_test(&spec) == asked[i].test &&
			   spec_is_volatile(&spec) == asked[i].is_volatile &&
			   spec_has(&spec, LAYER_MOUNTS) == asked[i].mounts,
		   "%s is known for what it is", asked[i].arg);
		spec_done(&spec);
	}
}

static void test_copy(void)
{
	struct target_spec spec, copy;
	struct err err = ERR_INIT;

	is_int(spec_parse("x=plain+loop,opt=a,mkfs=b", &spec, &err), 0,
	       "a target");
	spec_copy(&spec, "x(aa)", &copy);
	spec_done(&spec);
	spec_done(&spec);
	spec_done(NULL);
	is_str(copy.name, "x(aa)", "its copy has another name");
	is_str(copy.text, "x=plain+loop,opt=a,mkfs=b", "... the same text");
	is_str(copy.levels[1].opts.v[0], "a", "... and keeps what it has");
	spec_done(&copy);
}

/* The registry itself, and that all of it is listed. */
static void test_list(void)
{
	char *text = NULL;
	size_t size, width = 0;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		abort();
	spec_print_layers(out);
	(void)fclose(out);
	for (size_t i = 0; i < layers_nr; i++) {
		const struct layer_key *k = layers[i]->keys;
		size_t n = 0;

		ok(strstr(text, layers[i]->name) && layers[i]->setup &&
			   layer_find(layers[i]->name) == layers[i],
		   "%s is listed", layers[i]->name);
		for (; k && k->name; k++, n++)
			ok(strstr(text, k->name) && k->read,
			   "... with its key %s", k->name);
		ok(n <= LAYER_KEYS_MAX, "... which are not too many");
		ok(!(layers[i]->flags & LAYER_TEST) ||
			   strncmp(layers[i]->help, "for tests", 9) == 0,
		   "... and if it is for tests it says so");
	}
	for (const char *p = text; *p; p += strcspn(p, "\n") + 1)
		if (strcspn(p, "\n") > width)
			width = strcspn(p, "\n");
	ok(width <= 80, "no line of the list is too long (%zu)", width);
	ok(!layer_find("") && !layer_find("lo"), "nothing else is found");
	free(text);
}

int main(void)
{
	char scratch[64];
	int fd = scratch_make(scratch, true);
	int home = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);

	make_things(fd);
	if (home < 0 || fchdir(fd) < 0)
		abort();
	test_good();
	test_bad();
	test_monsters();
	test_mkfs_files();
	test_asked();
	test_copy();
	test_list();
	if (fchdir(home) < 0)
		abort();
	(void)close(home);
	scratch_remove(scratch, fd);
	return done_testing();
}
