/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks a stack: registers in, one caller per step out. Knows the ABI's rules, but
 * neither where tables are nor how memory is read: struct sframe_cursor_ops does, which
 * kernel/walk.c fills in for the module, and tests fill in as they like.
 */
#ifndef SFRAME_CURSOR_H
#define SFRAME_CURSOR_H

#include <sframe/decode.h>
#include <sframe/frame.h>

struct sframe_answers;
struct sframe_asking;

/**
 * struct sframe_home - code that is the same wherever it is mapped, or not
 * @key: stands for it, and for who trusts it; bit 63 is set, so it is no &sframe_answers.key. 0:
 *	it is not known to be
 * @start: its first address
 * @end: the first past it
 * @place: what is subtracted from addresses, so that they are the same wherever it is
 */
struct sframe_home {
	u64 key;
	u64 start;
	u64 end;
	u64 place;
};

/**
 * struct sframe_cursor_ops - what a walk needs from its surroundings
 * @find: the rule for user address @pc, which may be any number. SFRAME_OK (look at the
 *	rule's flags), SFRAME_NO_TABLE (executable, but nothing is known),
 *	SFRAME_NOT_YET (executable, and more will be known soon: then nothing is
 *	guessed), SFRAME_NO_MAPPING (not executable) or SFRAME_CHANGED (it was not,
 *	but may be by now). Called for up to 512 words of the stack in a step without
 *	a row
 * @find_kept: where the function at @pc, which is past its first byte, saves register
 *	@reg for its caller: @rule says it of FP, but means @reg. Returns as @find;
 *	SFRAME_NO_TABLE if nothing is known of that register
 * @read: copy @len bytes (up to 128) of the task's memory at @addr, stack or
 *	code, to @buf: 0, or -errno if not all of them can be had. @addr + @len
 *	may wrap
 * @read_code: the same for code (up to 96 bytes), which may be taken from elsewhere,
 *	and need not be faulted in for a walk
 * @reg: topmost frame's register with DWARF number @reg, 0 or -errno
 * @answers: called before code is followed: the answers that code gave to earlier
 *	walks, to look at and add to until sframe_cursor.answers is cleared, as the
 *	walk pauses; or NULL. May be NULL
 * @is_fixed: is at @addr, for @len bytes, code that stays the same as long as @find
 *	finds the same there? Not NULL if @answers is not
 * @home: which code that stays the same is around @addr, if any: @home->start and end are always
 *	set, and @addr is in between. May be NULL
 *
 * All are called in the context of sframe_cursor_next()'s caller. The core charges what
 * each call takes at the least; one that takes much longer charges more by itself, with
 * sframe_cursor_charge().
 */
struct sframe_cursor_ops {
	enum sframe_reason (*find)(void *ctx, u64 pc, struct sframe_rule *rule);
	enum sframe_reason (*find_kept)(void *ctx, u64 pc, unsigned int reg,
					struct sframe_rule *rule);
	int (*read)(void *ctx, u64 addr, void *buf, unsigned int len);
	int (*read_code)(void *ctx, u64 addr, void *buf, unsigned int len);
	int (*reg)(void *ctx, unsigned int reg, u64 *val);
	struct sframe_answers *(*answers)(void *ctx);
	bool (*is_fixed)(void *ctx, u64 addr, unsigned int len);
	void (*home)(void *ctx, u64 addr, struct sframe_home *home);
};

/**
 * struct sframe_java_link - how HotSpot's chain goes on from a frame (s390x)
 * @sp: the frame's SP; 0: this is none
 * @up: the next frame's SP
 * @ra: the frame's RA
 * @by_c: that is in C, which has entered Java
 */
struct sframe_java_link {
	u64 sp;
	u64 up;
	u64 ra;
	bool by_c;
};

