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

# depths FILE
depths()
{
	awk '/^h_/ { n[$1]++; if (NF - 1 > max[$1]) max[$1] = NF - 1 }
		END { for (c in n) print "       ", c, n[c], "samples, depth",
			max[c] }' "$1" | sort
}

# again COMM FACTOR
again()
{
	case $1 in
	chain)	./chain $((1000 * $2)) ;;
	*)	timeout 300 ./hostile $((60 * $2)) "${1#h_}" ;;
	esac
}

# judge FILE WAY
judge()
{
	local name

	for name in "${HOSTILE[@]}"; do
		check "$2: $name has its leaf" leaf_in "$name" "$1"
	done
	depths "$1"
	check "$2: no chain is endless" awk 'NF > 130 { exit 1 }' "$1"
	check "$2: others' stacks are whole" whole_in "$1"
}

mapfile -t HOSTILE < <(./hostile list | sed 's/^/h_/')
record 500 hostile
check "the hostile programs run" timeout 120 ./hostile 60
check "a good program runs" ./chain 1000
stop_recording
record_enough 500 hostile "^spin_" again chain "${HOSTILE[@]}"
judge /tmp/hostile.chains perf
[ ! -e /tmp/hostile-inplace.chains ] ||
	judge /tmp/hostile-inplace.chains "in place"
for reason in UNREADABLE CFA_NOT_RISING CFA_UNALIGNED NO_MAPPING DEPTH; do
	check "walks end with $reason" above 0 \
		counter "inplace_end_$reason" "deferred_end_$reason"
done
cat "$COUNTERS"
check_idle
verdict
