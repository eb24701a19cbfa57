#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A thousand clients start, run and end, and their memory is small.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires pgrep

requires_no_sanitizers
mkdir "$T/d"
"$REPLAY" -c demo -n 1000 -t 1 -w 0 --quiet --json "$T/j" "$T/d" >"$T/out" 2>&1 || {
	cat "$T/out" >&3
	die "it failed"
}
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.errors)" = 0 ] || die errors
nothing_left "$T/d"

LOAD=/usr/share/dbench/client.txt
requires test -r "$LOAD"
"$REPLAY" -c "$LOAD" -n 2 -t 3 -w 0 --quiet "$T/d" >"$T/out" &
pid=$!
running() {
	[ "$(find "$T/d" -path '*fleet/clients/client1/*' | wc -l)" -gt 5 ]
}
eventually running
client=$(pgrep -P $pid -x replay-client | tail -n 1)
# Of the private pages those of the slot, in shared memory, are counted apart.
private() { # 1: KiB of the slot, 0: of everything else
	awk -v want="$1" '/^[0-9a-f]+-/ { slot = /zero/ }
		/^Private_/ && slot == want { s += $2 } END { print s + 0 }' \
		"/proc/$client/smaps"
}
[ "$(private 0)" -le 256 ] || die "$(private 0) KiB are private to a client"
[ "$(private 1)" -le 160 ] || die "a slot has $(private 1) KiB"
wait $pid
