// SPDX-License-Identifier: GPL-2.0
/*
 * Walks of a made stack in a real user address space.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/file.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/mmu_context.h>
#include <linux/ptrace.h>
#include <linux/sched/mm.h>
#include <linux/uaccess.h>

#include <sframe/reason.h>

#include "../../kernel/arch/native.h"
#include "../../kernel/changes.h"
#include "../../kernel/compat/compat.h"
#include "../../kernel/image.h"
#include "../../kernel/map.h"
#include "../../kernel/mm.h"
#include "../../kernel/stats.h"
#include "../../kernel/walk.h"
#include "made.h"

#define DEPTH	8

struct place {
	struct file *file;
	struct mm_struct *mm;
	struct sframe_mm *m;
	struct pt_regs regs;
	unsigned long sp;	/* of the first frame */
	u64 pc[DEPTH];		/* of each frame, innermost first */
	u64 seen[DEPTH + 2];
	unsigned int nr;
	enum sframe_reason why;	/* it ended */
};

static void put_ra(struct kunit *test, struct place *p, unsigned int frame,
		   u64 ra)
{
	unsigned long at = p->sp + frame * MADE_FRAME + MADE_RA;

	KUNIT_ASSERT_EQ(test, copy_to_user((void __user *)at, &ra, sizeof(ra)),
			0ul);
}

/*
 * A stack of DEPTH frames on two pages. The return address of frame 5 and
 * those of its callers are on the second one, which is not there yet if
 * !@present. The outermost has 0.
 */
static void place_init(struct kunit *test, struct place *p, bool present)
{
	unsigned long text, stack;
	unsigned int i;

	memset(p, 0, sizeof(*p));
	p->file = made_file(test, true);
	p->mm = made_mm(test);
	text = made_map(test, p->file);
	stack = vm_mmap(NULL, 0, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(stack));
	p->sp = stack + PAGE_SIZE + 8 - MADE_RA - 5 * MADE_FRAME;
	for (i = 0; i < DEPTH; i++)
		p->pc[i] = text + i * MADE_FUNC + 16;
	for (i = 0; i < (present ? DEPTH - 1 : 5); i++)
		put_ra(test, p, i, p->pc[i + 1]);
	if (present)
		put_ra(test, p, i, 0);
	made_regs(&p->regs, p->pc[0], p->sp);
	p->m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, p->m);
}

static void place_end(struct place *p)
{
	sframe_mm_put(p->m);
	made_mm_end(p->mm);
	fput(p->file);
}

static unsigned long ends(enum sframe_way way, enum sframe_reason why)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += why == SFRAME_OUTERMOST ? per_cpu(sframe_stats, cpu).whole[way] :
						 per_cpu(sframe_stats, cpu).end[way][why];
	return sum;
}

static void walk(struct place *p, enum sframe_way way, u32 max)
{
	struct sframe_chain chain = {
		.pcs = p->seen,
		.max = min_t(u32, max, ARRAY_SIZE(p->seen)),
	};

	memset(p->seen, 0, sizeof(p->seen));
	/* Nothing preempts a walk in place. */
	if (way == SFRAME_WAY_INPLACE)
		preempt_disable();
	p->why = sframe_walk(p->m, &p->regs, way, &chain);
	if (way == SFRAME_WAY_INPLACE)
		preempt_enable();
	p->nr = chain.nr;
}

/* Either way: @nr of the frames, an ending of the name, and that is counted. */
static void expect_walk(struct kunit *test, struct place *p, unsigned int nr,
			enum sframe_reason why)
{
	enum sframe_way way;
	unsigned long before;

	for (way = 0; way < SFRAME_NR_WAYS; way++) {
		before = ends(way, why);
		walk(p, way, 100);
		KUNIT_EXPECT_EQ(test, p->nr, nr);
		KUNIT_EXPECT_MEMEQ(test, p->seen, p->pc, nr * sizeof(u64));
		KUNIT_EXPECT_STREQ(test, sframe_reason_name(p->why),
				   sframe_reason_name(why));
		KUNIT_EXPECT_EQ(test, ends(way, why), before + 1);
	}
}

