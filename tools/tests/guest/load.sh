#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load and unload the module under several recordings, while a storm changes
# mappings and processes are blocked in the kernel with requests pending.
#
# usage: load.sh CYCLES

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

CYCLES=$1
STARTED=()

start()
{
	"$@" >/dev/null 2>&1 &
	STARTED+=($!)
}

# cancelled: how many requests of blocked tasks unloading took back so far.
cancelled()
{
	grep -c 'rmmod.*cancel:.*ret=1$' /sys/kernel/tracing/trace
}

one_cycle()
{
	local mine

	check "cycle $1: insmod" within 90 insmod "$KO"
	perf record -a -F 2000 -e cpu-clock --call-graph sframe -o - \
		>/dev/null 2>&1 &
	mine=$!
	check "cycle $1: stacks are walked" wait_until 180 above 20 walks
	kill -USR1 "$BLOCKED"
	usleep 300000
	echo "        $SECONDS s:" \
		"$(grep -E '_walks|^scans|^mms' "$COUNTERS" | tr '\n' ' ')"
	check "cycle $1: rmmod" within 90 rmmod sframe
	check "cycle $1: it is gone" test ! -e /sys/module/sframe
	kill -KILL "$mine"
	wait "$mine"
	echo "        cycle $1 ended after $SECONDS s"
}

# A task whose stack only user space could bring, and does not.
cycle_with_stuck()
{
	local before stuck

	check "stuck: insmod" within 90 insmod "$KO"
	wait_until 180 above 20 walks
	before=$(unreadable)
	./stuck &
	stuck=$!
	check "stuck: its walks end" wait_until 180 above $((before + 5)) \
		unreadable
	check "stuck: it still runs" test "$(state "$stuck")" = R
	check "stuck: rmmod" within 90 rmmod sframe
	kill -KILL "$stuck"
	wait "$stuck"
}

# behind WHAT PROGRAM ARGUMENT-OF-INSMOD...: unload while requests of a user's task
# come behind walks, by the kernel alone once unload has begun, of a stack that
# nobody brings.
behind()
{
	local stuck what=$1 program=$2

	check "$what: insmod" within 90 insmod "$KO" "${@:3}"
	"./$program" "$TRACEFS/events/raw_syscalls/sys_exit/id" ./libplug.so \
		>/tmp/behind &
	stuck=$!
	check "$what: it begins" wait_until 180 grep -q behind /tmp/behind
	sleep 2
	check "$what: rmmod" within 90 rmmod sframe
	check "$what: now it waits for its stack" \
		wait_until 180 grep -q handle_userfault "/proc/$stuck/stack"
	kill -KILL "$stuck"
	wait "$stuck"
}

unreadable()
{
	counter inplace_end_UNREADABLE deferred_end_UNREADABLE
}

# state PID: R, S, D, ...
state()
{
	sed 's/.*) //; s/ .*//' "/proc/$1/stat"
}

TRACEFS=/sys/kernel/tracing
# shellcheck disable=SC2016 # a register, to the kernel
cd /sys/kernel/tracing && echo 'r:cancel task_work_cancel ret=$retval:u8' \
	>kprobe_events && echo 1 >events/kprobes/cancel/enable
cd /in || exit
./blocked 16 &
BLOCKED=$!
start ./storm 1 /in/chain /in/libplug.so
start "$PERF" record -a -F 99 -e cpu-clock --call-graph fp -o -
start "$PERF" record -a -e sched:sched_switch --call-graph fp -o -
if "$PERF" record --call-graph fp,defer -e cpu-clock -o /dev/null true \
	>/dev/null 2>&1
then
	start "$PERF" record -a -F 99 -e cpu-clock --call-graph fp,defer -o -
fi
for ((i = 1; i <= CYCLES; i++)); do
	one_cycle "$i"
done
echo "requests of blocked tasks taken back: $(cancelled)"
check "unloading found requests pending" above 0 cancelled

if [ -e /proc/sys/vm/unprivileged_userfaultfd ]; then
	cycle_with_stuck
	echo 1 >/proc/sys/vm/unprivileged_userfaultfd
	# Where the kernel walks deferred, and what asks for it is known.
	if grep -q ' unwind_user$' /proc/kallsyms && [ "$(uname -m)" = x86_64 ]; then
		behind "behind walks" behind
		behind "behind perf's walks" behind mode=inplace
		behind "without tables" behind-bare eh_frame=0
	fi
else
	echo "This kernel has no userfaultfd: no task is stuck."
fi

check "insmod once more" within 90 insmod "$KO"
check "stacks are walked" wait_until 180 above 20 walks
kill "${STARTED[@]:1}"
wait "${STARTED[@]:1}"
check_idle
kill "${STARTED[0]}"
kill "$BLOCKED"
wait "$BLOCKED"
check "blocked tasks go on" test $? -eq 0
check "rmmod" within 90 rmmod sframe
verdict
