#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# LOOP, REPEAT, random and relative parameters, RANDOMSTRING, WRITEPATTERN and
# sequence points do what the manual says, as the files they leave show.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

mkdir "$T/d"
cat >"$T/x.load" <<'L'
Mkdir "/c" NT_STATUS_OK
NTCreateX "/c/client1" 0x1 2 1 NT_STATUS_OK
Close 1 NT_STATUS_OK
RANDOMSTRING 3 "n[0][1]x"
NTCreateX "/c/client1/$3" 0x40 2 1 NT_STATUS_OK
WRITEPATTERN abc
LOOP 3
LOOP 4
WriteX 1 +4 4 4 NT_STATUS_OK
ENDLOOP
ENDLOOP
LOOP 0
WriteX 1 1000000 1 1 NT_STATUS_OK
ENDLOOP
REPEAT 100
WriteX 1 *%10/2+100 2 2 NT_STATUS_OK
SET_FILE_INFORMATION 1 1004 NT_STATUS_OK
Close 1 NT_STATUS_OK
SETSP 1
WAITSP 0 1
WAITSP 2 1
WAITSP 99 1
L
"$REPLAY" -c "$T/x.load" -n 3 -p 1 -k --quiet --json "$T/j" "$T/d" >"$T/out" 2>&1
[ "$("$abs_top_builddir/tests/jget" "$T/j" runs.0.per_op.WriteX.count)" = 336 ] || die "writes"
for i in 0 1 2; do
	file=$(echo "$T"/d/*/fleet/c/client$i/n01x)
	[ -f "$file" ] || die "client $i has no file n01x"
	# Twelve writes at 4, 8 ... 48, then pairs at even places 100..108.
	[ "$(stat -c %s "$file")" = 110 ] || die "size $(stat -c %s "$file")"
	head -c 52 "$file" | tail -c 48 | grep -qaz "$(printf 'abc\nabc\nabc')" ||
		die "not the pattern"
	[ "$(tail -c 10 "$file")" = ababababab ] || die "offsets not random"
	head -c 4 "$file" | cmp -s - <(printf '\0\0\0\0') || die "offset 0 written"
done

# The same seed gives the same files; another does not.
cat >"$T/y.load" <<'L'
NTCreateX "/f" 0x40 2 1 NT_STATUS_OK
REPEAT 50
WriteX 1 *%100000 100 100 NT_STATUS_OK
L
contents() { # SEED
	rm -rf "$T/d"
	mkdir "$T/d"
	"$REPLAY" -c "$T/y.load" -p 1 -k --quiet --seed "$1" "$T/d" >/dev/null 2>&1
	md5sum <"$(echo "$T"/d/*/fleet/f)"
}
first=$(contents 7)
[ "$first" = "$(contents 7)" ] || die "seed 7 is not repeatable"
[ "$first" != "$(contents 8)" ] || die "seeds 7 and 8 are the same"
