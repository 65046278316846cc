/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Two stacks, the goroutines that they are of, and the code that goes from the one
 * to the other; included once, by go_stack_kunit.c.
 */
#define CODE		0x400000ull
#define CODE_SIZE	512
/* What runs; what it was called by, on another stack; what called that. */
#define TOP		CODE
#define SWITCH		(CODE + 128)
#define SWITCH_RET	(CODE + 192)
#define CALLER_RET	(CODE + 448)
/* What a signal handler returns to, and with which SP. */
#define RESTORER	(CODE + 320)
#define HANDLER_SP	0x50000000ull

/* The scheduler's goroutine, the other one, their thread. */
#define G0		0x10000000ull
#define CURG		0x20000000ull
#define M		0x30000000ull
#define G_M		48
#define G_SP		56
#define M_CURG		192
#define M_SP		896
#define M_PC		904
/* Their stacks, and where these were left. */
#define G0_STACK	0x70000000ull
#define G0_SP		0x70000f00ull
#define CURG_STACK	0x60000000ull
#define CURG_SP		0x60000800ull
#define STACK_SIZE	0x1000

#define TOP_SIZE	32
#define SIZE		16
#define NR_WORDS	32

struct word {
	u64 addr;
	u64 val;
};

struct world {
	struct sframe_cursor cur;
	const struct sframe_abi *abi;
	u64 reg;
	u64 reg7;
	unsigned int nr;
	struct word word[NR_WORDS];
	u8 code[CODE_SIZE];
};

/* systemstack() and asmcgocall(), behind their calls. */
static const u32 arm64_scheduler[] = {
	0xf9401b83, 0xf940607c, 0x94000e63, 0xf9401f80, 0x9100001f, 0xd65f03c0,
};

static const u32 arm64_depth[] = {
	0xaa0003e9, 0xf94003fc, 0x940005bb, 0xf9400785, 0xf94007e6, 0xcb0600a5,
	0xaa0903e0, 0x910000bf,
};

static const u32 arm64_copy[] = { 0xf94007e2, 0x9100005f };

static const u8 s390_scheduler[] = {
	0xe3, 0x30, 0xd0, 0x30, 0, 0x04, 0xe3, 0xd0, 0x30, 0xc0, 0, 0x04,
	0xc0, 0xe5, 0, 0, 0x19, 0x61, 0xe3, 0xf0, 0xd0, 0x38, 0, 0x04,
};

static const u8 s390_depth[] = {
	0xb9, 0x82, 0, 0, 0xe3, 0xd0, 0xf0, 0xa8, 0, 0x04,
	0xc0, 0xe5, 0, 0, 0x08, 0x97, 0xe3, 0x50, 0xd0, 0x08, 0, 0x04,
	0xe3, 0x60, 0xf0, 0xa0, 0, 0x04, 0xb9, 0x09, 0, 0x56, 0xb9, 0x04, 0, 0xf5,
};

static const u8 s390_copy[] = {
	0xb9, 0x82, 0, 0, 0xe3, 0xf0, 0xf0, 0xa0, 0, 0x04,
};

static const u8 x86_scheduler[] = {
	0x48, 0x8b, 0x58, 0x30, 0x48, 0x8b, 0x83, 0xc0, 0, 0, 0,
	0x64, 0x48, 0x89, 0x04, 0x25, 0xf8, 0xff, 0xff, 0xff,
	0x48, 0x8b, 0x60, 0x38,
};

/* Where it can be mapped anywhere. */
static const u8 x86_scheduler_pie[] = {
	0x48, 0xc7, 0xc1, 0xf8, 0xff, 0xff, 0xff, 0x64, 0x48, 0x8b, 0x01,
	0x48, 0x8b, 0x58, 0x30, 0x48, 0x8b, 0x83, 0xc0, 0, 0, 0,
	0x64, 0x48, 0x89, 0x01, 0x48, 0x8b, 0x60, 0x38,
};

static const u8 x86_depth[] = {
	0x48, 0x8b, 0x7c, 0x24, 0x30, 0x48, 0x8b, 0x77, 0x08,
	0x48, 0x2b, 0x74, 0x24, 0x28,
	0x64, 0x48, 0x89, 0x3c, 0x25, 0xf8, 0xff, 0xff, 0xff,
	0x48, 0x89, 0xf4,
};

static const u8 x86_depth_pie[] = {
	0x48, 0x8b, 0x0d, 1, 2, 3, 4, 0x48, 0x8b, 0x7c, 0x24, 0x30,
	0x48, 0x8b, 0x77, 0x08, 0x48, 0x2b, 0x74, 0x24, 0x28,
	0x64, 0x48, 0x89, 0x39, 0x48, 0x89, 0xf4,
};

static const u8 x86_copy[] = { 0x48, 0x8b, 0x74, 0x24, 0x28, 0x48, 0x89, 0xf4 };

/* nanotime1(). */
static const u8 s390_thread[] = {
	0xb9, 0x04, 0, 0xf7, 0xe3, 0xc0, 0xf0, 0x18, 0, 0x04,
	0xe3, 0xc0, 0x63, 0x80, 0, 0x24, 0xe3, 0xc0, 0xf0, 0x10, 0, 0x04,
	0xe3, 0xc0, 0x63, 0x88, 0, 0x24,
};

