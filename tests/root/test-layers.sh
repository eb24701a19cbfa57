#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Layers for tests are marked in every output: nobody takes their numbers for
# a result.  What they changed is set right afterwards.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
mkdir "$T/d"
"$REPLAY" -c demo -t 0.3 -r 1 --json "$T/j" host="$T/d" late="$T/d+slow,op_us=200" \
	lie="$T/d+loop,size=64M,write_cache=through" >"$T/out" 2>"$T/err" || die "$(cat "$T/err")"
is targets.0.test false
is targets.1.test true
is targets.2.test true
is targets.2.chain.0.write_cache 'write through'
says TEST "$T/out"
"$REPLAY" --list-layers >"$T/list"
says slow "$T/list"
# a device number that lied lies no more
"$REPLAY" -c demo -t 0.2 --json "$T/j" "$T/d+loop,size=64M" >/dev/null 2>&1
is targets.0.chain.0.write_cache 'write back'
nothing_left "$T/d"
