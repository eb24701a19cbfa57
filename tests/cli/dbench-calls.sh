#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# For the first 3,000 lines of dbench's load the program makes the same number
# of each kind of file-system call as dbench does: of every kind in one pass,
# and in three of every kind that a Deltree does not use.  (dbench's Deltree
# leaves directories behind and looks at everything twice; ours does not.)

set -eu
IN_MEMORY=1
. "${abs_top_srcdir:-.}/tests/functions.sh"

LOAD=/usr/share/dbench/client.txt
requires strace
requires dbench
requires test -r "$LOAD"
requires strace -o /dev/null true
calls=openat,openat2,newfstatat,fstat,stat,getdents64,mkdir,mkdirat,unlink
calls+=,unlinkat,rename,renameat,pread64,pwrite64,fsync,fdatasync,statfs
calls+=,fstatfs,utimensat,fcntl,rmdir,ftruncate

# The calls of the process that wrote, by kind.
count() { # TRACES
	local file

	file=$(grep -lE '^pwrite64' "$1".* | head -n 1)
	[ -n "$file" ] || die "nothing was written"
	sed -n '/clients/,$p' "$file" | sed -E '/AT_REMOVEDIR/s/^unlinkat/rmdir/
		s/\(.*//; /^[+-]/d
		s/^(openat2|openat)$/open/; s/^(newfstatat|fstat)$/stat/
		s/^mkdirat$/mkdir/; s/^unlinkat$/unlink/; s/^renameat$/rename/
		s/^fstatfs$/statfs/' | sort | uniq -c
}

both() { # PASSES
	local i

	mkdir "$T/a" "$T/b"
	head -n 3000 "$LOAD" >"$T/part"
	for ((i = 0; i < $1; i++)); do
		cat "$T/part"
	done >"$T/load"
	# dbench leaves at an operation on a handle that nothing opened.
	echo 'ReadX 60000 0 1 1 NT_STATUS_OK' >>"$T/load"
	traced -ff -q -e trace="$calls" -e signal=none -o "$T/trace.a" \
		dbench -c "$T/load" -t 60 -D "$T/a" 1 >/dev/null 2>&1 || true
	traced -ff -q -e trace="$calls" -e signal=none -o "$T/trace.b" \
		"$REPLAY" -c "$T/part" -p "$1" --quiet "$T/b" >/dev/null
	count "$T/trace.a" >"$T/calls.a"
	count "$T/trace.b" >"$T/calls.b"
	rm -rf "$T/a" "$T/b" "$T"/trace.*
}

both 1
diff "$T/calls.a" "$T/calls.b" >&3 || die "one pass differs (< dbench)"
both 3
kinds='fcntl|fsync|mkdir|pread64|pwrite64|rename|statfs|unlink|utimensat'
diff <(grep -wE "$kinds" "$T/calls.a") <(grep -wE "$kinds" "$T/calls.b") >&3 ||
	die "three passes differ (< dbench)"
