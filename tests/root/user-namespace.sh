#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# In a user namespace, where one is root but may not touch devices, bind,
# overlay and tmpfs work, and loop says what it needs.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires unshare -rm true
mkdir "$T/d"
unshare -rm "$REPLAY" -c demo -t 0.2 -r 1 --json "$T/j" a="$T/d" b="$T/d+bind" \
	o="$T/d+overlay" t=tmpfs,size=64M >"$T/out" 2>"$T/err" || die "$(cat "$T/err")"
is complete true
is targets.2.chain.0.fs overlay
nothing_left "$T/d"
if [ "$(id -u)" != 0 ]; then
	fails_with 3 unshare -rm "$REPLAY" -c demo -t 0.2 "$T/d+loop" >"$T/out" 2>"$T/err"
	says loop "$T/err"
	nothing_left "$T/d"
fi
