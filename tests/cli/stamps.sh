#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Time stamps are kept on an absolute schedule, and the lag is reported;
# -R holds a client to its rate.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
get() {
	"$abs_top_builddir/tests/jget" "$T/j" "$1"
}
at_least() { # PATH VALUE
	awk -v a="$(get "$1")" -v b="$2" 'BEGIN { exit !(a >= b) }' ||
		die "$1 is $(get "$1"), less than $2"
}
cat >"$T/x.load" <<'L'
0.10 Mkdir "/a" NT_STATUS_OK
SLEEP 50000
0.20 Mkdir "/b" NT_STATUS_OK
0.15 Mkdir "/c" NT_STATUS_OK
0.40 Rmdir "/a" NT_STATUS_OK
L
"$REPLAY" -c "$T/x.load" -p 2 --json "$T/j" "$T/d" >"$T/out"
at_least runs.0.seconds 0.8
at_least runs.0.late_ops 2
at_least runs.0.lag_max_us 40000
says 'were due before' "$T/out"

cat >"$T/y.load" <<'L'
NTCreateX "/f" 0x40 2 1 NT_STATUS_OK
LOOP 20
WriteX 1 0 50000 50000 NT_STATUS_OK
ENDLOOP
L
"$REPLAY" -c "$T/y.load" -p 1 -n 2 -R 4 --quiet --json "$T/j" "$T/d" >"$T/out"
at_least runs.0.seconds 0.2
