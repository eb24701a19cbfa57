#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An image that is too large for the disk below is refused with the
# arithmetic; forced, the run that loses data says so and ends with 1.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
mount_tmpfs 96m
for target in "$T/tmpfs+loop,size=500M" "$T/tmpfs+loop,size=500M,sparse" \
	"$T/tmpfs+loop,size=600M+loop,size=500M"; do
	fails_with 3 "$REPLAY" -c demo -t 0.2 "$target" >"$T/out" 2>"$T/err"
	says 'MiB' "$T/err"
	says 'are free' "$T/err"
	says 'too little' "$T/err"
done
# not preallocated is all that --no-reserve alone cannot have
fails_with 3 "$REPLAY" -c demo -t 0.2 --no-reserve "$T/tmpfs+loop,size=500M" >/dev/null 2>"$T/err"
says 'No space left' "$T/err"

{
	echo 'NTCreateX "/f" 0x40 2 1 *'
	for i in 0 1 2 3 4 5 6 7 8 9; do
		echo "WriteX 1 $((i << 24)) 16M 16M *"
		echo 'Flush 1 NT_STATUS_OK'
	done
} >"$T/fill.load"
fails_with 1 "$REPLAY" -c "$T/fill.load" -p 1 --no-reserve --json "$T/j" \
	x="$T/tmpfs+loop,size=500M,sparse" y="$T/tmpfs" >"$T/out" 2>"$T/err"
says 'lost data' "$T/out"
says ENOSPC "$T/out"
is complete false
is summary.0.lost_data true
is summary.1.ratio.verdict 'not comparable'
nothing_left "$T/tmpfs"
