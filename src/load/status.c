/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NT statuses as recorded from a file server, and what they mean here.
 *
 * dbench takes everything but NT_STATUS_OK and 0x0 for "must fail", also
 * SUCCESS and *; here they mean what they say.  A failure is compared by its
 * errno only where NT's code leaves no doubt which errno it is: an access
 * that NT denies can be EACCES, EPERM, EROFS or ETXTBSY, so that and every
 * code not in the table is just "a failure".
 */
#include "load/status.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "op/op.h"

struct status {
	const char *name;
	uint32_t code; /* MS-ERREF 2.3.1 */
	int want;
};

/* The first name of each outcome is the one that --dump prints. */
static const struct status statuses[] = {
	{ "NT_STATUS_OK", 0, WANT_OK },
	{ "NT_STATUS_OBJECT_NAME_NOT_FOUND", 0xc0000034, WANT_ERRNO + ENOENT },
	{ "NT_STATUS_NO_SUCH_FILE", 0xc000000f, WANT_ERRNO + ENOENT },
	{ "NT_STATUS_OBJECT_PATH_NOT_FOUND", 0xc000003a, WANT_NOENT_NOTDIR },
	{ "NT_STATUS_OBJECT_NAME_COLLISION", 0xc0000035, WANT_ERRNO + EEXIST },
	{ "NT_STATUS_DIRECTORY_NOT_EMPTY", 0xc0000101, WANT_ERRNO + ENOTEMPTY },
	{ "NT_STATUS_FILE_IS_A_DIRECTORY", 0xc00000ba, WANT_ERRNO + EISDIR },
	{ "NT_STATUS_NOT_A_DIRECTORY", 0xc0000103, WANT_ERRNO + ENOTDIR },
	{ "NT_STATUS_UNSUCCESSFUL", 0xc0000001, WANT_FAIL },
};

static bool begins(const struct token *token, const char *prefix)
{
	size_t len = strlen(prefix);

	return token->len >= len && memcmp(token->s, prefix, len) == 0;
}

static int find_name(const struct token *token)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		if (token_is(token, statuses[i].name))
			return statuses[i].want;
	return WANT_FAIL;
}

static int find_code(const struct token *token)
{
	uint64_t code = 0;
	size_t i;

	for (i = 2; i < token->len; i++) {
		unsigned char c = (unsigned char)token->s[i];
		unsigned digit = isdigit(c) ? c - (unsigned)'0' :
					      (c | 0x20U) - 'a' + 10U;

		if (!isxdigit(c) || code >> 32)
			return -EINVAL;
		code = code << 4 | digit;
	}
	if (token->len < 3 || code >> 32)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].code == code)
			return statuses[i].want;
	return WANT_FAIL;
}

int status_parse(const struct token *token)
{
	if (token->quoted)
		return -EINVAL;
	if (begins(token, "NT_STATUS_"))
		return find_name(token);
	if (begins(token, "0x"))
		return find_code(token);
	if (token_is(token, "*"))
		return WANT_ANY;
	if (begins(token, "SUCCESS"))
		return WANT_OK;
	if (begins(token, "ERROR"))
		return WANT_FAIL;
	return -EINVAL;
}

const char *status_text(unsigned want)
{
	size_t i;

	if (want == WANT_ANY)
		return "*";
	if (want == WANT_OK_EXIST)
		want = WANT_OK;
	for (i = 0; i < ARRAY_SIZE(statuses); i++)
		if (statuses[i].want == (int)want)
			return statuses[i].name;
	return "NT_STATUS_UNSUCCESSFUL";
}

bool status_must_fail(unsigned want)
{
	return want != WANT_OK && want != WANT_ANY && want != WANT_OK_EXIST;
}
