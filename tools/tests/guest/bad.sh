#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Run and map files with broken tables (see variants.py) while everything is
# sampled: each is refused for a reason that is counted, is sampled with its
# leaf at least, and other programs' stacks stay whole.
#
# usage: bad.sh (with the variants in ./variants)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

MILLISECONDS=120

# rises EXPECTED BEFORE: one of these counters is above what it was.
rises()
{
	above "$2" counter "$1"
}

# see MODE FILE: have the module look at it: it does when the program is sampled.
see()
{
	case $1 in
	run)	timeout 60 "$2" "$MILLISECONDS" ;;
	map)	timeout 60 ./map "$MILLISECONDS" "$2" ;;
	esac
}

# refused EXPECTED BEFORE MODE FILE: that is counted, or the file is seen once more:
# on a busy machine it may have run without a sample, and a worker takes its time.
refused()
{
	rises "$1" "$2" && return
	usleep 200000
	rises "$1" "$2" || { see "$3" "$4"; rises "$1" "$2"; }
}

one_variant()
{
	local name=$1 mode=$3 expected=$4 file=variants/$1 before started

	truncate -s "$2" "$file"
	before=$(counter "$expected")
	started=${EPOCHREALTIME/./}
	see "$mode" "$file" || { check "$name runs" false; return; }
	started=$(((${EPOCHREALTIME/./} - started) / 1000))
	[ "$started" -lt 3000 ] || echo "        $name took $started ms"
	[ "$mode" = map ] || RUN[${name:0:15}]=$file
	[ "$expected" = - ] ||
		check "$name: $expected" \
			wait_until 60 refused "$expected" "$before" "$mode" "$file"
}

# again COMM FACTOR
again()
{
	timeout 300 "${RUN[$1]}" $((MILLISECONDS * $2))
}

# check_chains FILE WAY
check_chains()
{
	local name

	for name in "${!RUN[@]}"; do
		check "$2: $name has its leaf" leaf_in "$name" "$1"
	done
	check "$2: others' stacks are whole" whole_in "$1"
}

# The files that were run, by the first 15 letters of their names.
declare -A RUN=([chain]=./chain)
record 250 bad
while read -r name length mode expected; do
	[[ $name != *random_* || $mode = run ]] || continue
	one_variant "$name" "$length" "$mode" "$expected"
done <variants/list
mapfile -t random < <(awk '/random.*map/ { print "variants/" $1 }' \
	variants/list)
check "${#random[@]} random ones are mapped" timeout 120 ./map 20 "${random[@]}"
check "a good program runs" ./chain 600
stop_recording
record_enough 250 bad . again "${!RUN[@]}"
check_chains /tmp/bad.chains perf
[ ! -e /tmp/bad-inplace.chains ] ||
	check_chains /tmp/bad-inplace.chains "in place"
cat "$COUNTERS"
check_idle
verdict
