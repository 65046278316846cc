#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Record with deferral under a storm of exec, fork, exit and kill, for the judge
# of cookies and records (tools/tests/judge/records.py) to count.
#
# usage: records.sh SECONDS
#
# Leaves one NAME.data per session in /out; sessions that ran at the same time
# have names that begin with the same word and a dot.

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

SECONDS_EACH=$1
TRACING=/sys/kernel/tracing
SESSIONS=()
STARTED=()
FEW=()

# begin NAME PERF-ARGUMENT... -- COMMAND...: a session in the background, which
# ends with COMMAND. Before others: perf takes long to start in a storm.
begin()
{
	{
		renice -15 -p "$BASHPID"
		exec perf record -q -N -B -m 16M --call-graph sframe \
			--user-callchains -o "/tmp/$1" "${@:2}"
	} >"/tmp/$1.log" 2>&1 &
	SESSIONS+=($!)
	STARTED+=("$1")
}

# has_few NAME: too few samples to be judged: for 50 cookies, which several may share.
has_few()
{
	[ "$(perf script -i "/tmp/$1" -F comm 2>/dev/null | head -n 400 | wc -l)" -lt 400 ]
}

# finish: see all sessions end well, and which have too few samples. Without the
# storm, which would make compressing what they recorded take longer than
# recording it.
finish()
{
	local i name

	for i in "${!SESSIONS[@]}"; do
		check "${STARTED[i]} was recorded" wait "${SESSIONS[i]}"
		cat "/tmp/${STARTED[i]}.log"
	done
	calm
	FEW=()
	for name in "${STARTED[@]}"; do
		! has_few "$name" || FEW+=("$name")
		gzip -1 -c "/tmp/$name" >"/out/$name.data.gz"
		rm "/tmp/$name"
	done
	SESSIONS=()
	STARTED=()
}

# Whoever is killed was sampled before, and may have a walk pending.
kill_some()
{
	local victim

	while :; do
		./chain 5000 &
		victim=$!
		usleep 150000
		kill -KILL "$victim"
		wait "$victim"
	done 2>/dev/null
}

storm()
{
	./storm 1 /in/chain /in/libplug.so &
	WEATHER=($!)
	./blocked 4 &
	WEATHER+=($!)
	kill_some &
	WEATHER+=($!)
}

calm()
{
	kill "${WEATHER[@]}"
	wait "${WEATHER[@]}"
}

check "chains are deferred" \
	equals deferred cat /sys/module/sframe/parameters/mode

