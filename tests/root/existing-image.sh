#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# An existing image is run from a private copy: the original stays as it is,
# to the byte, and what is in it is found by the run.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
truncate -s 64M "$T/guest.img"
mkfs.ext4 -q -F "$T/guest.img"
sha256sum "$T/guest.img" >"$T/sum"
mkdir "$T/d"
"$REPLAY" -c demo -t 0.3 --json "$T/j" -r 1 guest="$T/guest.img+loop" host="$T/d" \
	>"$T/out" 2>"$T/err" || die "$(cat "$T/err")"
is targets.0.chain.0.fs ext4
is targets.0.chain.0.image_bytes 67108864
sha256sum --quiet -c "$T/sum" || die "the original has changed"
[ "$(find "$T" -name 'replay.??????')" = '' ] || die "something is left beside it"

# What is no file system is refused by its name.
truncate -s 8M "$T/empty.img"
fails_with 3 "$REPLAY" -c demo -t 0.3 "$T/empty.img+loop" >/dev/null 2>"$T/err"
says empty.img "$T/err"
# never formatted, never without a loop device
fails_with 2 "$REPLAY" -c demo "$T/guest.img+loop,fs=xfs" >/dev/null 2>"$T/err"
fails_with 2 "$REPLAY" -c demo "$T/guest.img" >/dev/null 2>"$T/err"
says loop "$T/err"
sha256sum --quiet -c "$T/sum" || die "the original has changed"
