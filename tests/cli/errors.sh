#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An outcome that is not the recorded one is counted and shown with file,
# line, operation, path, expected and actual outcome; the exit status is 1.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
cat >"$T/x.load" <<'L'
Deltree "/clients" NT_STATUS_OK
Mkdir "/clients" NT_STATUS_OK
NTCreateX "/clients/f" 0x40 2 1 NT_STATUS_OK
WriteX 1 0 100 100 NT_STATUS_OK
ReadX 1 50 100 100 NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "/clients/none" 0x40 1 2 NT_STATUS_OK
ReadX 2 0 10 10 NT_STATUS_OK
Close 2 NT_STATUS_OK
L
fails_with 1 "$REPLAY" -c "$T/x.load" -p 2 --json "$T/j" "$T/d" >"$T/out" 2>"$T/err"
says 'x.load:5' "$T/out"
says ReadX "$T/out"
says '100 bytes' "$T/out"
says '50 bytes' "$T/out"
is runs.0.errors 4
is runs.0.skipped 4
is runs.0.bytes_read 100
is runs.0.per_op.ReadX.errors 2
is runs.0.per_op.NTCreateX.errors 2
is runs.0.first_error.expected '100 bytes'
is runs.0.first_error.actual '50 bytes'
is runs.0.first_error.op ReadX
nothing_left "$T/d"

cat >"$T/y.load" <<'L'
NTCreateX "/none" 0x40 1 2 NT_STATUS_OK
L
fails_with 1 "$REPLAY" -c "$T/y.load" -p 1 "$T/d" >"$T/out" 2>"$T/err"
says ENOENT "$T/out"
says 'none' "$T/out"
