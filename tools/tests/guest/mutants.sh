#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Many files, each different from a good one in some bytes at random, mapped
# and executed while everything is sampled: each is accepted, or refused under
# one name, and other programs' stacks stay whole.
#
# usage: mutants.sh COUNT SEED (of files to map, by section; a tenth as many are run)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

# change SECTION LIBRARY SEED COUNT: what SECTION is made from LIBRARY and chain.
change()
{
	sample 4000
	check "$1: $4 are mapped, and accepted or refused" \
		./mutants map "$1" "$2" "$3" "$4" "$COUNTERS"
	check "$1: $(($4 / 10)) are run" ./mutants run "$1" chain "$3" "$(($4 / 10))"
	stop_recording
}

# With another source of tables a file can be refused and accepted, too.
echo N >/sys/module/sframe/parameters/eh_frame
change .sframe libplug.so "$2" "$1"
echo Y >/sys/module/sframe/parameters/eh_frame
change .eh_frame libforms.so "$2" "$1"
record 300 after
check "a good program runs" ./chain 600
stop_recording
record_enough 300 after . chain_again chain
check "others' stacks are whole" whole_in /tmp/after.chains
cat "$COUNTERS"
check_idle
verdict
