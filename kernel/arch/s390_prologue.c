// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: where code leads; and what a function that calls others does to SP, whose
 * beginning is known.
 *
 * Its caller leaves room for r6 to r15 above SP. A function that calls others saves all
 * that it will need with one STMG, up to r15, and then lowers SP.
 */
#include <sframe/abi.h>

#include "s390.h"

#define SP		15
#define FP		11
/* "j .+2" is a trap: there, in its middle, is no instruction. */
#define TRAP		2
#define STMG_LEN	6

/**
 * sframe_s390_is_mark() - &sframe_abi.is_mark
 * @code: the bytes
 *
 * Return: do they save RA and SP: stmg %rX,%r15,8*X(%r15)?
 */
bool sframe_s390_is_mark(const u8 *code)
{
	unsigned int first = code[1] >> 4;

	return code[0] == 0xeb && (code[1] & 15) == SP && first <= 14 && first >= 6 &&
	       code[2] == SP << 4 && code[3] == S390_SLOT(first) && !code[4] && code[5] == 0x24;
}

/* BCR and BC, if they are no branches: without a mask, or a register. */
static bool is_nop(const struct s390_insn *insn)
{
	return insn->b[0] == 0x07 || insn->b[0] == 0x47;
}

/* Of what is no branch. */
static unsigned int other_flags(const struct s390_insn *insn)
{
	struct s390_memory m;

	if (insn->b[0] == 0x0a)			/* SVC: it may be an exit */
		return SFRAME_INSN_CALLS;
	if (!insn->b[0])			/* none */
		return SFRAME_INSN_STOPS | SFRAME_INSN_FILLS;
	if (is_nop(insn))
		return SFRAME_INSN_FILLS;
	if (sframe_s390_is_mark(insn->b))
		return SFRAME_INSN_BEGINS | SFRAME_INSN_ENTERED;
	return sframe_s390_memory(insn, &m) == S390_LOAD && m.regs >> SP & 1 ?
	       SFRAME_INSN_LEAVES : 0;
}

/* BR, which does not go back to r14; B and BI, in tables of jumps. */
static bool is_choice(const struct s390_insn *insn)
{
	return (insn->b[0] == 0x07 || insn->b[0] == 0x47 ||
		(insn->b[0] == 0xe3 && insn->b[5] == 0x47)) && insn->b[1] >> 4 == 15;
}

static unsigned int branch_flags(const struct s390_insn *insn, const struct s390_branch *br)
{
	switch (br->kind) {
	case S390_CALL:
		return SFRAME_INSN_CALLS;
	case S390_JUMP:
		return SFRAME_INSN_STOPS | (br->off == TRAP ? 0 : SFRAME_INSN_JUMPS);
	case S390_MAYBE:
		return br->off == insn->len ? SFRAME_INSN_FILLS : SFRAME_INSN_JUMPS;
	case S390_TO_REG:
		if (br->reg != 14)
			break;
		return insn->b[1] >> 4 == 15 ? SFRAME_INSN_STOPS : 0;
	case S390_NOWHERE:
		break;
	}
	return SFRAME_INSN_STOPS | SFRAME_INSN_ANYWHERE |
	       (is_choice(insn) ? SFRAME_INSN_CHOOSES : 0);
}

/**
 * sframe_s390_insn() - &sframe_abi.insn
 * @code: its bytes
 * @pc: its address
 * @insn: filled in
 *
 * Return: may an instruction be there?
 */
bool sframe_s390_insn(const u8 *code, u64 pc, struct sframe_insn *insn)
{
	struct s390_insn in = { .len = sframe_s390_len(code[0]) };
	struct s390_branch br;

	memcpy(in.b, code, in.len);
	*insn = (struct sframe_insn){ .len = in.len };
	if (sframe_s390_branch(&in, &br)) {
		insn->flags = branch_flags(&in, &br);
		insn->target = pc + br.off;
	} else {
		insn->flags = other_flags(&in);
	}
	return !(pc & 1);
}

/**
 * struct frame - what the function has made
 * @sp: SP
 * @done: SP does not change any more
 * @leaves: the caller's SP was loaded, and nothing has branched since
 * @changes_fp: it has changed r11
 * @fp: r11, if it was made a copy of SP before the first branch; else 0
 */
struct frame {
	u64 sp;
	u64 fp;
	bool done;
	bool leaves;
	bool changes_fp;
};

/* LGR %r11,%r15 */
static bool copies_sp(const struct s390_insn *insn)
{
	return insn->b[0] == 0xb9 && insn->b[1] == 0x04 && insn->b[3] == (FP << 4 | SP);
}

