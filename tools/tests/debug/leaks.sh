#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load, record under a storm, unload, several times; then have the kernel look
# for memory that nobody refers to. Needs a kernel of scripts/test-kernel
# (debug) started with kmemleak=on, and the programs and lib.sh of
# tools/tests/guest.
#
# usage: leaks.sh CYCLES

# shellcheck source=../guest/lib.sh
. ./lib.sh

# A sample takes up to a millisecond of these kernels' time, each processor has
# two recordings, and who runs the guest may have less than a processor for it.
RATE=100

cycle()
{
	local storm

	check "cycle $1: insmod" within 90 insmod "$KO"
	./storm 1 /in/chain /in/libplug.so >/dev/null 2>&1 &
	storm=$!
	record "$RATE" "cycle$1"
	./chain 3000
	check "cycle $1: stacks are walked" above 50 walks
	echo "        $(grep -E '_walks|^scans|^mms|^tables' "$COUNTERS" |
		tr '\n' ' ')"
	kill $storm
	wait $storm
	[ "$1" -ne 1 ] || check_leaks "cycle $1: nothing is lost while loaded"
	stop_recording
	check "cycle $1: rmmod" within 90 rmmod sframe
}

echo scan=off >"$LEAKS" || exit
echo clear >"$LEAKS"
for ((i = 1; i <= $1; i++)); do
	cycle "$i"
done
check_leaks "nothing is lost"
verdict
