#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Includes in src/ name their layer and point downwards only; siblings do
# not include each other.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

cd "$abs_top_srcdir/src"
find . -name '*.[ch]' | sort | xargs awk '
BEGIN {
	split("base 0 op 1 stats 2 load 3 backend 3 layout 3 audit 3 " \
	      "run 4 report 4 cli 5", pair, " ")
	for (i = 1; pair[i] != ""; i += 2)
		level[pair[i]] = pair[i + 1]
}
FNR == 1 {
	split(FILENAME, part, "/")
	from = part[2]
	if (!(from in level))
		bad("is in no known layer")
}
/^#[ \t]*include[ \t]*"/ {
	split($0, quoted, "\"")
	if (split(quoted[2], part, "/") != 2 || !(part[1] in level))
		bad("include \"" quoted[2] "\" does not name a layer")
	else if (part[1] != from && level[part[1]] >= level[from])
		bad(from "/ must not include " part[1] "/")
}
function bad(what) {
	print "src/" substr(FILENAME, 3) ":" FNR ": " what
	status = 1
}
END { exit status }
'
