#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A disk that would be filled is refused with the arithmetic; allowed to
# fill it, the run ends with 1 and names the operation and ENOSPC.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires test -r /usr/share/dbench/client.txt
mount_tmpfs 64m
fails_with 3 "$REPLAY" -c client.txt -n 4 -t 3 "$T/tmpfs" >"$T/out" 2>"$T/err"
says '4 clients' "$T/err"
says 'reserve' "$T/err"
nothing_left "$T/tmpfs"
fails_with 1 "$REPLAY" -c client.txt -n 4 -t 3 --no-reserve --json "$T/j" "$T/tmpfs" \
	>"$T/out" 2>"$T/err"
says ENOSPC "$T/out"
says WriteX "$T/out"
says 'client.txt:' "$T/out"
nothing_left "$T/tmpfs"

# A load whose size cannot be known beforehand is stopped at the reserve.
cat >"$T/grow.load" <<'L'
LOOP 10
RANDOMSTRING 1 "[abcdefghij][0123456789][0123456789]"
NTCreateX "/f$1" 0x40 2 1 NT_STATUS_OK
SLEEP 2000
WriteX 1 0 64K 64K NT_STATUS_OK
Close 1 NT_STATUS_OK
ENDLOOP
L
fails_with 1 "$REPLAY" -c "$T/grow.load" -n 1 -t 20 "$T/tmpfs" >"$T/out" 2>"$T/err"
says reserve "$T/out"
says_not ENOSPC "$T/out"
nothing_left "$T/tmpfs"
