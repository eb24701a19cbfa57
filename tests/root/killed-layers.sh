#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# SIGKILL of the coordinator or of the whole process group, while layers are
# being set up, used or taken down, leaves no loop device, mount, file or
# process behind.  MOMENTS says how often it is tried.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
requires pgrep
mkdir "$T/d"
picture >"$T/before"

# All that is ours and still alive; the janitor among it.
alive() {
	pgrep -f "$T/d" || true
}

gone() {
	[ -z "$(alive)" ] && is_empty "$T/d" && same_picture "$T/before"
}

for ((i = 0; i < ${MOMENTS:-6}; i++)); do
	setsid "$REPLAY" -c demo -n 2 -t 0.2 -w 0.05 -r 20 a="$T/d+loop,size=64M" \
		b="$T/d+loop,size=128M+loop,size=64M" c="$T/d+overlay" d="$T/d+bind" \
		e="tmpfs,size=32M+loop,size=16M" >/dev/null 2>&1 &
	pid=$!
	sleep "$((RANDOM % 3)).$((RANDOM % 10))$((RANDOM % 10))"
	if ((i % 2)); then
		kill -KILL "$pid"
	else
		kill -KILL -- "-$pid"
	fi
	rc=0
	wait "$pid" 2>/dev/null || rc=$?
	[ "$rc" = 137 ] || die "it ended with $rc before it was killed"
	eventually gone
done
