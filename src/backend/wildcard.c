/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SMB wildcards in file names, as FIND_FIRST uses them: '*' and '<' stand
 * for any run of characters, '?' and '>' for one, '"' for a dot.  (In SMB
 * '<', '>' and '"' are the DOS forms with rules about the last dot that no
 * recorded status depends on.)  Case does not matter.
 *
 * Matching is the usual greedy scan with one point to return to, linear for
 * a single star and at worst the product of both lengths.
 */
#include <ctype.h>
#include <string.h>

#include "backend/backend.h"

static bool is_run(char c)
{
	return c == '*' || c == '<';
}

static bool one_matches(char pattern, char c)
{
	if (pattern == '?' || pattern == '>')
		return true;
	if (pattern == '"')
		pattern = '.';
	return tolower((unsigned char)pattern) == tolower((unsigned char)c);
}

bool smb_match(const char *pattern, const char *name)
{
	const char *after_run = NULL;
	const char *retry = NULL;

	while (*name) {
		if (is_run(*pattern)) {
			after_run = ++pattern;
			retry = name;
		} else if (*pattern && one_matches(*pattern, *name)) {
			pattern++;
			name++;
		} else if (after_run) {
			pattern = after_run;
			name = ++retry;
		} else {
			return false;
		}
	}
	while (is_run(*pattern))
		pattern++;
	return !*pattern;
}

bool smb_has_wildcard(const char *path)
{
	const char *slash = strrchr(path, '/');

	return strpbrk(slash ? slash + 1 : path, "<>*?\"") != NULL;
}