/**
 * struct sframe_cursor - one walk
 * @abi: whose rules
 * @ops: surroundings
 * @ctx: handed to @ops
 * @pc: this frame's PC: a return address, or where code was interrupted
 * @sp: its stack pointer if @sp_known, else an address not above it
 * @fp: its frame pointer, if @fp_known
 * @ra: link register; valid if @topmost, or @depth is @lr_depth
 * @cfa: CFA of the frame just left, which those that follow exceed. If @topmost, the
 *	highest address that is too low for a CFA
 * @left: PC of the frame just left (private)
 * @start: SP with which the program was started (exec), if that is known; set after
 *	sframe_cursor_init()
 * @called_depth: @depth of the last frame whose PC was seen to follow a call (private)
 * @exact_depth: @depth of the last frame whose PC was not a return address (private)
 * @returned_depth: @depth of a frame to which its callee surely returns, as code says;
 *	or 0 (private)
 * @lr_depth: @depth of a frame that is not topmost, but whose link register is known;
 *	or 0 (private)
 * @lisp_depth: @depth of a frame that has called a function of Lisp; or 0 (private)
 * @last_depth: @depth of a frame that is the outermost, as its code says; or 0 (private)
 * @java: the frame of HotSpot's after the last one that was left, as its stack was read then:
 *	the task, whose own walk it is, does not change that (private)
 * @resumed: where interpreters are returned to, as it was found in this walk. Whether that
 *	still has no table is asked for each PC (private)
 * @depth: frames stepped
 * @fallbacks: steps made without a rule that says all
 * @slow: steps for which more than a rule and the words that it names was needed
 *	(private)
 * @known: frames that were taken from a trail
 * @recalled: answers that were known
 * @answers: the answers in use, or NULL
 * @asking: the answer for which code is being followed, or NULL (private)
 * @home: code that was asked last, if @answers is not NULL (private)
 * @max_depth: most frames to step
 * @topmost: no step made yet, or none since a signal frame: @pc is exact, and
 *	all registers are known
 * @sp_known: @sp is exact; lost in a step by an AArch64 frame record
 * @fp_known: @fp may be used; lost in a step by a backchain
 * @pending: outcome of the lookup of @pc (private)
 * @rule: its rule, zero if @pending is not SFRAME_OK (private)
 * @odd_cfa: a CFA with any of these bits takes the slow path: bits that no CFA has, or
 *	all of them while SP or FP is not known (private)
 * @ra_bits: bits of an RA that are its address, and no PAC (private)
 * @sp_bias: from @abi (private)
 * @saved: where the registers of the last frame are that a signal interrupted (private)
 * @signals: signal frames left, and steps to a lower stack (private)
 * @budget: instructions, about, that the walk may take, less those charged; steps by
 *	rule are not charged, but bounded by @limit (private)
 * @limit: most frames to step, by @max_depth and @budget (private)
 */
struct sframe_cursor {
	const struct sframe_abi *abi;
	const struct sframe_cursor_ops *ops;
	void *ctx;
	u64 pc;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 cfa;
	u64 left;
	u64 start;
	struct sframe_java_link java;
	struct sframe_resumed resumed;
	u32 called_depth;
	u32 exact_depth;
	u32 returned_depth;
	u32 lr_depth;
	u32 lisp_depth;
	u32 last_depth;
	u32 depth;
	u32 fallbacks;
	u32 slow;
	u32 known;
	u32 recalled;
	u32 max_depth;
	bool topmost;
	bool sp_known;
	bool fp_known;
	enum sframe_reason pending;
	struct sframe_rule rule;
	u64 odd_cfa;
	u64 ra_bits;
	s64 sp_bias;
	u32 budget;
	u32 limit;
	u32 signals;
	struct sframe_saved saved;
	struct sframe_answers *answers;
	struct sframe_asking *asking;
	struct sframe_home home;
};

/**
 * struct sframe_regs - registers a walk starts from
 * @pc: program counter
 * @sp: stack pointer
 * @fp: frame pointer
 * @ra: link register, where the ABI has one
 * @pac_mask: bits of a code pointer that hold a PAC, 0 for none
 */
