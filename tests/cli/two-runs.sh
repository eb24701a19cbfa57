#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Two runs in one directory at once do not disturb each other, a stale
# directory is removed, and what only looks like one is left alone.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires pgrep

mkdir "$T/d"
mkdir "$T/d/replay.ABCDEF" "$T/d/replay.notours" "$T/d/other"
touch "$T/d/other/f" "$T/d/replay.ABCDEF/f"
one() {
	"$REPLAY" -c demo -n 2 -t 1 -w 0 --quiet "$T/d" >"$T/out.$1" 2>&1
}
one 1 &
first=$!
one 2 || die "the second failed"
wait $first || die "the first failed"
[ "$(find "$T/d" | wc -l)" = 6 ] || die "something else is missing or left"

# A run killed together with its janitor leaves one stale directory.
setsid "$REPLAY" -c demo -n 1 -t 30 -w 0 --quiet "$T/d" >/dev/null 2>&1 &
pid=$!
marked() {
	[ "$(find "$T/d" -name .replay | wc -l)" = 1 ]
}
eventually marked
janitor=$(pgrep -P "$pid" -x replay-janitor)
[ -n "$janitor" ] || die "no janitor"
kill -KILL "$janitor"
kill -KILL -- "-$pid"
wait $pid 2>/dev/null || true
stale=$(find "$T/d" -name .replay)
[ -n "$stale" ] || die "nothing is left to try this on"
one 3 || die "the third failed"
[ ! -e "$stale" ] || die "the stale directory is still there"
[ -e "$T/d/replay.ABCDEF/f" ] || die "the user's directory was removed"
[ -e "$T/d/other/f" ] || die "the user's file was removed"
