#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every load file that is shipped compiles and runs without an unexpected
# outcome, and the lists know it.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
for load in "$REPLAY_LOADFILES"/*.load; do
	name=$(basename "$load" .load)
	"$REPLAY" --list-loads >"$T/list"
	says "$name" "$T/list"
	if [ "$name" = netbench ] && [ ! -r /usr/share/dbench/client.txt ]; then
		continue
	fi
	"$REPLAY" --check "$name" >"$T/check"
	says 'operations per pass' "$T/check"
	"$REPLAY" -c "$name" -p 2 -n 2 --quiet "$T/d" >"$T/out" 2>&1 || {
		cat "$T/out" >&3
		die "$name failed"
	}
done
"$REPLAY" -n 1 -p 1 --quiet "$T/d" >"$T/out" || die "the default load failed"
nothing_left "$T/d"
