#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What a user without rights does to others while somebody records everything: a
# file that takes long, mapped by who is hardly ever run; many that claim much
# memory. See attack.c.
#
# usage: attack.sh (with attack_functions and zeros_60m in ./variants)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

LIMITS=/sys/module/sframe/parameters
COPIES=12
TASKS=45
# Of this machine, which is emulated on another that may be busy.
PAUSE_US=100000

# limit NAME: a parameter of the module; nothing, where it has no such limit.
limit()
{
	cat "$LIMITS/$1" 2>/dev/null || echo 0
}

# demoted: the one that keeps the file to itself is under way.
demoted()
{
	grep -q demoted /tmp/attack
}

killed()
{
	awk '$1 == "oom_kill" { print $2 }' /proc/vmstat
}

# attacked FILE: start it.
attacked()
{
	./attack idle "$1" 600 >/tmp/attack &
	ATTACKER=$!
	check "a task is demoted while it maps a large file" wait_until 120 demoted
	cat /tmp/attack
}

calm()
{
	kill -KILL "$ATTACKER"
	wait "$ATTACKER" 2>/dev/null
	sleep 1
}

chmod 755 . variants
sample 99
before=$(./attack victim $COPIES libplug.so)
attacked variants/attack_functions
check "others map" within 240 ./attack victim $COPIES libplug.so >/tmp/victim
cat /tmp/victim
during=$(grep -x '[0-9]*' /tmp/victim)
wait_ms=$(limit build_wait_ms)
echo "        longest of $COPIES: $before us, under attack ${during:-never} us"
check "... in three times the time, and what is waited for a table" \
	test "${during:-999999999}" -le \
	"$((3 * before + 1000 * wait_ms + PAUSE_US))"
calm

attacked variants/attack_functions
kills=$(killed)
grown=$(./attack crowd $TASKS variants/zeros_60m $((120 << 20)))
most=$(limit max_build_bytes)
echo "        $TASKS files of 60 MiB: $grown KiB more of the kernel's memory"
check "what is built for takes no more than max_build_bytes" \
	test "${grown:-999999999}" -le "$((most / 1024 + 16384))"
check "nobody is killed for want of memory" equals "$kills" killed
calm
rm -f /tmp/huge.*
check "others' tables come" ./chain 500
stop_recording
cat "$COUNTERS"
check_idle
verdict
