#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# With standard descriptors closed it neither hangs nor loses results silently.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
fails_with 2 timeout 20 "$REPLAY" -c - -t 0.1 "$T/d" <&- 2>"$T/err"
fails_with 1 timeout 20 "$REPLAY" -c demo -t 0.1 -w 0 "$T/d" >&- 2>"$T/err"
says 'standard output' "$T/err"
timeout 20 "$REPLAY" -c demo -t 0.1 -w 0 "$T/d" >"$T/out" 2>&- <&-
says 'MB/s' "$T/out"
nothing_left "$T/d"

# A load that comes from a terminal or a pipe can be given up.
mkfifo "$T/f"
sleep 30 >"$T/f" &
"$REPLAY" -c "$T/f" -t 0.1 "$T/d" 2>"$T/err" &
pid=$!
sleep 0.3
kill -TERM $pid
gone() {
	! kill -0 $pid 2>/dev/null
}
eventually gone
nothing_left "$T/d"
