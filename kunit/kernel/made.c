// SPDX-License-Identifier: GPL-2.0
/*
 * Files with tables and user memory.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/shmem_fs.h>
#include <linux/vmalloc.h>

#include <sframe/elf.h>

#include "../../kernel/account.h"
#include "../../kernel/arch/native.h"
#include "../../kernel/limits.h"
#include "../../kernel/stats.h"
#include "../build.h"
#include "../../kernel/track.h"
#include "made.h"

#define PT_LOAD		1
#define SEG_EXEC	1
#define SEG_READ	4

static void put16(u8 *p, u16 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put32(u8 *p, u32 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put64(u8 *p, u64 v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_phdr(u8 *image, unsigned int i, u32 type, u32 flags, u64 offset,
		     u64 size)
{
	u8 *p = image + SFRAME_ELF_EHDR_SIZE + i * SFRAME_ELF_PHDR_SIZE;

	put32(p, type);
	put32(p + 4, flags);
	put64(p + 8, offset);
	put64(p + 16, MADE_VA + offset);
	put64(p + 32, size);
	put64(p + 40, size);
}

static void put_ehdr(u8 *image, unsigned int phdrs)
{
	memcpy(image, "\177ELF", 4);
	image[4] = 2;
	image[5] = SFRAME_MACHINE_BE ? 2 : 1;
	image[6] = 1;
	put16(image + 16, 3);
	put16(image + 18, sframe_abi_native->e_machine);
	put64(image + 32, SFRAME_ELF_EHDR_SIZE);
	put16(image + 54, SFRAME_ELF_PHDR_SIZE);
	put16(image + 56, phdrs);
}

/*
 * The row of every function. On x86-64 the return address is at its fixed
 * place, on s390x the first word is (CFA - SP - 160) / 8.
 */
#if defined(CONFIG_X86_64)
static const s32 row[] = { MADE_FRAME };
#elif defined(CONFIG_S390)
static const s32 row[] = { MADE_FRAME / 8, MADE_RA - MADE_FRAME - 160 };
#else
static const s32 row[] = { MADE_FRAME, MADE_RA - MADE_FRAME };
#endif

static void make_table(struct build *b)
{
	u32 i;

	build_init(b, sframe_abi_native, 3, SFRAME_MACHINE_BE, SFRAME_F_SORTED,
		   MADE_VA + 2 * PAGE_SIZE);
	for (i = 0; i < MADE_FUNCS; i++) {
		build_fde(b, MADE_VA + MADE_TEXT + i * MADE_FUNC, MADE_FUNC, 0,
			  0, 0);
		build_row_words(b, 0, SFRAME_ROW_BASE_SP, 0, ARRAY_SIZE(row),
				row);
	}
	build_end(b);
}

struct file *made_file(struct kunit *test, bool table)
{
	size_t size = 3 * PAGE_SIZE;
	struct build b;
	struct file *file;
	loff_t pos = 0;
	ssize_t done;
	u8 *image;

	make_table(&b);
	image = vzalloc(size);
	file = shmem_file_setup("sframe-kunit", 0, EMPTY_VMA_FLAGS);
	if (!image || b.failed || b.len > PAGE_SIZE || IS_ERR(file))
		kunit_skip(test, "no memory for a file");
	put_ehdr(image, table ? 3 : 2);
	put_phdr(image, 0, PT_LOAD, SEG_READ | SEG_EXEC, MADE_TEXT, PAGE_SIZE);
	put_phdr(image, 1, PT_LOAD, SEG_READ, 2 * PAGE_SIZE, PAGE_SIZE);
	put_phdr(image, 2, SFRAME_PT_GNU_SFRAME, SEG_READ, 2 * PAGE_SIZE,
		 b.len);
	memcpy(image + 2 * PAGE_SIZE, b.data, b.len);
	done = kernel_write(file, image, size, &pos);
	vfree(image);
	build_free(&b);
	KUNIT_ASSERT_EQ(test, done, (ssize_t)size);
	return file;
}

static unsigned int build_wait_ms;

struct mm_struct *made_mm(struct kunit *test)
{
	KUNIT_ASSERT_NULL(test, current->mm);
	KUNIT_ASSERT_EQ(test, kunit_attach_mm(), 0);
	/* However busy the machine is, an update is to find tables. */
	build_wait_ms = sframe_build_wait_ms;
	WRITE_ONCE(sframe_build_wait_ms, 60000);
	return current->mm;
}

