#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a sample costs in the kernel, by depth of the stack: without a chain, by
# perf's frame pointers, by a copy of the stack, and by tables, where the stack is as it
# was at the sample before, and where nothing of it is; and by frame pointers that a file
# without rows keeps. Needs a guest whose clock counts instructions.
#
# usage: samples.sh [LIMIT-IN-PLACE [LIMIT-DEFERRED]] (instructions a frame of a stack
#        that nobody has seen)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

RESULTS=/tmp/samples
IN_PLACE=${1:-150}
DEFERRED=${2:-250}
# Of one that was seen before.
AGAIN=60
KEPT=576
EVENT=$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getppid/id)

# measure PREFIX PROGRAM WAY...: lines "PREFIX-WAY DEPTH INSTRUCTIONS FRAMES".
measure()
{
	local prefix=$1

	"$2" "$EVENT" "${@:3}" | sed "s/^/$prefix/" | tee -a $RESULTS
}

# value WAY DEPTH COLUMN
value()
{
	awk -v way="$1" -v depth="$2" -v column="$3" \
		'$1 == way && $2 == depth { print $column }' $RESULTS
}

# slope WAY [anew- [FROM TO]]: instructions a frame, between depths of 10 and 100, or others.
slope()
{
	local from=${3-10} to=${4-100}

	awk -v a="$(value "$1" "${2-}$from" 3)" -v b="$(value "$1" "${2-}$to" 3)" \
		-v n=$((to - from)) 'BEGIN { printf "%.1f\n", (b - a) / n }'
}

at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

# judge WAY LIMIT
judge()
{
	local depth

	check "$1: whole at a depth of 100" test "$(value "$1" 100 4)" -ge 101
	check "$1: whole there, anew" test "$(value "$1" anew-100 4)" -ge 101
	check "$1: at most $2 instructions a frame, anew" \
		at_most "$(slope "$1" anew-)" "$2"
	check "$1: at most $AGAIN instructions a frame, again" \
		at_most "$(slope "$1")" $AGAIN
	# Elsewhere a copy takes few instructions, though as much memory.
	[ "$(uname -m)" = x86_64 ] || return 0
	for depth in 10 30 100 varying; do
		check "$1: less than a copy of the stack, at a depth of $depth" \
			at_most "$(value "$1" $depth 3)" "$(value fp-dwarf $depth 3)"
	done
}

has_deferral()
{
	[ "$(uname -r | cut -d . -f 1)" -ge 7 ]
}

sleep 20
ways=(none chain)
has_deferral && ways+=(deferred)
measure fp- ./samples-fp "${ways[@]}" dwarf
insmod "$KO" mode=inplace
measure sframe- ./samples chain
[ ! -e samples-kept ] || measure kept- ./samples-kept chain
cat "$COUNTERS" >/tmp/inplace
check "walks were the module's" above 1000 counter inplace_walks
rmmod sframe
if has_deferral; then
	insmod "$KO" mode=deferred
	measure sframe- ./samples deferred
	check "walks were deferred" above 1000 counter deferred_walks
	rmmod sframe
fi
echo "instructions a sample      10       30      100  varying  a frame     anew"
for way in fp-none fp-chain fp-deferred fp-dwarf sframe-chain sframe-deferred kept-chain; do
	[ -n "$(value $way 10 3)" ] || continue
	printf '%-20s %8s %8s %8s %8s %8s %8s\n' $way "$(value $way 10 3)" \
		"$(value $way 30 3)" "$(value $way 100 3)" \
		"$(value $way varying 3)" "$(slope $way)" "$(slope $way anew-)"
done
judge sframe-chain "$IN_PLACE"
# By frame pointers that a file keeps: no more than kernel/core/kept_fp.c takes from the budget,
# and what any frame does. A hundred frames anew are too much for that; of few, the trail
# still has some.
if [ -e samples-kept ]; then
	check "kept-chain: whole at a depth of 100" test "$(value kept-chain 100 4)" -ge 101
	check "kept-chain: at most $KEPT instructions a frame, anew" \
		at_most "$(slope kept-chain anew- 30 40)" "$KEPT"
	check "kept-chain: at most $AGAIN instructions a frame, again" \
		at_most "$(slope kept-chain)" $AGAIN
fi
! has_deferral || judge sframe-deferred "$DEFERRED"
verdict
