#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# make bench: the speed figures, each side measured in turn in one run.
#
#   DIR      where to run (default: a directory in /dev/shm, a tmpfs)
#   PAIRS    how often each is measured (default 5)
#   SECONDS_EACH  measured time of one run (default 8)
#   LOAD     dbench's load file (default /usr/share/dbench/client.txt)
#   FLOOR    a C file: the same system calls with nothing between them,
#            usage FLOOR DIR LOAD SECONDS CLIENTS (left out when not given)
#   ONLY     one section: compile null memory fleet peers (default: all)
set -eu

: "${abs_top_srcdir:=$(pwd)}" "${abs_top_builddir:=$(pwd)}"
: "${REPLAY:=$abs_top_builddir/replay}" "${CC:=cc}"
: "${PAIRS:=5}" "${SECONDS_EACH:=8}" "${ONLY:=}"
: "${LOAD:=/usr/share/dbench/client.txt}"
: "${FLOOR:=}"
JGET=$abs_top_builddir/tests/jget
T=$(mktemp -d "${DIR:-/dev/shm}/replay-bench.XXXXXX")
trap 'rm -rf "$T"' EXIT

wanted() {
	[ -z "$ONLY" ] || [ "$ONLY" = "$1" ]
}

# median and spread of the numbers on standard input
median() {
	sort -g | awk '{ v[NR] = $1 }
		END { printf "%.3f (%.3f..%.3f, n=%d)\n",
		      NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2,
		      v[1], v[NR], NR }'
}

# ratios A B: median of line-by-line A / B
ratios() {
	paste "$1" "$2" | awk '{ print $1 / $2 }' | median
}

replay_mbs() { # CLIENTS
	"$REPLAY" -c "$LOAD" -n "$1" -t "$SECONDS_EACH" --quiet -o json "$T/d" |
		"$JGET" - runs.0.mb_per_s
}

dbench_mbs() { # CLIENTS; its warm-up is a fifth of the time, too
	dbench -c "$LOAD" -t "$SECONDS_EACH" -D "$T/d" "$1" 2>/dev/null |
		awk '/^Throughput/ { print $2 }'
}

floor_mbs() { # CLIENTS
	"$T/floor" "$T/d" "$LOAD" $((SECONDS_EACH * 6 / 5)) "$1" |
		awk '{ print $4 }'
}

# Every side in turn, the order rotated from pair to pair.
measure_peers() { # CLIENTS SIDE...
	local n=$1 i side sides

	shift
	sides=("$@")
	rm -f "$T"/*.mbs
	for ((i = 0; i < PAIRS; i++)); do
		for side in "${sides[@]}"; do
			rm -rf "$T/d" && mkdir "$T/d"
			"${side}_mbs" "$n" >>"$T/$side.mbs"
		done
		sides=("${sides[@]:1}" "${sides[0]}")
	done
}

bench_peers() {
	local n sides=(replay)

	command -v dbench >/dev/null && sides+=(dbench)
	if [ -f "$FLOOR" ]; then
		"$CC" -O2 -w -o "$T/floor" "$FLOOR"
		sides+=(floor)
	fi
	for n in 1 4; do
		measure_peers "$n" "${sides[@]}"
		for side in "${sides[@]}"; do
			echo "$n clients: $side MB/s $(median <"$T/$side.mbs")"
		done
		for side in "${sides[@]:1}"; do
			echo "$n clients: replay / $side" \
				"$(ratios "$T/replay.mbs" "$T/$side.mbs")"
		done
	done
}

bench_compile() {
	local i

	for ((i = 0; i < PAIRS; i++)); do
		/usr/bin/env TIMEFORMAT=%R bash -c \
			"time '$REPLAY' --check '$LOAD' >/dev/null" 2>&1
	done | median | sed 's/^/compile, seconds: /'
	"$REPLAY" --check "$LOAD" | grep '^program' | sed 's/  */ /g'
}

bench_null() {
	local i n

	for n in 1 2; do
		for ((i = 0; i < PAIRS; i++)); do
			"$REPLAY" -B null -c "$LOAD" -n $n -t 2 --quiet \
				-o json "$T" | "$JGET" - runs.0.ops_per_s |
				awk -v n=$n '{ print n * 1e9 / $1 }'
		done | median | sed "s/^/null backend, $n clients, ns per operation: /"
	done
	"$abs_top_builddir/tests/bench/clockcost"
}

# Private memory of one client, from smaps_rollup.
bench_memory() {
	local pid

	mkdir -p "$T/d"
	"$REPLAY" -c "$LOAD" -n 2 -t 3 --quiet "$T/d" >/dev/null &
	sleep 2
	for pid in $(pgrep -P $! -x replay-client); do
		awk '/^Rss|^Private|^Shared/ { s = s " " $1 $2 "k" }
		     END { print "client memory:" s }' "/proc/$pid/smaps_rollup"
	done
	wait
}

bench_fleet() {
	mkdir -p "$T/d"
	"$REPLAY" -c demo -n 1000 -t 5 --quiet -o json "$T/d" >"$T/j" || true
	"$JGET" "$T/j" runs.0.ready_seconds runs.0.reap_seconds \
		runs.0.start_skew_us | paste -sd' ' |
		awk '{ printf "1000 clients: ready in %.2f s, reaped in %.2f s, start skew %.1f ms\n",
		       $1, $2, $3 / 1000 }'
}

for section in compile null memory fleet peers; do
	if wanted $section; then
		bench_$section
	fi
done
