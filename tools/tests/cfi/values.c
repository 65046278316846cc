// SPDX-License-Identifier: GPL-2.0
/*
 * Values by libdw's rules and by ours, in a world where each register holds
 * a random word and each address too.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <unistd.h>

#include "oracle.h"

#define STACK	32
/* How far below the CFA s390x may save registers. */
#define SAVED_WITHIN	1024

enum kind { VALUE, SAME, UNDEFINED, UNKNOWN };

/* Where registers and memory get their words from, different at each PC. */
static u64 seed;

static u64 hash(u64 a, u64 b)
{
	u64 h = (a ^ seed) * 0x9e3779b97f4a7c15ull + b;

	h ^= h >> 29;
	h *= 0xbf58476d1ce4e5b9ull;
	return h ^ h >> 32;
}

static u64 reg_value(const struct sframe_abi *abi, u64 reg, u64 pc)
{
	return abi->pc_reg && reg == abi->pc_reg ? pc : hash(reg, 1);
}

static u64 memory(u64 addr)
{
	return hash(addr, 2);
}

/* A computation by libdw's operations. */
struct machine {
	const struct sframe_abi *abi;
	u64 pc;
	u64 cfa;
	u64 stack[STACK];
	int n;
	bool is_value;	/* the result is what is wanted, not its address */
};

static void push(struct machine *m, u64 value)
{
	m->stack[m->n++] = value;
}

/* What takes two operands; false if there is no such operation. */
static bool combine(struct machine *m, u8 op)
{
	u64 a, b;

	if (m->n < 2)
		return false;
	b = m->stack[--m->n];
	a = m->stack[--m->n];
	switch (op) {
	case DW_OP_plus:
		push(m, a + b);
		return true;
	case DW_OP_minus:
		push(m, a - b);
		return true;
	case DW_OP_mul:
		push(m, a * b);
		return true;
	case DW_OP_and:
		push(m, a & b);
		return true;
	case DW_OP_shl:
		push(m, a << (b & 63));
		return true;
	case DW_OP_ge:
		push(m, (s64)a >= (s64)b);
		return true;
	default:
		return false;
	}
}

/* What takes one operand, or none; false if there is no such operation. */
static bool carry_out(struct machine *m, u8 op, u64 a, u64 b)
{
	switch (op) {
	case DW_OP_bregx:
		push(m, reg_value(m->abi, a, m->pc) + b);
		return true;
	case DW_OP_regx:
		push(m, reg_value(m->abi, a, m->pc));
		m->is_value = true;
		return true;
	case DW_OP_call_frame_cfa:
		push(m, m->cfa);
		return true;
	case DW_OP_const1u ... DW_OP_consts:
		push(m, a);
		return true;
	case DW_OP_plus_uconst:
		m->stack[m->n - 1] += a;
		return m->n > 0;
	case DW_OP_deref:
		m->stack[m->n - 1] = memory(m->stack[m->n - 1]);
		return m->n > 0;
	case DW_OP_stack_value:
		m->is_value = true;
		return true;
	default:
		return combine(m, op);
	}
}

/* The few operations that CFI of real files has. */
static bool evaluate(struct machine *m, const Dwarf_Op *ops, size_t nops)
{
	size_t i;

	m->n = 1;	/* a zero that nobody should need */
	for (i = 0; i < nops; i++) {
		u8 op = ops[i].atom;

		if (m->n >= STACK - 1)
			return false;
		if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
			push(m, reg_value(m->abi, op - DW_OP_breg0, m->pc) +
				ops[i].number);
		} else if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
			push(m, op - DW_OP_lit0);
		} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
			push(m, reg_value(m->abi, op - DW_OP_reg0, m->pc));
			m->is_value = true;
		} else if (!carry_out(m, op, ops[i].number, ops[i].number2)) {
			return false;
		}
	}
	return m->n > 1;
}

static bool their_cfa(const struct sframe_abi *abi, struct theirs *their,
		      u64 pc, u64 *cfa)
{
	struct machine m = { .abi = abi, .pc = pc };
	Dwarf_Op *ops;
	size_t nops;

	if (dwarf_frame_cfa(their->frame, &ops, &nops) || !nops ||
	    !evaluate(&m, ops, nops))
		return false;
	*cfa = m.stack[m.n - 1];
	return true;
}

/* A register of the caller, and how libdw found it. */
static enum kind their_register(const struct sframe_abi *abi,
				struct theirs *their, int reg, u64 pc, u64 cfa,
				u64 *value)
{
	struct machine m = { .abi = abi, .pc = pc, .cfa = cfa };
	Dwarf_Op room[3], *ops;
	size_t nops;

	if (dwarf_frame_register(their->frame, reg, room, &ops, &nops))
		return UNKNOWN;
	if (!nops)
		return ops ? UNDEFINED : SAME;
	if (!evaluate(&m, ops, nops))
		return UNKNOWN;
	*value = m.stack[m.n - 1];
	if (!m.is_value)
		*value = memory(*value);
	return VALUE;
}

/*
 * A step takes the CFA for it (s390x: 160 bytes below), unless s390x has saved
 * it like any other register; see caller_sp_is_cfa().
 */
bool their_sp_is_odd(const struct sframe_abi *abi, struct theirs *their)
{
	u64 cfa, sp;
	unsigned int reg, off;

	seed = 1;
	if (!their_cfa(abi, their, 0, &cfa))
		return true;
	if (their_register(abi, their, abi->sp_reg, 0, cfa, &sp) != VALUE ||
	    sp == cfa + abi->sp_bias)
		return false;
	if (!abi->sp_bias)
		return true;
	for (off = 8; off <= SAVED_WITHIN; off += 8)
		if (sp == memory(cfa - off))
			return false;
	for (reg = 0; reg <= abi->max_reg; reg++)
		if (sp == reg_value(abi, reg, 0) && reg != (u32)abi->sp_reg)
			return false;
	return true;
}

