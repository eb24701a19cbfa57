#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Nothing generated is in git, and git ignores whatever is generated.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires git

cd "$abs_top_srcdir"
requires test -e .git
requires git rev-parse --show-toplevel

generated='(^|/)(configure|aclocal\.m4|config\.(h|h\.in|log|status)'
generated+='|stamp-h1|Makefile|Makefile\.in|\.dirstamp)$'
generated+='|(^|/)(autom4te\.cache|build[^/]*|\.deps)/'
generated+='|\.([ao]|log|trs|gc[a-z]+|tar\..*)$|~$'

for which in --cached "--others --exclude-standard"; do
	# shellcheck disable=SC2086
	git ls-files $which | grep -E "$generated" >"$T/found" || continue
	cat "$T/found"
	die "generated files (git ls-files $which)"
done
