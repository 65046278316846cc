/* SPDX-License-Identifier: GPL-2.0 */
/* Task work that samples ask for again and again, before the task returns to user mode. */
#ifndef SFRAME_REPEATED_H
#define SFRAME_REPEATED_H

#include <linux/time64.h>
#include <linux/types.h>

struct task_struct;

/*
 * After MAX pieces of work in a row for a task that does not advance, none for PAUSE ns. In a
 * row: at most GAP ns from one's end to the next one's begin.
 */
#define SFRAME_REPEATED_MAX	16
#define SFRAME_REPEATED_PAUSE	NSEC_PER_MSEC
#define SFRAME_REPEATED_GAP	(200 * NSEC_PER_USEC)

/**
 * struct sframe_repeated - what a CPU has done in a row for the same task and stack
 * @task: the task; only compared
 * @pc: its PC in user mode
 * @sp: and its SP
 * @done: when it was done last, ns of CLOCK_MONOTONIC
 * @pause_until: until then its samples do not ask for it
 * @times: pieces of work in a row, since the last pause
 *
 * Per CPU. Written by task work with preemption off; read in samples of the same CPU, which may
 * be interrupts or NMIs and see it half written: then a sample more or less asks.
 */
struct sframe_repeated {
	const struct task_struct *task;
	u64 pc;
	u64 sp;
	u64 done;
	u64 pause_until;
	u32 times;
};

void sframe_repeated_count(struct sframe_repeated *r, u64 begin);
bool sframe_repeated_is_paused(const struct sframe_repeated *r);

#endif /* SFRAME_REPEATED_H */
