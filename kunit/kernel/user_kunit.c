// SPDX-License-Identifier: GPL-2.0
/*
 * Walks of a made stack in a real user address space.
 */
#include <kunit/test.h>

#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include "../../kernel/internal.h"
#include "made.h"

#ifdef CONFIG_X86_64

#define DEPTH	8

struct place {
	struct file *file;
	struct mm_struct *mm;
	struct sframe_mm *m;
	struct pt_regs regs;
	u64 pc[DEPTH];		/* of each frame, innermost first */
	u64 seen[DEPTH + 2];
	unsigned int nr;
	unsigned int room;
};

static bool emit(void *arg, u64 pc)
{
	struct place *p = arg;

	if (p->nr == p->room)
		return false;
	p->seen[p->nr++] = pc;
	return true;
}

/*
 * A stack of DEPTH frames of 16 bytes. Of two pages, it begins in the first
 * and has its last frames in the second, which is not there yet if !@present.
 */
static void place_init(struct kunit *test, struct place *p, bool present)
{
	u64 zero[2] = {}, frame[2] = {};
	unsigned long text, stack;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->room = ARRAY_SIZE(p->seen);
	p->file = made_file(test, true);
	p->mm = made_mm(test);
	text = made_map(test, p->file);
	stack = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(stack));
	p->regs.sp = stack + PAGE_SIZE - 5 * 16;
	for (i = 0; i < DEPTH; i++)
		p->pc[i] = text + i * MADE_FUNC + 17;
	p->regs.ip = p->pc[0];
	for (i = 0; i < (present ? DEPTH - 1 : 5); i++) {
		frame[1] = p->pc[i + 1];
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)p->regs.sp +
						   16 * i, frame, 16), 0ul);
	}
	if (present)
		KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)p->regs.sp +
						   16 * i, zero, 16), 0ul);
	p->m = sframe_mm_scan();
	KUNIT_ASSERT_NOT_NULL(test, p->m);
}

static void place_end(struct place *p)
{
	sframe_mm_put(p->m);
	made_mm_end(p->mm);
	fput(p->file);
}

static void walk(struct place *p, enum sframe_way way, u32 max)
{
	p->nr = 0;
	memset(p->seen, 0, sizeof(p->seen));
	rcu_read_lock();
	if (way == SFRAME_WAY_INPLACE)
		sframe_walk(p->m, &p->regs, way, max, emit, p);
	rcu_read_unlock();
	if (way == SFRAME_WAY_DEFERRED)
		sframe_walk(p->m, &p->regs, way, max, emit, p);
}

static void whole_stack(struct kunit *test)
{
	enum sframe_way way;
	struct place p;

	place_init(test, &p, true);
	for (way = 0; way < SFRAME_NR_WAYS; way++) {
		walk(&p, way, 100);
		KUNIT_EXPECT_EQ(test, p.nr, DEPTH);
		KUNIT_EXPECT_MEMEQ(test, p.seen, p.pc, sizeof(p.pc));
	}
	place_end(&p);
}

static void limited(struct kunit *test)
{
	enum sframe_way way;
	struct place p;

	place_init(test, &p, true);
	for (way = 0; way < SFRAME_NR_WAYS; way++) {
		walk(&p, way, 0);
		KUNIT_EXPECT_EQ(test, p.nr, 0u);
		walk(&p, way, 1);
		KUNIT_EXPECT_EQ(test, p.nr, 1u);
		walk(&p, way, 3);
		KUNIT_EXPECT_EQ(test, p.nr, 3u);
		p.room = 2;
		walk(&p, way, 100);
		KUNIT_EXPECT_EQ(test, p.nr, 2u);
		p.room = ARRAY_SIZE(p.seen);
	}
	place_end(&p);
}

/* What is not in memory ends a walk in place; deferred, it is brought in. */
static void absent_page(struct kunit *test)
{
	struct place p;

	place_init(test, &p, false);
	walk(&p, SFRAME_WAY_INPLACE, 100);
	KUNIT_EXPECT_EQ(test, p.nr, 6u);
	KUNIT_EXPECT_MEMEQ(test, p.seen, p.pc, 6 * sizeof(u64));
	walk(&p, SFRAME_WAY_DEFERRED, 100);
	/* The new page holds zeros, and no caller is at address 0. */
	KUNIT_EXPECT_EQ(test, p.nr, 6u);
	/* Now it is there. */
	KUNIT_EXPECT_EQ(test, copy_from_user_nofault(p.seen, (void __user *)
				PAGE_ALIGN(p.regs.sp), 8), 0l);
	place_end(&p);
}

/* Stack pointers that lead nowhere: one frame, and no harm. */
static void bad_stack(struct kunit *test)
{
	static const u64 bad[] = { 0, 1, 8, ~0ull, ~0ull - 15, 1ull << 47,
				   (1ull << 47) - 8, 1ull << 63 };
	enum sframe_way way;
	struct place p;
	unsigned int i;

	place_init(test, &p, true);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		p.regs.sp = bad[i];
		for (way = 0; way < SFRAME_NR_WAYS; way++) {
			walk(&p, way, 100);
			KUNIT_EXPECT_EQ_MSG(test, p.nr, 1u, "sp %llx", bad[i]);
		}
	}
	/* The kernel's own addresses are no user memory. */
	p.regs.sp = (unsigned long)&p;
	for (way = 0; way < SFRAME_NR_WAYS; way++) {
		walk(&p, way, 100);
		KUNIT_EXPECT_EQ(test, p.nr, 1u);
	}
	place_end(&p);
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(whole_stack),
	KUNIT_CASE(limited),
	KUNIT_CASE(absent_page),
	KUNIT_CASE(bad_stack),
	{}
};

static struct kunit_suite user_suite = {
	.name = "sframe_user",
	.test_cases = user_cases,
};

kunit_test_suite(user_suite);

#endif /* CONFIG_X86_64 */