struct sframe_regs {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 pac_mask;
};

/**
 * sframe_cursor_init() - start a walk
 * @cur: the walk
 * @abi: whose rules
 * @regs: registers of the topmost frame, copied
 * @max_depth: most frames to step
 * @ops: surroundings, must outlive @cur
 * @ctx: handed to @ops
 *
 * Looks up the PC. It is a frame whether or not it lies in an executable
 * mapping; if not, the first step fails with SFRAME_NO_MAPPING.
 *
 * Context: any that @ops allow, NMI included.
 */
void sframe_cursor_init(struct sframe_cursor *cur, const struct sframe_abi *abi,
			const struct sframe_regs *regs, u32 max_depth,
			const struct sframe_cursor_ops *ops, void *ctx);

/* A frame stepped by its rule takes about 1 << SFRAME_FRAME_SHIFT instructions. */
#define SFRAME_FRAME_SHIFT	7

/*
 * The budget, in instructions, of a walk in place. If samples take more than a quarter
 * of the time, 62 us each at 4,000 a second, perf takes fewer of everybody's. At an
 * instruction a nanosecond this leaves some for the sample itself, and is enough to
 * step all frames of a chain by their rules.
 */
#define SFRAME_BUDGET_INPLACE	45000

/**
 * sframe_cursor_charge() - charge a walk for what it has done
 * @cur: the walk
 * @cost: instructions, about
 *
 * User space chooses the stack, and a walk may be made in NMI: so whatever takes longer
 * than a step by a rule is charged when it is done. What is left bounds how many frames
 * may follow.
 *
 * Context: any.
 */
static inline void sframe_cursor_charge(struct sframe_cursor *cur, u32 cost)
{
	u32 frames;

	cur->budget -= cost < cur->budget ? cost : cur->budget;
	frames = cur->budget >> SFRAME_FRAME_SHIFT;
	cur->limit = frames < cur->max_depth ? frames : cur->max_depth;
}

/**
 * sframe_cursor_set_budget() - bound what a walk may cost
 * @cur: the walk, before its first step
 * @budget: instructions, about
 *
 * Context: any.
 */
static inline void sframe_cursor_set_budget(struct sframe_cursor *cur, u32 budget)
{
	cur->budget = budget;
	sframe_cursor_charge(cur, 0);
}

/**
 * sframe_cursor_spent() - has the walk nothing left to pay with?
 * @cur: the walk, at its end
 *
 * Context: any.
 * Return: true if with a larger budget it might have gone farther.
 */
static inline bool sframe_cursor_spent(const struct sframe_cursor *cur)
{
	return cur->limit <= cur->depth && cur->limit < cur->max_depth;
}

/**
 * sframe_cursor_next() - go to the caller
 * @cur: the walk
 *
 * The new PC is a return address; its row is that of the byte before it. A
 * frame without a row is left by its frame record or backchain, if that can
 * be verified, and the next one by its row again. From a signal trampoline one
 * gets to what was interrupted; then the new PC is exact.
 *
 * Context: any that @ops allow, NMI included. No allocation; one lookup, and
 * at most 4 KiB of stack read in a frame without a row.
 * Return: SFRAME_OK, and @cur's pc, sp and fp are the caller's, with pc in an
 * executable mapping. Otherwise a walk reason: the walk is over, pc, sp and fp
 * are as they were, and another call ends likewise.
 */
enum sframe_reason sframe_cursor_next(struct sframe_cursor *cur);

/* Does @found, which @find returned for an address, say that there is code? */
static inline bool sframe_executable(enum sframe_reason found)
{
	return found == SFRAME_OK || found == SFRAME_NO_TABLE ||
	       found == SFRAME_NOT_YET;
}

/* All that sframe_cursor_next_with() does not do inline. */
enum sframe_reason sframe_cursor_next_slow(struct sframe_cursor *cur);

