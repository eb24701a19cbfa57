/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers with units are read strictly and printed with three digits. */
#include "base/units.h"

#include <errno.h>

#include "tap.h"

static const struct {
	const char *text;
	int ret;
	uint64_t value;
} numbers[] = {
	{ "0", 0, 0 },
	{ "1234", 0, 1234 },
	{ "0x4d2", 0, 1234 },
	{ "0X4D2", 0, 1234 },
	{ "02322", 0, 1234 },
	{ "00", 0, 0 },
	{ "1K", 0, 1024 },
	{ "64m", 0, UINT64_C(64) << 20 },
	{ "3G", 0, UINT64_C(3) << 30 },
	{ "2T", 0, UINT64_C(2) << 40 },
	{ "0x10K", 0, 16384 },
	{ "18446744073709551615", 0, UINT64_MAX },
	{ "0xffffffffffffffff", 0, UINT64_MAX },
	{ "18446744073709551616", -ERANGE, 0 },
	{ "99999999999999999999999999", -ERANGE, 0 },
	{ "16777215T", 0, UINT64_C(16777215) << 40 },
	{ "16777216T", -ERANGE, 0 },
	{ "", -EINVAL, 0 },
	{ "K", -EINVAL, 0 },
	{ "0x", -EINVAL, 0 },
	{ "0xg", -EINVAL, 0 },
	{ "08", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "+1", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
	{ "1 ", -EINVAL, 0 },
	{ "1KB", -EINVAL, 0 },
	{ "1E", -EINVAL, 0 },
	{ "1.5G", -EINVAL, 0 },
	{ "99999999999999999999999x", -EINVAL, 0 },
};

static void test_numbers(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		const char *text = numbers[i].text;
		uint64_t value = 0;
		int ret = units_parse_u64(text, strlen(text), &value);

		ok(ret == numbers[i].ret && value == numbers[i].value,
		   "u64 '%s'", text);
	}
}

static void test_length(void)
{
	uint64_t value = 0;

	is_int(units_parse_u64("123", 2, &value), 0, "a part of a string");
	is_int(value, 12, "no byte past the length is looked at");
}

static const struct {
	const char *text;
	int ret;
	double value;
} seconds[] = {
	{ "0", 0, 0 },
	{ "10", 0, 10 },
	{ "0.5", 0, 0.5 },
	{ ".25", 0, 0.25 },
	{ "2.", 0, 2 },
	{ "0.1", 0, 0.1 },
	{ "1000000000", 0, 1e9 },
	{ "0.3333333333333333333333333333333333333333", 0, 1.0 / 3 },
	{ "1000000000.1", -EINVAL, 0 },
	{ "", -EINVAL, 0 },
	{ ".", -EINVAL, 0 },
	{ "-1", -EINVAL, 0 },
	{ "1e3", -EINVAL, 0 },
	{ "1,5", -EINVAL, 0 },
	{ "0x10", -EINVAL, 0 },
	{ "inf", -EINVAL, 0 },
	{ "nan", -EINVAL, 0 },
	{ "10s", -EINVAL, 0 },
	{ " 1", -EINVAL, 0 },
};

static void test_seconds(void)
{
	char many[600];
	double value = 0;

	for (size_t i = 0; i < ARRAY_SIZE(seconds); i++) {
		const char *text = seconds[i].text;
		int ret;

		value = 0;
		ret = units_parse_seconds(text, &value);
		ok(ret == seconds[i].ret &&
			   value >= seconds[i].value - 1e-12 &&
			   value <= seconds[i].value + 1e-12,
		   "seconds '%s'", text);
	}
	memset(many, '9', sizeof(many) - 1);
	many[sizeof(many) - 1] = '\0';
	is_int(units_parse_seconds(many, &value), -EINVAL,
	       "so many digits that the double overflows");
}

static void test_bytes(void)
{
	char buf[32];

	is_str(units_bytes(0, buf, sizeof(buf)), "0 B", "nothing");
	is_str(units_bytes(999, buf, sizeof(buf)), "999 B", "bytes");
	is_str(units_bytes(1000, buf, sizeof(buf)), "1.00 kB", "one kB");
	is_str(units_bytes(17300000, buf, sizeof(buf)), "17.3 MB", "MB");
	is_str(units_bytes(173000000, buf, sizeof(buf)), "173 MB", "100 MB");
	is_str(units_bytes(9996000, buf, sizeof(buf)), "10.0 MB",
	       "rounding up gains no digit");
	is_str(units_bytes(99960000, buf, sizeof(buf)), "100 MB",
	       "nor here");
	is_str(units_bytes(999600, buf, sizeof(buf)), "1.00 MB",
	       "never 1000 kB");
	is_str(units_bytes(UINT64_MAX, buf, sizeof(buf)), "18.4 EB", "most");
	is_str(units_bytes_iec(1023, buf, sizeof(buf)), "1023 B", "iec bytes");
	is_str(units_bytes_iec(UINT64_C(64) << 20, buf, sizeof(buf)),
	       "64.0 MiB", "MiB");
	is_str(units_bytes_iec((UINT64_C(1) << 30) - 1, buf, sizeof(buf)),
	       "1.00 GiB", "never 1024 MiB");
	is_str(units_bytes_iec(UINT64_MAX, buf, sizeof(buf)), "16.0 EiB",
	       "most, iec");
}

int main(void)
{
	test_numbers();
	test_length();
	test_seconds();
	test_bytes();
	return done_testing();
}
