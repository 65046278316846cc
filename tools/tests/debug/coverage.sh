#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Runs in a guest of scripts/coverage: the suites, then the module at work.
# Leaves what gcc's counters say in /out/counts.tar, by paths below SOURCE.
#
# usage: coverage.sh SOURCE (where the modules were compiled)

# shellcheck source=../guest/lib.sh
. ./lib.sh

SOURCE=$1
COUNTS=/sys/kernel/debug/gcov$SOURCE

mkdir -p "/lib/modules/$(uname -r)/updates"
cp ./*.ko "/lib/modules/$(uname -r)/updates"
chosen
insmod sframe.ko && insmod sframe_kunit.ko || exit
only=$(in_module)
rmmod sframe_kunit && rmmod sframe || exit

# What matters is what they execute; they have their own judges elsewhere.
{
	# Of some failures that are not the module's the kernel warns.
	# shellcheck disable=SC2086 # several words are meant
	chosen $only
	./failing module sframe.ko
	chosen "${ANYWHERE[@]}"
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
