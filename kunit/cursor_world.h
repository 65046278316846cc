/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code, the stack and the tables that a case describes; included once, by
 * cursor_kunit.c.
 */

/* What a walk sees. */
struct world {
	struct sframe_cursor cur;
	const struct sframe_abi *abi;
	const struct fn *fns;
	u64 reg10;
	bool gap_around;
	u64 hole;
	u32 lookup_cost;	/* charged for each */
	u32 bytes_read;
	u8 code[NR_FNS * FN_SIZE];
	u64 stack[STACK_WORDS];
	struct fn random_fns[NR_FNS];
};

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct world the_world;

static enum sframe_reason world_find(void *ctx, u64 pc,
				     struct sframe_rule *rule)
{
	struct world *w = ctx;
	const struct fn *fn;

	sframe_cursor_charge(&w->cur, w->lookup_cost);
	if (pc < CODE || pc >= START(NR_FNS)) {
		*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
		return w->gap_around ? SFRAME_OK : SFRAME_NO_MAPPING;
	}
	fn = &w->fns[(pc - CODE) / FN_SIZE];
	if (fn->kind == FN_UNMAPPED)
		return SFRAME_NO_MAPPING;
	if (fn->kind == FN_CHANGED)
		return SFRAME_CHANGED;
	if (fn->kind == FN_NOT_YET)
		return SFRAME_NOT_YET;
	if (fn->kind != FN_TABLE && fn->kind != FN_SIGRETURN_ROW)
		return SFRAME_NO_TABLE;
	*rule = fn->rule;
	return SFRAME_OK;
}

static enum sframe_reason world_find_kept(void *ctx, u64 pc, unsigned int reg,
					  struct sframe_rule *rule)
{
	enum sframe_reason reason = world_find(ctx, pc, rule);
	const struct world *w = ctx;
	s32 keeps;

	if (reason || rule->flags)
		return reason ?: SFRAME_NO_TABLE;
	keeps = w->fns[(pc - CODE) / FN_SIZE].keeps;
	if (reg != 10 || !keeps)
		return SFRAME_NO_TABLE;
	rule->fp = keeps == KEEPS_SAME ? SFRAME_LOC_SAME : ON_STACK;
	rule->fp_off = keeps;
	return SFRAME_OK;
}

static int world_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct world *w = ctx;
	u64 at = addr - CODE;

	w->bytes_read += len;
	if (w->hole && addr < w->hole + sizeof(u64) && w->hole < addr + len)
		return -1;
	if (read_piece(addr, buf, len, STACK, w->stack, sizeof(w->stack)))
		return 0;
	if (at < sizeof(w->code) && (w->fns[at / FN_SIZE].kind == FN_UNREADABLE ||
				     w->fns[at / FN_SIZE].kind == FN_UNMAPPED))
		return -1;
	return read_piece(addr, buf, len, CODE, w->code, sizeof(w->code)) ? 0 : -1;
}

static int world_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct world *w = ctx;

	*val = w->reg10;
	return (reg < 3 || reg == 10 || reg == 12) && w->reg10 ? 0 : -1;
}

static const struct sframe_cursor_ops world_ops = {
	.find = world_find,
	.find_kept = world_find_kept,
	.read = world_read,
	.read_code = world_read,
	.reg = world_reg,
	.answers = kept_answers,
	.is_fixed = kept_answers_fixed,
};

