#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sample programs whose stack and frame pointers lead nowhere good: each has
# its leaf, no chain is longer than the limit, and the walks end for reasons
# that are counted.
#
# usage: hostile.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

depths()
{
	awk '/^h_/ { n[$1]++; if (NF - 1 > max[$1]) max[$1] = NF - 1 }
		END { for (c in n) print "       ", c, n[c], "samples, depth",
			max[c] }' /tmp/chains | sort
}

judge()
{
	local name

	user_chains "$1" >/tmp/chains
	leaves /tmp/chains "^spin_"
	for name in $(./hostile list); do
		check "$2: $name has its leaf" \
			leaf_in "h_$name" /tmp/chains
	done
	depths
	check "$2: no chain is endless" awk 'NF > 130 { exit 1 }' /tmp/chains
	check "$2: others' stacks are whole" whole_in /tmp/chains
}

record 500 hostile
check "the hostile programs run" timeout 120 ./hostile 60
check "a good program runs" ./chain 4000
stop_recording
judge /tmp/hostile.data perf
[ ! -e /tmp/hostile-inplace.data ] ||
	judge /tmp/hostile-inplace.data "in place"
for reason in UNREADABLE CFA_NOT_RISING CFA_UNALIGNED NO_MAPPING DEPTH; do
	check "walks end with $reason" above 0 \
		counter "inplace_end_$reason" "deferred_end_$reason"
done
cat "$COUNTERS"
check_idle
verdict
