# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# What the shell tests share.  A test is a bash script of at most 60 lines
# that opens with one English sentence saying what must hold, and goes on
#
#	set -eu
#	. "${abs_top_srcdir:-.}/tests/functions.sh"
#	requires strace
#
# It runs from "make check", or by hand from the directory of the build.  It
# finds the program in $REPLAY and a directory of its own in $T, which is
# removed at the end.  77 is automake's "skipped".

: "${abs_top_srcdir:=$(pwd)}" "${abs_top_builddir:=$(pwd)}"
: "${REPLAY:=$abs_top_builddir/replay}"
: "${REPLAY_LOADFILES:=$abs_top_srcdir/loadfiles}"
export REPLAY REPLAY_LOADFILES
export LC_ALL=C.UTF-8

exec 3>&2 # complaints go here, also when a command's output is redirected

die() {
	echo "FAILED: $*" >&3
	exit 1
}

skip() {
	echo "skipped: $*" >&3
	exit 77
}

# cleanup_fn CMD...: run CMD at the end, whatever happens; last one first.
cleanup_list=()
cleanup_fn() {
	cleanup_list+=("$(printf '%q ' "$@")")
}

cleanup_all() {
	local status=$? i

	trap '' INT TERM
	set +e
	# shellcheck disable=SC2046
	kill $(jobs -p) 2>/dev/null && wait
	for ((i = ${#cleanup_list[@]} - 1; i >= 0; i--)); do
		eval "${cleanup_list[i]}"
	done
	exit "$status"
}
trap cleanup_all EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# IN_MEMORY=1 before sourcing this: the test is about what the program does,
# not about a disk, which would only make it slow.
if [ -n "${IN_MEMORY:-}" ] && [ -w /dev/shm ]; then
	TMPDIR=/dev/shm
fi
T=$(mktemp -d "${TMPDIR:-/tmp}/replay-test.XXXXXX")
cleanup_fn rm -rf --one-file-system "$T"

# requires CMD...: skip the test where "CMD..." fails; a single word is the
# name of a program that must be there.
requires() {
	if [ $# = 1 ]; then
		command -v "$1" >/dev/null || skip "no $1 here"
	else
		"$@" >/dev/null 2>&1 || skip "'$*' fails here"
	fi
}

requires_root() {
	[ "$(id -u)" = 0 ] || skip "needs root"
}

requires_nonroot() {
	[ "$(id -u)" != 0 ] || skip "means nothing for root"
}

# Memory limits, exact system calls and speed mean nothing with sanitizers.
requires_no_sanitizers() {
	[ -z "${SANITIZERS:-}" ] || skip "built with sanitizers"
}

# fails_with STATUS CMD...: CMD must exit with STATUS (0 is allowed).
fails_with() {
	local want=$1 got=0

	shift
	"$@" || got=$?
	[ "$got" = "$want" ] || die "'$*' exits with $got, not $want"
}

# says TEXT FILE, and the opposite: TEXT is a plain string, not a pattern.
says() {
	grep -qF -- "$1" "$2" || {
		sed 's/^/| /' "$2" >&3
		die "$2 does not say '$1'"
	}
}

says_not() {
	if grep -qF -- "$1" "$2"; then
		grep -F -- "$1" "$2" | sed 's/^/| /' >&3
		die "$2 says '$1'"
	fi
}

# lines_are N FILE: FILE has N lines.
lines_are() {
	local n

	n=$(wc -l <"$2")
	[ "$n" -eq "$1" ] || die "$2 has $n lines, not $1"
}

# is PATH VALUE: what --json "$T/j" wrote has VALUE at PATH (see jget.c).
is() {
	local got

	got=$("$abs_top_builddir/tests/jget" "$T/j" "$1")
	[ "$got" = "$2" ] || die "$1 is $got, not $2"
}

# eventually CMD...: CMD succeeds within three seconds.
eventually() {
	local i

	for ((i = 0; i < 60; i++)); do
		if "$@"; then
			return
		fi
		sleep 0.05
	done
	"$@" || die "'$*' did not come true"
}

is_empty() {
	[ -z "$(ls -A "$1")" ]
}

# nothing_left DIR: DIR is empty, or will be within three seconds.
nothing_left() {
	local i

	for ((i = 0; i < 60; i++)); do
		if is_empty "$1"; then
			return
		fi
		sleep 0.05
	done
	find "$1" -ls | head -n 20 >&3
	die "something is left in $1"
}

# mount_tmpfs SIZE: a tmpfs of its own on the directory $T/tmpfs; for root.
mount_tmpfs() {
	requires_root
	mkdir -p "$T/tmpfs"
	mount -t tmpfs -o "size=$1,mode=0755" replay-test "$T/tmpfs" ||
		skip "cannot mount a tmpfs"
	cleanup_fn umount -l "$T/tmpfs"
}

# traced ARG...: strace ARG..., in which the leak checker cannot work.
traced() {
	ASAN_OPTIONS=detect_leaks=0 strace "$@"
}

# requires_layers: the test builds storage; skip where that cannot be.
requires_layers() {
	requires_root
	requires test -w /dev/loop-control
	requires mkfs.ext4
	requires losetup
}

# picture: the loop devices and mounts that there are; same_picture FILE:
# they are as FILE says.  Only what is in $T counts, for other tests may run;
# a loop device on another one keeps that.
picture() {
	losetup -a | grep -F "$T" | sort || true
	grep -F "$T" /proc/self/mountinfo || true
}

same_picture() {
	picture | cmp -s - "$1"
}
