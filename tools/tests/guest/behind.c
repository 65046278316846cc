// SPDX-License-Identifier: GPL-2.0
/*
 * As nobody: records itself, in place and deferred, at the end of system calls. In
 * these its stack is memory whose pages user space ought to bring (userfaultfd),
 * and never does; and code is unmapped, so that what is known of it has to be
 * brought up to date. One in-place sample comes before the deferred one, in
 * whichever order the kernel takes them. Prints a line when it begins.
 *
 * usage: behind FILE-WITH-ID-OF-TRACEPOINT FILE-TO-MAP
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "missing.h"

#define SIZE		(64 * 1024ul)
#define PAGE		4096ul
#define NOBODY		65534
/* In the flags of struct perf_event_attr, behind those that all headers know. */
#define DEFER_CALLCHAIN	0x4000000000ull

#ifdef __x86_64__
FN void unmap(void *p, unsigned long sp)
{
	long ret = SYS_munmap;

	asm volatile("movq %%rsp, %%r12\n\t"
		     "movq %%rbp, %%r13\n\t"
		     "movq %3, %%rsp\n\t"
		     "movq %3, %%rbp\n\t"
		     "syscall\n\t"
		     "movq %%r12, %%rsp\n\t"
		     "movq %%r13, %%rbp"
		     : "+a"(ret) : "D"(p), "S"(PAGE), "d"(sp)
		     : "rcx", "r11", "r12", "r13", "memory");
}
#else
#error "no way known to make a system call with another stack pointer"
#endif

/* Of the calling task, not enabled yet. Nobody reads what it records. */
static void open_event(unsigned long tracepoint, unsigned long long flags)
{
	union {
		struct perf_event_attr attr;
		unsigned long long words[sizeof(struct perf_event_attr) / 8];
	} u = { .attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(u.attr),
		.config = tracepoint,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_callchain_kernel = 1,
	} };

	u.words[offsetof(struct perf_event_attr, read_format) / 8 + 1] |= flags;
	if (syscall(SYS_perf_event_open, &u.attr, 0, -1, -1, 0) < 0)
		exit(3);
}

int main(int argc, char **argv)
{
	unsigned long sp, tracepoint = 0;
	FILE *id = argc == 3 ? fopen(argv[1], "r") : NULL;
	int fd = argc == 3 ? open(argv[2], O_RDONLY | O_CLOEXEC) : -1;
	int missing;

	if (!id || fscanf(id, "%lu", &tracepoint) != 1 || fd < 0 ||
	    setgid(NOBODY) || setuid(NOBODY))
		return 2;
	sp = missing_stack(SIZE, &missing);
	if (!sp)
		return 2;
	open_event(tracepoint, 0);
	open_event(tracepoint, DEFER_CALLCHAIN);
	open_event(tracepoint, 0);
	puts("behind");
	fflush(stdout);
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	for (;;)
		unmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0),
		      sp);
}
