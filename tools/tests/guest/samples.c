// SPDX-License-Identifier: GPL-2.0
/*
 * How many of the kernel's instructions a sample takes. For guests whose clock
 * counts them. Each getppid() is one sample: of this program alone, at a known
 * depth of stack, in a buffer of its own that is emptied in time.
 *
 * usage: samples EVENT-ID WAY...
 *
 * EVENT-ID is that of the tracepoint; WAY is none, chain (a callchain, walked at
 * once), deferred (a callchain, deferred), or dwarf (8 KB of the stack).
 * Prints "WAY DEPTH INSTRUCTIONS FRAMES" lines. DEPTH is "varying" for 256 different
 * stacks of 30 frames, each sampled a few times, and "anew-" a depth if no sample has a
 * frame where another one had one. FRAMES is the length of the longest chain that was
 * seen.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "icount.h"

#define CALLS		32
#define PAGES		256
#define VARYING		256
#define DEFERRED_RECORD	22
/* defer_callchain and defer_output: the first two bits behind sigtrap. */
#define RESERVED_BITS	26
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define DEFER_BITS	3
#else
#define DEFER_BITS	(3 << (RESERVED_BITS - 2))
#endif
/* Those that any of our architectures' kernels hand out: 0-15 of each. */
#define REGS		0xfful

static struct perf_event_mmap_page *ring;
static int event = -1;
static unsigned int path;	/* a bit for each level: which way down */
static int depth;
static int in_leaf;		/* samples to be taken there */

/* The event, right here: in libc there may be no tables. */
static inline __attribute__((always_inline)) void sample(void)
{
#if defined(__x86_64__)
	long n = SYS_getppid;

	asm volatile("syscall" : "+a"(n) : : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long n asm("x8") = SYS_getppid;
	register long result asm("x0");

	asm volatile("svc #0" : "=r"(result) : "r"(n) : "memory");
#elif defined(__s390x__)
	register long n asm("1") = SYS_getppid;
	register long result asm("2");

	asm volatile("svc 0" : "=d"(result) : "d"(n) : "memory");
#endif
}

FN long leaf(void)
{
	int i;

	for (i = 0; i < in_leaf; i++)
		sample();
	return i;
}

/* Half of all functions save the frame pointer's register, as in real programs. */
#ifdef FRAME_POINTER
#define SAVE_FP
#elif defined(__x86_64__)
#define SAVE_FP asm volatile("" : : : "rbp")
#elif defined(__aarch64__)
#define SAVE_FP asm volatile("" : : : "x29")
#elif defined(__s390x__)
#define SAVE_FP asm volatile("" : : : "r11")
#endif

static long down(int n);

FN long left(int n)
{
	volatile long room[2] = { n };

	return down(n - 1) + room[0];
}

FN long right(int n)
{
	volatile long room[4] = { n };

	SAVE_FP;
	return down(n - 1) + room[0];
}

static inline __attribute__((always_inline)) long down(int n)
{
	if (n <= 0)
		return leaf();
	return path >> (n & 7) & 1 ? left(n) : right(n);
}

FN long lower(int bytes)
{
	volatile char *room = alloca(bytes);

	room[0] = bytes;
	return left(depth) + room[0];
}

/* As many samples: of one stack, or each of one that is a little lower. */
FN void calls(bool anew)
{
	int i;

	in_leaf = anew ? 1 : CALLS;
	for (i = 0; i < CALLS / in_leaf; i++)
		lower(16 + 16 * i);
}

static int open_event(int id, const char *way)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.wakeup_watermark = PAGES * 4096 / 2,
		.watermark = 1,
		.sample_max_stack = 127,
	};

	if (strcmp(way, "none"))
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_kernel = 1;
	if (!strcmp(way, "deferred"))
		attr.__reserved_1 = DEFER_BITS;
	if (!strcmp(way, "dwarf")) {
		attr.sample_type |= PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER;
		attr.sample_stack_user = 8192;
		attr.sample_regs_user = REGS;
		attr.exclude_callchain_user = 1;
	}
	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

/* The number of addresses in a record, if it has any. */
static uint64_t frames_in(const struct perf_event_header *h)
{
	const uint64_t *words = (const void *)(h + 1);

	if (h->type == PERF_RECORD_SAMPLE)	/* ip, pid and tid, time */
		return h->size > 40 ? words[3] : 0;
	return h->type == DEFERRED_RECORD ? words[1] : 0;
}

/* Empty the buffer: the longest chain in it. Only records that do not wrap. */
static uint64_t empty(void)
{
	char *data = (char *)ring + ring->data_offset;
	uint64_t at = ring->data_tail, end = ring->data_head, most = 0, n;

	__sync_synchronize();
	while (at < end) {
		struct perf_event_header *h = (void *)(data + at % ring->data_size);

		if (at % ring->data_size + h->size <= ring->data_size) {
			n = frames_in(h);
			most = n > most ? n : most;
		}
		at += h->size;
	}
	__sync_synchronize();
	ring->data_tail = end;
	return most;
}

/* The median time of the calls in ticks, and the longest chain. */
static double measure(bool varying, bool anew, uint64_t *most)
{
	long times[VARYING], begin;
	uint64_t n;
	int i;

	*most = 0;
	for (i = 0; i < 8; i++) {
		calls(anew);
		empty();
	}
	for (i = 0; i < VARYING; i++) {
		path = varying ? (i * 167) & 255 : 0x55;
		begin = icount_now();
		calls(anew);
		times[i] = icount_now() - begin;
		n = ring ? empty() : 0;
		*most = n > *most ? n : *most;
	}
	qsort(times, VARYING, sizeof(times[0]), icount_compare);
	return times[VARYING / 2];
}

static void one(const char *way, int levels, bool anew, double tick)
{
	bool varying = !levels;
	double with, without;
	uint64_t most;

	depth = varying ? 30 : levels;
	ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
	without = measure(varying, anew, &most);
	ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
	/* What this makes happen elsewhere, for the first time, is over then. */
	calls(anew);
	usleep(50000);
	with = measure(varying, anew, &most);
	printf("%s %s", way, anew ? "anew-" : "");
	if (varying)
		printf("varying");
	else
		printf("%d", levels);
	printf(" %.0f %lu\n", tick * (with - without) / CALLS, (unsigned long)most);
}

int main(int argc, char **argv)
{
	static const int depths[] = { 10, 30, 100, 0, 10, 30, 40, 100 };
	double tick = icount_tick();
	unsigned int i;
	int way;

	if (argc < 3)
		return 2;
	for (way = 2; way < argc; way++) {
		event = open_event(atoi(argv[1]), argv[way]);
		if (event < 0) {
			perror(argv[way]);
			return 3;
		}
		ring = mmap(NULL, (PAGES + 1) * sysconf(_SC_PAGESIZE),
			    PROT_READ | PROT_WRITE, MAP_SHARED, event, 0);
		if (ring == MAP_FAILED)
			return 3;
		for (i = 0; i < ARRAY_SIZE(depths); i++)
			one(argv[way], depths[i], i > 3, tick);
		munmap(ring, (PAGES + 1) * sysconf(_SC_PAGESIZE));
		close(event);
	}
	return 0;
}
