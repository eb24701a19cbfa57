#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The watchdog ends what cannot go on, with client, operation and line, and
# nothing else: not empty loops, not waiting for somebody who sleeps.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
printf 'NTCreateX "/f" 0x40 2 1 NT_STATUS_OK\nLOOP 1000000000000\nENDLOOP\n' >"$T/x.load"
"$REPLAY" -c "$T/x.load" -t 3 -w 0 --watchdog 1 --quiet "$T/d" >"$T/out"
cat >"$T/y.load" <<'L'
NTCreateX "/f" 0x40 2 1 NT_STATUS_OK
LockX 1 0 10 NT_STATUS_OK
SLEEP 2500000
UnlockX 1 0 10 NT_STATUS_OK
SETSP 1
WAITSP 0 1
WAITSP 1 1
L
"$REPLAY" -c "$T/y.load" -p 1 -n 2 --watchdog 1 --quiet "$T/d" >"$T/out"
cat >"$T/z.load" <<'L'
NTCreateX "/f" 0x40 2 1 NT_STATUS_OK
WAITSP 0 1
WAITSP 1 1
SETSP 1
L
fails_with 1 "$REPLAY" -c "$T/z.load" -p 1 -n 2 --watchdog 1 --quiet "$T/d" >"$T/out"
says 'z.load:' "$T/out"
says WAITSP "$T/out"
says failed "$T/out"
nothing_left "$T/d"

# A preamble of any length is not tried beforehand.
printf 'ONCE\nLOOP 1000000000\nENDLOOP\nEND\nMkdir "/c" NT_STATUS_OK\n' >"$T/o.load"
"$REPLAY" -c "$T/o.load" -p 1 --quiet "$T/d" >"$T/out" 2>"$T/err" &
pid=$!
made() {
	[ -n "$(ls -A "$T/d")" ]
}
eventually made
kill -INT $pid
fails_with 1 wait $pid
nothing_left "$T/d"
