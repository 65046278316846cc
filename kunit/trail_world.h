/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code and a stack that grows and shrinks, and walks of it with a trail and without;
 * included once, by trail_kunit.c.
 */
#define CODE		0x400000ull
#define FN_SIZE		64
#define NR_FNS		16
#define STACK		0x7ff000000000ull
#define STACK_WORDS	8192
#define TOP		(STACK + 8 * STACK_WORDS)
#define DEEPEST		800
#define ON_STACK	SFRAME_LOC_SAVED

/* Where the function of this number calls another one: the call's RA. */
#define CALL(fn, n)	(CODE + FN_SIZE * (fn) + 8 + 8 * (n))

/* Where a frame begins: what its function finds when it is called. */
struct level {
	u64 sp;
	u64 fp;
	u64 pc;		/* where it calls, or is */
};

/* Code, a stack, and what was asked for. */
struct world {
	struct sframe_cursor cur;
	struct sframe_rule rules[NR_FNS];
	u64 stack[STACK_WORDS];
	struct level level[DEEPEST + 1];
	u32 nr;
	u32 finds;
	u32 peeks;
	u32 coming;		/* function whose table is not there yet; 0: none */
	u32 peek_fails;		/* from that one on; 0: none */
	bool peeking;
	u64 rng;
	struct sframe_trail trail;
};

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct world the_world;

static enum sframe_reason world_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	struct world *w = ctx;

	w->finds++;
	if (w->peeking || pc - CODE >= NR_FNS * FN_SIZE)
		return SFRAME_NO_MAPPING;
	if (w->coming && (pc - CODE) / FN_SIZE == w->coming)
		return SFRAME_NOT_YET;
	*rule = w->rules[(pc - CODE) / FN_SIZE];
	return SFRAME_OK;
}

static int world_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct world *w = ctx;

	if (w->peeking)
		return -1;
	return read_piece(addr, buf, len, STACK, w->stack, sizeof(w->stack)) ? 0 : -1;
}

static bool world_peek_begin(void *ctx)
{
	struct world *w = ctx;

	w->peeking = true;
	return true;
}

static int world_peek(void *ctx, u64 addr, u64 *word)
{
	struct world *w = ctx;

	w->peeks++;
	if (!w->peeking || (w->peek_fails && w->peeks >= w->peek_fails))
		return -1;
	return read_piece(addr, word, sizeof(*word), STACK, w->stack,
			  sizeof(w->stack)) ? 0 : -1;
}

static void world_peek_end(void *ctx)
{
	struct world *w = ctx;

	w->peeking = false;
}

static const struct sframe_cursor_ops world_ops = {
	.find = world_find,
	.find_kept = nothing_kept,
	.read = world_read,
	.read_code = world_read,
	.reg = no_register,
};

static const struct sframe_peek_ops world_peeks = {
	.begin = world_peek_begin,
	.word = world_peek,
	.end = world_peek_end,
};

/*
 * The first function is the outermost one. Of the others, most have the shapes of rule
 * that are stepped over fast; one has another, one loses FP, and one interrupts.
 */
static void make_code(struct world *w)
{
	u32 i;

	w->rules[0] = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	for (i = 1; i < NR_FNS; i++) {
		struct sframe_rule *rule = &w->rules[i];

		*rule = (struct sframe_rule){
			.cfa = SFRAME_LOC_SP,
			.cfa_off = 32 + 16 * rnd_below(&w->rng, 4),
			.ra = ON_STACK,
			.ra_off = -8,
			.fp = i & 1 ? ON_STACK : SFRAME_LOC_SAME,
			.fp_off = i & 1 ? -16 : 0,
		};
		if (i % 4 == 3) {
			rule->cfa = SFRAME_LOC_FP;
			rule->cfa_off = 16;
		}
	}
	w->rules[8].flags = SFRAME_RULE_CFA_ABOVE;
	w->rules[8].cfa_off = SFRAME_CFA_ABOVE(w->rules[8].cfa_off - 8, 8);
	w->rules[10].fp = SFRAME_LOC_LOST;
	w->rules[14] = w->rules[12];
	w->rules[12].flags = SFRAME_RULE_SIGNAL;
}

