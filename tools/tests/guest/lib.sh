# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers of the guest tests. Source it; end with "verdict".

KO=/lib/modules/$(uname -r)/updates/sframe.ko
COUNTERS=/sys/kernel/debug/sframe/counters
# The real perf, which takes no notice of the module.
PERF=/usr/bin/perf
PASSED=0
FAILED=0

# check TEXT COMMAND...: one test, passed if COMMAND succeeds.
check()
{
	local text=$1

	shift
	if "$@"; then
		PASSED=$((PASSED + 1))
		echo "ok      $text"
	else
		FAILED=$((FAILED + 1))
		echo "FAILED  $text ($*)"
	fi
}

verdict()
{
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ] && [ "$PASSED" -gt 0 ]
	exit
}

# counter NAME...: the sum of the module's counters of these names.
counter()
{
	awk -v names=" $* " 'index(names, " " $1 " ") { n += $2 }
		END { print n + 0 }' "$COUNTERS"
}

walks()
{
	counter inplace_walks deferred_walks
}

# wait_until SECONDS COMMAND...: until it succeeds; fails after that time.
wait_until()
{
	local end=$((SECONDS + $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		usleep 100000
	done
}

equals()
{
	[ "$("${@:2}")" = "$1" ]
}

# above NUMBER COMMAND...: what COMMAND prints is larger.
above()
{
	[ "$("${@:2}")" -gt "$1" ]
}

# deferred_mode: the --call-graph mode that makes this kernel defer.
deferred_mode()
{
	if [ "$(cat /sys/module/sframe/parameters/mode)" = deferred ]; then
		echo fp,defer
	else
		echo fp
	fi
}

# idle: nobody records, and the module noticed.
idle()
{
	equals 0 counter mms && equals 0 counter map_bytes
}

# slab_holds: blocks of the slab allocators' lists of users (with slab_debug=U)
# that name the module, but for what it allocated to be loaded at all.
slab_holds()
{
	cat /sys/kernel/debug/slab/*/alloc_traces | awk '
		/^ *[0-9]+ / { flush() }
		{ block = block $0 "\n" }
		function flush() {
			if (block ~ /\[sframe\]/ && block !~ /sframe_init/)
				printf "%s", block
			block = ""
		}
		END { flush() }'
}

nothing_held()
{
	[ -z "$(slab_holds)" ]
}

# check_idle: with nobody recording, the module gives back all it holds.
check_idle()
{
	check "no mm is known once nobody records" wait_until 30 idle
	echo 2 >/proc/sys/vm/drop_caches
	check "the shrinker frees every table" wait_until 10 \
		equals 0 counter files tables table_bytes
	check "the module is not in use" \
		equals 0 cat /sys/module/sframe/refcnt
	if [ -e /sys/kernel/debug/slab/kmalloc-64/alloc_traces ]; then
		check "no memory is left" wait_until 10 nothing_held
		slab_holds
	fi
}
