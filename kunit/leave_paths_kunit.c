// SPDX-License-Identifier: GPL-2.0
/*
 * The search for the way out of a function, whatever the machine: which paths are tried, and
 * what is known along them.
 */
#include <kunit/test.h>

#include "leave.h"

#define PC		0x400000ull
#define SP		0x7ff000001000ull
#define PAGE		4096
#define PLACES_MAX	(LEAVE_SEEN_MAX / 2)

static struct leave_path path_with(u64 sp, bool sure)
{
	return (struct leave_path){ .sp = sp, .sure = sure, .fp.is = LEAVE_KEPT };
}

/* Where the next path begins, and its SP, from SP on. */
#define EXPECT_NEXT(at, off)						\
do {									\
	KUNIT_ASSERT_TRUE(test, sframe_leave_next_path(&s, &p));	\
	KUNIT_EXPECT_EQ(test, p.pc, at);				\
	KUNIT_EXPECT_EQ(test, p.sp, SP + (off));			\
} while (0)

static void the_last_is_the_next(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC };
	struct leave_path p = path_with(SP, true);

	sframe_leave_begin_path(&s, &p, PC + 8);
	p.sp += 8;
	sframe_leave_begin_path(&s, &p, PC - 64);
	EXPECT_NEXT(PC - 64, 8);
	EXPECT_NEXT(PC + 8, 0);
	KUNIT_EXPECT_FALSE(test, sframe_leave_next_path(&s, &p));
}

static void nowhere_twice(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC };
	struct leave_path p = path_with(SP, true);

	KUNIT_EXPECT_TRUE(test, sframe_leave_remember(&s, PC + 8));
	sframe_leave_begin_path(&s, &p, PC + 8);
	sframe_leave_begin_path(&s, &p, PC + (1ull << 32));
	KUNIT_EXPECT_EQ(test, s.nr_paths, 0u);
	sframe_leave_begin_path(&s, &p, PC + 16);
	sframe_leave_begin_path(&s, &p, PC + 16);
	KUNIT_EXPECT_EQ(test, s.nr_paths, 1u);
	/* It may be another function's SP that was there first. */
	p.sp += 8;
	sframe_leave_begin_path(&s, &p, PC + 16);
	KUNIT_EXPECT_EQ(test, s.nr_paths, 2u);
}

/* Behind a branch, only as long as there is room for others. */
static void remembers_what_is_behind(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC, .behind_max = 1 };
	struct leave_path p = path_with(SP, true);

	p.pc = PC + 4;
	sframe_leave_begin_path(&s, &p, PC + 64);
	KUNIT_EXPECT_EQ(test, s.block, PC + 4);
	KUNIT_EXPECT_TRUE(test, sframe_leave_remember(&s, s.block));
	KUNIT_EXPECT_TRUE(test, leave_was_there(&s, PC + 4));
	KUNIT_EXPECT_FALSE(test, leave_was_there(&s, PC + 8));
	p.pc = PC + 16;
	sframe_leave_begin_path(&s, &p, PC + 64);
	KUNIT_EXPECT_EQ(test, s.block, PC + 4);
}

static void some_are_dropped(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC };
	struct leave_path p = path_with(SP, true);
	unsigned int i;

	for (i = 0; i <= LEAVE_PATHS_MAX; i++)
		sframe_leave_begin_path(&s, &p, PC + 4 * i);
	KUNIT_EXPECT_EQ(test, s.nr_paths, (unsigned int)LEAVE_PATHS_MAX);
	KUNIT_EXPECT_EQ(test, s.nr_states, 1u);
	KUNIT_EXPECT_EQ(test, s.at[0], 4);
	for (i = 1; i <= LEAVE_STATES_MAX; i++) {
		p.sp = SP + 8 * i;
		sframe_leave_begin_path(&s, &p, PC + 4096 * i);
	}
	/* All that knew what the first did. */
	KUNIT_EXPECT_EQ(test, s.nr_paths, (unsigned int)LEAVE_STATES_MAX);
	for (i = LEAVE_STATES_MAX; i; i--)
		EXPECT_NEXT(PC + 4096 * i, 8 * i);
}

static void places_run_out(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC };
	unsigned int i;

	for (i = 0; i < PLACES_MAX; i++) {
		KUNIT_ASSERT_FALSE(test, leave_was_there(&s, PC + i));
		KUNIT_ASSERT_TRUE(test, sframe_leave_remember(&s, PC + i));
		KUNIT_ASSERT_TRUE(test, leave_was_there(&s, PC + i));
	}
	KUNIT_EXPECT_FALSE(test, sframe_leave_remember(&s, PC + i));
}

static void joins_what_is_sure(struct kunit *test)
{
	struct sframe_leave lv = {};
	struct leave_search s = { .lv = &lv, .pc = PC };
	struct leave_path sure = path_with(SP, true), p = path_with(SP + 8, false);

	sframe_leave_begin_path(&s, &sure, PC + 64);
	p.pc = PC + 64;
	leave_join_sure(&s, &p);
	KUNIT_EXPECT_FALSE(test, p.sure);
	KUNIT_EXPECT_TRUE(test, sframe_leave_other_sp(&s, &p));
	p.sp = SP;
	KUNIT_EXPECT_FALSE(test, sframe_leave_other_sp(&s, &p));
	p.pc = PC + 68;
	leave_join_sure(&s, &p);
	KUNIT_EXPECT_FALSE(test, p.sure);
	p.pc = PC + 64;
	leave_join_sure(&s, &p);
	KUNIT_EXPECT_TRUE(test, p.sure);
	KUNIT_EXPECT_EQ(test, p.pc, PC + 64);
}

