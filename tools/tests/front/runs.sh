# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# What becomes of runs that are interrupted, are cancelled, have little memory, or whose
# tests fail.  For check, which sources it.  What is signalled begins with the signals'
# defaults: nohup, or a shell that has us in the background, has some ignored, for good.

# interrupt SIGNAL SCRIPT: when it sleeps; true if it left neither files nor
# processes.
interrupt()
{
	local pid

	mkdir -p "$TMP/tmp"
	set -m
	# shellcheck disable=SC2016 # expanded by the inner shell
	TMPDIR=$TMP/tmp env --default-signal bash -c 'set -euo pipefail; . "$0/scripts/lib.sh"
		'"$2" "$TREE" &
	pid=$!
	set +m
	within_seconds 20 pgrep -g "$pid" -x sleep
	kill "-$1" -- "-$pid"
	wait "$pid" || :
	find "$TMP/tmp" -mindepth 1
	[ -z "$(ls -A "$TMP/tmp")" ] && within_seconds 5 none_of_group "$pid"
}

none_of_group()
{
	! pgrep -a -g "$1"
}

# within_seconds N COMMAND...: COMMAND is tried until it succeeds.
within_seconds()
{
	local end=$((SECONDS + $1))

	until "${@:2}"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.2
	done
}

test_interrupts()
{
	local signal

	for signal in INT TERM; do
		verdict "$signal while something runs" interrupt "$signal" \
			'progress "something" sleep 50'
		# shellcheck disable=SC2016 # expanded by the inner shell
		verdict "$signal in a command's output" interrupt "$signal" \
			'x=$(progress "something" sleep 50)'
		verdict "$signal with a folder" interrupt "$signal" \
			'tmp_dir D; (tmp_dir E; progress "something" sleep 50)'
	done
}

# ends_with TEXT COMMAND...: it fails, and under "Failed:" at the end there is TEXT.
ends_with()
{
	if "${@:2}" >"$TMP/output" 2>&1; then
		return 1
	fi
	sed -n '/^Failed:/,$p' "$TMP/output" | tee "$TMP/end"
	grep -qF -e "$1" "$TMP/end"
}

# add_stages: to those of the checkout, one that takes long, and one that does not.
add_stages()
{
	cat >"$TMP/stages" <<-EOF
	sleeper sleep 50 & echo \$\$ >$TMP/group; (sleep 50; :); echo 1 passed, 0 failed
	quick echo 1 passed, 0 failed
	EOF
	sed -i "/^STAGES='/r $TMP/stages" "$TREE/scripts/check"
}

# with_memory MIB COMMAND...: COMMAND, where so much of it is free.
with_memory()
{
	echo "MemAvailable: $(($1 * 1024)) kB" >"$TMP/meminfo"
	in_namespace "mount --bind $TMP/meminfo /proc/meminfo" "${@:2}"
}

test_memory()
{
	verdict "little memory is said, and how many stages it is for" \
		says "900 MiB of memory are free: stages at a time: 1" \
		with_memory 900 "$TREE/scripts/check" judge quick
	verdict "the stages run" grep -qE "^1[0-9]+ passed, 0 failed" "$TMP/output"
	verdict "enough of it is not" silent_of_memory with_memory 5000 \
		"$TREE/scripts/check" judge quick
	verdict "nor where somebody says --jobs" silent_of_memory with_memory 900 \
		"$TREE/scripts/check" --jobs 2 judge quick
}

# silent_of_memory COMMAND...
silent_of_memory()
{
	"$@" >"$TMP/output" 2>&1 && ! grep "of memory" "$TMP/output"
}

# start_sleeper: run the tests with a stage that takes long; its group is in GROUP, and
# the run in RUN.
start_sleeper()
{
	rm -f "$TMP/group"
	env --default-signal "$TREE/scripts/check" sleeper &
	RUN=$!
	within_seconds 20 test -s "$TMP/group" || return
	GROUP=$(<"$TMP/group")
	within_seconds 20 pgrep -g "$GROUP" -x sleep
}

# cancel SIGNAL: the run alone is told; true if all that it has started ends.
cancel()
{
	start_sleeper || return
	kill "-$1" "$RUN"
	wait "$RUN" || :
	none_of_group "$GROUP"
}

# kill_run: the next can start, though nobody was there to end the stages.
kill_run()
{
	start_sleeper || return
	kill -KILL "$RUN"
	wait "$RUN" || :
	"$TREE/scripts/check" quick || return
	kill -KILL -- "-$GROUP"
}

test_cancelled()
{
	local signal

	for signal in TERM HUP; do
		verdict "$signal to a run of the tests ends its stages" cancel "$signal"
	done
	verdict "one that was killed does not keep out the next" kill_run
}

test_reasons()
{
	sed -i 's/echo fp,defer$/echo fp/' "$TREE/tools/perf/perf"
	verdict "why a stage failed is repeated" \
		ends_with "not ok: new perf, deferred: perf record --call-graph sframe ./p" \
		"$TREE/scripts/check" judge wrapper
}
