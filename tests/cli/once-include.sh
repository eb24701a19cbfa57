#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ONCE is done once, before the clock; INCLUDE takes lines of another file,
# and a mistake in one names both places.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
printf '%s\n' 'Mkdir "/never" NT_STATUS_OK' 'Mkdir "/in" NT_STATUS_OK' \
	'Foo 1 NT_STATUS_OK' >"$T/inner.load"
cat >"$T/outer.load" <<'L'
ONCE
NTCreateX "/clients" 0x1 2 1 NT_STATUS_OK
INCLUDE "inner.load" 2-2
Rmdir "/in" NT_STATUS_OK
END
NTCreateX "/clients" 0x1 1 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
L
"$REPLAY" -c "$T/outer.load" -p 5 --quiet --json "$T/j" "$T/d" >"$T/out"
is runs.0.ops 10
is runs.0.errors 0
is loadfile.once_ops 3
is loadfile.ops_per_pass 2
sed -i 's/2-2/2-3/' "$T/outer.load"
fails_with 2 "$REPLAY" --check "$T/outer.load" 2>"$T/err"
says "inner.load:3: unknown operation 'Foo'" "$T/err"
says 'outer.load:3' "$T/err"
# Standard input, compressed or not, and names of installed files.
gzip -c "$REPLAY_LOADFILES/demo.load" | "$REPLAY" --check - >"$T/a"
"$REPLAY" --check - <"$REPLAY_LOADFILES/demo.load" >"$T/b"
diff <(grep -v sha256 "$T/a") <(grep -v sha256 "$T/b") >&3
"$REPLAY" --dump demo >"$T/demo.dump"
"$REPLAY" --dump "$T/demo.dump" | diff "$T/demo.dump" - >&3
