#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Work for bash: recursion, arithmetic, patterns, arrays, subshells.
#
# usage: work.bash N

fib()
{
	if [ "$1" -lt 2 ]; then
		result=$1
		return
	fi
	local one

	fib $(($1 - 1))
	one=$result
	fib $(($1 - 2))
	result=$((one + result))
}

words()
{
	local i text='' word
	local -A seen=()

	for ((i = 0; i < $1 * 60; i++)); do
		text+="word$((i * 7919 % 97)) "
	done
	for word in $text; do
		[[ $word =~ ^w(.)r.*[0-9]$ ]] && seen[$word]=$((seen[$word] + 1))
		word=${word//o/00}
		case $word in
		*9*)	: "${word%%9*}" ;;
		*)	: "${word^^}" ;;
		esac
	done
	mapfile -t sorted < <(printf '%s\n' "${!seen[@]}")
	echo "${#seen[@]} ${#sorted[@]}"
}

n=${1:-10}
for ((i = 0; i < n; i++)); do
	fib 7
done
echo "$result"
words "$n"
for ((i = 0; i < n / 4; i++)); do
	# shellcheck disable=SC2030 # subshells are what is wanted
	(fib 6; echo "$result") | while read -r line; do
		echo "${line}x"
	done
done