static void whole_stack(struct kunit *test)
{
	struct place p;

	place_init(test, &p, true);
	expect_walk(test, &p, DEPTH, SFRAME_OUTERMOST);
	place_end(&p);
}

/* A caller outside of all mappings, and one in a file without a table. */
static void strange_callers(struct kunit *test)
{
	struct file *bare = made_file(test, false);
	struct place p;

	place_init(test, &p, true);
	put_ra(test, &p, 2, 0x1230);
	expect_walk(test, &p, 3, SFRAME_NO_MAPPING);
	p.pc[3] = made_map(test, bare) + 16;
	put_ra(test, &p, 2, p.pc[3]);
	sframe_mm_forget(p.mm);
	sframe_mm_put(p.m);
	p.m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, p.m);
	walk(&p, SFRAME_WAY_DEFERRED, 100);
	/* The frame pointer, 0, is tried and leads nowhere. */
	KUNIT_EXPECT_EQ(test, p.nr, 4u);
	KUNIT_EXPECT_MEMEQ(test, p.seen, p.pc, 4 * sizeof(u64));
	place_end(&p);
	fput(bare);
}

/* While a table is being built, frames are not left by guess. */
static void table_being_built(struct kunit *test)
{
	const struct sframe_range *range;
	const struct sframe_table *table;
	struct sframe_view view;
	struct place p;

	place_init(test, &p, true);
	rcu_read_lock();
	sframe_view_begin(&view, p.m);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&view, p.pc[0], &range), SFRAME_OK);
	rcu_read_unlock();
	table = range->image->table;
	range->image->table = NULL;
	range->image->coming = true;
	expect_walk(test, &p, 1, SFRAME_NOT_YET);
	range->image->coming = false;
	walk(&p, SFRAME_WAY_INPLACE, 100);
	KUNIT_EXPECT_NE(test, p.why, SFRAME_NOT_YET);
	range->image->table = table;
	expect_walk(test, &p, DEPTH, SFRAME_OUTERMOST);
	place_end(&p);
}

/* The same where mappings changed; what was code is a frame all the same. */
static void mapping_changed(struct kunit *test)
{
	struct place p;

	place_init(test, &p, true);
	sframe_changes_add(&p.m->changes, p.pc[3] & PAGE_MASK,
			   PAGE_ALIGN(p.pc[3]));
	expect_walk(test, &p, 1, SFRAME_NOT_YET);
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
		KUNIT_EXPECT_EQ(test, p.why, SFRAME_DEPTH);
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
				PAGE_ALIGN(p.sp), 8), 0l);
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
		made_regs(&p.regs, p.pc[0], bad[i]);
		for (way = 0; way < SFRAME_NR_WAYS; way++) {
			walk(&p, way, 100);
			KUNIT_EXPECT_EQ_MSG(test, p.nr, 1u, "sp %llx", bad[i]);
		}
	}
	/* Addresses of the kernel are no user memory. */
	made_regs(&p.regs, p.pc[0], (unsigned long)&p);
	for (way = 0; way < SFRAME_NR_WAYS; way++) {
		walk(&p, way, 100);
		KUNIT_EXPECT_EQ(test, p.nr, 1u);
	}
	place_end(&p);
}

/* A page that nobody may read is not made readable. */
static void forbidden_page(struct kunit *test)
{
	struct place p;
	unsigned long next;

	place_init(test, &p, false);
	next = PAGE_ALIGN(p.sp);
	KUNIT_ASSERT_EQ(test, vm_munmap(next, PAGE_SIZE), 0);
	expect_walk(test, &p, 6, SFRAME_UNREADABLE);
	KUNIT_ASSERT_EQ(test, vm_mmap(NULL, next, PAGE_SIZE, PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
				      0), next);
	expect_walk(test, &p, 6, SFRAME_UNREADABLE);
	place_end(&p);
}

#ifdef CONFIG_X86_64
/* Another address space, with return addresses of its own at the same place. */
struct other {
	struct mm_struct *mm;
	unsigned long at;
	u64 ra;
	struct completion filled;
};