static u64 *word_at(struct world *w, u64 addr)
{
	return &w->stack[(addr - STACK) / sizeof(u64)];
}

/* Function @fn is called, and has a frame. */
static void push(struct world *w, u32 fn)
{
	const struct sframe_rule *rule = &w->rules[fn];
	struct level *caller = &w->level[w->nr], *to = caller + 1;
	u32 size = 32;

	if (rule->cfa == SFRAME_LOC_SP)
		size = sframe_cfa_load_off(rule) + sframe_cfa_added(rule);
	*word_at(w, caller->sp - 8) = caller->pc;
	*word_at(w, caller->sp - 16) = caller->fp;
	*to = (struct level){
		.sp = caller->sp - size,
		.fp = rule->fp == ON_STACK ? caller->sp - 16 : caller->fp,
		.pc = CALL(fn, rnd_below(&w->rng, 4)),
	};
	w->nr++;
}

static u32 any_fn(struct world *w)
{
	u32 fn = 1 + rnd_below(&w->rng, NR_FNS - 1);

	/* These not so often. */
	return fn >= 8 && fn <= 12 && !(fn & 1) && rnd_below(&w->rng, 4) ? fn + 1 : fn;
}

/* Other functions, and a stack of them. */
static void make(struct world *w, u32 depth)
{
	make_code(w);
	w->level[0] = (struct level){ .sp = TOP, .fp = 0, .pc = CALL(0, 0) };
	for (w->nr = 0; w->nr < depth; )
		push(w, any_fn(w));
}

static void begin(struct world *w, u64 seed, u32 depth)
{
	memset(w, 0, sizeof(*w));
	w->rng = seed;
	make(w, depth);
}

/* A walk from the innermost frame, and its PCs: with @t, or by steps alone. */
static enum sframe_reason walk(struct world *w, struct sframe_trail *t, u32 most, u64 *pcs)
{
	const struct level *at = &w->level[w->nr];
	struct sframe_regs regs = { .pc = at->pc, .sp = at->sp, .fp = at->fp };
	struct sframe_trail_place place = sframe_trail_place(&w->trail);
	enum sframe_reason reason;

	w->finds = 0;
	w->peeks = 0;
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &regs, most, &world_ops, w);
	*pcs++ = w->cur.pc;
	do {
		if (t) {
			reason = sframe_trail_next_with(&t, &place, &w->cur,
							&world_ops, &world_peeks,
							&pcs);
			continue;
		}
		reason = sframe_cursor_next(&w->cur);
		if (!reason)
			*pcs++ = w->cur.pc;
	} while (!reason);
	return reason;
}

static u64 plain_pcs[DEEPEST + 1], pcs[DEEPEST + 1];

/* With the trail it is as without. Returns how many frames the trail had. */
static u32 compare(struct kunit *test, struct world *w, u64 key, u32 most)
{
	enum sframe_reason want = walk(w, NULL, most, plain_pcs);
	struct sframe_cursor plain = w->cur;

	sframe_trail_begin(&w->trail, key);
	KUNIT_EXPECT_EQ(test, (int)walk(w, &w->trail, most, pcs), (int)want);
	KUNIT_ASSERT_EQ(test, w->cur.depth, plain.depth);
	KUNIT_EXPECT_EQ(test, memcmp(pcs, plain_pcs, 8 * (plain.depth + 1)), 0);
	KUNIT_EXPECT_EQ(test, w->cur.pc, plain.pc);
	KUNIT_EXPECT_EQ(test, w->cur.sp, plain.sp);
	KUNIT_EXPECT_EQ(test, w->cur.cfa, plain.cfa);
	KUNIT_EXPECT_EQ(test, w->cur.left, plain.left);
	KUNIT_EXPECT_EQ(test, w->cur.budget, plain.budget);
	KUNIT_EXPECT_EQ(test, w->cur.fp_known, plain.fp_known);
	if (plain.fp_known)
		KUNIT_EXPECT_EQ(test, w->cur.fp, plain.fp);
	KUNIT_EXPECT_EQ(test, memcmp(&w->cur.rule, &plain.rule, sizeof(plain.rule)), 0);
	KUNIT_EXPECT_LT(test, w->cur.known, plain.depth + !plain.depth);
	return w->cur.known;
}
