#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# An open with computed numbers and a constant path is an open like any other.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
cat >"$T/x.load" <<'L'
Mkdir "/c" NT_STATUS_OK
NTCreateX "/c/client1" *%1 2 7 SUCCESS
WriteX 7 0 4K 4K SUCCESS
NTCreateX "/c/g" *%1 *%1+2 8 SUCCESS
WriteX 8 +4K 100 100 SUCCESS
SET_FILE_INFORMATION 7 1 SUCCESS
SET_FILE_INFORMATION 8 1 SUCCESS
L
"$REPLAY" -c "$T/x.load" -p 50 -n 2 --quiet --json "$T/j" "$T/d" >"$T/out"
is runs.0.errors 0
is runs.0.ops 700
nothing_left "$T/d"
