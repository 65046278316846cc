#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Work for ripgrep: patterns that need its engines, in a text of some megabytes.
#
# usage: work.rg TIMES

text=/tmp/work.rg.$$
awk 'BEGIN { for (i = 0; i < 160000; i++)
	printf "line %06d of a text that is searched, %x\n", i, i * 7919 }' >$text
for ((i = 0; i < $1; i++)); do
	rg -j 2 -c '\b(\w+)ed,? .*[13579]$|0{3,}[2-8]+' $text >/dev/null || exit
	rg -c -i '(?:[a-e]|line).*?(\d)\d*7 of' $text >/dev/null || exit
done
rm -f $text
