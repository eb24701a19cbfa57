#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Mounts of the host can be unmounted while a run with layers is on, and
# nobody sees those of the run.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
mount_tmpfs 16m
mkdir "$T/d"
"$REPLAY" -c demo -t 20 loop="$T/d+loop,size=64M" overlay="$T/d+overlay" >/dev/null 2>&1 &
pid=$!
running() {
	pgrep -P "$pid" -x replay-client >/dev/null
}
requires pgrep
eventually running
if grep -e /proc/driver -e "$T/d" /proc/self/mountinfo; then
	die "its mounts can be seen"
fi
umount "$T/tmpfs" || die "a mount of the host is pinned"
kill -TERM "$pid"
wait "$pid" || [ $? = 1 ] || die "it did not end well"
nothing_left "$T/d"
