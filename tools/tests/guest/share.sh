#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# One user has many tables, has many built, or builds slowly: others get theirs. What a
# table takes is charged to who mapped the file.
#
# usage: share.sh (with many_functions and attack_functions in ./variants)

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

LIMIT=/sys/module/sframe/parameters/max_total_bytes
GROUP=/sys/fs/cgroup/mapper
SLOW=/sys/fs/cgroup/slow
COPIES=24
# Of many_functions, with the text that it says it has.
LENGTH=16781312

# fresh FILE NAME [LENGTH]: a copy that nobody has mapped yet.
fresh()
{
	rm -f "/tmp/$2"
	cp "$1" "/tmp/$2"
	[ $# -eq 2 ] || truncate -s "$3" "/tmp/$2"
	chmod 755 "/tmp/$2"
}

# held FILE...: nobody maps these, and keeps them.
held()
{
	./attack hold 600 "$@" >/tmp/held &
	HOLDER=$!
	wait_until 120 grep -q held /tmp/held
}

let_go()
{
	kill -KILL "$HOLDER"
	wait "$HOLDER" 2>/dev/null
}

# again COMM FACTOR
again()
{
	/tmp/chain $((1500 * $2))
}

# own_table NAME TEXT: a fresh program of root's has whole stacks.
own_table()
{
	fresh ./chain chain
	record 300 "$1"
	/tmp/chain 3000
	stop_recording
	record_enough 300 "$1" . again chain
	check "$2" whole_in "/tmp/$1.chains"
}

# kernel_memory: bytes that the group's tasks made the kernel take.
kernel_memory()
{
	awk '$1 == "kernel" { print $2 }' $GROUP/memory.stat
}

# table_of FILE BYTES: mapping it, there are more bytes of tables than that.
table_of()
{
	./map 200 "$1"
	above "$2" counter table_bytes
}

chmod 755 . variants
mount -t cgroup2 none /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir $GROUP

# A table's memory is the mapper's.
sample 99
wait_until 60 ./chain 100
fresh variants/many_functions many $LENGTH
before=$(kernel_memory)
tables=$(counter table_bytes)
bash -c "echo 0 >$GROUP/cgroup.procs; exec ./map 4000 /tmp/many"
check "the file has a table" above "$((tables + 300000))" counter table_bytes
check "who mapped it is charged" above "$((before + 300000))" kernel_memory

# All that is allowed, held by one user: four times what there is now.
size=$(($(counter table_bytes) - tables))
limit=$((4 * $(counter table_bytes)))
echo $limit >"$LIMIT"
for ((i = 0; i < limit / size; i++)); do
	fresh variants/many_functions "large.$i" $LENGTH
done
for ((i = 0; i < 20; i++)); do
	fresh ./chain "small.$i"
done
held /tmp/large.* /tmp/small.*
stop_recording
own_table full "another user's program has its table"
let_go
rm -f /tmp/large.* /tmp/small.*

# All that is built, asked for by one user.
echo 268435456 >"$LIMIT"
for ((i = 0; i < COPIES; i++)); do
	fresh variants/many_functions "many.$i" $LENGTH
done
sample 99
held /tmp/many.*
stop_recording
own_table busy "another user's table is built among many"
let_go
rm -f /tmp/many*

# A user whose group has all the memory that it may have is made to wait for more, and so
# is the worker that builds for it. Root wants the same file.
mkdir $SLOW
echo 0 >$SLOW/memory.high
fresh variants/attack_functions slow
before=$(counter table_bytes)
sample 99
bash -c "echo 0 >$SLOW/cgroup.procs; exec ./attack hold 600 /tmp/slow" >/dev/null &
HOLDER=$!
wait_until 60 grep -q /tmp/slow /proc/$HOLDER/maps
check "another one's table is there" wait_until 180 table_of /tmp/slow "$((before + 300000))"
check "before the slow one is done" above 0 counter builds_running
stop_recording
let_go
cat "$COUNTERS"
check_idle
verdict
