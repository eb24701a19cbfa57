#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Targets are run by turns and compared in pairs: the order comes from the
# seed, reversed every second round, and each cell gets ratio and verdict.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/a" "$T/b" "$T/c"
run() {
	"$REPLAY" -c demo -p 2 -n 1,2 -r 2 --seed 7 --json "$T/j" "$@" >"$T/out" 2>"$T/err" ||
		die "$(cat "$T/err")"
}
order() {
	for ((i = $1; i < $1 + 3; i++)); do
		"$abs_top_builddir/tests/jget" "$T/j" "runs.$i.target"
	done
}
run one="$T/a" two="$T/b" three="$T/c"
is runs 12
[ "$(order 0 | tac)" = "$(order 3)" ] || die "the second round is not the first one reversed"
[ "$(order 0 | sort | tr '\n' ' ')" = 'one three two ' ] || die "a round is not every target once"
order 0 >"$T/first"
run one="$T/a" two="$T/b" three="$T/c"
order 0 | cmp - "$T/first" || die "the same seed gives another order"
is runs.5.clients 1
is runs.6.clients 2
is summary.0.ratio null
is summary.1.ratio.to one
is summary.1.ratio.pairs 2
is summary.1.ratio.remark 'only 2 rounds'
says 'only 2 rounds' "$T/out"

# nothing is durable in memory, in no output
run -v one="$T/a" two="$T/b"
if [ "$(stat -f -c %T "$T/a")" = tmpfs ]; then
	says '(durable -)' "$T/err"
	is runs.0.durable_mb_per_s null
fi

run --aa --metric ops one="$T/a" two="$T/b"
is targets 3
is targets.2.name 'one(aa)'
is plan.metric ops_per_s
says 'one(aa)' "$T/out"

# six rounds are the default, and one target has no comparison
"$REPLAY" -c demo -p 1 --json "$T/j" one="$T/a" two="$T/b" >/dev/null 2>&1
is runs 12
"$REPLAY" -c demo -p 1 --json "$T/j" "$T/a" >"$T/out" 2>&1
is runs 1
says_not "95 % interval" "$T/out"
