/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a .sframe section, version 1, 2 or 3, as a version-free stream of
 * functions (FDEs) and rows (FREs), and the rule that a row becomes. Every byte is read
 * through a bounds check; nothing of the input is kept but what is returned.
 */
#ifndef SFRAME_DECODE_H
#define SFRAME_DECODE_H

#include <sframe/abi.h>
#include <sframe/reason.h>

/*
 * Where a value is found: a base, plus an offset that is kept beside it, and one load
 * more if SFRAME_LOC_DEREF is set. SP and FP are mostly known; other registers
 * (SFRAME_LOC_REG | DWARF number) in the topmost frame, and where a callee has saved
 * them.
 */
enum sframe_loc {
	SFRAME_LOC_SAME,	/* FP: unchanged; RA: in the link register */
	SFRAME_LOC_CFA,
	SFRAME_LOC_SP,
	SFRAME_LOC_FP,
	SFRAME_LOC_LOST,	/* FP: lost, the frame used the register for something else */
	SFRAME_LOC_REG = 0x40,	/* | register number */
	SFRAME_LOC_REG_MASK = 0x1f,
	SFRAME_LOC_DEREF = 0x80,
	SFRAME_LOC_SAVED = SFRAME_LOC_CFA | SFRAME_LOC_DEREF,	/* in the frame */
};

enum sframe_rule_flags {
	SFRAME_RULE_OUTERMOST = 1,	/* RA undefined: no caller */
	SFRAME_RULE_SIGNAL = 2,		/* in a signal trampoline */
	SFRAME_RULE_MANGLED = 4,	/* RA carries a PAC; not in tables */
	SFRAME_RULE_NO_FDE = 8,		/* a gap between functions; see sframe_rule_keeps_fp() */
	SFRAME_RULE_BAD = 16,		/* the row was refused */
	SFRAME_RULE_CFA_ABOVE = 32,	/* see SFRAME_CFA_ABOVE() */
	SFRAME_RULE_SWITCH = 64,	/* the caller may be on another stack (Go) */
	SFRAME_RULE_RA_ABOVE = 128,	/* RA lies above the CFA, and SP above RA */
};

/**
 * struct sframe_rule - how to find a frame's caller
 * @cfa_off: added to @cfa's base, bytes; see SFRAME_CFA_ABOVE()
 * @ra_off: added to @ra's base, bytes
 * @fp_off: added to @fp's base, bytes
 * @cfa: enum sframe_loc; never SAME or CFA in a usable rule
 * @ra: enum sframe_loc
 * @fp: enum sframe_loc
 * @flags: enum sframe_rule_flags
 *
 * The fields that a flag makes meaningless are zero, so that equal rules are
 * equal bytes.
 */
struct sframe_rule {
	s32 cfa_off;
	s32 ra_off;
	s32 fp_off;
	u8 cfa;
	u8 ra;
	u8 fp;
	u8 flags;
};

/*
 * sframe_rule.cfa_off with SFRAME_RULE_CFA_ABOVE: the CFA is @above bytes above the
 * word that is loaded from base + @off; @off has 16 bits.
 */
#define SFRAME_CFA_ABOVE(off, above)	((above) * 65536 + (off))

static inline s32 sframe_cfa_load_off(const struct sframe_rule *rule)
{
	return rule->flags & SFRAME_RULE_CFA_ABOVE ? (s16)rule->cfa_off : rule->cfa_off;
}

static inline u32 sframe_cfa_added(const struct sframe_rule *rule)
{
	return rule->flags & SFRAME_RULE_CFA_ABOVE ?
	       (u32)(rule->cfa_off - (s16)rule->cfa_off) >> 16 : 0;
}

/*
 * Is the CFA to be found by way of Go's goroutine, to which Go keeps a register? How,
 * the code says (sframe_abi.go_back).
 */
static inline bool sframe_rule_by_go(const struct sframe_rule *rule)
{
	return rule->flags & SFRAME_RULE_SWITCH && rule->cfa & SFRAME_LOC_REG;
}

/*
 * Has Go's signal handler made it look as if the function had been called? Then RA is
 * the PC that was interrupted, and the link register it had is what was put on the
 * stack last.
 */
