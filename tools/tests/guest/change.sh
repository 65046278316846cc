#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Files that change, shrink or go away while they are mapped, running and
# sampled; tables that find no memory.
#
# usage: change.sh (with some of the variants in ./variants)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

# So long a mapping is there that a sample finds it.
MILLISECONDS=120

rises()
{
	above "$2" counter "$1"
}

# mapped_until REASON BEFORE COMMAND...: that is counted, or COMMAND maps the file once
# more: on a busy machine that may have gone without a sample.
mapped_until()
{
	local reason=$1 before=$2

	shift 2
	rises "$reason" "$before" && return
	usleep 200000
	rises "$reason" "$before" || { "$@"; rises "$reason" "$before"; }
}

# seen_as REASON FILE: mapping FILE now is refused for REASON.
seen_as()
{
	local before

	before=$(counter "$1")
	./map "$MILLISECONDS" "$2"
	check "$3: $1" wait_until 60 mapped_until "$1" "$before" ./map "$MILLISECONDS" "$2"
}

# A mapping stays while its file becomes something else.
overwritten()
{
	local file=/tmp/file before

	cp chain $file
	./map 2000 $file &
	usleep 300000
	cat variants/magic >$file
	seen_as refused_HDR_MAGIC $file "overwritten"
	truncate -s 100 $file
	seen_as refused_ELF_PHDRS $file "truncated"
	: >$file
	usleep 100000
	before=$(counter refused_NOT_ELF)
	cat chain >$file
	./map "$MILLISECONDS" $file
	check "whole again: accepted" equals "$before" counter refused_NOT_ELF
	check "who mapped it goes on" wait $!
}

# Code that runs is overwritten, then gone: the program may die of it.
running()
{
	local file=/tmp/lib.so pid

	cp libplug.so $file
	./loader $file 4000 &
	pid=$!
	wait_until 60 grep -q $file /proc/$pid/maps
	usleep 300000
	dd if=/dev/urandom of=$file bs=4096 seek=3 count=1 conv=notrunc \
		2>/dev/null
	usleep 300000
	rm $file
	usleep 300000
	kill $pid
	wait $pid
	cp libplug.so $file
	./loader $file 4000 2>/dev/null &
	pid=$!
	wait_until 60 grep -q $file /proc/$pid/maps
	usleep 300000
	: >$file
	wait $pid
	check "a truncated library is its program's end" test $? -gt 128
}

# Writers and readers at once: whatever is read, nothing breaks.
racing()
{
	local file=/tmp/race end=$((SECONDS + 6)) writer

	(
		while :; do
			cat chain >$file
			cat variants/flags >$file
			cp -f variants/many_functions $file
		done
	) &
	writer=$!
	while [ "$SECONDS" -lt "$end" ]; do
		./map 20 $file $file $file 2>/dev/null
	done
	kill $writer
	wait $writer
	grep -E 'refused_(FILE_CHANGED|READ_FAILED|HDR_FLAGS)' "$COUNTERS"
}

# has_table FILE BEFORE: mapping FILE adds to the bytes of tables.
has_table()
{
	./map "$MILLISECONDS" "$1" && rises table_bytes "$2"
}

# map_in GROUP FILE: map it as a task of this memory cgroup.
map_in()
{
	bash -c "echo 0 >$1/cgroup.procs; exec ./map $MILLISECONDS $2"
}

# A memory cgroup with less than the table takes: refused, nobody is killed.
without_memory()
{
	local group=/sys/fs/cgroup/small before

	mount -t cgroup2 none /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	mkdir $group
	truncate -s 16781312 variants/many_functions
	cat variants/many_functions >/tmp/many
	echo 2 >/proc/sys/vm/drop_caches
	echo 2m >$group/memory.max
	before=$(counter refused_NO_MEMORY)
	check "a program with little memory goes on" map_in $group /tmp/many
	check "its table finds no memory" wait_until 30 \
		mapped_until refused_NO_MEMORY "$before" map_in $group /tmp/many
	check "nobody was killed" grep -q "^oom_kill 0" $group/memory.events
	before=$(counter table_bytes)
	check "with memory enough, later, it has its table" \
		wait_until 30 has_table /tmp/many "$before"
}

# The module's own limits.
over_the_limit()
{
	local limits=/sys/module/sframe/parameters file=/tmp/limit

	cat variants/many_functions >$file
	echo 100000 >$limits/max_file_bytes
	seen_as refused_TOO_BIG $file "a file's limit"
	echo 67108864 >$limits/max_file_bytes
	echo 100000 >$limits/max_total_bytes
	cat variants/many_functions >$file
	seen_as refused_NO_MEMORY $file "the limit of all"
	echo 268435456 >$limits/max_total_bytes
	echo 2 >/proc/sys/vm/drop_caches
}

# again COMM FACTOR
again()
{
	case $1 in
	chain)	./chain $((1000 * $2)) ;;
	map)	./map $((300 * $2)) variants/magic ;;
	esac
}

record 300 change
overwritten
running
racing
without_memory
over_the_limit
check "a good program runs" ./chain 1000
stop_recording
record_enough 300 change . again chain map
check "others' stacks are whole" whole_in /tmp/change.chains
check "programs that mapped bad files have a leaf" leaf_in map /tmp/change.chains
cat "$COUNTERS"
check_idle
verdict
