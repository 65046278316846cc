/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks that find again what others have found, after something has changed;
 * included once, by cursor_kunit.c.
 */
#define AGAIN_MAX	40

/* Where a walk led. */
struct again {
	u64 pc[AGAIN_MAX + 1];
	u64 sp[AGAIN_MAX + 1];
	u64 fp[AGAIN_MAX + 1];
	u32 depth;
	enum sframe_reason end;
};

static void walk_again(struct world *w, const struct sframe_regs *regs, struct again *a)
{
	struct sframe_cursor *cur = &w->cur;

	memset(a, 0, sizeof(*a));
	sframe_cursor_init(cur, w->abi, regs, AGAIN_MAX, &world_ops, w);
	while (!(a->end = sframe_cursor_next(cur))) {
		a->pc[cur->depth] = cur->pc;
		a->sp[cur->depth] = cur->sp_known ? cur->sp : 1;
		a->fp[cur->depth] = cur->fp_known ? cur->fp : 1;
	}
	a->depth = cur->depth;
}

/* Other words where the walk has come along, or near; or other code. */
static void change_something(struct world *w, const struct again *was, u64 *state)
{
	u64 r = next_random(state), sp = was->sp[r % (was->depth + 1)];
	unsigned int i;

	for (i = 0; i < 4; i++) {
		r = next_random(state);
		if (r & 3)
			w->stack[((sp - STACK) / sizeof(u64) + r / 4 % 8 - 4) % STACK_WORDS] =
				random_word(state);
		else
			w->code[r / 4 % sizeof(w->code)] ^= 1 << (r >> 40 & 7);
	}
}

/* Whatever changes between them, walks that know the ones before find the same. */
static void found_again(struct kunit *test)
{
	static const struct sframe_abi * const abis[] = {
		&sframe_abi_x86, &sframe_abi_arm64, &sframe_abi_s390,
	};
	static struct again before, plain, known;
	struct world *w = &the_world;
	u64 state = 0x9e3779b97f4a7c15ull, recalled = 0, others = 0;
	unsigned int i, j, k;

	for (i = 0; i < 3000; i++) {
		struct sframe_regs regs = { .sp = S(16), .fp = S(CHAIN_STEP) };

		w->abi = abis[i % ARRAY_SIZE(abis)];
		random_world(w, &state);
		for (k = 0; i % 8 && k < NR_FNS; k++)
			w->random_fns[k].kind = FN_NO_TABLE;
		regs.pc = AT(next_random(&state) % NR_FNS);
		kept_steps_begin(STEPS_NEW);
		for (j = 0; j < 12; j++) {
			before = plain;
			kept_steps_begin(STEPS_NONE);
			walk_again(w, &regs, &plain);
			kept_steps_begin(STEPS_OLD);
			walk_again(w, &regs, &known);
			KUNIT_ASSERT_EQ(test, memcmp(&plain, &known, sizeof(plain)), 0);
			recalled += w->cur.recalled;
			others += j && memcmp(&before, &plain, sizeof(plain));
			if (j % 3)
				change_something(w, &plain, &state);
			if (j % 3 == 2) {
				w->reg10 = random_word(&state);
				regs.ra = random_word(&state);
				regs.fp = i & 2 ? random_word(&state) : S(CHAIN_STEP);
			}
		}
	}
	kept_steps_begin(STEPS_NONE);
	KUNIT_EXPECT_GT(test, recalled, 10000ull);
	KUNIT_EXPECT_GT(test, others, 1000ull);
}
