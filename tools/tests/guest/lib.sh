# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Helpers of the guest tests. Source it; end with "verdict".

# shellcheck disable=SC2034 # for those who source this
KO=/lib/modules/$(uname -r)/updates/sframe.ko
COUNTERS=/sys/kernel/debug/sframe/counters
LEAKS=/sys/kernel/debug/kmemleak
# The real perf, which takes no notice of the module.
PERF=/usr/bin/perf
# On s390x addresses do not tell the kernel's frames from the program's.
ONLY_USER=()
[ "$(uname -m)" != s390x ] || ONLY_USER=(--user-callchains)
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

# fails_with STATUS COMMAND...
fails_with()
{
	local status=0

	"${@:2}" || status=$?
	[ "$status" -eq "$1" ]
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
	start_recording "$1" "/tmp/$2.data" "/tmp/$2-inplace.data" \
		"${ONLY_USER[@]}"
}

# sample RATE: the same, but what is recorded is thrown away.
sample()
{
	start_recording "$1" - -
}

# start_recording RATE FILE FILE-IN-PLACE [ARGUMENT-OF-PERF...]
start_recording()
{
	INPLACE=$(counter inplace_walks)
	DEFERRED=$(counter deferred_walks)
	perf record -a -F "$1" -e cpu-clock --call-graph sframe \
		"${@:4}" -o "$2" >/dev/null 2>/tmp/record.log &
	RECORDERS=($!)
	if [ "$(cat /sys/module/sframe/parameters/mode)" = deferred ]; then
		# Of the event: with the option, perf on arm64 adds callers.
		"$PERF" record -a -F "$1" -e cpu-clock/call-graph=fp/ \
			"${@:4}" -o "$3" >/dev/null 2>>/tmp/record.log &
		RECORDERS+=($!)
	fi
	wait_until 180 both_sample || cat /tmp/record.log
}

# both_sample: the recordings are under way. A perf that starts takes its time.
both_sample()
{
	./chain 20
	above "$INPLACE" counter inplace_walks &&
		{ [ "${#RECORDERS[@]}" -eq 1 ] ||
		  above "$DEFERRED" counter deferred_walks; }
}

# More than once: what runs in the background ignores SIGINT until it says that
# it does not, and a perf that starts may not have come to that.
stop_recording()
{
	while kill -INT "${RECORDERS[@]}" 2>/dev/null; do
		sleep 1
	done
	wait "${RECORDERS[@]}"
}

# user_chains FILE: one line per sample: COMM and its user frames' symbols,
# innermost first. AArch64 has libraries at ffff and eight digits more.
user_chains()
{
	"$PERF" script -i "$1" --no-inline -F comm,ip,sym 2>/dev/null |
	awk 'function flush() {
		if (comm != "")
			print comm chain
		comm = chain = ""
	}
	/^$/		{ flush(); next }
	comm == ""	{ comm = $1; next }
	length($1) == 16 && /^[ \t]+ffff/	{ next }
	{ chain = chain " " $2 }
	END { flush() }'
}

# leaves FILE PATTERN: of the chains in FILE, into FILE.leaves, a line for each
# program: COMM SAMPLES GOOD STARTING OTHERS..., good ones begin with a symbol
# like PATTERN. Those without a symbol were taken while the dynamic linker
# started the program, those in prctl() and main() while it was given its name,
# those in _exit() while the kernel ended it: all may take long.
leaves()
{
	awk -v pattern="$2" '{
		if ($2 ~ /^(\[unknown\]|prctl|main|_exit)$/ && $2 !~ pattern) {
			starting[$1]++
			next
		}
		samples[$1]++
		if ($2 ~ pattern)
			good[$1]++
		else if (!seen[$1 " " $2]++)
			other[$1] = other[$1] " " ($2 == "" ? "none" : $2)
	} END {
		for (comm in samples)
			print comm, samples[comm], good[comm] + 0,
				starting[comm] + 0, other[comm]
	}' "$1" >"$1.leaves"
}

# leaf_in COMM FILE: nearly all of COMM's chains are good, and there are some.
leaf_in()
{
	local comm samples good starting others

	while read -r comm samples good starting others; do
		[ "$comm" = "$1" ] || continue
		[ $((100 * good)) -lt $((95 * samples)) ] ||
			[ "$starting" -gt "$good" ] || return 0
		echo "$good of $samples, $starting starting; others: $others"
		return 1
	done <"$2.leaves"
	echo "no sample of $1"
	return 1
}

# whole_in FILE: the chains of ./chain in FILE whose leaf is three() are whole,
# but for a few at most that are cut; none is anything else. Those before the first
# whole one do not count: on a busy machine its table may take longer to build than
# a task waits.
whole_in()
{
	awk '$1 == "chain" && $2 == "three" {
		if (/^chain three$/ && !good) {
			early++
			next
		}
		samples++
		if (/^chain three two one main( |$)/)
			good++
		else
			other[$0]++
		if (/^chain three$/)
			cut++
	} END {
		if (!samples)
			print "        no sample of chain"
		printf "        %d of %d whole", good, samples
		print early ? ", and before these " early " cut" : ""
		for (chain in other)
			print other[chain], "x", chain
		exit !(samples >= 50 && good + cut == samples &&
		       1000 * good >= 995 * samples)
	}' "$1"
}

