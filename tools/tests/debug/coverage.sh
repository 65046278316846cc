#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest of scripts/coverage: the suites, then the module at work.
# Leaves what gcc's counters say in /out/counts.tar, by paths below SOURCE.
#
# usage: coverage.sh SOURCE (where the modules were compiled)

SOURCE=$1
COUNTS=/sys/kernel/debug/gcov$SOURCE

mkdir -p "/lib/modules/$(uname -r)/updates"
cp ./*.ko "/lib/modules/$(uname -r)/updates"
for kind in failslab fail_page_alloc; do
	[ ! -e /sys/kernel/debug/$kind ] ||
		echo 0 >/sys/kernel/debug/$kind/verbose
done
FAILED=0
insmod sframe.ko && insmod sframe_kunit.ko || exit
rmmod sframe_kunit && rmmod sframe || exit

# Each prints its own results.
bash ./load.sh 2 || FAILED=1
insmod sframe.ko
for test in "mutants.sh 500 1" "hostile.sh" "records.sh 3"; do
	# shellcheck disable=SC2086 # several words
	bash $test || FAILED=1
done
rmmod sframe

cd "$COUNTS" || exit
# They have no size that tar would believe.
find . -name '*.gcda' | while read -r path; do
	mkdir -p "/tmp/counts/${path%/*}"
	cat "$path" >"/tmp/counts/$path"
done
tar -C /tmp/counts -cf /out/counts.tar .
exit $FAILED
