#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The even part of dbench's load can be repeated by several clients at once
# without an unexpected outcome.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires test -r /usr/share/dbench/client.txt
mkdir "$T/d"
"$REPLAY" -c netbench -p 20 -n 4 --json "$T/j" "$T/d" >"$T/out" 2>&1 || {
	cat "$T/out" >&3
	die "it failed"
}
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.errors)" = 0 ] || die "errors"
nothing_left "$T/d"