/* What a case's code is. */
struct way {
	const char *name;
	const struct sframe_abi *abi;
	const void *code;
	unsigned int len;
	bool words;		/* of little-endian instructions */
	u32 g_at, sp_at;	/* on the stack, from SP on */
};

#define WAY(what, isa, which, ...)					\
	{ .name = what, .abi = &sframe_abi_##isa, .code = isa##_##which,	\
	  .len = sizeof(isa##_##which), __VA_ARGS__ }

static const struct way by_scheduler[] = {
	WAY("arm64", arm64, scheduler, .words = true),
	WAY("s390x", s390, scheduler),
	WAY("x86", x86, scheduler),
	WAY("x86 anywhere", x86, scheduler_pie),
};

static const struct way by_depth[] = {
	WAY("arm64", arm64, depth, .words = true, .g_at = 0, .sp_at = 8),
	WAY("s390x", s390, depth, .g_at = 168, .sp_at = 160),
	WAY("x86", x86, depth, .g_at = 48, .sp_at = 40),
	WAY("x86 anywhere", x86, depth_pie, .g_at = 48, .sp_at = 40),
};

static const struct way by_copy[] = {
	WAY("arm64", arm64, copy, .words = true, .sp_at = 8),
	WAY("s390x", s390, copy, .sp_at = 160),
	WAY("x86", x86, copy, .sp_at = 40),
};

static const struct way by_thread = WAY("s390x", s390, thread);

KUNIT_ARRAY_PARAM_DESC(by_scheduler, by_scheduler, name);
KUNIT_ARRAY_PARAM_DESC(by_depth, by_depth, name);
KUNIT_ARRAY_PARAM_DESC(by_copy, by_copy, name);

static enum sframe_reason world_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct world *w = ctx;
	const s64 bias = w->abi->sp_bias;

	if (pc - CODE >= CODE_SIZE)
		return SFRAME_NO_MAPPING;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc >= RESTORER && pc < RESTORER + 64)
		rule->flags = SFRAME_RULE_SIGNAL;
	else if (pc < SWITCH)
		*rule = (struct sframe_rule){
			.cfa = SFRAME_LOC_SP,
			.cfa_off = TOP_SIZE - bias,
			.ra = SFRAME_LOC_SAVED,
			.ra_off = bias - TOP_SIZE,
			.fp = SFRAME_LOC_LOST,
		};
	else if (pc < CODE + 256)
		*rule = (struct sframe_rule){
			.cfa = SFRAME_LOC_REG | w->abi->go_reg,
			.cfa_off = SIZE - bias,
			.ra = SFRAME_LOC_SAVED,
			.ra_off = bias - SIZE,
			.flags = SFRAME_RULE_SWITCH,
		};
	return SFRAME_OK;
}

static int world_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct world *w = ctx;
	unsigned int i;

	if (read_piece(addr, buf, len, CODE, w->code, CODE_SIZE))
		return 0;
	for (i = 0; i < w->nr && len == sizeof(u64); i++) {
		if (w->word[i].addr != addr)
			continue;
		memcpy(buf, &w->word[i].val, len);
		return 0;
	}
	return -1;
}

static int world_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct world *w = ctx;

	*val = reg == 7 ? w->reg7 : w->reg;
	return *val && (reg == 7 || reg == w->abi->go_reg) ? 0 : -1;
}

static const struct sframe_cursor_ops world_ops = {
	.find = world_find,
	.find_kept = nothing_kept,
	.read = world_read,
	.read_code = world_read,
	.reg = world_reg,
};

/* Add a word, or change it. */
static void set(struct world *w, u64 addr, u64 val)
{
	unsigned int i;

	for (i = 0; i < w->nr && w->word[i].addr != addr; i++)
		;
	w->word[i] = (struct word){ addr, val };
	if (i == w->nr)
		w->nr++;
}

static void put_code(struct world *w, u64 at, const struct way *way)
{
	unsigned int i;

	for (i = 0; i < way->len; i++) {
		const u32 *insn = way->code;
		const u8 *bytes = way->code;

		w->code[at - CODE + i] = way->words ? insn[i / 4] >> i % 4 * 8 :
						      bytes[i];
	}
}

static void put_call(struct world *w, u64 ra)
{
	static const u8 arm64[] = { 0x40, 0, 0, 0x94 };
	static const u8 s390[] = { 0xc0, 0xe5, 0, 0, 1, 2 };
	static const u8 x86[] = { 0xe8, 1, 2, 3, 4 };
	u8 *end = w->code + (ra - CODE);

	if (w->abi == &sframe_abi_arm64)
		memcpy(end - sizeof(arm64), arm64, sizeof(arm64));
	else if (w->abi == &sframe_abi_x86)
		memcpy(end - sizeof(x86), x86, sizeof(x86));
	else
		memcpy(end - sizeof(s390), s390, sizeof(s390));
}
