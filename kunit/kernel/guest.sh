#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest of scripts/kunit: inserts the modules, which runs the suites,
# removes them, and looks for memory that nobody frees any more.
#
# usage: guest.sh [PARAMETER-OF-SFRAME_KUNIT]...

LEAKS=/sys/kernel/debug/kmemleak

# leaks: print what was allocated and is not referred to any more. Twice, and
# not at once: blocks younger than five seconds are not reported.
leaks()
{
	sleep 6
	echo scan >"$LEAKS" || echo "kmemleak is off"
	sleep 1
	echo scan >"$LEAKS"
	cat "$LEAKS"
}

cd "/lib/modules/$(uname -r)/updates" || exit
if [ -e "$LEAKS" ] && ! { echo scan && echo clear; } >"$LEAKS"; then
	echo "kmemleak is off"
	exit 1
fi
# For cases that have allocations fail: also those that may sleep, silently.
for kind in failslab fail_page_alloc; do
	[ -e "/sys/kernel/debug/$kind" ] || continue
	echo N >"/sys/kernel/debug/$kind/ignore-gfp-wait" || exit
	echo 0 >"/sys/kernel/debug/$kind/verbose" || exit
done
[ ! -e /sys/kernel/debug/fail_page_alloc/min-order ] ||
	echo 0 >/sys/kernel/debug/fail_page_alloc/min-order
insmod sframe.ko || exit
echo "sframe-kunit: begin" >/dev/kmsg
insmod sframe_kunit.ko "$@" || exit
echo "sframe-kunit: end" >/dev/kmsg
rmmod sframe_kunit && rmmod sframe || exit
[ -e "$LEAKS" ] || exit 0
found=$(leaks)
echo "$found"
[ -z "$found" ]
