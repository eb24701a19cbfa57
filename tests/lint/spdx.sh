#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every source names its licence in its first three lines.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

cd "$abs_top_srcdir"
{
	printf '%s\n' bootstrap configure.ac Makefile.am
	[ ! -e .ci/run ] || echo .ci/run
	find src tests man loadfiles -name '*.[ch15]' -o -name '*.sh' \
		-o -name Makemodule.am
} | while read -r file; do
	head -n 3 "$file" |
		grep -q 'SPDX-License-Identifier: GPL-3.0-or-later' || {
		echo "$file: no SPDX-License-Identifier"
		: >"$T/bad"
	}
done
[ ! -e "$T/bad" ]