/* False if SP is changed by who knows how much. */
static bool change_frame(struct frame *f, const struct s390_insn *insn)
{
	enum s390_memory_kind kind = S390_NEITHER;
	struct s390_memory m;
	struct s390_branch br;
	u32 written;

	if (sframe_s390_branch(insn, &br)) {
		written = br.regs;
		f->done = true;
		f->leaves &= !(branch_flags(insn, &br) & SFRAME_INSN_STOPS);
	} else {
		kind = sframe_s390_memory(insn, &m);
		written = kind == S390_STORE ? 0 :
			  kind == S390_NEITHER ? sframe_s390_written(insn) : m.regs;
	}
	/* Where SP is loaded, too, the function ends, and what is behind has r11 as it was. */
	if (written >> FP & 1 && !(kind == S390_LOAD && written >> SP & 1)) {
		f->changes_fp = true;
		f->fp = copies_sp(insn) && !f->done ? f->sp : 0;
	}
	if (!(written >> SP & 1))
		return true;
	f->leaves |= kind == S390_LOAD;
	if (kind == S390_SET && m.base == SP && !m.index && !f->done)
		f->sp += m.off;
	else
		return kind == S390_LOAD;
	return true;
}

/* Does @from begin a function of OCaml? Its frame does not change, but for handlers. */
static bool makes_ocaml_frame(struct sframe_leave *lv, u64 from, sframe_read_fn read, void *ctx)
{
	u8 code[SFRAME_ENTER_MARK_LEN];
	u32 size = read(ctx, from, code, sizeof(code)) ? 0 : sframe_s390_ocaml_frame(code);

	if (!size)
		return false;
	lv->cost += S390_INSN_COST;
	lv->ra_at = lv->sp - 8;
	lv->fp_at = 0;
	lv->fp_lost = true;
	lv->ocaml = true;
	lv->sp -= size;
	return true;
}

/* Is RA saved with SP right before @from? Then that is how C's function begins, not OCaml's. */
static bool is_behind_mark(u64 from, sframe_read_fn read, void *ctx)
{
	u8 code[STMG_LEN];

	return !read(ctx, from - STMG_LEN, code, sizeof(code)) && sframe_s390_is_mark(code);
}

/* LGR %r15,%rX: OCaml has called C on C's stack, and keeps its SP in a register meanwhile. */
static bool restores_sp(u64 pc, sframe_read_fn read, void *ctx)
{
	u8 code[4];

	return read(ctx, pc, code, sizeof(code)) ||
	       (code[0] == 0xb9 && code[1] == 0x04 && code[3] >> 4 == SP);
}

/**
 * sframe_s390_prologue() - &sframe_abi.prologue
 * @lv: SP at the beginning; and behind the prologue. Where RA is then, and FP, from there; and
 *	what FP was made to be, if @by_fp: a copy of SP, which may be moved behind @pc, in a loop
 * @from: where the function saves RA
 * @pc: a PC in it
 * @read: reads code
 * @ctx: handed to @read
 *
 * Context: any that @read allows, NMI included.
 * Return: is SP known at @pc?
 */
bool sframe_s390_prologue(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			  void *ctx)
{
	struct leave_code code = { .read = read, .ctx = ctx, .cost = &lv->cost };
	struct frame f = { .sp = lv->sp };
	struct s390_insn insn;
	bool saves_fp;
	u64 at;

	lv->cost = 0;
	if (is_behind_mark(from, read, ctx))
		from -= STMG_LEN;
	else if (makes_ocaml_frame(lv, from, read, ctx))
		return pc - from >= SFRAME_ENTER_MARK_LEN && !restores_sp(pc, read, ctx);
	if (!sframe_s390_fetch(&code, from, &insn) || !sframe_s390_is_mark(insn.b))
		return false;
	saves_fp = insn.b[1] >> 4 <= FP;
	for (at = from + insn.len; at < pc; at += insn.len) {
		if (lv->cost + S390_INSN_COST > lv->cost_max) {
			lv->cost = lv->cost_max;
			return false;
		}
		lv->cost += S390_INSN_COST;
		if (!sframe_s390_fetch(&code, at, &insn) || !change_frame(&f, &insn))
			return false;
	}
	/* At a PC before the first branch, what it leads to says more. */
	if (at != pc || !f.done || f.leaves)
		return false;
	lv->ra_at = lv->sp + S390_SLOT(14);
	lv->fp_at = saves_fp ? lv->sp + S390_SLOT(FP) : 0;
	lv->fp_lost = f.changes_fp && !saves_fp;
	lv->fp = f.fp;
	lv->by_fp = f.fp;
	lv->sp = f.sp;
	return true;
}
