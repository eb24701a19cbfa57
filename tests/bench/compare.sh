#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make bench-compare: is the comparison to be believed, and what do layouts
# cost to build?  Needs root for all but the first section.
#
#   DIR      where to run (default: a directory in /dev/shm, a tmpfs)
#   DISK     a directory on a disk, for set-up times (default: /var/tmp)
#   TABLES   how many comparisons (default 60; slow makes a sixth of it)
#   ONLY     one section: aa slow t2 setup (default: all)
set -eu

: "${abs_top_srcdir:=$(pwd)}" "${abs_top_builddir:=$(pwd)}"
: "${REPLAY:=$abs_top_builddir/replay}"
: "${TABLES:=60}" "${ONLY:=}" "${DISK:=/var/tmp}"
JGET=$abs_top_builddir/tests/jget
T=$(mktemp -d "${DIR:-/dev/shm}/replay-bench.XXXXXX")
D=$(mktemp -d "$DISK/replay-bench.XXXXXX")
trap 'rm -rf "$T" "$D"' EXIT

wanted() {
	[ -z "$ONLY" ] || [ "$ONLY" = "$1" ]
}

run() {
	"$REPLAY" --quiet --json "$T/j" "$@" >"$T/out" || cat "$T/out"
}

verdict() { # INDEX
	"$JGET" "$T/j" "summary.$1.ratio.verdict"
}

# Two names for one directory: how often is a difference claimed?
bench_aa() {
	local i claims=0

	mkdir -p "$T/d"
	for ((i = 0; i < TABLES; i++)); do
		run -c netbench -t 0.5 -r 6 one="$T/d" two="$T/d"
		case $(verdict 1) in
		faster | slower) claims=$((claims + 1)) ;;
		esac
		"$JGET" "$T/j" summary.1.ratio.sd >>"$T/sd"
	done
	echo "one directory under two names: $claims of $TABLES comparisons" \
		"claim a difference; deviation of the pairs" \
		"$(sort -g "$T/sd" | awk '{ v[NR] = $1 }
			END { printf "%.3f (%.3f..%.3f)", v[int((NR + 1) / 2)], v[1], v[NR] }')"
}

# A layer that costs a fifth: how often is it found?
bench_slow() {
	local i us found=0 quiet=0 n=$(((TABLES + 5) / 6))

	mkdir -p "$T/d"
	run -c netbench -t 2 "$T/d"
	us=$("$JGET" "$T/j" runs.0.ops_per_s | awk '{ printf "%.2f", 0.25e6 / $1 }')
	for ((i = 0; i < n; i++)); do
		run -c netbench -t 0.5 -r 6 host="$T/d" late="$T/d+slow,op_us=$us"
		if "$JGET" "$T/j" summary.1.ratio.sd | awk '{ exit !($1 <= 0.10) }'; then
			quiet=$((quiet + 1))
			[ "$(verdict 1)" != slower ] || found=$((found + 1))
		fi
		"$JGET" "$T/j" summary.1.ratio.value >>"$T/late"
	done
	echo "slow by $us us per operation (ratio $(sort -g "$T/late" |
		awk '{ v[NR] = $1 } END { printf "%.3f", v[int((NR + 1) / 2)] }')):" \
		"found in $found of the $quiet comparisons, of $n," \
		"whose pairs deviate by 0.10 or less"
}

# T2: synchronous writes of 1 MiB, an image in memory against one in one.
# The warm-up is long enough to write all of the file once: the first writes
# into a fresh image also convert its preallocated extents.
bench_t2() {
	cat >"$T/dd.load" <<-'L'
	NTCreateX "/file" 0x40 5 1 NT_STATUS_OK
	WriteX 1 0 1M 1M NT_STATUS_OK
	LOOP 511
	WriteX 1 +1M 1M 1M NT_STATUS_OK
	ENDLOOP
	Close 1 NT_STATUS_OK
	L
	"$REPLAY" -s -c "$T/dd.load" -w 6 -t 4 -r 10 --metric mb one=tmpfs,size=4G+loop,size=1G \
		two=tmpfs,size=4G+loop,size=2G+loop,size=1G
}

# What it takes to build and to remove an image of 1 GiB.
bench_setup() {
	local layout key i

	for layout in loop,size=1G loop,fs=xfs,size=1G loop,fs=btrfs,size=1G \
		loop,size=2G+loop,size=1G overlay bind; do
		run -c demo -t 0.1 -r 5 x="$D+$layout"
		for key in setup_seconds teardown_seconds; do
			for i in 0 1 2 3 4; do
				"$JGET" "$T/j" "runs.$i.$key"
			done | sort -g | paste -sd' ' | awk -v what="$layout $key" \
				'{ printf "%s %.3f (%.3f..%.3f)\n", what, $3, $1, $5 }'
		done
	done
}

for section in aa slow t2 setup; do
	if wanted $section; then
		bench_$section
	fi
done
