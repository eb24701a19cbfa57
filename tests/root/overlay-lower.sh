#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a load makes in ONCE is in the lower layer of an overlay; changing it
# copies it up.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
mkdir "$T/d"
cat >"$T/x.load" <<'L'
ONCE
NTCreateX "/old" 0x40 2 1 NT_STATUS_OK
WriteX 1 0 64K 64K NT_STATUS_OK
Close 1 NT_STATUS_OK
NTCreateX "/kept" 0x40 2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
END
NTCreateX "/old" 0x40 1 1 NT_STATUS_OK
ReadX 1 0 64K 64K NT_STATUS_OK
WriteX 1 4K 4K 4K NT_STATUS_OK
Close 1 NT_STATUS_OK
SLEEP 10000
L
"$REPLAY" -c "$T/x.load" -t 10 -w 0 "$T/d+overlay" >"$T/out" 2>&1 &
pid=$!
copied_up() {
	[ -n "$(find "$T/d" -path '*/upper/*/old' 2>/dev/null)" ]
}
eventually copied_up
[ -n "$(find "$T/d" -path '*/lower/*/old')" ] || die "it is not in the lower layer"
[ -n "$(find "$T/d" -path '*/lower/*/kept')" ] || die "nor is the other"
[ -z "$(find "$T/d" -path '*/upper/*/kept')" ] || die "what nobody changed was copied up"
kill -TERM "$pid"
wait "$pid" || [ $? = 1 ] || die "it did not end well"
says_not 'operations of the whole run did not' "$T/out"
nothing_left "$T/d"
