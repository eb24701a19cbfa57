#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Interrupted, it prints what was measured, marked partial, and exits with 1.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires pgrep

mkdir "$T/d"
clients_run() {
	pgrep -P "$1" -x replay-client >/dev/null
}
"$REPLAY" -c demo -n 1,2 -t 0.3 -w 0 --json "$T/j" "$T/d" >/dev/null 2>&1
setsid "$REPLAY" -c demo -n 1,2 -t 30 -w 0 --json "$T/j" "$T/d" \
	>"$T/out" 2>"$T/err" &
pid=$!
eventually clients_run $pid
sleep 0.5
kill -INT $pid
fails_with 1 wait $pid
nothing_left "$T/d"
says interrupted "$T/out"
get() {
	"$abs_top_builddir/tests/jget" "$T/j" "$1"
}
[ "$(get runs)" = 1 ] || die "not one run"
[ "$(get runs.0.complete)" = false ] || die "it claims to be complete"
awk -v s="$(get runs.0.seconds)" 'BEGIN { exit !(s > 0.1 && s < 20) }' ||
	die "$(get runs.0.seconds) seconds"
awk -v b="$(get runs.0.mb_per_s)" 'BEGIN { exit !(b > 0) }' || die "no MB/s"
