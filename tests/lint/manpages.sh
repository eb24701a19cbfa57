#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual pages are well-formed and complete: every option and operation
# of the program is in them, and no option that it does not have.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires mandoc

cd "$abs_top_srcdir/man"
for page in *.[1-9]; do
	mandoc -T lint -W warning "$page" >&2 || die "$page: see above"
	mandoc -T ascii -O width=200 "$page" | sed 's/.\x08//g' >"$T/$page"
done

# Option items are the indented lines that start with a dash.
sed -n 's/^ *-/-/p' "$T/replay.1" | grep -oE -- '--[a-z][a-z-]+' |
	sort -u >"$T/documented"
"$REPLAY" --help | sed -n 's/^ *-/-/p' | grep -oE -- '--[a-z][a-z-]+' |
	sort -u >"$T/options"
comm -13 "$T/documented" "$T/options" | sed 's/^/not in replay(1): /' >&2
comm -23 "$T/documented" "$T/options" | sed 's/^/not in --help: /' >&2
cmp -s "$T/documented" "$T/options" || die "replay.1 and --help differ"

"$REPLAY" --list-ops | grep -v ':$' | grep -oE '^[A-Za-z0-9_]+' >"$T/ops" ||
	die "--list-ops prints no operations"
while read -r op; do
	grep -qw -- "$op" "$T/replay-load.5" ||
		die "$op is not in replay-load(5)"
done <"$T/ops"
