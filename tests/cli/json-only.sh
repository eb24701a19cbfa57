#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# With -o json standard output is one JSON document and nothing else, also
# when runs fail; --json replaces a file only when it is complete.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
"$REPLAY" -c demo -n 1,2 -r 2 -t 0.2 -w 0 -o json --per-client --progress -v "$T/d" \
	>"$T/j" 2>"$T/err"
get() {
	"$abs_top_builddir/tests/jget" "$T/j" "$@"
}
[ "$(get schema)" = 1 ] || die schema
[ "$(get runs)" = 4 ] || die "runs"
[ "$(get summary)" = 2 ] || die "summary"
[ "$(get runs.3.per_client)" = 2 ] || die "per_client"
for key in replay.version replay.seed replay.started host.kernel host.cpus \
	loadfile.sha256 targets.0.chain runs.0.per_op.Close.p999_us \
	runs.0.durability runs.0.regime summary.0.mb_per_s.median; do
	get "$key" >"$T/value" || die "no $key"
done
says 'run ' "$T/err"
echo old >"$T/keep"
mkdir "$T/nodir"
fails_with 3 "$REPLAY" -c demo -t 0.1 -w 0 --json "$T/nodir" "$T/d" >"$T/out" 2>"$T/err"
says nodir "$T/err"
# A full standard output is noticed.
if [ -c /dev/full ]; then
	fails_with 1 "$REPLAY" -c demo -t 0.1 -w 0 --quiet "$T/d" >/dev/full 2>"$T/err"
fi
