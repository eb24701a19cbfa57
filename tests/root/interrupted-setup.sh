#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A signal ends a set-up that takes long (here a mkfs that hangs) at once, and
# a mkfs that fails or makes nothing is named; nothing is left in any case.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_layers
mkdir "$T/d" "$T/bin"
fake() {
	printf '#!/bin/sh\n%s\n' "$1" >"$T/bin/mkfs.ext4"
	chmod +x "$T/bin/mkfs.ext4"
}
export PATH=$T/bin:$PATH

fake "touch $T/started; exec sleep 60"
"$REPLAY" -c demo "$T/d+loop,size=64M" >"$T/out" 2>"$T/err" &
pid=$!
eventually test -e "$T/started"
kill -TERM "$pid"
gone() {
	! kill -0 "$pid" 2>/dev/null
}
eventually gone
fails_with 1 wait "$pid"
says 'interrupted by signal 15' "$T/err"
nothing_left "$T/d"

fake 'echo out of luck >&2; exit 4'
fails_with 3 "$REPLAY" -c demo "$T/d+loop,size=64M" >"$T/out" 2>"$T/err"
says 'out of luck' "$T/err"
says 'mkfs.ext4' "$T/err"
fake 'exit 0'
fails_with 3 "$REPLAY" -c demo "$T/d+loop,size=64M" >"$T/out" 2>"$T/err"
says 'mkfs.ext4' "$T/err"
nothing_left "$T/d"

# Nor does mkfs get to write to what is the user's.
echo precious >"$T/victim"
for arg in "fs=btrfs,mkfs=$T/victim" "fs=xfs,size=400M,mkfs=-llogdev=$T/victim" \
	"mkfs=-Jdevice=LABEL=x" "mkfs=-z$T/undo"; do
	fails_with 2 "$REPLAY" -c demo "$T/d+loop,$arg" >"$T/out" 2>"$T/err"
	says 'mkfs' "$T/err"
done
[ "$(cat "$T/victim")" = precious ] || die "the victim was written to"
picture >"$T/after"
[ ! -s "$T/after" ] || die "a loop device or mount is left"
