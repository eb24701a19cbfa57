#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# There are no common misspellings in the tree.
set -eu
. "${abs_top_srcdir:-.}/tests/functions.sh"
requires codespell

# Words that are right here but in the list of mistakes.
words='creat,inout,nd,onces'

cd "$abs_top_srcdir"
# In manual pages "\enew" is a backslash and "new".
codespell --ignore-words-list "$words" --ignore-regex '\\e[a-z]+' \
	--skip './tests/fuzz/corpus,./tests/fuzz/corpus-target,*.log' \
	README configure.ac Makefile.am bootstrap src man loadfiles tests
