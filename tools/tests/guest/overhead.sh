#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Instructions of fork+exec+exit and mmap+munmap with the module absent,
# loaded and idle, and (once, for information) while callchains are recorded,
# with the module and without.
# The first two alternate, and medians count. Needs a guest whose clock counts
# instructions.
#
# usage: overhead.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

ROUNDS=5
RESULTS=/tmp/overhead

# measure WHEN: one line "WHEN NAME INSTRUCTIONS" per operation.
measure()
{
	./overhead ./chain | sed "s/^/$1 /" | tee -a $RESULTS
}

# median WHEN NAME
median()
{
	awk -v when="$1" -v name="$2" '$1 == when && $2 == name { print $3 }' \
		$RESULTS | sort -n | awk '{ v[NR] = $1 }
			END { print v[int((NR + 1) / 2)] }'
}

ratio()
{
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", a / b }'
}

at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

judge()
{
	local name=$1 limit=$2 absent idle recording alone

	absent=$(median absent "$name")
	idle=$(median idle "$name")
	recording=$(median recording "$name")
	alone=$(median recording-absent "$name")
	printf '%-16s %9s %9s %7s %10s %7s %11s\n' "$name" "$absent" "$idle" \
		"$(ratio "$idle" "$absent")" "$recording" \
		"$(ratio "$recording" "$absent")" "$alone"
	check "$name, idle: at most $limit" \
		at_most "$(ratio "$idle" "$absent")" "$limit"
}

# What runs late after boot is over.
sleep 25
./overhead ./chain
for ((i = 0; i < ROUNDS; i++)); do
	measure absent
	insmod "$KO"
	sleep 2
	measure idle
	[ $i -lt $((ROUNDS - 1)) ] || break
	rmmod sframe
	sleep 1
done
perf record -a -F 99 -e cpu-clock --call-graph sframe -o - >/dev/null 2>&1 &
wait_until 30 above 0 counter scans
measure recording
kill $!
wait $!
rmmod sframe
"$PERF" record -a -F 99 -e cpu-clock --call-graph fp -o - >/dev/null 2>&1 &
sleep 10
measure recording-absent
kill $!
wait $!
printf '%-16s %9s %9s %7s %10s %7s %11s\n' instructions absent idle ratio \
	recording ratio "perf alone"
judge exec+exit 1.02
judge mmap+munmap,r 1.05
judge mmap+munmap,rx 1.05
verdict
