// SPDX-License-Identifier: GPL-2.0
/*
 * Takes its own stacks with bpf_get_stackid(), as bpftrace and other profilers
 * do, while it is in main > work > one > two > three.
 *
 * usage: bpf MILLISECONDS
 *
 * Prints how many different stacks were seen in three(), and those that are not
 * whole up to main(). Succeeds if there are some, and all are whole.
 */
#define _GNU_SOURCE
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"

#define DEPTH	16
#define STACKS	1024

/* So that each ends where the next begins. */
#define IN_ORDER FN __attribute__((section(".text.chain"), no_reorder))

IN_ORDER int three(int n)
{
	burn(100000);
	return n + 1;
}

IN_ORDER int two(int n)
{
	return three(n) + 1;
}

IN_ORDER int one(int n)
{
	return two(n) + 1;
}

IN_ORDER int work(long ms)
{
	long end = cpu_ms() + ms;
	int sum = 0;

	while (cpu_ms() < end)
		sum = one(sum);
	return sum;
}

IN_ORDER void after(void)
{
}

static long bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int new_map(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_STACK_TRACE,
		.key_size = sizeof(uint32_t),
		.value_size = DEPTH * sizeof(uint64_t),
		.max_entries = STACKS,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

/* bpf_get_stackid(context, map, BPF_F_USER_STACK); return 0 */
static int new_program(int map)
{
	struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = BPF_REG_2,
		  .src_reg = BPF_PSEUDO_MAP_FD, .imm = map },
		{ },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_3,
		  .imm = BPF_F_USER_STACK },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_get_stackid },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_PERF_EVENT,
		.insns = (uintptr_t)insns,
		.insn_cnt = ARRAY_SIZE(insns),
		.license = (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

static int sample_me(int program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = 997,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	return fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_BPF, program);
}

static const char *name_of(uint64_t pc)
{
	static const struct {
		const char *name;
		uintptr_t start;
	} functions[] = {
		{ "three", (uintptr_t)three },
		{ "two", (uintptr_t)two },
		{ "one", (uintptr_t)one },
		{ "work", (uintptr_t)work },
		{ "?", (uintptr_t)after },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions) - 1; i++)
		if (pc >= functions[i].start && pc < functions[i + 1].start)
			return functions[i].name;
	return "?";
}

/* work() is called by main(), which is called by libc. */
static int whole(const uint64_t *pc)
{
	return !strcmp(name_of(pc[1]), "two") &&
	       !strcmp(name_of(pc[2]), "one") &&
	       !strcmp(name_of(pc[3]), "work") && pc[4];
}

/* Go through all stacks: how many are in three(), and are those whole? */
static int look(int map, int *bad)
{
	uint64_t pc[DEPTH];
	uint32_t key;
	int good = 0;

	*bad = 0;
	for (key = 0; key < STACKS; key++) {
		union bpf_attr attr = {
			.map_fd = map,
			.key = (uintptr_t)&key,
			.value = (uintptr_t)pc,
		};

		if (bpf(BPF_MAP_LOOKUP_ELEM, &attr) ||
		    strcmp(name_of(pc[0]), "three"))
			continue;
		if (whole(pc)) {
			good++;
		} else {
			printf("# three %s %s %s %#llx\n", name_of(pc[1]),
			       name_of(pc[2]), name_of(pc[3]),
			       (unsigned long long)pc[4]);
			++*bad;
		}
	}
	return good;
}

static void forget(int map)
{
	uint32_t key;

	for (key = 0; key < STACKS; key++) {
		union bpf_attr attr = {
			.map_fd = map,
			.key = (uintptr_t)&key,
		};

		bpf(BPF_MAP_DELETE_ELEM, &attr);
	}
}

int main(int argc, char **argv)
{
	int map, program, good, bad;
	volatile int sum = 0;

	if (argc != 2)
		return 2;
	map = new_map();
	program = map < 0 ? -1 : new_program(map);
	if (program < 0 || sample_me(program)) {
		perror("bpf");
		return 2;
	}
	/* The first sample is what has us looked at. */
	sum += work(100);
	forget(map);
	sum += work(atol(argv[1]));
	good = look(map, &bad);
	printf("%d whole stacks, %d others\n", good, bad);
	return !good || bad;
}
