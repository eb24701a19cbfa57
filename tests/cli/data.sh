#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What writes contain: random data that no compressor shrinks, zeros, or
# digits repeated.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

cat >"$T/x.load" <<'L'
NTCreateX "/f" 0x40 2 1 NT_STATUS_OK
WriteX 1 0 4K 4K NT_STATUS_OK
REPEAT 47
WriteX 1 +4K 4K 4K NT_STATUS_OK
L
compressed() { # KIND: size of 192 KiB of it
	rm -rf "$T/d"
	mkdir "$T/d"
	"$REPLAY" -c "$T/x.load" -p 1 -k --quiet --data "$1" "$T/d" >/dev/null 2>&1
	cp "$T"/d/*/fleet/f "$T/file"
	gzip -9c "$T/file" | wc -c
}
[ "$(compressed random)" -gt 190000 ] || die "random data can be compressed"
[ "$(compressed zero)" -lt 2000 ] || die "zeros are none"
cmp -n 196608 "$T/file" /dev/zero || die "zeros are none"
[ "$(compressed 4142)" -lt 2000 ] || die "digits are not repeated"
[ "$(head -c 6 "$T/file")" = ABABAB ] || die "digits are not those given"
