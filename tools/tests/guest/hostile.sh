#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sample programs whose stack and frame pointers lead nowhere good: each has
# its leaf, no chain is longer than the limit, and the walks end for reasons
# that are counted.
#
# usage: hostile.sh

. ./lib.sh

# spins FILE: one line per chain of the hostile programs: COMM DEPTH LEAF.
spins()
{
	"$PERF" script -i "$1" --no-inline -F comm,ip,sym 2>/dev/null |
	awk 'function flush() {
		if (comm ~ /^h_/)
			print comm, depth, leaf
		comm = leaf = ""
		depth = 0
	}
	/^$/		{ flush(); next }
	comm == ""	{ comm = $1; next }
	/^[ \t]+ffff/	{ next }
	{ if (!depth++) leaf = $2 }
	END { flush() }'
}

# leaves COMM: 95 % of its chains begin in one of the spinning functions.
leaves()
{
	awk -v comm="$1" '$1 == comm { n++; good += $3 ~ /^spin_/ }
		END { exit !(n && 100 * good >= 95 * n) }' /tmp/spins
}

depths()
{
	awk '{ n[$1]++; if ($2 > max[$1]) max[$1] = $2 }
		END { for (c in n) print "       ", c, n[c], "samples, depth",
			max[c] }' /tmp/spins | sort
}

judge()
{
	local comm

	spins "$1" >/tmp/spins
	for comm in $(./hostile list); do
		check "$2: $comm has its leaf" leaves "h_$comm"
	done
	depths
	check "$2: no chain is endless" awk '$2 > 130 { exit 1 }' /tmp/spins
	chains "$1" >/tmp/chains
	check "$2: others' stacks are whole" share_of chain 4 980
}

record 500 hostile
check "the hostile programs run" timeout 120 ./hostile 60
check "a good program runs" ./chain 1000
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
