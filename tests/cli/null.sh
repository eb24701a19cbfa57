#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The null backend touches nothing, and its results say which it was.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
touch "$T/d"
before=$(stat -c "%y %z" "$T/d")
"$REPLAY" -B null -c demo -t 0.2 -n 2 --json "$T/j" "$T/d" >"$T/out" 2>&1
[ "$before" = "$(stat -c "%y %z" "$T/d")" ] || die "the target was touched"
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.backend)" = null ] || die "backend"
says null "$T/out"
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.errors)" = 0 ] || die "errors"
"$REPLAY" --list-backends >"$T/list"
says null "$T/list"
says sync "$T/list"