/* What was stored is loaded again, by whatever was stored elsewhere. */
static void values_are_saved(struct kunit *test)
{
	struct leave_value v = { .is = LEAVE_KEPT };

	leave_save(&v, SP);
	leave_load(&v, SP + 8);
	KUNIT_EXPECT_EQ(test, leave_loaded_from(&v), SP + 8);
	leave_save(&v, 0);
	leave_load(&v, SP);
	KUNIT_EXPECT_EQ(test, v.is, (u64)LEAVE_KEPT);
	v.is = LEAVE_LOST;
	leave_save(&v, SP + 16);
	leave_load(&v, SP);
	KUNIT_EXPECT_EQ(test, v.is, (u64)LEAVE_KEPT);
	/* But not if data was put there. */
	v.is = LEAVE_LOST;
	leave_save(&v, SP);
	leave_load(&v, SP);
	KUNIT_EXPECT_EQ(test, v.is, (u64)LEAVE_LOST);
	v.is = LEAVE_KEPT;
	leave_load(&v, 0);
	KUNIT_EXPECT_EQ(test, v.is, (u64)LEAVE_LOST);
	leave_load(&v, LEAVE_LOADED_MIN - 1);
	KUNIT_EXPECT_EQ(test, v.is, (u64)LEAVE_LOST);
}

static void nobody_saves_what_is_lost(struct kunit *test)
{
	struct leave_path p = { .link.ra.is = LEAVE_KEPT };

	KUNIT_EXPECT_EQ(test, leave_save_ra(&p, SP), GO_ON);
	leave_call(&p);
	KUNIT_EXPECT_EQ(test, leave_save_ra(&p, SP + 8), GIVE_UP);
	leave_load(&p.link.ra, SP);
	KUNIT_EXPECT_EQ(test, p.link.ra.is, (u64)LEAVE_KEPT);
}

static void says_where_things_are(struct kunit *test)
{
	struct leave_path p = { .sp = SP, .fp.is = LEAVE_KEPT, .link.ra.is = LEAVE_MOVED(5) };
	struct sframe_leave lv = { .fp_lost = true };

	leave_say(&lv, &p);
	leave_say_ra(&lv, &p.link.ra);
	KUNIT_EXPECT_TRUE(test, lv.fp_lost);
	KUNIT_EXPECT_EQ(test, lv.ra_reg, 5);
	KUNIT_EXPECT_EQ(test, lv.ra_at, 0ull);
	p.fp.is = SP + 8;
	p.link.ra.is = SP + 16;
	leave_say(&lv, &p);
	leave_say_ra(&lv, &p.link.ra);
	KUNIT_EXPECT_FALSE(test, lv.fp_lost);
	KUNIT_EXPECT_EQ(test, lv.fp_at, SP + 8);
	KUNIT_EXPECT_EQ(test, lv.ra_reg, 0);
	KUNIT_EXPECT_EQ(test, lv.ra_at, SP + 16);
}

/* One page of code: each byte is the lowest of its address. */
static int read_page(void *ctx, u64 addr, void *buf, unsigned int len)
{
	unsigned int *reads = ctx, i;

	++*reads;
	if (addr < PC || addr + len > PC + PAGE)
		return -1;
	for (i = 0; i < len; i++)
		((u8 *)buf)[i] = addr + i;
	return 0;
}

static void code_ends_with_its_page(struct kunit *test)
{
	unsigned int reads = 0, len, i;
	struct leave_code code = { .read = read_page, .ctx = &reads };
	const u8 *bytes;

	for (i = 0; i < PAGE; i++) {
		bytes = leave_code_at(&code, PC + i, LEAVE_INSN_MAX, &len);
		KUNIT_ASSERT_NOT_NULL(test, bytes);
		KUNIT_ASSERT_EQ(test, bytes[0], (u8)i);
		KUNIT_ASSERT_LE(test, len, PAGE - i);
		KUNIT_ASSERT_GE(test, len, PAGE - i < LEAVE_INSN_MAX ? PAGE - i : LEAVE_INSN_MAX);
	}
	KUNIT_EXPECT_LE(test, reads, PAGE / (LEAVE_CHUNK - LEAVE_INSN_MAX) + 2 * LEAVE_CHUNK);
	KUNIT_EXPECT_NULL(test, leave_code_at(&code, PC + PAGE, LEAVE_INSN_MAX, &len));
	KUNIT_EXPECT_NULL(test, leave_code_at(&code, PC - 1, LEAVE_INSN_MAX, &len));
}

static struct kunit_case leave_paths_test_cases[] = {
	KUNIT_CASE(the_last_is_the_next),
	KUNIT_CASE(nowhere_twice),
	KUNIT_CASE(remembers_what_is_behind),
	KUNIT_CASE(some_are_dropped),
	KUNIT_CASE(places_run_out),
	KUNIT_CASE(joins_what_is_sure),
	KUNIT_CASE(values_are_saved),
	KUNIT_CASE(nobody_saves_what_is_lost),
	KUNIT_CASE(says_where_things_are),
	KUNIT_CASE(code_ends_with_its_page),
	{}
};

static struct kunit_suite leave_paths_suite = {
	.name = "sframe_leave_paths",
	.test_cases = leave_paths_test_cases,
};

kunit_test_suite(leave_paths_suite);
