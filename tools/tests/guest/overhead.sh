#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What the module costs, in instructions of fork+exec+exit, of mmap+munmap of a file,
# of making 1,000 executable mappings, and of one more among these that comes and
# goes, always the same (change) or each time another one (other): with the
# module absent, loaded and idle, and while all or others are recorded, beside perf
# alone. Medians count. Needs a guest whose clock counts instructions.
#
# usage: overhead.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

ROUNDS=3
RESULTS=/tmp/overhead
# A task's longest stretch when somebody begins to record.
FIRST=200000
# A change among 1,000 mappings, recorded in place: the same again, or another one.
CHANGE=25000
OTHER=50000

# measure WHEN: one line "WHEN NAME INSTRUCTIONS" per operation.
measure()
{
	./overhead ./chain | sed "s/^/$1 /" | tee -a $RESULTS
}

# recorded WHEN GRAPH ARGUMENT-OF-PERF...: the same while perf records.
recorded()
{
	local pid gap

	"$PERF" record -F 99 -e cpu-clock --call-graph "$2" "${@:3}" -o - \
		>/dev/null 2>&1 &
	pid=$!
	gap=$(./overhead gap 4)
	echo "$1 first $gap" | tee -a $RESULTS
	measure "$1"
	kill $pid
	wait $pid
}

# with_module MODE COMMAND...
with_module()
{
	insmod "$KO" "mode=$1" || exit
	sleep 1
	"${@:2}"
	rmmod sframe
	sleep 1
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
	awk -v a="$1" -v b="$2" 'BEGIN { printf "%.4f", (b > 0) ? a / b : 0 }'
}

at_most()
{
	awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && a <= b) }'
}

# judge WHEN WITHOUT NAME LIMIT: at most so many times what it takes WITHOUT.
judge()
{
	local with without

	with=$(median "$1" "$3")
	without=$(median "$2" "$3")
	check "$3, $1: $(ratio "$with" "$without") of $2, at most $4" \
		at_most "$(ratio "$with" "$without")" "$4"
}

has_deferral()
{
	[ "$(uname -r | cut -d . -f 1)" -ge 7 ]
}

table()
{
	local name when

	printf '%-16s' instructions
	printf ' %15s' "${WHENS[@]}"
	echo
	for name in exec+exit mmap+munmap,r mmap+munmap,rx make,1000 change,1000 other,1000 \
		first; do
		printf '%-16s' $name
		for when in "${WHENS[@]}"; do
			printf ' %15s' "$(median "$when" $name)"
		done
		echo
	done
}

# What runs late after boot is over.
sleep 25
./overhead ./chain
for ((i = 0; i < ROUNDS; i++)); do
	measure absent
	with_module auto measure idle
done
./chain 100000000 &
other=$!
renice 19 -p $other >/dev/null
recorded others-alone fp -p $other
with_module auto recorded others fp -p $other
kill $other
wait $other 2>/dev/null
WHENS=(absent idle others-alone others)
if has_deferral; then
	recorded alone-deferred fp,defer -a
	with_module deferred recorded deferred fp,defer -a
	WHENS+=(alone-deferred deferred)
fi
recorded alone-inplace fp -a
with_module inplace recorded inplace fp -a
WHENS+=(alone-inplace inplace)
table

# On a machine that is too busy, the clock has been seen to go wrong.
for when in "${WHENS[@]}"; do
	check "the clock counts what it counted before, $when" \
		at_most "$(ratio "$(median absent ticks)" "$(median "$when" ticks)")" 1.01
done
judge idle absent exec+exit 1.005
judge idle absent mmap+munmap,r 1.02
judge idle absent mmap+munmap,rx 1.02
for name in exec+exit mmap+munmap,rx make,1000 change,1000; do
	judge others others-alone $name 1.01
done
for way in deferred inplace; do
	[ -n "$(median $way exec+exit)" ] || continue
	judge $way alone-$way exec+exit 1.05
	check "first recording, $way: no task spends more than $FIRST on it" \
		test "$(median $way first)" -le \
		"$(($(median alone-$way first) + FIRST))"
done
if has_deferral; then
	judge deferred alone-deferred mmap+munmap,rx 1.05
	judge deferred alone-deferred make,1000 1.1
fi
check "a change among 1,000 mappings, in place: at most $CHANGE" \
	at_most "$(median inplace change,1000)" $CHANGE
check "another mapping among 1,000, in place: at most $OTHER" \
	at_most "$(median inplace other,1000)" $OTHER
verdict
