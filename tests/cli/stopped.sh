#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What happens after the planned stop does not move it; a run that was
# stopped in the middle says so; Ctrl-Z does not stop it.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires pgrep
mkdir "$T/d"
get() {
	"$abs_top_builddir/tests/jget" "$T/j" "$1"
}
clients_run() {
	[ "$(pgrep -P "$1" -x replay-client | wc -l)" = 2 ]
}
# A client that is held beyond the end, then an interrupt.
"$REPLAY" -c demo -n 2 -t 1 -w 0 --quiet --json "$T/j" "$T/d" >"$T/out" 2>&1 &
pid=$!
eventually clients_run $pid
held=$(pgrep -P $pid -x replay-client | tail -n 1)
kill -STOP "$held"
sleep 2
kill -INT $pid
sleep 0.2
kill -CONT "$held"
fails_with 1 wait $pid
[ "$(get runs.0.seconds)" = 1 ] || die "measured $(get runs.0.seconds) s, not 1"

setsid "$REPLAY" -c demo -n 2 -t 3 -w 0 --json "$T/j" "$T/d" >"$T/out" 2>&1 &
pid=$!
eventually clients_run $pid
kill -TSTP -- -$pid
kill -STOP -- -$pid
sleep 1.2
kill -CONT -- -$pid
wait $pid || true
says disturbed "$T/out"
[ "$(get runs.0.disturbed)" = true ] || die "not marked"
nothing_left "$T/d"