static inline bool sframe_rule_injected(const struct sframe_rule *rule)
{
	const u8 flags = SFRAME_RULE_SIGNAL | SFRAME_RULE_SWITCH;

	return (rule->flags & flags) == flags;
}

/*
 * The rule of gaps where nearly all functions keep frame pointers (core/keeps_fp.c; x86-64): it
 * says where callers have what they saved, but is only followed as core/kept_fp.c does.
 */
static inline struct sframe_rule sframe_gap_rule_by_fp(void)
{
	return (struct sframe_rule){
		.cfa = SFRAME_LOC_FP, .cfa_off = 16,
		.ra = SFRAME_LOC_SAVED, .ra_off = -8,
		.fp = SFRAME_LOC_SAVED, .fp_off = -16,
		.flags = SFRAME_RULE_NO_FDE,
	};
}

static inline bool sframe_rule_keeps_fp(const struct sframe_rule *rule)
{
	return rule->flags & SFRAME_RULE_NO_FDE && rule->cfa == SFRAME_LOC_FP;
}

/**
 * struct sframe_section - a .sframe section whose header was checked
 * @data: its bytes
 * @len: how many, may exceed the table (the linker's slack)
 * @va: link-time address of @data
 * @abi: the ABI it must be of
 * @swap: its byte order is not the machine's
 * @version: 1, 2 or 3
 * @flags: header flags
 * @fixed_fp: FP's fixed offset from the CFA in bytes, 0 none
 * @num_fdes: functions
 * @fde_pos: position of the FDE table in @data
 * @fre_pos: position of the row area in @data
 * @fre_len: its length
 */
struct sframe_section {
	const u8 *data;
	size_t len;
	u64 va;
	const struct sframe_abi *abi;
	bool swap;
	u8 version;
	u8 flags;
	s8 fixed_fp;
	u32 num_fdes;
	u64 fde_pos;
	u64 fre_pos;
	u32 fre_len;
};

/**
 * struct sframe_fde - one function
 * @start: link-time address of its first byte
 * @size: bytes
 * @num_rows: rows that it claims to have; version 3: 0 means that all of it is
 *	outermost, or a signal trampoline
 * @row_pos: position of the first row, from the start of the row area
 * @row_type: 0, 1, 2 for row starts of 1, 2, 4 bytes
 * @rep_size: PCMASK: bytes after which the rows repeat
 * @pcmask: rows repeat every @rep_size bytes (PLT)
 * @flex: rows hold control words (V3 flexible FDE)
 * @signal: a signal trampoline
 */
struct sframe_fde {
	u64 start;
	u32 size;
	u32 num_rows;
	u32 row_pos;
	u8 row_type;
	u8 rep_size;
	bool pcmask;
	bool flex;
	bool signal;
};

/**
 * struct sframe_row - one row
 * @start: first byte it holds for, from the function's (or block's) start
 * @reason: SFRAME_OK, or why @rule may not be used (@start is still valid)
 * @rule: what to do there
 */
struct sframe_row {
	u32 start;
	enum sframe_reason reason;
	struct sframe_rule rule;
};

/**
 * struct sframe_rows - position in a function's rows
 * @sec: the section
 * @fde: the function
 * @pos: next row's position in the row area
 * @left: rows not yet read
 */
struct sframe_rows {
	const struct sframe_section *sec;
	const struct sframe_fde *fde;
	u32 pos;
	u32 left;
};

/* Any context; no allocation. */
enum sframe_reason sframe_section_init(struct sframe_section *sec,
				       const struct sframe_abi *abi,
				       const void *data, size_t len, u64 va,
				       bool swap);
u64 sframe_section_size(const void *header, bool swap);
enum sframe_reason sframe_fde_get(const struct sframe_section *sec, u32 i,
				  struct sframe_fde *fde);
void sframe_rows_init(struct sframe_rows *rows,
		      const struct sframe_section *sec,
		      const struct sframe_fde *fde);
enum sframe_reason sframe_rows_next(struct sframe_rows *rows,
				    struct sframe_row *row);

#endif /* SFRAME_DECODE_H */
