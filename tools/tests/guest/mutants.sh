#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many files, each different from a good one in some bytes at random, mapped
# and executed while everything is sampled: each is accepted, or refused under
# one name, and other programs' stacks stay whole.
#
# usage: mutants.sh COUNT SEED (of files to map; a tenth as many are run)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

# With another source of tables a file can be refused and accepted, too.
echo N >/sys/module/sframe/parameters/eh_frame
sample 4000
check "$1 are mapped, and accepted or refused" \
	./mutants map libplug.so "$2" "$1" "$COUNTERS"
check "$(($1 / 10)) are run" ./mutants run chain "$2" "$(($1 / 10))"
stop_recording
echo Y >/sys/module/sframe/parameters/eh_frame
record 300 after
check "a good program runs" ./chain 600
stop_recording
record_enough 300 after . chain_again chain
check "others' stacks are whole" whole_in /tmp/after.chains
cat "$COUNTERS"
check_idle
verdict
