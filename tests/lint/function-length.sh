#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No function in src/ is longer than 60 lines.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires ctags
ctags --version | grep -q Universal || skip "needs universal-ctags"

# Flat switches and tables may be longer.  One a line: name, then the reason.
exempt='
'

cd "$abs_top_srcdir"
find src -name '*.c' | sort |
	ctags -L - -x --c-kinds=f --_xformat='%{end} %n %F %N' |
	awk -v exempt="$exempt" '
	BEGIN {
		n = split(exempt, lines, "\n")
		for (i = 1; i <= n; i++) {
			split(lines[i], word, " ")
			allowed[word[1]] = 1
		}
	}
	$1 - $2 + 1 > 60 && !($4 in allowed) {
		printf "%s:%d: %s() has %d lines\n", $3, $2, $4, $1 - $2 + 1
		status = 1
	}
	END { exit status }'
