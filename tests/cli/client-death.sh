#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The death of a client ends the run; it is said what happened, and no
# number of it looks like a result.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires pgrep
export ASAN_OPTIONS=handle_segv=0

mkdir "$T/d"
clients_run() {
	[ "$(pgrep -P "$1" -x replay-client | wc -l)" = 3 ]
}
"$REPLAY" -c demo -n 3 -t 30 -w 0 --json "$T/j" "$T/d" >"$T/out" 2>"$T/err" &
pid=$!
eventually clients_run $pid
kill -SEGV "$(pgrep -P $pid -x replay-client | tail -n 1)"
fails_with 1 wait $pid
says 'killed by signal 11 (Segmentation fault)' "$T/out"
says 'demo.load:' "$T/out"
says failed "$T/out"
says_not ' 0.00' "$T/out"
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.complete)" = false ] || die complete
nothing_left "$T/d"
