// SPDX-License-Identifier: GPL-2.0
/*
 * From the stack of Go's scheduler back to a goroutine's: a walk begins in a function
 * that was called there, whose caller has left the goroutine's stack.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"
#include "go_stack_world.h"

static struct world *start(const struct way *way)
{
	static struct world w;

	memset(&w, 0, sizeof(w));
	w.abi = way->abi;
	w.reg = G0;
	put_code(&w, SWITCH_RET, way);
	put_call(&w, SWITCH_RET);
	put_call(&w, CALLER_RET);
	set(&w, G0, G0_STACK);
	set(&w, G0 + 8, G0_STACK + STACK_SIZE);
	set(&w, G0 + G_M, M);
	set(&w, G0 + G_SP, G0_SP);
	set(&w, CURG, CURG_STACK);
	set(&w, CURG + 8, CURG_STACK + STACK_SIZE);
	set(&w, CURG + G_M, M);
	set(&w, CURG + G_SP, CURG_SP);
	set(&w, M, G0);
	set(&w, M + M_CURG, CURG);
	set(&w, G0_SP - TOP_SIZE, SWITCH_RET);
	set(&w, CURG_SP, CALLER_RET);
	return &w;
}

/* Walk from @pc and @sp: where does it end, and for what reason? */
static void expect(struct kunit *test, struct world *w, u64 pc, u64 sp, u64 last,
		   u64 last_sp, enum sframe_reason want)
{
	const struct sframe_regs regs = { .pc = pc, .sp = sp };
	enum sframe_reason end;

	sframe_cursor_init(&w->cur, w->abi, &regs, 8, &world_ops, w);
	do
		end = sframe_cursor_next(&w->cur);
	while (!end);
	KUNIT_EXPECT_EQ(test, (int)end, (int)want);
	KUNIT_EXPECT_EQ(test, w->cur.pc, last);
	KUNIT_EXPECT_EQ(test, w->cur.sp, last_sp);
}

static void expect_caller(struct kunit *test, struct world *w)
{
	expect(test, w, TOP + 16, G0_SP - TOP_SIZE, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
}

static void expect_none(struct kunit *test, struct world *w)
{
	expect(test, w, TOP + 16, G0_SP - TOP_SIZE, SWITCH_RET, G0_SP,
	       SFRAME_GO_NO_STACK);
}

static void scheduler_leads_back(struct kunit *test)
{
	struct world *w = start(test->param_value);

	expect_caller(test, w);
	/* What is there does not follow a call. */
	set(w, CURG_SP, CALLER_RET + 8);
	expect(test, w, TOP + 16, G0_SP - TOP_SIZE, SWITCH_RET, G0_SP,
	       SFRAME_FP_NOT_A_CALL);
}

/* Whatever does not fit the rest, or is not there: then nothing is known. */
static void scheduler_must_agree(struct kunit *test)
{
	static const u64 fields[] = {
		G0 + G_M, G0 + G_SP, CURG, CURG + 8, CURG + G_M, CURG + G_SP, M,
		M + M_CURG,
	};
	static const u64 values[] = { 0, 1, 0x123456789ab8, ~0ull };
	unsigned int i, k;
	struct world *w;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		for (k = 0; k < ARRAY_SIZE(values); k++) {
			/* A stack may begin, and end, elsewhere. */
			if ((fields[i] == CURG && values[k] < CURG_SP) ||
			    (fields[i] == CURG + 8 && values[k] > CURG_SP))
				continue;
			w = start(test->param_value);
			set(w, fields[i], values[k]);
			expect_none(test, w);
		}
	}
	for (k = 0; k < ARRAY_SIZE(values); k++) {
		w = start(test->param_value);
		w->reg = values[k];
		expect_none(test, w);
	}
	/* Of the goroutine whose stack this is not. */
	w = start(test->param_value);
	w->reg = CURG;
	expect_none(test, w);
}

