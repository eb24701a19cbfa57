#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A load file that cannot be meant is refused whole, line by line, and
# nothing is touched.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/target"
refused() { # LINE:TEXT, the load on standard input
	cat >"$T/x.load"
	fails_with 2 "$REPLAY" -c "$T/x.load" "$T/target" 2>"$T/err"
	says "x.load:$1" "$T/err"
	nothing_left "$T/target"
}

printf 'Mkdir "/a" NT_STATUS_OK\nFoo "/a" NT_STATUS_OK\n' |
	refused "2: unknown operation 'Foo'"
printf 'Close 7 NT_STATUS_OK\n' | refused '1: '
printf 'Mkdir "/a/../b" NT_STATUS_OK\n' | refused '1: '
printf 'Mkdir "\\..\\b" NT_STATUS_OK\n' | refused '1: '
printf 'Mkdir "/a\0b" NT_STATUS_OK\n' | refused '1: '
printf 'Mkdir "/%s" NT_STATUS_OK\n' "$(printf 'x%.0s' {1..256})" | refused '1: '
printf 'LOOP 3\nMkdir "/a" NT_STATUS_OK\n' | refused '1: '
printf 'Mkdir "/a" NT_STATUS_OK\nENDLOOP\n' | refused '2: '
printf 'Mkdir "/a" NT_STATUS_OK\nREAD10 0 1 0x0\n' | refused '2: '
says SCSI "$T/err"
printf 'GETATTR3 "/" 0x0\n' | refused '1: '
says NFS "$T/err"
printf 'NTCreateX "/f" 0 2 1 NT_STATUS_OK\nReadX 1 9223372036854775807 2 2 NT_STATUS_OK\n' |
	refused '2: '
printf 'Mkdir "/a"\n' | refused '1: '
printf '# nothing\n' >"$T/x.load"
fails_with 2 "$REPLAY" --check "$T/x.load" 2>"$T/err"
says 'no operation' "$T/err"

# The first twenty are reported, the rest is counted.
yes 'Foo "/a" NT_STATUS_OK' | head -n 50 >"$T/x.load" || true
fails_with 2 "$REPLAY" --check "$T/x.load" 2>"$T/err"
lines_are 21 "$T/err"
says 30 "$T/err"