static int fill_other(void *arg)
{
	struct other *o = arg;
	unsigned long at;
	int err = 0;

	kthread_use_mm(o->mm);
	at = vm_mmap(NULL, o->at, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, 0);
	for (; at < o->at + 2 * PAGE_SIZE && !err; at += sizeof(o->ra))
		err = copy_to_user((void __user *)at, &o->ra, sizeof(o->ra));
	kthread_unuse_mm(o->mm);
	complete(&o->filled);
	return err;
}

/* What is in an mm that an interrupt finds loaded is not this task's stack. */
static void another_mm_is_loaded(struct kunit *test)
{
	typeof(&switch_mm_irqs_off) load =
		(void *)sframe_symbol("switch_mm_irqs_off");
	struct task_struct *task;
	struct other other;
	unsigned long flags;
	struct place p;

	place_init(test, &p, true);
	other = (struct other){ mm_alloc(), p.sp & PAGE_MASK, p.pc[DEPTH - 1] };
	KUNIT_ASSERT_TRUE(test, load && other.mm);
	init_completion(&other.filled);
	task = made_thread(test, fill_other, &other);
	wait_for_completion(&other.filled);
	KUNIT_EXPECT_EQ(test, made_join(task), 0);
	local_irq_save(flags);
	load(p.mm, other.mm, current);
	walk(&p, SFRAME_WAY_INPLACE, 100);
	load(other.mm, p.mm, current);
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, p.nr, 1u);
	KUNIT_EXPECT_STREQ(test, sframe_reason_name(p.why),
			   sframe_reason_name(SFRAME_UNREADABLE));
	expect_walk(test, &p, DEPTH, SFRAME_OUTERMOST);
	mmput(other.mm);
	place_end(&p);
}
#endif

struct reg {
	unsigned int number;
	size_t offset;
};

#define REG(number, field)	{ number, offsetof(struct pt_regs, field) }

/* General registers by DWARF number, as the ABIs list them; no others. */
static void registers_by_number(struct kunit *test)
{
	static const struct reg known[] = {
#if defined(CONFIG_X86_64)
		REG(0, ax), REG(1, dx), REG(2, cx), REG(3, bx), REG(4, si),
		REG(5, di), REG(6, bp), REG(7, sp), REG(8, r8), REG(9, r9),
		REG(10, r10), REG(11, r11), REG(12, r12), REG(13, r13),
		REG(14, r14), REG(15, r15),
#elif defined(CONFIG_S390)
		REG(0, gprs[0]), REG(1, gprs[1]), REG(11, gprs[11]),
		REG(14, gprs[14]), REG(15, gprs[15]),
#else
		REG(0, regs[0]), REG(19, regs[19]), REG(29, regs[29]),
		REG(30, regs[30]), REG(31, sp),
#endif
	};
	struct pt_regs regs;
	unsigned int i;
	u64 val;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		memset(&regs, 0, sizeof(regs));
		*(unsigned long *)((char *)&regs + known[i].offset) = 1000 + i;
		KUNIT_EXPECT_EQ(test,
				sframe_arch_reg(&regs, known[i].number, &val),
				0);
		KUNIT_EXPECT_EQ(test, val, 1000u + i);
	}
	KUNIT_EXPECT_EQ(test, sframe_arch_reg(&regs, 32, &val), -EINVAL);
}

static struct kunit_case user_cases[] = {
	KUNIT_CASE(registers_by_number),
	KUNIT_CASE(whole_stack),
	KUNIT_CASE(strange_callers),
	KUNIT_CASE(table_being_built),
	KUNIT_CASE(mapping_changed),
	KUNIT_CASE(limited),
	KUNIT_CASE(absent_page),
	KUNIT_CASE(forbidden_page),
	KUNIT_CASE(bad_stack),
#ifdef CONFIG_X86_64
	KUNIT_CASE(another_mm_is_loaded),
#endif
	{}
};

static struct kunit_suite user_suite = {
	.name = "sframe_user",
	.test_cases = user_cases,
};

kunit_test_suite(user_suite);
