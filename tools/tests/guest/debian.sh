#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record unmodified programs of Debian, for tools/tests/judge/whole.py: until each
# has samples enough, whatever else the machine does meanwhile.
#
# usage: debian.sh SET FLOOR CALL-GRAPH... (with the programs of SET in ./programs, and
# their names and commands in ./list)
#
# CALL-GRAPH is "deferred" or "inplace", with the module in that mode; or "early": in
# place, and nobody waits for tables; or what perf without the module knows. Leaves
# /out/CALL-GRAPH/ROUND.

set -euo pipefail

SET=$1
FLOOR=$2
shift 2

# list NAME...: the lines of these programs, as tools/tests/record wants them.
list()
{
	local name

	for name; do
		grep "^$name " list
	done
}

# few DIR NAME...: those that have fewer than FLOOR samples in the rounds so far.
few()
{
	local dir=$1 name count

	shift
	for name; do
		count=$(cat "$dir"/*/samples.txt | grep -c "^$name  *[0-9]" || :)
		[ "$count" -ge $((FLOOR + FLOOR / 4)) ] || echo "$name"
	done
}

# warm_up NAME...: until the tables are built, which takes an emulated machine half a
# second where a program is as large as cc1.
warm_up()
{
	local name command

	list "$@" | while read -r name command; do
		# shellcheck disable=SC2086 # the command's words
		perf record -q -N -B -e cpu-clock -F 997 --call-graph sframe -o /dev/null \
			-- $command >/dev/null 2>&1 </dev/null || echo "$name: status $?"
	done
}

# record_all WAY CALL-GRAPH ROUNDS
record_all()
{
	local names round rate=997

	# perf unwinds each of these in the emulated machine: a few have to do.
	[ "$1" != dwarf ] || rate=97

	mapfile -t names < <(cut -d ' ' -f 1 list)
	for ((round = 0; round < $3; round++)); do
		[ ${#names[@]} -gt 0 ] || break
		echo "$1, round $round: ${names[*]}"
		mkdir -p "/out/$1/$round"
		for ((i = 0; i < 1 << round; i++)); do
			list "${names[@]}"
		done | ./record "$2" "/out/$1/$round" -e cpu-clock -F "$rate"
		mapfile -t names < <(few "/out/$1" "${names[@]}")
	done
}

cp -alf programs/usr/. /usr/
# Java and Mono do not begin without their configuration.
for folder in programs/etc/{java-*,mono}; do
	[ ! -e "$folder" ] || cp -a "$folder" /etc/
done
for way; do
	case $way in
	deferred | inplace | early)
		mode=$way
		# Emulated, a table takes some twenty times as long to be built.
		wait_ms=600
		[ "$way" != early ] || { mode=inplace; wait_ms=0; }
		modprobe sframe "mode=$mode" "build_wait_ms=$wait_ms"
		[ "$(cat /sys/module/sframe/parameters/mode)" = "$mode" ]
		if [ "$SET" != small ] && [ "$way" != early ]; then
			# shellcheck disable=SC2046 # names
			warm_up $(cut -d ' ' -f 1 list)
		fi
		record_all "$way" sframe 5
		cat /sys/kernel/debug/sframe/counters >"/out/$way/counters"
		rmmod sframe ;;
	*)	record_all "${way%%,*}" "$way" 1 ;;
	esac
done
