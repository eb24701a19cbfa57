#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The list of client counts means what one expects, and is printed.

set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"

expands() { # LIST COUNTS
	"$REPLAY" -c demo -B null -p 1 -n "$1" "$T" >"$T/out" 2>"$T/err"
	says "clients: $2;" "$T/err"
}

expands 1,2,4,...,64 '1 2 4 8 16 32 64'
expands 1,2,...,64 '1 2 4 8 16 32 64'
expands 1,2,3,...,6 '1 2 3 4 5 6'
expands 10,20,...,50 '10 20 30 40 50'
expands 1-4 '1 2 3 4'
expands 1,10,100 '1 10 100'
expands 3 '3'
