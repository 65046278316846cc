#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The module under recording while the kernel fails what it asks for: memory
# and copies from user space. Needs a kernel of scripts/test-kernel (debug),
# and the programs and lib.sh of tools/tests/guest.
#
# usage: faults.sh SECONDS (of each kind of faults)

# shellcheck source=../guest/lib.sh
. ./lib.sh

SPELL=$1
DEBUGFS=/sys/kernel/debug

# faults KIND KEY VALUE...: settings of one fault injector.
faults()
{
	local kind=$1

	shift
	while [ $# -gt 0 ]; do
		[ ! -e "$DEBUGFS/$kind/$1" ] ||
			echo "$2" >"$DEBUGFS/$kind/$1" || return
		shift 2
	done
}

# in_module: the range of modules' code, as settings of an injector: only what is
# called from there fails. There is no other module, and inserted again it is not
# far away.
in_module()
{
	local start

	start=$(cat /sys/module/sframe/sections/.text)
	printf 'require-start %#x require-end %#x stacktrace-depth 32' \
		"$((start - 0x1000000))" "$((start + 0x1000000))"
}

# not_in_vmalloc: settings of an injector: what vmalloc() asks for does not fail,
# as some callers, fork() for one, have the kernel tell of it with a stack trace.
not_in_vmalloc()
{
	sort /proc/kallsyms | awk '
		at { print "reject-start 0x" at " reject-end 0x" $1
		     exit }
		$3 ~ /^__vmalloc_node_range/ { at = $1 }'
}

# walked NUMBER: a program with a table runs, and then more walks are counted.
walked()
{
	./chain 20
	above "$1" walks
}

# storm: programs that map, fork and exec, for a while; they may well fail.
# With "task-filter" set, only they and their children meet faults.
storm()
{
	echo 1 >/proc/self/make-it-fail
	local end=$((SECONDS + SPELL)) pid

	./storm 1 /in/chain /in/libplug.so 2>/dev/null &
	pid=$!
	while [ "$SECONDS" -lt "$end" ]; do
		./chain 50
		./map 1 /in/chain
		echo 2 >/proc/sys/vm/drop_caches
	done
	kill $pid
	wait $pid
}

# spell NAME KIND SETTING...: a storm while KIND's faults happen.
spell()
{
	local name=$1 kind=$2 before

	shift 2
	faults "$kind" probability 0 verbose 0 interval 1 times -1 space 0 \
		ignore-gfp-wait N ignore-gfp-highmem N min-order 0 "$@"
	(storm) >/dev/null 2>&1
	faults "$kind" probability 0 task-filter N require-start 0 \
		require-end 0xffffffffffffffff reject-start 0 reject-end 0
	before=$(walks)
	check "$name: the module works on" wait_until 20 walked "$before"
	grep -E 'refused_(NO_MEMORY|READ)|scans|_walks ' "$COUNTERS" |
		tr '\n' ' '
	echo
}

# chosen SETTING...: what fails is chosen by its number; silently, and also what
# may sleep.
chosen()
{
	for kind in failslab fail_page_alloc fail_usercopy; do
		faults $kind probability 0 verbose 0 ignore-gfp-wait N \
			ignore-gfp-highmem N min-order 0 "$@"
	done
}

# Only what the module asks for: of some others the kernel warns.
check "insmod" within 90 insmod "$KO"
# shellcheck disable=SC2046 # several words are meant
chosen $(in_module)
check "rmmod" within 90 rmmod sframe
check "whatever fails, it is inserted or not" \
	within 1500 ./failing module "$KO"

check "insmod again" within 90 insmod "$KO"
sample 500
check "stacks are walked" wait_until 60 walked 50

before=$(walks)
check "whatever fails of a task's life, it goes on" \
	within 1800 ./failing life /in/libplug.so
check "... while its stack was walked" above "$before" walks
chosen require-start 0 require-end 0xffffffffffffffff

# shellcheck disable=SC2046 # several words are meant
for kind in failslab fail_page_alloc; do
	spell "$kind in the module" $kind $(in_module) probability 50
done
check "memory was refused" above 0 counter scans_failed refused_NO_MEMORY
# shellcheck disable=SC2046 # several words are meant
for kind in failslab fail_page_alloc fail_usercopy; do
	spell "$kind anywhere in the storm" $kind task-filter Y probability 5 \
		$(not_in_vmalloc)
done

stop_recording
record 500 after
./chain 1000
stop_recording
user_chains /tmp/after.data >/tmp/chains
check "stacks are whole again" whole_in /tmp/chains
check_idle
check "rmmod" within 90 rmmod sframe
verdict
