#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A handle follows the load file: an open that must fail leaves it alone, one
# that should have succeeded ends what was bound before, and what is open at
# the end of a pass is closed.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
cat >"$T/good.load" <<'L'
NTCreateX "/f" 0x40 2 5 NT_STATUS_OK
WriteX 5 0 100 100 NT_STATUS_OK
NTCreateX "/none" 0x40 1 5 NT_STATUS_OBJECT_NAME_NOT_FOUND
WriteX 5 100 100 100 NT_STATUS_OK
NTCreateX "/g" 0x40 2 5 NT_STATUS_OK
WriteX 5 0 10 10 NT_STATUS_OK
ReadX 5 0 100 10 NT_STATUS_OK
NTCreateX "/f" 0x40 1 6 NT_STATUS_OK
ReadX 6 0 1000 200 NT_STATUS_OK
L
# 1,100 passes: a descriptor leaked by one would run into the limit.
(
	ulimit -n 256
	"$REPLAY" -c "$T/good.load" -p 1100 --quiet --json "$T/j" "$T/d" >"$T/out"
)
is runs.0.errors 0
is runs.0.skipped 0
is runs.0.ops 9900

cat >"$T/bad.load" <<'L'
NTCreateX "/f" 0x40 2 5 NT_STATUS_OK
NTCreateX "/none" 0x40 1 5 NT_STATUS_OK
WriteX 5 0 100 100 NT_STATUS_OK
Close 5 NT_STATUS_OK
L
fails_with 1 "$REPLAY" -c "$T/bad.load" -p 1 --quiet --json "$T/j" "$T/d" >"$T/out"
is runs.0.errors 1
is runs.0.skipped 2
is runs.0.bytes_written 0
nothing_left "$T/d"
