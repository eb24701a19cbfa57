#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --json goes neither over what the results are of nor to where nobody
# reads; the user's files stay as they are.

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
printf 'NTCreateX "/f" 0x40 2 1 *\n' >"$T/part"
printf 'INCLUDE "part"\nClose 1 *\n' >"$T/my.load"
cp "$T/my.load" "$T/part" "$T/d"
for file in my.load part; do
	fails_with 3 "$REPLAY" -c "$T/my.load" -t 0.1 --json "$T/$file" "$T/d" \
		>"$T/out" 2>"$T/err"
	says 'load file' "$T/err"
	cmp "$T/$file" "$T/d/$file"
done
rm "$T/d/my.load" "$T/d/part"

mkfifo "$T/fifo"
fails_with 1 timeout -s KILL 20 "$REPLAY" -c demo -t 0.1 --json "$T/fifo" "$T/d" \
	>"$T/out" 2>"$T/err"
says 'nobody reads it' "$T/err"
cat "$T/fifo" >"$T/j" &
"$REPLAY" -c demo -t 0.1 --json "$T/fifo" "$T/d" >"$T/out" 2>"$T/err"
wait $!
is complete true

truncate -s 64K "$T/image"
sha256sum "$T/image" >"$T/sum"
fails_with 3 "$REPLAY" -c demo -t 0.1 --json "$T/image" "$T/image+loop" >"$T/out" 2>"$T/err"
sha256sum --quiet -c "$T/sum" || die "the image was written to"
fails_with 2 "$REPLAY" --json "$T/new" --show "$T/j" >"$T/out" 2>"$T/err"
nothing_left "$T/d"
