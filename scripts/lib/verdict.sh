# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Counts tests, for the checks in tools/tests that are scripts.  To be sourced after
# lib.sh; TMP is a directory of the script's.

PASSED=0
FAILED=0

# verdict NAME COMMAND...: a test passes when COMMAND does.
verdict()
{
	if "${@:2}" >"$TMP/said" 2>&1; then
		echo "ok   $1"
		PASSED=$((PASSED + 1))
	else
		echo "FAIL $1: ${*:2}"
		tail -n 40 "$TMP/said" | sed 's/^/    | /'
		FAILED=$((FAILED + 1))
	fi
}

# tell_sum: the last line; fails when a test did.
tell_sum()
{
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ]
}
