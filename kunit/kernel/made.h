/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files with tables and user memory for the suites that need a kernel.
 */
#ifndef KUNIT_MADE_H
#define KUNIT_MADE_H

#include <kunit/test.h>

#include <linux/fs.h>
#include <linux/mm_types.h>

#include "../../kernel/stats.h"

struct perf_event;
struct sframe_payer;

/* Where a made file has its text, and what a segment's address exceeds that. */
#define MADE_TEXT	PAGE_SIZE
#define MADE_VA		0x400000ul
/* Its functions: back to back, of this many bytes each. */
#define MADE_FUNC	64u
#define MADE_FUNCS	16u
/*
 * Everywhere in them the frame is of 16 bytes, and the return address so many
 * above SP.
 */
#define MADE_FRAME	16
#ifdef CONFIG_S390
#define MADE_RA		128
#else
#define MADE_RA		8
#endif

/*
 * made_file(): an ELF file in memory of one page of text and, if @table, a
 * table for it. The caller has its reference. Fails the case if it cannot.
 */
struct file *made_file(struct kunit *test, bool table);

/*
 * made_mm(): give the current kernel thread an mm as a user task has it;
 * made_mm_end(): take it away, as when the last user exits.
 */
struct mm_struct *made_mm(struct kunit *test);
void made_mm_end(struct mm_struct *mm);

/* Map the text of @file, and return its address. */
unsigned long made_map(struct kunit *test, struct file *file);

/* The user of a small number, that nobody is. The caller has its reference. */
struct sframe_payer *made_user(struct kunit *test, unsigned int nr);

/* User registers of a task at @pc, with its stack at @sp. */
void made_regs(struct pt_regs *regs, unsigned long pc, unsigned long sp);

/* How often @ev was counted. */
unsigned long made_events(enum sframe_event ev);

/*
 * made_record(): somebody records callchains of the current task, with an event
 * that wants them if it ever counts; until perf_event_release_kernel().
 */
struct perf_event *made_record(struct kunit *test);

/* The same of CPU 0. */
struct perf_event *made_wide_record(struct kunit *test);

/* A thread, woken. Once it runs, made_join() waits for it, and is what @fn was. */
struct task_struct *made_thread(struct kunit *test, int (*fn)(void *),
				void *arg);
int made_join(struct task_struct *task);

/*
 * sframe_track_update(), until the hooks are placed, or what made_failure() asked for has
 * failed. A task waits for them for a short while only, which may not be enough on a busy
 * machine: then its next update finds them placed.
 */
struct sframe_mm *made_update(void);

/*
 * Everything that can fail in an attempt fails, one thing a round:
 *
 *	struct made_failures f = made_failures(test);	// or skip the case
 *
 *	while (made_failures_next(&f)) {
 *		made_failure(&f);
 *		ok = attempt();
 *		made_failure_end(&f, ok);
 *	}
 *	made_failures_end(&f, 1);
 *
 * until an attempt meets no failure. Only then it must be good, and of the
 * rounds before at least so many must have seen one that was not.
 */
struct made_failures {
	struct kunit *test;
	unsigned int attempts;
	unsigned int round;	/* 1 in the first; some attempts each */
	unsigned int bad;	/* rounds with an attempt in vain */
	unsigned int last_bad;	/* such a round */
	bool failed;		/* something did, in the last attempt */
};

struct made_failures made_failures(struct kunit *test);
bool made_failures_next(struct made_failures *f);
void made_failure(struct made_failures *f);
void made_failure_end(struct made_failures *f, bool ok);
void made_failures_end(struct made_failures *f, unsigned int bad);

#endif /* KUNIT_MADE_H */
