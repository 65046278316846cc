#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stacks that BPF programs take, with the module and without it.
#
# usage: bpf.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

# some_whole: longer and longer, until a sample is in three(). Status 1 means
# that none was there (or was not whole): 256 seconds always see one.
some_whole()
{
	local ms

	for ms in 1000 4000 16000 64000 256000; do
		./bpf "$ms" >/tmp/bpf && cat /tmp/bpf && return
		grep -q "^0 whole stacks, 0 others" /tmp/bpf || break
	done
	cat /tmp/bpf
	return 1
}

check "without the module, no stack is whole" fails_with 1 ./bpf 1000
check "insmod" within 90 insmod "$KO"
before=$(counter inplace_walks)
check "with it, all are" some_whole
check "... by its walks" above "$before" counter inplace_walks
check_idle
check "rmmod" within 90 rmmod sframe
verdict