void made_mm_end(struct mm_struct *mm)
{
	WRITE_ONCE(sframe_build_wait_ms, build_wait_ms);
	kthread_unuse_mm(mm);
	mmput(mm);
}

unsigned long made_map(struct kunit *test, struct file *file)
{
	unsigned long addr = vm_mmap(file, 0, PAGE_SIZE, PROT_READ | PROT_EXEC,
				     MAP_PRIVATE, MADE_TEXT);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	return addr;
}

struct sframe_payer *made_user(struct kunit *test, unsigned int nr)
{
	struct sframe_payer *payer;

	payer = sframe_payer_of(KUIDT_INIT(4000000000u + nr));
	KUNIT_ASSERT_NOT_NULL(test, payer);
	return payer;
}

void made_regs(struct pt_regs *regs, unsigned long pc, unsigned long sp)
{
	memset(regs, 0, sizeof(*regs));
#if defined(CONFIG_X86_64)
	regs->ip = pc;
	regs->sp = sp;
#elif defined(CONFIG_S390)
	regs->psw.addr = pc;
	regs->gprs[15] = sp;
#else
	regs->pc = pc;
	regs->sp = sp;
#endif
}

unsigned long made_events(enum sframe_event ev)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(sframe_stats, cpu).event[ev];
	return sum;
}

static struct perf_event *record_of(struct kunit *test, int cpu, struct task_struct *task)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_CALLCHAIN,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
	KUNIT_ASSERT_FALSE(test, IS_ERR(event));
	return event;
}

struct perf_event *made_record(struct kunit *test)
{
	return record_of(test, -1, current);
}

struct perf_event *made_wide_record(struct kunit *test)
{
	return record_of(test, 0, NULL);
}

struct task_struct *made_thread(struct kunit *test, int (*fn)(void *),
				void *arg)
{
	struct task_struct *task = kthread_create(fn, arg, "sframe-kunit");

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	/* It may end before it is waited for. */
	get_task_struct(task);
	wake_up_process(task);
	return task;
}

int made_join(struct task_struct *task)
{
	return kthread_stop_put(task);
}

/* Will something fail, as made_failure() has asked? */
static bool failure_to_come(void)
{
#ifdef CONFIG_FAULT_INJECTION
	return current->fail_nth;
#else
	return false;
#endif
}

struct sframe_mm *made_update(void)
{
	bool failing = failure_to_come();
	struct sframe_mm *m = NULL;
	unsigned int tries;

	for (tries = 0; !m && tries < 300 && failing == failure_to_come(); tries++)
		m = sframe_track_update();
	return m;
}

/* More than any attempt allocates. */
#define MAX_ROUNDS	200u

/*
 * A slab that has to grow is one more thing that may fail, to no effect: what comes behind it
 * has another number in the next attempt.
 */
#define ATTEMPTS	3

struct made_failures made_failures(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_FAULT_INJECTION))
		kunit_skip(test, "this kernel injects no faults");
	return (struct made_failures) { .test = test, .failed = true };
}

bool made_failures_next(struct made_failures *f)
{
	f->round = f->attempts++ / ATTEMPTS + 1;
	return f->failed && f->round < MAX_ROUNDS;
}

/* The thing of this round's number that can fail from now on, will. */
void made_failure(struct made_failures *f)
{
#ifdef CONFIG_FAULT_INJECTION
	current->fail_nth = f->round;
#endif
}

void made_failure_end(struct made_failures *f, bool ok)
{
#ifdef CONFIG_FAULT_INJECTION
	f->failed = !current->fail_nth;
	current->fail_nth = 0;
#endif
	KUNIT_EXPECT_TRUE(f->test, ok || f->failed);
	if (!ok && f->last_bad != f->round) {
		f->last_bad = f->round;
		f->bad++;
	}
}

void made_failures_end(struct made_failures *f, unsigned int bad)
{
	kunit_info(f->test, "%u failures, %u rounds with one in vain",
		   f->attempts - 2, f->bad);
#ifdef CONFIG_FAULT_INJECTION
	KUNIT_EXPECT_GT(f->test, f->round, 1u);
#endif
	KUNIT_EXPECT_LT(f->test, f->round, MAX_ROUNDS);
	KUNIT_EXPECT_GE(f->test, f->bad, bad);
}
