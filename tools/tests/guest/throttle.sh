#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A stack that takes as long to walk as can be, sampled in place: perf, which gives
# its samples a quarter of the time, does not lower everybody's rate for it. That is
# seen where the guest has counters that interrupt (arm64); elsewhere, by how long a
# sample takes. The guest's clock counts instructions, a nanosecond each.
#
# usage: throttle.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

PERCENT=/proc/sys/kernel/perf_cpu_time_max_percent
MOST=/proc/sys/kernel/perf_event_max_sample_rate
RATE=4000
# A quarter of the time between two samples at that rate.
ALLOWED_NS=62500
EVENT=cpu-clock
[ -z "$(find /sys/bus/event_source/devices -name 'armv8*')" ] || EVENT=cycles

# sampled: how many microseconds the costly stack's program ran, sampled in place.
sampled()
{
	echo 25 >"$PERCENT"
	echo "$RATE" >"$MOST"
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$PERF" record -a -F 999 -e "$EVENT/call-graph=fp/" -o /dev/null -- bash -c '
		begin=${EPOCHREALTIME/./}
		./hostile 200 costly
		echo $((${EPOCHREALTIME/./} - begin)) >/tmp/elapsed' \
		>/tmp/throttle.log 2>&1 || cat /tmp/throttle.log >&2
	cat /tmp/elapsed
}

alone=$(sampled)
check "without the module, perf keeps its rate" equals $RATE cat "$MOST"
check "insmod" within 90 insmod "$KO" mode=inplace
before=$(counter inplace_walks)
with=$(sampled)
walks=$(($(counter inplace_walks) - before))
check "with it, too" equals $RATE cat "$MOST"
check "... which walked" test "$walks" -gt 200
each=$((walks > 0 ? 1000 * (with - alone) / walks : 0))
echo "        $alone us alone, $with us with $walks walks: $each ns each"
check "a walk takes at most $ALLOWED_NS ns" test "$each" -le $ALLOWED_NS
grep -E 'inplace_(walks|end_FP)' "$COUNTERS"
check_idle
check "rmmod" within 90 rmmod sframe
verdict
