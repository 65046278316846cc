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
for kind in failslab fail_page_alloc fail_usercopy; do
	for setting in "verbose 0" "ignore-gfp-wait N" "min-order 0"; do
		file=/sys/kernel/debug/$kind/${setting% *}
		[ ! -e "$file" ] || echo "${setting#* }" >"$file"
	done
done
insmod sframe.ko && insmod sframe_kunit.ko || exit
rmmod sframe_kunit && rmmod sframe || exit

# What matters is what they execute; they have their own judges elsewhere.
{
	# Elsewhere the kernel warns of some failures of its own.
	[ "$(uname -m)" != x86_64 ] || ./failing module sframe.ko
	for mode in nonsense inplace deferred; do
		insmod sframe.ko mode=$mode
		cat /sys/module/sframe/parameters/mode
		rmmod sframe
	done
	bash ./load.sh 2
	insmod sframe.ko
	bash ./mutants.sh 500 1
	bash ./hostile.sh
	bash ./records.sh 3
	rmmod sframe
} >/out/tests.log 2>&1

cd "$COUNTS" || exit
# They have no size that tar would believe.
find . -name '*.gcda' | while read -r path; do
	mkdir -p "/tmp/counts/${path%/*}"
	cat "$path" >"/tmp/counts/$path"
done
tar -C /tmp/counts -cf /out/counts.tar .
