#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# -s, -S, -F and -x make the calls they promise, --no-resolve avoids the rest.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires strace
requires strace -o /dev/null true
mkdir "$T/d"
cat >"$T/x.load" <<'L'
Mkdir "/a" NT_STATUS_OK
NTCreateX "/a/f" 0x40 2 1 NT_STATUS_OK
WriteX 1 0 100 100 NT_STATUS_OK
Close 1 NT_STATUS_OK
QUERY_PATH_INFORMATION "/a/none" 1 NT_STATUS_OBJECT_NAME_NOT_FOUND
Rename "/a/f" "/a/g" NT_STATUS_OK
Unlink "/a/g" NT_STATUS_OK
Rmdir "/a" NT_STATUS_OK
L
trace() { # OPTION...
	traced -f -q -o "$T/trace" "$REPLAY" -c "$T/x.load" -p 1 --quiet "$@" "$T/d" >"$T/out"
	sed -n '/"a"/,$p' "$T/trace" >"$T/calls"
}
count() { # N PATTERN
	local n

	n=$(grep -cE "$2" "$T/calls" || true)
	[ "$n" -eq "$1" ] || die "$n calls match $2, not $1"
}
trace
count 0 ' fsync\(| fdatasync\(|O_SYNC'
says_not xattr "$T/calls"
plain=$(grep -c getdents64 "$T/calls")
trace --no-resolve
[ "$(grep -c getdents64 "$T/calls")" -lt "$plain" ] || die "--no-resolve reads as much"
trace -s
count 1 '"a/f".*O_SYNC'
trace -S
count 3 ' fdatasync\('
trace -F
count 1 ' fsync\('
trace -x || true
says user.DosAttrib "$T/calls"
