#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where it cannot work, it says so in one line and exits with 2 or 3.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
complains() { # STATUS TEXT ARG...
	local status=$1 text=$2

	shift 2
	fails_with "$status" "$REPLAY" "$@" >"$T/out" 2>"$T/err"
	lines_are 1 "$T/err"
	says "$text" "$T/err"
}

complains 3 "$T/missing" -c demo "$T/missing"
touch "$T/file"
complains 2 "$T/file" -c demo "$T/file"
complains 2 "$T/none.load" -c "$T/none.load" "$T/d"
complains 2 "$T/d" -c "$T/d" "$T/d"
if [ "$(id -u)" = 0 ]; then
	requires setpriv
	as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	chmod 711 "$T"
	requires "${as_user[@]}" test -x "$REPLAY"
	run() {
		"${as_user[@]}" "$REPLAY" "$@"
	}
else
	run() {
		"$REPLAY" "$@"
	}
fi
cp "$REPLAY_LOADFILES/demo.load" "$T/secret.load"
chmod 0 "$T/secret.load"
chmod 555 "$T/d"
fails_with 3 run -c "$REPLAY_LOADFILES/demo.load" "$T/d" 2>"$T/err"
lines_are 1 "$T/err"
fails_with 2 run -c "$T/secret.load" "$T/d" 2>"$T/err"
lines_are 1 "$T/err"
says 'ermission denied' "$T/err"
nothing_left "$T/d"
