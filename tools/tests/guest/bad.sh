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

# see MODE FILE: have the module look at it.
see()
{
	case $1 in
	run)	timeout 60 "$2" "$MILLISECONDS" ;;
	map)	timeout 60 ./map 1 "$2" ;;
	esac
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
	[ "$mode" = map ] || RUN+=("${name:0:15}")
	if [ "$expected" != - ]; then
		check "$name: $expected" rises "$expected" "$before"
	fi
}

check_chains()
{
	local name

	user_chains "$1" >/tmp/chains
	leaves /tmp/chains .
	for name in "${RUN[@]}"; do
		check "$2: $name has its leaf" leaf_in "$name" /tmp/chains
	done
	check "$2: others' stacks are whole" whole_in /tmp/chains
}

RUN=()
record 250 bad
while read -r name length mode expected; do
	[[ $name != *random_* || $mode = run ]] || continue
	one_variant "$name" "$length" "$mode" "$expected"
done <variants/list
mapfile -t random < <(awk '/random.*map/ { print "variants/" $1 }' \
	variants/list)
check "${#random[@]} random ones are mapped" timeout 120 ./map 2 "${random[@]}"
check "a good program runs" ./chain 1500
stop_recording
check_chains /tmp/bad.data perf
[ ! -e /tmp/bad-inplace.data ] || check_chains /tmp/bad-inplace.data "in place"
cat "$COUNTERS"
check_idle
verdict
