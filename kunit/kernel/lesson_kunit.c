// SPDX-License-Identifier: GPL-2.0
/*
 * What a walk in place cannot pay to ask of code, it knows from one that can.
 */
#include <kunit/test.h>

#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include "../../kernel/lesson.h"
#include "../../kernel/mm.h"
#include "../../kernel/walk.h"
#include "made.h"

/* More than a walk in place can pay to look at. */
#define NOPS	300

/* Behind the functions of the file, that have rows. */
#define CODE_AT	(MADE_FUNC * MADE_FUNCS)

struct far {
	struct mm_struct *mm;
	struct file *file;
	struct sframe_mm *m;
	struct pt_regs regs;
	u64 pc;
	u64 ra;
	u64 seen[4];
};

/* The caller's frame is not one that can be left. */
static void put_code(struct kunit *test, struct far *f)
{
	/* add $24,%rsp; ret; a call of what follows; ud2 */
	static const u8 end[] = { 0x48, 0x83, 0xc4, 0x18, 0xc3, 0xe8, 0, 0, 0, 0, 0x0f, 0x0b };
	loff_t pos = MADE_TEXT + CODE_AT;
	u8 nops[NOPS];

	memset(nops, 0x90, sizeof(nops));
	f->file = made_file(test, true);
	KUNIT_ASSERT_EQ(test, (ssize_t)sizeof(nops),
			kernel_write(f->file, nops, sizeof(nops), &pos));
	KUNIT_ASSERT_EQ(test, (ssize_t)sizeof(end),
			kernel_write(f->file, end, sizeof(end), &pos));
	f->pc = made_map(test, f->file) + CODE_AT;
	/* Walks in place, and those that learn, do not bring it in. */
	KUNIT_ASSERT_EQ(test, 0ul, copy_from_user(nops, (void __user *)f->pc, sizeof(nops)));
	f->ra = f->pc + NOPS + sizeof(end) - 2;
}

static void put_stack(struct kunit *test, struct far *f)
{
	const u64 words[8] = { [3] = f->ra };
	unsigned long stack = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
				      MAP_PRIVATE | MAP_ANONYMOUS, 0);

	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(stack));
	KUNIT_ASSERT_EQ(test, 0ul, copy_to_user((void __user *)stack, words, sizeof(words)));
	made_regs(&f->regs, f->pc, stack);
}

static unsigned int walk(struct far *f, enum sframe_way way, bool *spent)
{
	struct sframe_chain chain = { .pcs = f->seen, .max = ARRAY_SIZE(f->seen) };

	preempt_disable();
	sframe_walk(f->m, &f->regs, way, &chain);
	preempt_enable();
	*spent = chain.spent;
	return chain.nr;
}

static void learned(struct kunit *test)
{
	static const enum sframe_way ways[] = {
		SFRAME_WAY_INPLACE, SFRAME_WAY_LEARNING, SFRAME_WAY_INPLACE,
	};
	unsigned int nr[ARRAY_SIZE(ways)], i;
	bool spent[ARRAY_SIZE(ways)];
	struct far f = { };

	if (!IS_ENABLED(CONFIG_X86_64))
		kunit_skip(test, "the code is x86-64's");
	f.mm = made_mm(test);
	put_code(test, &f);
	put_stack(test, &f);
	f.m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, f.m);
	/* What is learned is known on this CPU. */
	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		nr[i] = walk(&f, ways[i], &spent[i]);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, nr[0], 1u);
	KUNIT_EXPECT_TRUE(test, spent[0]);
	KUNIT_EXPECT_EQ(test, nr[1], 2u);
	KUNIT_EXPECT_EQ(test, nr[2], 2u);
	KUNIT_EXPECT_EQ(test, f.seen[1], f.ra);
	sframe_mm_put(f.m);
	made_mm_end(f.mm);
	fput(f.file);
}

/* One is due where a larger budget may lead farther, though this was not used up; in time. */
static void wanted(struct kunit *test)
{
	struct sframe_mm *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct sframe_chain chain = { .nr = 1 };

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_FALSE(test, sframe_lesson_want(m, &chain, SFRAME_NO_MAPPING));
	KUNIT_EXPECT_NULL(test, m->lessons.wanted_by);
	KUNIT_EXPECT_TRUE(test, sframe_lesson_want(m, &chain, SFRAME_FP_OFF_STACK));
	KUNIT_EXPECT_PTR_EQ(test, m->lessons.wanted_by, (const struct task_struct *)current);
	/* It does not come to a frame that is so far out. */
	chain.nr = 64;
	KUNIT_EXPECT_FALSE(test, sframe_lesson_want(m, &chain, SFRAME_FP_OFF_STACK));
	chain.spent = true;
	KUNIT_EXPECT_TRUE(test, sframe_lesson_want(m, &chain, SFRAME_FP_OFF_STACK));
	chain = (struct sframe_chain) { .nr = 1 };
	chain.whole = true;
	KUNIT_EXPECT_FALSE(test, sframe_lesson_want(m, &chain, SFRAME_NO_FDE));
	chain.whole = false;
	chain.spent = true;
	KUNIT_EXPECT_TRUE(test, sframe_lesson_want(m, &chain, SFRAME_UNREADABLE));
	m->lessons.next = U64_MAX;
	KUNIT_EXPECT_FALSE(test, sframe_lesson_want(m, &chain, SFRAME_FP_OFF_STACK));
}

static struct kunit_case lesson_test_cases[] = {
	KUNIT_CASE(learned),
	KUNIT_CASE(wanted),
	{}
};

static struct kunit_suite lesson_suite = {
	.name = "sframe_lesson",
	.test_cases = lesson_test_cases,
};

kunit_test_suite(lesson_suite);
