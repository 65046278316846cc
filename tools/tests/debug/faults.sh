#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module under recording while the kernel fails what it asks for: memory
# and copies from user space. Needs a kernel of scripts/test-kernel (debug),
# and the programs and lib.sh of tools/tests/guest.
#
# usage: faults.sh SECONDS (of each kind of faults)

# shellcheck disable=SC2317 # functions called by name
# shellcheck source=../guest/lib.sh
. ./lib.sh

SPELL=$1
# A sample takes up to a millisecond of these kernels' time, each processor has
# two recordings, and who runs the guest may have less than a processor for it.
RATE=100

# not_in_vmalloc: settings of an injector: what vmalloc() asks for does not fail,
# as some callers, fork() for one, have the kernel tell of it with a stack trace.
not_in_vmalloc()
{
	sort /proc/kallsyms | awk '
		at { print "reject-start 0x" at " reject-end 0x" $1
		     exit }
		$3 ~ /^__vmalloc_node_range(_noprof)?$/ { at = $1 }'
}

# walked NUMBER: a program with a table runs, and then more walks are counted.
walked()
{
	./chain 20
	above "$1" walks
}

# meeting COMMAND...: become it; with "task-filter" set, only it and its children
# meet faults.
meeting()
{
	echo 1 >/proc/self/make-it-fail && exec "$@"
}

# storm: programs that map, fork and exec, for a while; they may well fail.
storm()
{
	local end=$((SECONDS + SPELL)) pid

	meeting ./storm 1 /in/chain /in/libplug.so &
	pid=$!
	while [ "$SECONDS" -lt "$end" ]; do
		(meeting ./chain 50)
		(meeting ./map 1 /in/chain)
		echo 2 >/proc/sys/vm/drop_caches
	done
	kill $pid
	wait $pid
}

# no_storm: none of those that were ended goes on.
no_storm()
{
	! grep -qx storm /proc/[0-9]*/comm 2>/dev/null
}

# spell NAME KIND SETTING...: a storm while KIND's faults happen.
spell()
{
	local name=$1 kind=$2 before

	shift 2
	# Also those that failed, as most do where half of all that is asked for does.
	before=$(counter scans scans_failed)
	faults "$kind" probability 0 verbose 0 interval 1 times -1 space 0 \
		ignore-gfp-wait N ignore-gfp-highmem N min-order 0 "$@"
	storm >/dev/null 2>&1
	faults "$kind" probability 0 task-filter N "${ANYWHERE[@]}"
	check "$name: the storm was noticed" above "$((before + 50))" \
		counter scans scans_failed
	before=$(walks)
	check "$name: the module works on" wait_until 20 walked "$before"
	grep -E 'refused_(NO_MEMORY|READ)|scans|_walks ' "$COUNTERS" |
		tr '\n' ' '
	echo
}

# Only what the module asks for: of some others the kernel warns.
check "insmod" within 90 insmod "$KO"
# shellcheck disable=SC2046 # several words are meant
chosen $(in_module)
check "rmmod" within 90 rmmod sframe
check "whatever fails, it is inserted or not" \
	within 1500 ./failing module "$KO"

check "insmod again" within 90 insmod "$KO"
sample "$RATE"
check "stacks are walked" wait_until 60 walked 50

before=$(walks)
check "whatever fails of a task's life, it goes on" \
	within 1800 ./failing life /in/libplug.so
check "... while its stack was walked" above "$before" walks
chosen "${ANYWHERE[@]}"

# shellcheck disable=SC2046 # several words are meant
for kind in failslab fail_page_alloc; do
	spell "$kind in the module" $kind $(in_module) probability 50
done
check "memory was refused" above 0 counter scans_failed refused_NO_MEMORY
# shellcheck disable=SC2046 # several words are meant
for kind in failslab fail_page_alloc fail_usercopy; do
	spell "$kind anywhere in the storm" $kind task-filter Y probability 1 \
		$(not_in_vmalloc)
done

check "no storm goes on" wait_until 20 no_storm
stop_recording
record "$RATE" after
./chain 1000
stop_recording
record_enough "$RATE" after . chain_again chain
check "stacks are whole again" whole_in /tmp/after.chains
check_idle
check "rmmod" within 90 rmmod sframe
verdict