/*
 * A rule led to RA 0, as it does in the first function of a stack: the walk is
 * complete. But not in the topmost frame, which may be in the middle of changing SP.
 */
static inline enum sframe_reason sframe_end_at_zero(const struct sframe_cursor *cur)
{
	return cur->topmost ? SFRAME_NO_MAPPING : SFRAME_OUTERMOST;
}

/* Look up the rule for @pc; @cur->pending is SFRAME_OK, or why there is none. */
static __always_inline void
sframe_cursor_find_with(struct sframe_cursor *cur, const struct sframe_cursor_ops *ops,
			u64 pc)
{
	cur->pending = ops->find(cur->ctx, pc, &cur->rule);
	if (unlikely(cur->pending))
		memset(&cur->rule, 0, sizeof(cur->rule));
}

/* Where a rule has its values from, and its flags, in one word: compared at once. */
#define SFRAME_SHAPE(cfa, ra, fp, flags) \
	((u32)(cfa) | (u32)(ra) << 8 | (u32)(fp) << 16 | (u32)(flags) << 24)

/**
 * sframe_cursor_next_with() - sframe_cursor_next(), for inlining
 * @cur: the walk
 * @ops: the same as its own; a constant, so that the calls can be inlined
 *
 * Most frames have a rule of one of three shapes: CFA from SP, with FP saved or not; or
 * CFA from FP, which is saved; RA is always saved. These are stepped over here, and
 * whatever looks odd is left to sframe_cursor_next_slow(). No sum can wrap: a CFA with
 * the top bit set is odd, which rules out such an SP or FP as its base, too; an address
 * below zero is for @ops to refuse.
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_cursor_next().
 */
static __always_inline enum sframe_reason
sframe_cursor_next_with(struct sframe_cursor *cur,
			const struct sframe_cursor_ops *ops)
{
	const u32 sp = SFRAME_SHAPE(SFRAME_LOC_SP, SFRAME_LOC_SAVED, SFRAME_LOC_SAME, 0);
	const u32 sp_and_fp = SFRAME_SHAPE(SFRAME_LOC_SP, SFRAME_LOC_SAVED, SFRAME_LOC_SAVED, 0);
	const u32 by_fp = SFRAME_SHAPE(SFRAME_LOC_FP, SFRAME_LOC_SAVED, SFRAME_LOC_SAVED, 0);
	const struct sframe_rule *rule = &cur->rule;
	u32 shape = SFRAME_SHAPE(rule->cfa, rule->ra, rule->fp, rule->flags);
	u64 cfa, ra, base = cur->sp, fp = cur->fp;

	if (shape != sp_and_fp && shape != sp) {
		if (shape != by_fp)
			return sframe_cursor_next_slow(cur);
		base = fp;
	}
	cfa = base + rule->cfa_off;
	if (unlikely(cfa & cur->odd_cfa || cfa <= cur->cfa ||
		     cur->depth >= cur->limit))
		return sframe_cursor_next_slow(cur);
	if (unlikely(ops->read(cur->ctx, cfa + rule->ra_off, &ra, sizeof(ra))))
		return sframe_cursor_next_slow(cur);
	if (shape != sp &&
	    unlikely(ops->read(cur->ctx, cfa + rule->fp_off, &fp, sizeof(fp))))
		return sframe_cursor_next_slow(cur);
	ra &= cur->ra_bits;
	sframe_cursor_find_with(cur, ops, ra - 1);
	if (unlikely(!sframe_executable(cur->pending))) {
		if (!ra)
			cur->pending = sframe_end_at_zero(cur);
		return cur->pending;
	}
	cur->left = cur->pc;
	cur->pc = ra;
	cur->sp = cfa + cur->sp_bias;
	cur->fp = fp;
	cur->cfa = cfa;
	cur->topmost = false;
	cur->depth++;
	return SFRAME_OK;
}

#endif /* SFRAME_CURSOR_H */