static void write_sigreturn(struct world *w, int f)
{
	static const u8 x86[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 };
	static const u8 arm64[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	static const u8 s390[] = { 0x0a, 173 }, s390_old[] = { 0x0a, 119 };
	enum fn_kind kind = w->fns[f].kind;
	u8 *to = w->code + ((kind == FN_SIGRETURN_START ? START(f) : AT(f)) - CODE);

	if (w->abi == &sframe_abi_arm64)
		memcpy(to, arm64, sizeof(arm64));
	else if (w->abi == &sframe_abi_x86)
		memcpy(to, x86, sizeof(x86));
	else
		memcpy(to, kind == FN_SIGRETURN_OLD ? s390_old : s390, sizeof(s390));
}

/* A jump to START(@to) through a word in the same function (x86-64). */
static void write_stub(u8 *start, int to)
{
	static const u8 jump[] = { 0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 6, 0, 0, 0 };
	u64 address = START(to);

	memcpy(start, jump, sizeof(jump));
	memcpy(start + 16, &address, sizeof(address));
}

/* A jump to START(@to) behind an instruction with which functions begin (x86-64). */
static void write_jump(u8 *start, u64 at, int to)
{
	static const u8 begin[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	memcpy(start, begin, sizeof(begin));
	write_call(start + 9, at + 9, START(to), true);
	start[4] = 0xe9;
}

/* What a function's code says of itself (x86-64 and arm64), and far calls. */
static void write_evidence(struct world *w, int f)
{
	/* push %rbp; mov %rsp, %rbp; sub $32, %rsp */
	static const u8 x86_record[] = { 0x55, 0x48, 0x89, 0xe5, 0x48, 0x83, 0xec, 32 };
	static const u8 x86_save[] = { 0x55, 0x48, 0x83, 0xec, 32 };
	static const u8 x86_ret[] = { 0x98, 0x98, 0x98, 0x98, 0xc3 };
	static const u8 arm64_record[] = { 0xfd, 0x03, 0x00, 0x91 };
	static const u8 arm64_ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
	static const u8 arm64_blr[] = { 0, 0, 0x3f, 0xd6 };
	/* brasl %r14, . - 16384 */
	static const u8 s390_brasl[] = { 0xc0, 0xe5, 0xff, 0xff, 0xe0, 0x00 };
	bool x86 = w->abi == &sframe_abi_x86;
	const struct fn *fn = &w->fns[f];
	u8 *start = w->code + (START(f) - CODE), *ret = w->code + (RET(f) - CODE);
	unsigned int n = sizeof(fn->last);

	if (fn->record)
		memcpy(start, x86 ? x86_record : arm64_record, x86 ? 8 : 4);
	if (fn->saves_fp)
		memcpy(start, x86_save, sizeof(x86_save));
	if (fn->ends && x86)
		memcpy(start + FN_SIZE - sizeof(x86_ret), x86_ret, sizeof(x86_ret));
	else if (fn->ends)
		memcpy(start + FN_SIZE - 4, arm64_ret, 4);
	if (fn->stub_of)
		write_stub(start, fn->stub_of - 1);
	if (fn->jumps_to)
		write_jump(start, START(f), fn->jumps_to - 1);
	while (n && !fn->last[n - 1])
		n--;
	if (!x86)
		n = (n + 3) & ~3;
	memcpy(start + FN_SIZE - n, fn->last, n);
	if (fn->calls > 0) {
		write_call(ret, RET(f), START(fn->calls - 1), x86);
	} else if (fn->calls == CALL_FAR && w->abi == &sframe_abi_s390) {
		memcpy(ret - sizeof(s390_brasl), s390_brasl, sizeof(s390_brasl));
	} else if (fn->calls == CALL_FAR) {
		write_call(ret, RET(f), START(f) - 8192, x86);
	} else if (fn->calls == CALL_NONE) {
		memset(ret - 5, start[FN_SIZE / 4], 5);
	} else if (fn->calls && x86) {
		memset(ret - 5, 0x98, 3);
		ret[-2] = 0xff;
		ret[-1] = 0xd0;
	} else if (fn->calls) {
		memcpy(ret - 4, arm64_blr, 4);
	}
}

/* Lay down a call that ends at each RET() and END(), or a trampoline. */
static void write_code(struct world *w)
{
	static const u8 x86_call[] = { 0xff, 0xd0 };	/* call *%rax */
	static const u8 arm64_call[] = { 0x40, 0, 0, 0x94 };
	static const u8 s390_call[] = { 0x07, 0x07, 0x07, 0x07, 0x0d, 0xe1 };	/* basr %r14, %r1 */
	const u8 *call = x86_call;
	size_t len = sizeof(x86_call);
	int f;

	if (w->abi == &sframe_abi_arm64) {
		call = arm64_call;
		len = sizeof(arm64_call);
	} else if (w->abi == &sframe_abi_s390) {
		call = s390_call;
		len = sizeof(s390_call);
	}
	/* x86: cwtl; the others have no such instruction. */
	memset(w->code, w->abi == &sframe_abi_x86 ? 0x98 : 1, sizeof(w->code));
	for (f = 0; f < NR_FNS; f++) {
		memcpy(w->code + (RET(f) - CODE) - len, call, len);
		memcpy(w->code + (END(f) - CODE) - len, call, len);
		if (w->fns[f].kind >= FN_SIGRETURN)
			write_sigreturn(w, f);
		write_evidence(w, f);
		write_insns(w->code + ((f ? RET(f) : AT(f)) - CODE), &w->fns[f]);
	}
}

static void world_set(struct world *w, const struct walk_case *c)
{
	const struct word *word;
	int i;

	for (i = 0; i < STACK_WORDS; i++)
		w->stack[i] = c->fill;
	w->abi = c->abi;
	w->fns = c->fns;
	w->reg10 = c->reg10;
	w->gap_around = c->gap_around;
	w->hole = c->hole;
	w->lookup_cost = 0;
	w->bytes_read = 0;
	write_code(w);
	for (word = c->words; word->addr; word++)
		w->stack[(word->addr - STACK) / sizeof(u64)] = word->val;
	sframe_cursor_init(&w->cur, c->abi, &c->regs, c->max_depth ?: 16,
			   &world_ops, w);
	if (c->budget)
		sframe_cursor_set_budget(&w->cur, c->budget);
}
