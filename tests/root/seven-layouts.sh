#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Seven layouts in one command, each run twice, leave loop devices, mounts and
# the directory as they were, and are told apart in every output.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
requires mkfs.xfs
mkdir "$T/d"
echo mine >"$T/d/file"
picture >"$T/before"
"$REPLAY" -c demo -n 2 -t 0.3 -w 0.1 -r 2 --json "$T/j" -v host="$T/d" bind="$T/d+bind" \
	loop="$T/d+loop,size=128M" loop2="$T/d+loop,size=256M+loop,size=128M" \
	xfs="$T/d+loop,fs=xfs,size=320M" overlay="$T/d+overlay" tmpfs=tmpfs,size=64M \
	>"$T/out" 2>"$T/err" || die "$(cat "$T/err")"
eventually same_picture "$T/before"
[ "$(ls -A "$T/d")" = file ] || die "the directory has changed"

is complete true
is runs 14
is targets 7
is targets.2.chain.0.kind loop
is targets.2.chain.0.fs ext4
is targets.2.chain.0.sparse false
is targets.2.chain.0.write_cache 'write back'
is targets.2.chain.1.kind dir
is targets.3.chain.1.fs ext4
is targets.3.chain 3
is targets.4.chain.0.fs xfs
is targets.5.chain.0.fs overlay
is targets.6.volatile true
is targets.1.volatile false
is summary.0.ratio null
is summary.6.ratio.verdict 'not comparable'
for name in host bind loop loop2 xfs overlay tmpfs; do
	says "$name" "$T/out"
done
says 'What differs' "$T/out"
