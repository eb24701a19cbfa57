/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of client counts: what it means, and what is refused and why. */
#include "cli/counts.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "tap.h"

/* TEXT expands to WANT, or is refused with an error that has WANT in it. */
static const struct {
	const char *text, *want;
} good[] = {
	{ "1", "1" },
	{ "3", "3" },
	{ "007", "7" },
	{ "100000", "100000" },
	{ "1,2,4,...,64", "1 2 4 8 16 32 64" },
	{ "1,2,...,64", "1 2 4 8 16 32 64" },
	{ "1,2,3,...,6", "1 2 3 4 5 6" },
	{ "10,20,...,50", "10 20 30 40 50" },
	{ "1-4", "1 2 3 4" },
	{ "1-1", "1" },
	{ "1,10,100", "1 10 100" },
	{ "4,2,1", "4 2 1" },
	{ " 1 , 2 , ... , 8 ", "1 2 4 8" },
	{ "1 - 3", "1 2 3" },
	{ "\t5", "5" },
	{ "2,4,...,8", "2 4 8" },
	{ "2,4,6,...,8", "2 4 6 8" },
	{ "2,4,...,10", "2 4 6 8 10" },
	{ "1,3,...,27", "1 3 9 27" },
	{ "1,3,...,7", "1 3 5 7" },
	{ "1,2,...,3", "1 2 3" },
	{ "1,2,4,...,8", "1 2 4 8" },
	{ "3,5,...,9", "3 5 7 9" },
	{ "1,10,...,1000", "1 10 100 1000" },
	{ "8,12,18,...,27", "8 12 18 27" },
	{ "1,2,...,4,6,...,10", "1 2 4 6 8 10" },
	{ "1,2,...,8,100", "1 2 4 8 100" },
	{ "1-4,8,...,32", "1 2 3 4 8 16 32" },
	{ "1-3,10,100", "1 2 3 10 100" },
	{ "1,2-4,6,...,10", "1 2 3 4 6 8 10" },
}, bad[] = {
	{ "", "'' is empty" },
	{ "  ", "'' is empty" },
	{ "0", "'0' is not at least 1" },
	{ "00", "'00'" },
	{ "1,0", "'0'" },
	{ "1,x", "'x' is no number" },
	{ "x", "'x'" },
	{ "1 2", "'1 2'" },
	{ "+1", "'+1'" },
	{ "-1", "'-1' is no range" },
	{ "1-", "'1-' is no range" },
	{ "-", "'-' is no range" },
	{ "1-2-3", "'2-3'" },
	{ "1-x", "'x'" },
	{ "0-3", "'0'" },
	{ "5-3", "'5-3' runs backwards" },
	{ "1.5", "'1.5'" },
	{ "0x10", "'0x10'" },
	{ "1,,2", "empty item" },
	{ ",1", "empty item" },
	{ "1,", "empty item" },
	{ ",", "empty item" },
	{ "1,2,4,...,100", "100 is not on the progression from 1, 2: "
			   "it goes from 64 to 128" },
	{ "4,2,...,8", "'4,2,...' does not ascend" },
	{ "8,4,...,1", "'8,4,...' does not ascend" },
	{ "1,2,5,...,20", "no progression: 1, 2, 5" },
	{ "1,10,20,...,50", "no progression: 1, 10, 20" },
	{ "10,20,...,55", "55 is not on the progression" },
	{ "8,12,18,...,30", "30 is not on the progression" },
	{ "8,12,18,...,50", "which ends with 27" },
	{ "...,4", "'...' needs two numbers" },
	{ "...", "'...' needs two numbers" },
	{ "1,...,4", "'...' needs two numbers" },
	{ "1,2,...", "must be followed by a last number" },
	{ "1,2,...,", "empty item" },
	{ "1,2,...,...,8", "'...' after '...'" },
	{ "1,2,...,4,...,8", "'...' needs two numbers" },
	{ "1-4,...,8", "'...' needs two numbers" },
	{ "1,2,...,4-8", "'4-8'" },
	{ "1,2,...,x", "'x'" },
	{ "1,2,...,2", "'...,2' ends before it begins" },
	{ "1,2,4,...,3", "'...,3' ends before it begins" },
	{ "1,2,....,8", "'....'" },
	{ "1,2,..,8", "'..'" },
	{ "1,1", "1 is there twice" },
	{ "1,2,...,8,4", "4 is there twice" },
	{ "1-4,2", "2 is there twice" },
	{ "1,2,2,...,8", "2 is there twice" },
	{ "100001", "'100001' is more than 100000" },
	{ "99999999999999999999999999", "is more than 100000" },
	{ "1,2,...,200000", "'200000' is more than 100000" },
	{ "1-2000", "more than 1000 of them, from 1001" },
	{ "1-1000,1001", "more than 1000 of them, from 1001" },
	{ "1,3,5,...,99999", "more than 1000 of them" },
	{ "1,50000,...,100000", "100000 is not on the progression" },
};

/* "1 2 4", for comparison. */
static char *join(const unsigned *v, size_t n)
{
	char *text = mem_strdup("");

	for (size_t i = 0; i < n; i++) {
		char *longer = mem_printf("%s%s%u", text, i ? " " : "", v[i]);

		free(text);
		text = longer;
	}
	return text;
}

static void test_good(const char *text, const char *want)
{
	struct err err = ERR_INIT;
	autofree unsigned *counts = NULL;
	autofree char *got = NULL;
	size_t n = 0;

	if (counts_parse(text, &counts, &n, &err) < 0) {
		ok(false, "'%s' is refused: %s", text, err.text);
		return;
	}
	got = join(counts, n);
	is_str(got, want, text);
}

static void test_bad(const char *text, const char *want)
{
	struct err err = ERR_INIT;
	unsigned *counts = NULL;
	size_t n = 0;
	int ret = counts_parse(text, &counts, &n, &err);

	ok(ret == -EINVAL && !counts && strstr(err.text, want),
	   "'%s': %s", text, ret ? err.text : "accepted");
}

int main(void)
{
	struct err err = ERR_INIT;
	unsigned *counts = NULL;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		test_good(good[i].text, good[i].want);
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		test_bad(bad[i].text, bad[i].want);
	ok(counts_parse("1-1000", &counts, &n, &err) == 0 && n == COUNTS_MAX &&
		   counts[999] == 1000, "as many as there may be");
	free(counts);
	ok(counts_parse("x", &counts, &n, NULL) < 0, "no error wanted");
	return done_testing();
}
