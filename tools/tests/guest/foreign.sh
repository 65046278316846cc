#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Sample programs whose stack pointer is in memory that is no stack, and not for
# everybody to read: it is not brought in, what it holds is in no sample unless it is
# the address of code, and walks end there for a named reason.
#
# usage: foreign.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

# Why walks end, by case: where there is a row, and where there is none.
declare -A WHY=(
	[secret]="NO_MAPPING FP_NOT_A_CALL"
	[kernel]=UNREADABLE
	[vsyscall]=UNREADABLE
	[vvar]=UNREADABLE
	[ring]="NO_MAPPING FP_NOT_A_CALL"
	[gone]="UNREADABLE NO_MAPPING DEPTH FP_TOO_COSTLY FP_NOT_A_CALL FP_HIDDEN_RA"
)

# known_reasons NAME...: include/sframe/reason.h has all of them.
known_reasons()
{
	local name

	for name; do
		grep -qx "$name" reasons || return
	done
}

# ends WAY: "NAME NUMBER" of each ending, and a line that is always there.
ends()
{
	echo "all 0"
	grep "^$1_end_" "$COUNTERS"
}

# mostly WAY REASON...: since the last "ends" nearly all walks ended so that are not
# whole; those are of the program's own stack. Nor those while tables are still to come
# (NOT_YET), which takes long on a busy machine.
mostly()
{
	ends "$1" | awk -v way="$1" -v why=" ${*:2} " '
		NR == FNR { before[$1] = $2; next }
		/_NOT_YET/ { next }
		{ n = $2 - before[$1]; all += n }
		n { sub(way "_end_", "", $1); said = said " " $1 ":" n }
		index(why, " " $1 " ") { good += n }
		END { print "       " said
		      exit !(good >= 30 && 100 * good >= 90 * all) }
		' /tmp/ends -
}

# Where the stack is full of one function's return addresses, that is the only
# caller; before and after, and in the stub on the way, it is the real one.
only_caller()
{
	! grep -vxE "f_gone spin_(sp|fp|bare)(@plt)?(( called_from)*|( run)?( main.*)?)" \
		<(grep "^f_gone spin_" "$1")
}

no_secret()
{
	! "$PERF" script -i "$1" --no-inline -F ip 2>/dev/null | grep 5ec2e7
}

# judge CASE WAY PERF...: PERF is the command that records. At a rate that leaves time to
# run: emulated on a busy machine, a walk in place may take more than a millisecond.
judge()
{
	local one=$1 way=$2 ms=300

	shift 2
	while ends "$way" >/tmp/ends
		check "$way: $one runs, and leaves its memory as it was" \
			"$@" record -F 297 -e cpu-clock "${ONLY_USER[@]}" \
			"${GRAPH[@]}" -o /tmp/f.data ./foreign "$ms" "$one"
		user_chains /tmp/f.data >/tmp/f.chains
		leaves /tmp/f.chains "^spin_"
		[ "$(grep -c "^f_$one spin_" /tmp/f.chains)" -lt 50 ] &&
			[ "$ms" -lt 60000 ]
	do
		ms=$((ms * 4))
	done >/tmp/f.log 2>&1
	cat /tmp/f.log
	check "$way: $one has its leaf" leaf_in "f_$one" /tmp/f.chains
	# shellcheck disable=SC2086 # some reasons
	check "$way: walks of $one end by ${WHY[$one]}" mostly "$way" ${WHY[$one]}
	case $one in
	secret)	check "$way: no secret is in a sample" no_secret /tmp/f.data ;;
	gone)	check "$way: no caller is wrong" only_caller /tmp/f.chains ;;
	esac
}

mapfile -t CASES < <(./foreign list)
echo "cases: ${CASES[*]}"
# shellcheck disable=SC2048,SC2086 # some reasons each
check "what is expected are names of reasons" known_reasons ${WHY[*]}
for one in "${CASES[@]}"; do
	if [ "$(cat /sys/module/sframe/parameters/mode)" = deferred ]; then
		GRAPH=(--call-graph sframe)
		judge "$one" deferred perf
	fi
	GRAPH=(--call-graph fp)
	judge "$one" inplace "$PERF"
done
check "there is secret memory, and the vDSO's data" \
	awk 'BEGIN { exit !(ARGV[1] ~ / secret / && ARGV[1] ~ / vvar /) }' \
	" ${CASES[*]} "
cat "$COUNTERS"
check_idle
verdict
