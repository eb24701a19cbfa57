#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A symbolic link that somebody else plants in the run directory while it
# runs is never followed, by any operation.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

requires_root
mkdir "$T/d" "$T/victim" "$T/victim/sub"
echo precious >"$T/victim/f"
echo precious >"$T/victim/sub/f"
cat >"$T/x.load" <<'L'
NTCreateX "/trap" 0x1 2 9 *
Close 9 *
LOOP 50
SLEEP 2000
NTCreateX "/trap/f" 0x40 5 1 *
WriteX 1 0 10 10 *
Close 1 *
NTCreateX "/trap/new" 0x40 2 2 *
Close 2 *
Mkdir "/trap/dir" *
Rename "/trap/f" "/trap/g" *
Unlink "/trap/f" *
Rmdir "/trap/sub" *
Deltree "/trap" *
ENDLOOP
L
"$REPLAY" -c "$T/x.load" -n 1 -t 4 -w 0 --quiet "$T/d" >"$T/out" 2>&1 &
pid=$!
made() {
	fleet=$(echo "$T"/d/replay.*/fleet)
	[ -d "$fleet" ]
}
eventually made
for ((i = 0; i < 300; i++)); do
	ln -sfn "$T/victim" "$T/link"
	rm -rf --one-file-system "$fleet/trap" 2>/dev/null || true
	mv -T "$T/link" "$fleet/trap" 2>/dev/null || true
	sleep 0.01
done
wait $pid || true
[ "$(cat "$T/victim/f" "$T/victim/sub/f")" = $'precious\nprecious' ] ||
	die "the victim was written to"
[ "$(find "$T/victim" | wc -l)" = 4 ] || die "something was made in the victim"
nothing_left "$T/d"
