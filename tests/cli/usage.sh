#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A wrong command line is refused with one clear line and exit status 2.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

refused() { # TEXT ARG...
	local text=$1

	shift
	fails_with 2 "$REPLAY" "$@" >"$T/out" 2>"$T/err"
	says "$text" "$T/err"
	[ ! -s "$T/out" ] || die "'$*' printed something"
}

refused 'no target' -c demo
refused "unexpected argument 'two'" --list-ops two
refused '--backend nosuch' -B nosuch "$T"
refused '--timelimit 0' -t 0 "$T"
refused '--timelimit x' -t x "$T"
refused '--timelimit -1' -t -1 "$T"
refused '--passes 0' -p 0 "$T"
refused 'exclude each other' -p 1 -t 1 "$T"
refused 'exclude each other' -p 1 -w 1 "$T"
refused '--rounds 0' -r 0 "$T"
refused '--seed' --seed 9223372036854775808 "$T"
refused '--target-rate' -R 0 "$T"
refused '--data' --data abc "$T"
refused '--output' -o nosuch "$T"
refused '--nosuch' --nosuch "$T"
refused 'only one of' --list-ops --list-backends
refused 'nosuch.load' -c nosuch.load "$T"
for list in 1,2,4,...,100 4,2,...,8 0 1,x ''; do
	refused '--clients' -c demo -n "$list" "$T"
done
refused "100" -c demo -n 1,2,4,...,100 "$T"
refused "'x'" -c demo -n 1,x "$T"
