#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stacks that take as long to walk as can be, sampled in place: perf, which gives its
# samples a quarter of the time, does not lower everybody's rate for them. That is
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
# Some 200 ms; a round is two instructions, on s390x one.
ROUNDS=100000000
[ "$(uname -m)" != s390x ] || ROUNDS=200000000
EVENT=cpu-clock
[ -z "$(find /sys/bus/event_source/devices -name 'armv8*')" ] || EVENT=cycles
mapfile -t CASES < <(./costly list)

# sampled: of each case, "NAME NANOSECONDS WALKS LEARNING", sampled in place.
sampled()
{
	echo 25 >"$PERCENT"
	echo "$RATE" >"$MOST"
	# shellcheck disable=SC2016 # expanded by the inner shell
	"$PERF" record -a -F 999 -e "$EVENT/call-graph=fp/" -o /dev/null -- \
		bash -c 'for name in "${@:2}"; do ./costly "$name" "$1"; done' \
		- "$ROUNDS" "${CASES[@]}" >"$1" 2>/tmp/throttle.log ||
		cat /tmp/throttle.log >&2
}

sampled /tmp/alone
check "without the module, perf keeps its rate" equals $RATE cat "$MOST"
check "insmod" within 90 insmod "$KO" mode=inplace
sampled /tmp/with
check "with it, too" equals $RATE cat "$MOST"
for name in "${CASES[@]}"; do
	alone=$(awk -v name="$name" '$1 == name { print $2 }' /tmp/alone)
	read -r _ with walks learned < <(grep "^$name " /tmp/with)
	each=$((walks > 0 ? (with - learned - alone) / walks : 0))
	echo "        $name: $alone ns alone, $with ns with $walks walks, $learned ns to learn"
	check "$name: walked" test "$walks" -gt 150
	check "$name: a walk takes at most $ALLOWED_NS ns: $each" \
		test "$each" -le $ALLOWED_NS
	# The first time nobody knows yet how long it takes.
	check "$name: no more than a twentieth to learn" test $((18 * learned)) -le "$with"
done
grep -E 'inplace_(walks|end_|fallbacks)' "$COUNTERS"
check_idle
check "rmmod" within 90 rmmod sframe
verdict
