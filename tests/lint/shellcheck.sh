#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every shell script passes shellcheck.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires shellcheck

cd "$abs_top_srcdir"
scripts=(bootstrap)
[ ! -e .ci/run ] || scripts+=(.ci/run)
while read -r script; do
	scripts+=("$script")
done < <(find tests -name '*.sh' | sort)

# SC1091: functions.sh is found at run time only, and is itself checked;
# SC2016: awk programs stand in single quotes.
shellcheck --exclude=SC1091,SC2016 "${scripts[@]}"
