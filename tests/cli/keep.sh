#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# With --keep the run directory stays, without its marker, and is named.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
"$REPLAY" -c demo -p 1 -k --quiet "$T/d" >"$T/out" 2>"$T/err"
kept=$(find "$T/d" -mindepth 1 -maxdepth 1)
says "$kept" "$T/err"
[ ! -e "$kept/.replay" ] || die "the marker is still there"
[ -d "$kept/fleet" ] || die "nothing of the fleet is there"
"$REPLAY" -c demo -p 1 --quiet "$T/d" >"$T/out"
[ -d "$kept" ] || die "the next run removed it"
