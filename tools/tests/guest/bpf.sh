#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Stacks that BPF programs take, with the module and without it.
#
# usage: bpf.sh

# shellcheck disable=SC2317 # functions called by name
. ./lib.sh

check "without the module, no stack is whole" fails_with 1 ./bpf 1000
check "insmod" within 90 insmod "$KO"
before=$(counter inplace_walks)
check "with it, all are" ./bpf 3000
check "... by its walks" above "$before" counter inplace_walks
check_idle
check "rmmod" within 90 rmmod sframe
verdict
