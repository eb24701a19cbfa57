#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Killed in the middle, in whatever way, it leaves no process and no file.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires pgrep

mkdir "$T/d"
# no_process PID: PID and the group it led are gone.
group_gone() {
	! pgrep -g "$1" >/dev/null
}
janitors_gone() {
	! pgrep -f "^$REPLAY -c demo .*$T/d\$" >/dev/null
}
clients_run() {
	[ "$(pgrep -g "$1" -x replay-client | wc -l)" -ge 4 ]
}

start() { # sets leader; a process group of its own
	setsid "$REPLAY" -c demo -n 4 -t 30 -w 0 --quiet "$T/d" \
		>"$T/out" 2>"$T/err" &
	leader=$!
	eventually clients_run "$leader"
	sleep "0.0$((RANDOM % 10))"
}

check_gone() {
	eventually group_gone "$leader"
	eventually janitors_gone
	nothing_left "$T/d"
}

for ((i = 0; i < 10; i++)); do
	for signal in INT TERM KILL; do
		start
		kill -"$signal" "$leader"
		wait "$leader" 2>/dev/null || true
		check_gone
	done
	start
	kill -KILL "$(pgrep -g "$leader" -x replay-client | head -n 1)"
	fails_with 1 wait "$leader"
	check_gone
	says 'killed by signal 9' "$T/out"
	start
	kill -KILL -- "-$leader"
	wait "$leader" 2>/dev/null || true
	check_gone
done
