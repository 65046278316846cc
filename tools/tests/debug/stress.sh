#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Everything at once, for a long time: several recordings that begin and end,
# while mappings, programs, files, processors and memory come and go, and the
# module, too. In a kernel of scripts/test-kernel (debug), with kmemleak=on and
# the programs and lib.sh of tools/tests/guest.
#
# usage: stress.sh MINUTES

# shellcheck disable=SC2317 # functions called by name
# shellcheck source=../guest/lib.sh
. ./lib.sh

LENGTH=$((60 * $1))
# A sample takes up to a millisecond of these kernels' time, and several
# recordings run on each processor.
RATE=250
# No steps on s390x: QEMU keeps the event of a step across an external interrupt,
# and reports it with the next page fault, which Linux takes for a stepped system
# call. A walk that faults is enough, whoever makes it, to wreck the guest.
STEPS=50
[ "$(uname -m)" != s390x ] || STEPS=1
TRACING=/sys/kernel/tracing
CPU1=/sys/devices/system/cpu/cpu1/online
declare -A TOTAL=()
PIDS=()

# forever COMMAND...: again and again in the background, until the end. Each has
# a process group of its own, to be ended with all that it started.
forever()
{
	set -m
	(
		renice 0 -p "$BASHPID"
		while :; do
			"$@"
		done >/dev/null 2>&1
	) &
	set +m
	PIDS+=(-$!)
}

# recording PERF-ARGUMENT...: of and while a program runs, sleep for some seconds
# if none is named. Without the wrapper and what perf does before and after, which
# takes longer than a session here; and before others, or it would never get that
# far.
recording()
{
	[ "$1" != -a ] || set -- "$@" sleep $((5 + RANDOM % 20))
	renice -5 -p "$BASHPID"
	timeout -s INT -k 60 300 \
		"$PERF" record --synth=no -B -N -o - "$@"
}

session()
{
	case $((RANDOM % 8)) in
	0)	recording -a -F "$RATE" -e cpu-clock --call-graph fp,defer ;;
	1)	recording -a -F "$RATE" -e cpu-clock --call-graph fp ;;
	2)	recording -a -e sched:sched_switch -e sched:sched_process_exit \
			--call-graph fp,defer ;;
	3)	recording -a -e sched:sched_switch --call-graph fp ;;
	4)	recording -a -c 20 -e raw_syscalls:sys_enter \
			--call-graph fp,defer ;;
	5)	recording -a -c 10 -e page-faults --call-graph fp,defer ;;
	6)	recording -F "$RATE" -e cpu-clock --call-graph fp,defer \
			./chain 3000 ;;
	7)	recording -F "$RATE" -e cpu-clock --call-graph fp,defer \
			./traced 20 "$STEPS" ;;
	esac
}

killed()
{
	local victim

	./chain 5000 &
	victim=$!
	usleep $((RANDOM * 10))
	kill -KILL "$victim"
	wait "$victim"
}

# A library in use is replaced, overwritten or cut.
replaced()
{
	cp libplug.so /tmp/replaced.so
	./loader /tmp/replaced.so 500 &
	usleep 200000
	case $((RANDOM % 4)) in
	0)	cp libplug.so /tmp/new.so && mv /tmp/new.so /tmp/replaced.so ;;
	1)	dd if=/dev/urandom of=/tmp/replaced.so bs=100 seek=$((RANDOM % 100)) \
			count=3 conv=notrunc ;;
	2)	truncate -s $((RANDOM % 16384)) /tmp/replaced.so ;;
	3)	rm /tmp/replaced.so ;;
	esac
	wait
}

pressure()
{
	./hog $(($(awk '/^MemAvailable/ { print $2 }' /proc/meminfo) * 7 / 10240))
	echo 2 >/proc/sys/vm/drop_caches
	sleep 5
}

processor()
{
	[ -e "$CPU1" ] || sleep 1000
	sleep 2
	echo 0 >"$CPU1"
	sleep 1
	echo 1 >"$CPU1"
}

# tally: add what the module counted in this load to the total.
tally()
{
	local name value

	while read -r name value; do
		TOTAL[$name]=$((${TOTAL[$name]:-0} + value))
	done < <(grep -E '_walks|_frames|^scans|^records|^walks_|^tables_evicted|^refused_' \
		"$COUNTERS")
}

# count_events: have the kernel count some of what goes on.
count_events()
{
	local name

	echo 0 >$TRACING/tracing_on
	{
		echo "p:stress_exec begin_new_exec"
		echo "p:stress_map perf_event_mmap"
		echo "p:stress_fork copy_process"
		echo "p:stress_exit do_exit"
	} >>$TRACING/kprobe_events
	for name in exec map fork exit; do
		echo 1 >$TRACING/events/kprobes/stress_$name/enable
	done
}

# exercised: how much there was of what.
exercised()
{
	local name

	echo "loads $LOADS"
	awk '/stress_/ { sub("stress_", "", $1); print $1, $2 }' \
		$TRACING/kprobe_profile
	for name in "${!TOTAL[@]}"; do
		echo "$name ${TOTAL[$name]}"
	done | sort
}

# A thousand in half an hour are a guest that hardly gets on. On a busy machine that takes it
# longer, up to four times.
LEAST=$((LENGTH * 1000 / 1800))

enough()
{
	[ "${TOTAL[inplace_walks]:-0}" -gt "$LEAST" ] &&
		[ "${TOTAL[scans]:-0}" -gt "$LEAST" ]
}

# Who loads and unloads comes before all others.
renice -10 -p "$BASHPID"
echo scan=off >"$LEAKS" || exit
echo clear >"$LEAKS"
count_events
check "insmod" within 120 insmod "$KO"
forever ./storm 1 /in/chain /in/libplug.so
forever session
forever session
forever killed
forever replaced
forever ./traced 60 "$STEPS"
forever ./hostile 20
forever ./map 1 /in/chain /in/libplug.so
forever pressure
forever processor

LOADS=1
REFUSED=0
END=$((SECONDS + LENGTH))
while [ $SECONDS -lt $END ] ||
	{ ! enough && [ $SECONDS -lt $((END + 3 * LENGTH)) ]; }; do
	sleep $((20 + RANDOM % 40))
	tally
	if within 600 rmmod sframe && within 300 insmod "$KO"; then
		LOADS=$((LOADS + 1))
	else
		REFUSED=$((REFUSED + 1))
	fi
	[ $((LOADS % 10)) -ne 0 ] || echo "        $SECONDS s, $LOADS loads"
done
check "loads and unloads" equals 0 echo $REFUSED
kill -TERM -- "${PIDS[@]}"
wait
tally
[ ! -e "$CPU1" ] || echo 1 >"$CPU1"
exercised
check "stacks were walked" test "${TOTAL[inplace_walks]}" -gt "$LEAST"
check "there were scans" test "${TOTAL[scans]}" -gt "$LEAST"
rm -f /tmp/*.so

record 500 after
./chain 2000
stop_recording
record_enough 500 after . chain_again chain
check "stacks are whole again" whole_in /tmp/after.chains
check_idle
check_leaks "nothing is lost while loaded"
check "rmmod" within 120 rmmod sframe
check_leaks "nothing is lost"
verdict