# record_alone NAME PERF-ARGUMENT...: one session, again if it has too few samples.
record_alone()
{
	local try

	for try in 1 2 3; do
		storm
		begin "$@" -- sleep "$SECONDS_EACH"
		finish
		[ ${#FEW[@]} -gt 0 ] || break
		echo "        $1: too few samples ($try)"
	done
}

record_alone clock -a -F 997 -e cpu-clock
record_alone switch -a -e sched:sched_switch
record_alone syscalls -a -c 100 -e raw_syscalls:sys_enter
storm
begin two.all -a -F 997 -e cpu-clock -- sleep "$SECONDS_EACH"
begin two.task -F 499 -e cpu-clock -- ./chain "$((SECONDS_EACH * 1000))"
finish

# record_cut: chains of chain that were cut, at least 60, in /tmp/cut.all.
record_cut()
{
	local ms=1000

	: >/tmp/cut.all
	while [ "$(grep -c "" /tmp/cut.all)" -lt 60 ] && [ $ms -lt 300000 ]; do
		perf record -q -N -B -F 997 -e cpu-clock --call-graph sframe \
			"${ONLY_USER[@]}" -o /tmp/cut ./chain $ms >/dev/null 2>&1
		user_chains /tmp/cut | grep "^chain three" >>/tmp/cut.all
		ms=$((ms * 4))
	done
}

# limited_to FRAMES CHAIN: with at most so many, chain's stacks are this one.
limited_to()
{
	local before

	before=$(counter deferred_end_DEPTH)
	echo "$1" >"$LIMIT"
	record_cut
	check "$1 frames: some chains" above 50 grep -c "" /tmp/cut.all
	sort /tmp/cut.all | uniq -c
	check "$1 frames: nearly all are cut, and end there" \
		above "$(($(grep -c "" /tmp/cut.all) * 95 / 100))" \
		grep -cxF "chain $2" /tmp/cut.all
	check "$1 frames: that is counted" above "$((before + 50))" \
		counter deferred_end_DEPTH
}

# Where the kernel's own engine is used, the limit is its own.
LIMIT=/sys/module/sframe/parameters/max_frames
if [ "$(counter walks_queued)" -gt 0 ]; then
	limited_to 1 "three [unknown]"
	limited_to 3 "three two one [unknown]"
	echo 1024 >"$LIMIT"
fi

# What is called whenever a record was written calls for another one.
record_its_own()
{
	perf record -q -N -B -a -e kprobes:after_record --call-graph sframe \
		-o /tmp/own -- ./chain 1000 >/tmp/own.log 2>&1
}

echo "p:after_record blkcg_maybe_throttle_current" >>"$TRACING/kprobe_events"
check "what comes with each record is recorded, and that ends" within 120 record_its_own
check "it was sampled" above 0 sh -c "perf script -i /tmp/own -F comm | grep -c ."

# Of stacks that have no end, samples that come after the record of an earlier one, at
# least 500. In spin_bare() each has an end at once. A millisecond of the program makes dozens
# of samples, and perf takes longer to print than to record them.
record_endless()
{
	local ms=10

	: >/tmp/endless.all
	while [ "$(grep -c "" /tmp/endless.all)" -lt 500 ] && [ $ms -lt 300000 ]; do
		perf record -q -N -B -c 1 -e kprobes:after_record \
			-e cpu-clock/freq=499/ --call-graph sframe -o /tmp/endless \
			-- ./hostile $ms ra_again >/tmp/endless.log 2>&1
		user_chains /tmp/endless | grep "^h_ra_again" |
			grep -v spin_bare >>/tmp/endless.all
		ms=$((ms * 2))
	done
}

if [ "$(counter walks_queued)" -eq 0 ]; then
	record_endless
	check "endless stacks: some samples" above 499 grep -c "" /tmp/endless.all
	# Each record brings one sample more, the last of fifteen none.
	check "nearly all have one, late or not" \
		above "$(($(grep -c "" /tmp/endless.all) * 8 / 10))" \
		grep -c "^h_ra_again spin_" /tmp/endless.all
fi
echo "-:after_record" >>"$TRACING/kprobe_events"

# sites_of DATA: of each sample, the first PC of its user stack, if it has any, and that of
# its registers, where that is frequent. The cookie of one that has no record ends in its CPU + 1.
sites_of()
{
	perf script -i "$1" -F event,uregs,ip 2>/dev/null | awk '
		/:/ && !/ABI:/ { ip = "none"; next }
		sub(/.*ABI:.*IP:0x/, "") { print ip, $1; next }
		NF && ip == "none" && $1 !~ /^ffff|0000000.$/ { ip = $1 }' |
	awk '{ line[NR] = $0; n[$2]++ }
		END { for (i = 1; i <= NR; i++) {
			split(line[i], pc)
			if (n[pc[2]] >= 100)
				print line[i]
		} }'
}

# elsewhere FILE: samples of sites_of() that have the stack of another place. As text: to awk,
# 563e31428209 is a number, and infinite.
elsewhere()
{
	awk '$1 != "none" && $1 "" != $2 ""' "$1"
}

# The FPU's registers are loaded when the kernel looks for work no more: that sample is answered
# in the next stay.
if [ -e "$TRACING/events/x86_fpu/x86_fpu_regs_activated" ]; then
	perf record -q -N -B -e sched:sched_switch,x86_fpu:x86_fpu_regs_activated \
		--user-regs=ip --call-graph sframe -o /tmp/late \
		-- sh -c 'taskset 1 ./sites 300 & taskset 1 ./sites 300; wait' \
		>/tmp/late.log 2>&1
	sites_of /tmp/late >/tmp/sites
	check "samples of three places" above 1000 grep -c "" /tmp/sites
	check "some with a stack" above 100 grep -vc "^none" /tmp/sites
	elsewhere /tmp/sites
	check "none has the stack of another place" equals "" elsewhere /tmp/sites
fi

# That whole CPUs are recorded, which takes privileges, is known by their samples, though all
# are deferred. What was known by samples before is forgotten first.
echo Y >/sys/module/sframe/parameters/privileged_only
sleep 12
before=$(counter deferred_walks)
perf record -q -N -B -a -F 997 -e cpu-clock --call-graph sframe -o /dev/null \
	-- ./chain 3000 >/tmp/wide.log 2>&1
check "privileged_only: of whole CPUs, we walk" above $((before + 200)) counter deferred_walks

# A task has no events any more when the walk of a sample of its exit comes: that is no
# sample of whole CPUs.
echo "p:at_exit do_exit" >>"$TRACING/kprobe_events"
sleep 12
perf record -q -N -B -e kprobes:at_exit --call-graph sframe -o /tmp/exit -- ./chain 20 \
	>/tmp/exit.log 2>&1
echo "-:at_exit" >>"$TRACING/kprobe_events"
check "an exit was sampled" above 0 sh -c "perf script -i /tmp/exit -F comm | grep -c ."
sysctl -q kernel.perf_event_paranoid=1
cp chain /tmp	# nobody may not read what is here
before=$(counter deferred_walks inplace_walks)
check "then nobody records" ./attack run perf record -q -N -B -F 997 \
	-e cpu-clock:u --call-graph sframe -o /dev/null -- /tmp/chain 1000
check "privileged_only: of nobody's tasks, we walk none" \
	equals "$before" counter deferred_walks inplace_walks
echo N >/sys/module/sframe/parameters/privileged_only

grep -E '^(defer|deferred_walks|records|inplace_walks)' "$COUNTERS"
check_idle
verdict
