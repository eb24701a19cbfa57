#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# C sources keep to the layout that can be checked line by line: 80 columns,
# no C++ comments, tabs for indentation, no trailing blanks.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

cd "$abs_top_srcdir"
check='
function bad(what) {
	print file ":" NR ": " what
	status = 1
}
/clang-format off/ { fenced = 1 }
/clang-format on/ { fenced = 0 }
/[ \t]$/ { bad("trailing blank") }
/^\t*        / && !fenced { bad("indented with spaces") }
{
	code = $0
	gsub(/\\./, "", code)
	gsub(/"[^"]*"/, "", code)
	gsub(/\/\*([^*]|\*[^\/])*\*\//, "", code)
	if (comment && code ~ /\*\//) {
		comment = 0
		sub(/.*\*\//, "", code)
	}
	if (!comment && code ~ /\/\*/) {
		comment = 1
		sub(/\/\*.*/, "", code)
	} else if (!comment && code ~ /\/\//)
		bad("// comment")
}
END { exit status }'

# Columns are counted with tabs expanded.
columns='
/clang-format off/ { fenced = 1 }
/clang-format on/ { fenced = 0 }
length($0) > 80 && !fenced {
	print file ":" NR ": " length($0) " columns"
	status = 1
}
END { exit status }'

status=0
while read -r file; do
	awk -v file="$file" "$check" "$file" || status=1
	expand "$file" | awk -v file="$file" "$columns" || status=1
done < <(find src tests -name '*.[ch]' | sort)
exit $status
