# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers of the guest tests. Source it; end with "verdict".

# shellcheck disable=SC2034 # for those who source this
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

# counter NAME...: the sum of the module's counters of these names (separated
# by spaces or commas).
counter()
{
	local names=" $* "

	awk -v names="${names//,/ }" 'index(names, " " $1 " ") { n += $2 }
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

# within SECONDS COMMAND...: it succeeds in time. If it takes longer, show where
# in the kernel every task is: "timeout" could not end it there either.
within()
{
	local limit=$1 pid

	shift
	"$@" &
	pid=$!
	if wait_until "$limit" test ! -e "/proc/$pid"; then
		wait "$pid"
		return
	fi
	echo "$* did not finish in $limit s"
	for pid in /proc/[0-9]*; do
		echo "$(cat "$pid/comm") ${pid##*/} $(cut -d " " -f 3 "$pid/stat")"
		cat "$pid/stack"
	done 2>/dev/null
	return 1
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

# record RATE NAME: sample everything into /tmp/NAME.data, with tables; and with
# the same rate in place, where that is not what the first does.
record()
{
	perf record -a -F "$1" -e cpu-clock --call-graph sframe \
		-o "/tmp/$2.data" >/tmp/record.log 2>&1 &
	RECORDERS=($!)
	if [ "$(cat /sys/module/sframe/parameters/mode)" = deferred ]; then
		"$PERF" record -a -F "$1" -e cpu-clock --call-graph fp \
			-o "/tmp/$2-inplace.data" >/tmp/record.log 2>&1 &
		RECORDERS+=($!)
	fi
	wait_until 30 above 0 counter scans || cat /tmp/record.log
	sleep 1
}

stop_recording()
{
	kill -INT "${RECORDERS[@]}"
	wait "${RECORDERS[@]}"
}

# chains FILE: of each program that was sampled, one line
#
#	COMM SAMPLES LEAF WHOLE
#
# samples; those with user frames; those whose user frames are all of
# (plug_leaf|three) ... main. Kernel frames do not count.
chains()
{
	"$PERF" script -i "$1" --no-inline -F comm,ip,sym 2>/dev/null |
	awk 'function flush() {
		if (comm != "") {
			samples[comm]++
			leaf[comm] += chain != ""
			whole[comm] += chain ~ /^ three two one main( |$)/
		}
		comm = chain = ""
	}
	/^$/		{ flush(); next }
	comm == ""	{ comm = $1; next }
	/^[ \t]+ffff/	{ next }
	$1 == "ffffffffffffffff" { next }
	{ chain = chain " " $2 }
	END {
		flush()
		for (comm in samples)
			print comm, samples[comm], leaf[comm], whole[comm]
	}'
}

# share_of COMM COLUMN FLOOR: of COMM's samples in /tmp/chains, at least FLOOR
# per mille count in COLUMN (3 leaf, 4 whole), and there are some.
share_of()
{
	awk -v comm="$1" -v column="$2" -v floor="$3" '$1 == comm {
		ok = $2 > 0 && 1000 * $column >= floor * $2
		print $0, ok ? "" : "too few"
	} END { exit !ok }' /tmp/chains
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