/* The register is that of what a signal has interrupted. */
static void register_is_saved(struct kunit *test)
{
	static const u8 sigreturn[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	const u64 regs = HANDLER_SP + 128 + 176 + 8;
	struct world *w = start(&by_scheduler[0]);

	memcpy(w->code + (RESTORER - CODE), sigreturn, sizeof(sigreturn));
	w->reg = 0x123456789ab8;
	set(w, regs + 8 * 28, G0);
	set(w, regs + 8 * 29, 0);
	set(w, regs + 8 * 30, 0);
	set(w, regs + 8 * 31, G0_SP - TOP_SIZE);
	set(w, regs + 8 * 32, TOP + 16);
	expect(test, w, RESTORER, HANDLER_SP, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
	set(w, regs + 8 * 28, CURG);
	expect(test, w, RESTORER, HANDLER_SP, SWITCH_RET, G0_SP,
	       SFRAME_GO_NO_STACK);
}

/* Before it switches, in its own code or in what that calls. */
static void scheduler_not_yet(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct world *w = start(way);

	w->reg = CURG;
	expect(test, w, SWITCH + 12, CURG_SP, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
	/* It is the scheduler's already, but SP is not. */
	w->reg = G0;
	expect(test, w, SWITCH + 12, CURG_SP, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
	expect(test, w, SWITCH + 12, G0_SP, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
	/* Elsewhere in its stack, it is not known what has become of it. */
	expect(test, w, SWITCH + 12, G0_SP - 16, SWITCH + 12, G0_SP - 16,
	       SFRAME_GO_NO_STACK);
	w->reg = CURG;
	expect(test, w, SWITCH + 12, G0_SP, SWITCH + 12, G0_SP,
	       SFRAME_GO_NO_STACK);
}

/* Other code leads nowhere, or there if it only looks different. */
static void code_must_be_known(struct kunit *test)
{
	const struct way *way = test->param_value;
	const struct sframe_regs regs = {
		.pc = TOP + 16, .sp = G0_SP - TOP_SIZE,
	};
	unsigned int i, bit;
	struct world *w;

	for (i = 0; i < way->len; i++) {
		for (bit = 0; bit < 8; bit++) {
			w = start(way);
			w->code[SWITCH_RET - CODE + i] ^= 1 << bit;
			sframe_cursor_init(&w->cur, w->abi, &regs, 8, &world_ops,
					   w);
			while (!sframe_cursor_next(&w->cur))
				;
			KUNIT_EXPECT_TRUE(test, w->cur.pc == SWITCH_RET ||
					  (w->cur.pc == CALLER_RET &&
					   w->cur.sp == CURG_SP + SIZE));
		}
	}
}

static void depth_leads_back(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct world *w = start(way);
	const u64 end = CURG_STACK + STACK_SIZE;

	w->reg = 0;
	set(w, G0_SP + way->g_at, CURG);
	set(w, G0_SP + way->sp_at, end - CURG_SP);
	expect_caller(test, w);
	set(w, G0_SP + way->sp_at, STACK_SIZE);
	expect_none(test, w);
	set(w, G0_SP + way->sp_at, ~0ull);
	expect_none(test, w);
	set(w, G0_SP + way->sp_at, end - CURG_SP);
	set(w, G0_SP + way->g_at, 0x123456789ab8);
	expect_none(test, w);
}

static void copy_leads_back(struct kunit *test)
{
	const struct way *way = test->param_value;
	struct world *w = start(way);

	set(w, G0_SP + 192, CALLER_RET);
	set(w, G0_SP + way->sp_at, G0_SP + 192);
	expect(test, w, TOP + 16, G0_SP - TOP_SIZE, CALLER_RET,
	       G0_SP + 192 + SIZE, SFRAME_OUTERMOST);
	set(w, G0_SP + way->sp_at, G0_SP);
	expect_none(test, w);
	set(w, G0_SP + way->sp_at, G0_SP + 264);
	expect_none(test, w);
}

static struct world *start_by_thread(void)
{
	struct world *w = start(&by_thread);

	w->reg = CURG;
	set(w, M + M_SP, CURG_SP + SIZE);
	set(w, M + M_PC, CALLER_RET);
	return w;
}

static void thread_leads_back(struct kunit *test)
{
	static const u64 fields[] = {
		G0 + G_M, CURG, CURG + 8, CURG + G_M, CURG_SP, M, M + M_SP, M + M_PC,
	};
	struct world *w = start_by_thread();
	unsigned int i;

	expect_caller(test, w);
	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		w = start_by_thread();
		set(w, fields[i], fields[i] == CURG ? ~0ull : 0x123456789ab8);
		if (fields[i] == CURG + 8)
			set(w, fields[i], 1);
		expect_none(test, w);
	}
	/* What is called has saved the register, as C does. */
	w = start_by_thread();
	w->reg = 0x123456789ab8;
	expect_none(test, w);
	set(w, G0_SP + 104, CURG);
	expect_caller(test, w);
}

/* The other register says so, where it is topmost. */
static void thread_not_yet(struct kunit *test)
{
	struct world *w = start_by_thread();

	set(w, M + M_PC, 0);
	w->reg7 = CURG_SP;
	expect(test, w, SWITCH + 12, CURG_SP, CALLER_RET, CURG_SP + SIZE,
	       SFRAME_OUTERMOST);
	w->reg7 = CURG_SP + 8;
	expect(test, w, SWITCH + 12, CURG_SP, SWITCH + 12, CURG_SP,
	       SFRAME_GO_NO_STACK);
	w->reg7 = G0_SP;
	expect_none(test, w);
}

static struct kunit_case go_stack_cases[] = {
	KUNIT_CASE(register_is_saved),
	KUNIT_CASE(thread_leads_back),
	KUNIT_CASE(thread_not_yet),
	KUNIT_CASE_PARAM(scheduler_leads_back, by_scheduler_gen_params),
	KUNIT_CASE_PARAM(scheduler_must_agree, by_scheduler_gen_params),
	KUNIT_CASE_PARAM(scheduler_not_yet, by_scheduler_gen_params),
	KUNIT_CASE_PARAM(code_must_be_known, by_scheduler_gen_params),
	KUNIT_CASE_PARAM(depth_leads_back, by_depth_gen_params),
	KUNIT_CASE_PARAM(copy_leads_back, by_copy_gen_params),
	{ }
};

static struct kunit_suite go_stack_suite = {
	.name = "sframe_go_stack",
	.test_cases = go_stack_cases,
};

kunit_test_suite(go_stack_suite);
