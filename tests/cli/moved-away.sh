#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A run directory that somebody moves away is not looked for under its name:
# what stands there then is left alone, and the exit status tells.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d" "$T/out"
"$REPLAY" -c demo -t 1 -w 0 --quiet "$T/d" >"$T/report" 2>"$T/err" &
pid=$!
made() {
	dir=$(echo "$T"/d/replay.*)
	[ -e "$dir/fleet" ]
}
eventually made
mv "$dir" "$T/out/"
mkdir -m 700 "$dir"
echo precious >"$dir/file"
fails_with 1 wait $pid
says 'cannot remove' "$T/err"
sleep 0.3
[ "$(cat "$dir/file")" = precious ] || die "the other directory was emptied"

# A directory whose run died before its marker was finished is cleared by the
# next one, if it is not too young.
mkdir -m 700 "$T/d/replay.unborn" "$T/d/replay.newone" "$T/d/replay.theirs"
touch "$T/d/replay.unborn/.replay.new"
touch "$T/d/replay.newone/.replay.new"
touch -d '2 minutes ago' "$T/d/replay.unborn" "$T/d/replay.theirs"
"$REPLAY" -c demo -p 1 --quiet "$T/d" >"$T/report"
[ ! -e "$T/d/replay.unborn" ] || die "the unborn directory is still there"
[ -e "$T/d/replay.newone" ] || die "a young one was removed"
[ -e "$T/d/replay.theirs" ] || die "somebody's empty directory was removed"
