#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# One pass of dbench's load by one client does exactly what the file says.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

LOAD=/usr/share/dbench/client.txt
requires test -r "$LOAD"
mkdir "$T/d"
"$REPLAY" -c client.txt -p 1 -n 1 --json "$T/j" "$T/d" >"$T/out" 2>&1
nothing_left "$T/d"

is runs.0.ops 458344
is runs.0.bytes_read 1472088767
is runs.0.bytes_written 1015974170
is runs.0.errors 0
is runs.0.skipped 0
is runs.0.complete true
is runs.0.per_op.Flush.count 5553
is runs.0.per_op.ReadX.count 124199
is runs.0.per_op.NTCreateX.count 79230
is runs.0.per_op.FIND_FIRST.count 27765
is loadfile.ops_per_pass 458344
is loadfile.bytes_read_per_pass 1472088767
is loadfile.fsyncs_per_pass 5553
