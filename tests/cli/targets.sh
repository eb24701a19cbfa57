#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Targets that make no sense are refused with the reason and exit status 2,
# those that cannot be had here with 3; odd directory names need no quoting.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d" "$T/c++" "$T/a+loop,size=1" "$T/x=y" "$T/tmpfs"
refused() {
	fails_with "$1" "$REPLAY" -c demo -t 0.1 "${@:3}" >"$T/out" 2>"$T/err"
	says "$2" "$T/err"
}
refused 2 'called' "$T/d" "$T/d"
refused 2 'called' a="$T/d" a="$T/c++"
refused 2 'sparkle' "$T/d+sparkle"
refused 2 'size' "$T/d+loop,size=much"
refused 2 'fs' "$T/d+loop,fs=ext4,fs=xfs"
refused 2 'overlay' "$T/d+overlay+overlay"
refused 2 'slow' "$T/d+slow"
refused 2 'keep' -k "$T/d+bind"
refused 2 'metric' --metric speed "$T/d"
refused 3 'nowhere' "$T/nowhere"
refused 3 'nowhere' "$T/d" "$T/nowhere+loop"
if [ "$(id -u)" = 0 ]; then
	refused 3 'nosuchfs' "$T/d+loop,fs=nosuchfs"
else
	refused 3 'root' "$T/d+loop"
	refused 3 'CAP_SYS_ADMIN' "$T/d+bind"
fi

cd "$T"
"$REPLAY" -c demo -t 0.1 -r 1 --json "$T/j" c++ a+loop,size=1 x=y name=x=y ./tmpfs >/dev/null 2>&1
is targets 5
is targets.0.name c++
is targets.1.name 'a+loop,size=1'
is targets.2.name x=y
is targets.3.name name
is targets.4.chain.0.kind dir
nothing_left "$T/d"
