/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which outcomes are as recorded, and how SMB wildcards match. */
#include <errno.h>
#include <string.h>

#include "backend/backend.h"
#include "op/op.h"
#include "tap.h"

struct outcome {
	int want;
	int flags;
	uint32_t expect;
	int64_t ret;
	bool met;
};

/* clang-format off */
static const struct outcome outcomes[] = {
	{ WANT_OK, 0, 0, 0, true },
	{ WANT_OK, 0, 0, -ENOENT, false },
	{ WANT_OK, REC_IO, 100, 100, true },
	{ WANT_OK, REC_IO, 100, 50, false },
	{ WANT_OK, REC_IO, 0, 0, true },
	{ WANT_OK, REC_IO, 100, -EIO, false },
	{ WANT_OK, REC_IO, EXPECT_ANY, 7, true },
	{ WANT_OK, REC_IO, EXPECT_ANY, -EBADF, false },
	{ WANT_ANY, 0, 0, 0, true },
	{ WANT_ANY, 0, 0, -ENOENT, true },
	{ WANT_ANY, REC_IO, 100, 3, true },
	{ WANT_FAIL, 0, 0, 0, false },
	{ WANT_FAIL, 0, 0, -ENOENT, true },
	{ WANT_FAIL, 0, 0, -EACCES, true },
	{ WANT_FAIL, 0, 0, -ENOSPC, false },
	{ WANT_FAIL, 0, 0, -EIO, false },
	{ WANT_FAIL, 0, 0, -EDQUOT, false },
	{ WANT_NOENT_NOTDIR, 0, 0, -ENOENT, true },
	{ WANT_NOENT_NOTDIR, 0, 0, -ENOTDIR, true },
	{ WANT_NOENT_NOTDIR, 0, 0, -EACCES, false },
	{ WANT_NOENT_NOTDIR, 0, 0, 0, false },
	{ WANT_OK_EXIST, 0, 0, 0, true },
	{ WANT_OK_EXIST, 0, 0, -EEXIST, true },
	{ WANT_OK_EXIST, 0, 0, -ENOSPC, false },
	{ WANT_ERRNO + ENOENT, 0, 0, -ENOENT, true },
	{ WANT_ERRNO + ENOENT, 0, 0, -ENOTDIR, false },
	{ WANT_ERRNO + ENOENT, 0, 0, 0, false },
	{ WANT_ERRNO + ENOSPC, 0, 0, -ENOSPC, true },
};

static const struct match {
	const char *pattern, *name;
	bool matches;
} matches[] = {
	{ "*", "anything", true },      { "*", "", true },
	{ "<.TMP", "a.tmp", true },     { "<.TMP", "a.tmp2", false },
	{ "<.TMP", ".TMP", true },      { "a?c", "abc", true },
	{ "a?c", "ac", false },         { "a>c", "axc", true },
	{ "FILLER.*", "filler.000", true },
	{ "FILLER.*", "filler", false },
	{ "a\"b", "a.b", true },        { "a\"b", "axb", false },
	{ "*a*b*c", "xxaxxbxxc", true },{ "*a*b*c", "xxaxxcxxb", false },
	{ "**", "x", true },            { "", "", true },
	{ "", "x", false },             { "x", "", false },
	{ "*.*.*", "a.b", false },      { "*.*.*", "a.b.c", true },
};
/* clang-format on */

static void test_outcomes(void)
{
	size_t i;

	for (i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++) {
		const struct outcome *o = &outcomes[i];
		const struct rec rec = { .want = (uint8_t)o->want,
					 .flags = (uint8_t)o->flags,
					 .expect = o->expect };

		ok(want_met(&rec, o->ret) == o->met, "outcome %zu", i);
	}
}

static void test_matches(void)
{
	char many[300];
	size_t i;

	for (i = 0; i < sizeof(matches) / sizeof(matches[0]); i++)
		ok(smb_match(matches[i].pattern, matches[i].name) ==
			   matches[i].matches,
		   "'%s' and '%s'", matches[i].pattern, matches[i].name);
	/* would take for ever with one recursion per star */
	memset(many, 'a', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	ok(!smb_match("*a*a*a*a*a*a*a*a*a*a*a*a*b", many), "many stars");
	ok(smb_has_wildcard("dir/x*"), "a wildcard");
	ok(!smb_has_wildcard("d*r/x"), "not in the last component");
	ok(!smb_has_wildcard("plain"), "none");
}

int main(void)
{
	test_outcomes();
	test_matches();
	return done_testing();
}