# ways NAME: the chains of recordings called so, one file for each way to record.
ways()
{
	echo "/tmp/$1.chains"
	[ ! -e "/tmp/$1-inplace.data" ] || echo "/tmp/$1-inplace.chains"
}

# take_chains NAME PATTERN: add what was recorded to its ways; leaves of PATTERN.
take_chains()
{
	local file

	for file in $(ways "$1"); do
		user_chains "${file%.chains}.data" >>"$file"
		leaves "$file" "$2"
	done
}

# judged_chains FILE: how many chains of ./chain in FILE does whole_in judge?
judged_chains()
{
	awk '/^chain three two one main( |$)/ { whole = 1 }
		whole && $1 == "chain" && $2 == "three" { n++ }
		END { print n + 0 }' "$1"
}

# lacking COMM FILE...: has one of these too few chains of COMM to be judged?
lacking()
{
	local comm=$1 file

	shift
	if [ "$comm" = chain ]; then
		for file; do
			above 79 judged_chains "$file" || return 0
		done
		return 1
	fi
	! awk -v comm="$comm" '$1 == comm && $2 >= 3 && $4 <= $3 { n++ }
		END { exit n != ARGC - 1 }' "${@/%/.leaves}"
}

# chain_again COMM FACTOR: when only ./chain is judged.
chain_again()
{
	./chain $((1000 * $2))
}

# record_enough RATE NAME PATTERN AGAIN COMM...: each of the programs that were
# just recorded has samples enough to be judged. What it gets in some time depends
# on how busy this machine is: who has not, runs again, "AGAIN COMM FACTOR", each
# time four times as long, up to a bound that only a program that is never sampled
# can reach.
record_enough()
{
	local rate=$1 name=$2 pattern=$3 again=$4 factor=1 comm few=("${@:5}") all

	take_chains "$name" "$pattern"
	mapfile -t all < <(ways "$name")
	while [ $factor -lt 256 ]; do
		mapfile -t few < <(for comm in "${few[@]}"; do
			! lacking "$comm" "${all[@]}" || echo "$comm"
		done)
		[ ${#few[@]} -gt 0 ] || return 0
		factor=$((factor * 4))
		echo "        more samples of ${few[*]} ($factor times as long)"
		record "$rate" "$name"
		for comm in "${few[@]}"; do
			"$again" "$comm" "$factor"
		done
		stop_recording
		take_chains "$name" "$pattern"
	done
}

# Settings of an injector of faults: they happen, whoever asks the kernel.
ANYWHERE=(require-start 0 require-end 0xffffffffffffffff
	  reject-start 0 reject-end 0)

# faults KIND KEY VALUE...: settings of one injector.
faults()
{
	local dir=/sys/kernel/debug/$1

	shift
	while [ $# -gt 0 ]; do
		[ ! -e "$dir/$1" ] || echo "$2" >"$dir/$1" || return
		shift 2
	done
}

# chosen SETTING...: what fails is chosen by its number; silently, and also what
# may sleep.
chosen()
{
	local kind

	for kind in failslab fail_page_alloc fail_usercopy; do
		faults $kind probability 0 verbose 0 ignore-gfp-wait N \
			ignore-gfp-highmem N min-order 0 "$@"
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

# idle: nobody records, and the module noticed.
idle()
{
	equals 0 counter mms && equals 0 counter map_bytes
}

# slab_holds: blocks of the slab allocators' lists of users (with slab_debug=U)
# that name the module, but for what it allocated to be loaded at all, and for
# what the allocator keeps with its own pages.
slab_holds()
{
	cat /sys/kernel/debug/slab/*/alloc_traces | awk '
		/^ *[0-9]+ / { flush() }
		{ block = block $0 "\n" }
		function flush() {
			if (block ~ /\[sframe\]/ &&
			    block !~ /sframe_init|alloc_slab_obj_exts|__pcs_/)
				printf "%s", block
			block = ""
		}
		END { flush() }'
}

# nothing_held: nor has KASAN anything in quarantine, which counts as allocated and is
# given back where a cache is shrunk.
nothing_held()
{
	local cache

	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	[ -z "$(slab_holds)" ]
}

# no_table_left: none after memory was short; what a worker or a map that is being
# freed still has goes the next time.
no_table_left()
{
	echo 2 >/proc/sys/vm/drop_caches
	equals 0 counter files tables table_bytes
}

# check_idle: with nobody recording, the module gives back all it holds.
check_idle()
{
	check "no mm is known once nobody records" wait_until 30 idle
	check "no hook is left" wait_until 30 equals 0 counter hooks
	check "the shrinker frees every table" wait_until 60 no_table_left
	check "the module is not in use" \
		equals 0 cat /sys/module/sframe/refcnt
	if [ -e /sys/kernel/debug/slab/kmalloc-64/alloc_traces ]; then
		check "no memory is left" wait_until 10 nothing_held
		slab_holds
	fi
}

# check_leaks TEXT: kmemleak reports nothing. Blocks younger than five seconds
# are not reported, and one scan may miss what a register holds: so there are two.
check_leaks()
{
	sleep 6
	# It turns itself off where it has no memory left.
	# shellcheck disable=SC2016 # expanded by eval
	check "kmemleak is at work" eval 'echo scan >"$LEAKS"'
	sleep 1
	echo scan >"$LEAKS"
	tee /tmp/leaks <"$LEAKS"
	check "$1" test ! -s /tmp/leaks
}
