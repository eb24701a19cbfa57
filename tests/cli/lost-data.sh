#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# A sync that fails is never passed over: not the closing one, not the one
# after the preamble.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires strace
requires strace -o /dev/null true
mkdir "$T/d"
cat >"$T/x.load" <<'L'
ONCE
Mkdir "/c" NT_STATUS_OK
END
NTCreateX "/c/f" 0x40 2 1 NT_STATUS_OK
WriteX 1 0 4K 4K NT_STATUS_OK
L
for when in 2 3; do
	fails_with 1 traced -f -q -o /dev/null -e trace=syncfs \
		-e inject=syncfs:error=EIO:when=$when \
		"$REPLAY" -c "$T/x.load" -p 1 --json "$T/j" "$T/d" >"$T/out" 2>&1
	says 'lost' "$T/out"
	[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.sync_error)" = EIO ] || die "no EIO"
	[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.durable_mb_per_s)" = null ] ||
		die "lost data are durable"
done