static u64 our_value(const struct sframe_abi *abi, u8 loc, s32 off, u64 pc,
		     u64 cfa)
{
	u8 base = loc & ~SFRAME_LOC_DEREF;
	u64 value;

	if (base == SFRAME_LOC_CFA)
		value = cfa;
	else if (base == SFRAME_LOC_SP)
		value = reg_value(abi, abi->sp_reg, pc);
	else if (base == SFRAME_LOC_FP)
		value = reg_value(abi, abi->fp_reg, pc);
	else
		value = reg_value(abi, base & SFRAME_LOC_REG_MASK, pc);
	value += off;
	return loc & SFRAME_LOC_DEREF ? memory(value) : value;
}

static bool register_differs(const struct sframe_abi *abi,
			     struct theirs *their, int reg, int own, u8 loc,
			     s32 off, u64 pc, u64 cfa)
{
	u64 their_val = 0, our_val;
	enum kind kind;

	kind = their_register(abi, their, reg, pc, cfa, &their_val);
	if (kind == SAME)
		their_val = reg_value(abi, reg, pc);
	else if (kind != VALUE)
		return true;
	our_val = loc == SFRAME_LOC_SAME ? reg_value(abi, own, pc) :
		  our_value(abi, loc, off, pc, cfa);
	return our_val != their_val;
}

const char *differs(const struct sframe_abi *abi,
		    const struct sframe_rule *rule, struct theirs *their,
		    u64 pc)
{
	bool outermost = rule->flags & SFRAME_RULE_OUTERMOST;
	u64 cfa, ra, ours;

	seed = pc;
	if (!(rule->flags & SFRAME_RULE_SIGNAL) != !their->signal)
		return "signal flag";
	if (!their_cfa(abi, their, pc, &cfa))
		return rule->cfa ? "CFA (libdw's is not understood)" : NULL;
	if ((their_register(abi, their, their->ra_reg, pc, cfa, &ra) ==
	     UNDEFINED) != outermost)
		return "end";
	if (outermost || (their->signal && !rule->cfa))
		return NULL;
	ours = our_value(abi, rule->cfa, sframe_cfa_load_off(rule), pc, 0);
	if (ours + sframe_cfa_added(rule) != cfa)
		return "CFA";
	if (register_differs(abi, their, their->ra_reg, abi->ra_reg, rule->ra,
			     rule->ra_off, pc, cfa))
		return "RA";
	if (register_differs(abi, their, abi->fp_reg, abi->fp_reg, rule->fp,
			     rule->fp_off, pc, cfa))
		return "FP";
	return !their->signal && their_sp_is_odd(abi, their) ? "SP" : NULL;
}

/* Handlers return, though Go's own walks end there; RA is not always at SP. */
bool go_is_special(const struct sframe_abi *abi, const struct sframe_rule *rule,
		   struct theirs *their)
{
	u64 value;

	return rule->flags ||
	       their_register(abi, their, their->ra_reg, 0, 0, &value) ==
	       UNDEFINED ||
	       (abi->ra_reg >= 0 && rule->ra != SFRAME_LOC_SAME &&
		rule->cfa_off + rule->ra_off);
}

const char *go_differs(const struct sframe_abi *abi,
		       const struct sframe_rule *rule, struct theirs *their,
		       u64 pc)
{
	u64 cfa, ours, ra, our_ra;
	enum kind kind;

	seed = pc;
	ours = our_value(abi, rule->cfa, rule->cfa_off, pc, 0);
	if (!their_cfa(abi, their, pc, &cfa) || ours + abi->sp_bias != cfa)
		return "SP";
	kind = their_register(abi, their, their->ra_reg, pc, cfa, &ra);
	our_ra = our_value(abi, rule->ra, rule->ra_off, pc, ours);
	if (rule->ra == SFRAME_LOC_SAME ? kind != SAME :
					  kind != VALUE || our_ra != ra)
		return "RA";
	return NULL;
}

bool libdw_open(struct libdw *dw, const char *path, bool debug_frame)
{
	elf_version(EV_CURRENT);
	dw->fd = open(path, O_RDONLY);
	dw->elf = elf_begin(dw->fd, ELF_C_READ_MMAP, NULL);
	dw->dwarf = debug_frame ? dwarf_begin_elf(dw->elf, DWARF_C_READ, NULL) :
				  NULL;
	if (debug_frame)
		dw->cfi = dw->dwarf ? dwarf_getcfi(dw->dwarf) : NULL;
	else
		dw->cfi = dw->elf ? dwarf_getcfi_elf(dw->elf) : NULL;
	return dw->cfi;
}

void libdw_close(struct libdw *dw)
{
	if (dw->dwarf)
		dwarf_end(dw->dwarf);
	else
		dwarf_cfi_end(dw->cfi);
	elf_end(dw->elf);
	close(dw->fd);
}

bool libdw_row(struct libdw *dw, u64 pc, struct theirs *their)
{
	Dwarf_Addr start, end;
	bool signal;

	if (dwarf_cfi_addrframe(dw->cfi, pc, &their->frame))
		return false;
	their->ra_reg = dwarf_frame_info(their->frame, &start, &end, &signal);
	their->start = start > pc ? start : pc;
	their->end = end;
	their->signal = signal;
	return true;
}

void libdw_row_free(struct theirs *their)
{
	free(their->frame);
}
