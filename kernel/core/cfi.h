/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that read .eh_frame share with each other and with their tests:
 * numbers (cfi_read.c), CIEs and FDEs (cfi_entry.c), instructions (cfi_insn.c), rows
 * (cfi_rows.c) and what becomes of a row as a rule (cfi_value.c).
 */
#ifndef SFRAME_CORE_CFI_H
#define SFRAME_CORE_CFI_H

#include <sframe/cfi.h>

/* Pointer encodings: the lower half is a format, the upper what it is from. */
#define SFRAME_PE_OMIT		0xff
#define SFRAME_PE_FORMAT	0x0f
#define SFRAME_PE_ABSPTR	0x00
#define SFRAME_PE_ULEB128	0x01
#define SFRAME_PE_UDATA2	0x02
#define SFRAME_PE_UDATA4	0x03
#define SFRAME_PE_UDATA8	0x04
#define SFRAME_PE_SLEB128	0x09
#define SFRAME_PE_SDATA2	0x0a
#define SFRAME_PE_SDATA4	0x0b
#define SFRAME_PE_SDATA8	0x0c
#define SFRAME_PE_FROM		0x70
#define SFRAME_PE_PCREL		0x10
#define SFRAME_PE_DATAREL	0x30
#define SFRAME_PE_INDIRECT	0x80

/*
 * A longer CIE is refused: compilers write some 30 bytes, and a CIE that has been
 * pushed out of sframe_cfi_build.cie by others is read again.
 */
#define SFRAME_CFI_CIE_MAX	256

/* States that a function may remember at a time: compilers nest two at most. */
#define SFRAME_CFI_DEPTH	8

/* A PLT's CFA depends on the PC's place in an entry of this many bytes. */
#define SFRAME_CFI_PLT_ENTRY	16

/**
 * struct sframe_cfi_reader - a position in bytes that nobody checked
 * @p: next byte
 * @end: past the last
 * @swap: numbers are in foreign byte order
 * @bad: something was read that is not there, or too long; all that is read
 *	from then on is zero
 */
struct sframe_cfi_reader {
	const u8 *p;
	const u8 *end;
	bool swap;
	bool bad;
};

u64 sframe_cfi_uint(struct sframe_cfi_reader *r, unsigned int size);
u64 sframe_cfi_uleb_long(struct sframe_cfi_reader *r);
s64 sframe_cfi_sleb(struct sframe_cfi_reader *r);
void sframe_cfi_skip(struct sframe_cfi_reader *r, u64 bytes);
bool sframe_cfi_pointer(struct sframe_cfi_reader *r, u8 encoding,
			const struct sframe_eh_frame *eh, u64 *value);

/* An unsigned LEB128 number, or 0 if it is cut off or too long. */
static inline u64 sframe_cfi_uleb(struct sframe_cfi_reader *r)
{
	if (likely(r->p < r->end && !(*r->p & 0x80)))
		return *r->p++;
	return sframe_cfi_uleb_long(r);
}

/*
 * How a register of the caller is found; or the CFA: SAME until it is defined, then
 * IS_REG or below.
 */
enum sframe_cfi_how {
	SFRAME_HOW_SAME,	/* unchanged, or nothing was said */
	SFRAME_HOW_UNDEFINED,	/* lost; for RA: there is no caller */
	SFRAME_HOW_AT_CFA,	/* in memory at CFA + off */
	SFRAME_HOW_IS_CFA,	/* CFA + off */
	SFRAME_HOW_IS_REG,	/* reg + off */
	SFRAME_HOW_AT_REG,	/* in memory at reg + off */
	SFRAME_HOW_BY_EXPR,	/* the CFA: reg + off, neither of which can be replaced */
	SFRAME_HOW_ABOVE,	/* words above what is in memory at reg + off */
	SFRAME_HOW_PLT,		/* reg + off, or a word more: see plt_from */
	SFRAME_HOW_REFUSED,	/* not understood; @off is the reason */
};

/* Stands for all registers with larger numbers, which no rule can name. */
#define SFRAME_CFI_REG_MAX	255

/**
 * struct sframe_cfi_place - where a value is; compared and hashed as bytes, so it has
 *	no padding
 * @off: bytes
 * @reg: DWARF number of the register
 * @how: enum sframe_cfi_how
 * @plt_from: SFRAME_HOW_PLT: byte of each PLT entry from which on the CFA is a word
 *	above reg + off
 * @above: SFRAME_HOW_ABOVE: this many words
 */
struct sframe_cfi_place {
	s32 off;
	u8 reg;
	u8 how;
	u8 plt_from;
	u8 above;
};

/**
 * struct sframe_cfi_state - what holds at one address, and all that a rule depends on;
 *	compared and hashed as bytes, so it has no padding
 * @cfa: the CFA
 * @fp: caller's frame pointer
 * @ra: return address
 * @sp: caller's stack pointer
 * @signal: in a signal trampoline
 * @foreign_ra: the CIE's column for RA is not the register in which calls leave it
 * @zero: always 0
 */
struct sframe_cfi_state {
	struct sframe_cfi_place cfa;
	struct sframe_cfi_place fp;
	struct sframe_cfi_place ra;
	struct sframe_cfi_place sp;
	bool signal;
	bool foreign_ra;
	u8 zero[6];
};

void sframe_cfi_place_set(struct sframe_cfi_place *place,
			  enum sframe_cfi_how how, u64 reg, s64 off);

/**
 * struct sframe_cfi_entry - a CIE or FDE whose content was not read yet
 * @body: its bytes, from behind the identifier on
 * @cie_pos: FDE: position of its CIE; beyond the section if there can be none
 * @is_cie: whether it is a CIE
 */
struct sframe_cfi_entry {
	struct sframe_cfi_reader body;
	u32 cie_pos;
	bool is_cie;
};

/**
 * struct sframe_cfi_cie - a CIE
 * @pos: its position in the section plus one; 0: this cache entry is empty
 * @reason: SFRAME_OK, or why no function that refers to it can be read
 * @code_align: unit of advances, bytes
 * @data_align: unit of offsets, bytes
 * @ra_reg: column of the return address
 * @bytes: its length
 * @encoding: of the pointers in FDEs
 * @sized: FDEs have an augmentation with a size
 * @initial: state at the first byte of its functions
 */
struct sframe_cfi_cie {
	u64 pos;
	enum sframe_reason reason;
	u64 code_align;
	s64 data_align;
	u64 ra_reg;
	u32 bytes;
	u8 encoding;
	bool sized;
	struct sframe_cfi_state initial;
};

/**
 * struct sframe_cfi_fde - a function
 * @cie: what it has in common with others
 * @start: link-time address of its first byte
 * @size: bytes
 * @program: its instructions
 */
struct sframe_cfi_fde {
	const struct sframe_cfi_cie *cie;
	u64 start;
	u64 size;
	struct sframe_cfi_reader program;
};

/**
 * struct sframe_cfi_row - what holds from one address to another
 * @start: first byte, from the function's start
 * @end: first byte behind
 * @reason: SFRAME_OK, or why nothing is known there
 */
struct sframe_cfi_row {
	u64 start;
	u64 end;
	enum sframe_reason reason;
};

/**
 * struct sframe_cfi_rows - position in a function's rows
 * @eh: the section
 * @fde: the function; its size is not 0
 * @r: next instruction
 * @at: where the row begins that is being made
 * @skip: why instructions were not carried out to the end, or SFRAME_OK
 * @done: no further row
 * @depth: states in @stack
 * @state: what holds at @at as far as instructions were carried out; after
 *	sframe_cfi_rows_next(), what holds in the row
 * @stack: states that were remembered
 */
struct sframe_cfi_rows {
	const struct sframe_eh_frame *eh;
	const struct sframe_cfi_fde *fde;
	struct sframe_cfi_reader r;
	u64 at;
	enum sframe_reason skip;
	bool done;
	u8 depth;
	struct sframe_cfi_state state;
	struct sframe_cfi_state stack[SFRAME_CFI_DEPTH];
};

enum sframe_reason sframe_cfi_entry(const struct sframe_eh_frame *eh, u64 *pos,
				    struct sframe_cfi_entry *entry);
void sframe_cfi_cie_read(const struct sframe_eh_frame *eh, u32 pos,
			 struct sframe_cfi_rows *rows,
			 struct sframe_cfi_cie *cie);
enum sframe_reason sframe_cfi_fde_read(const struct sframe_eh_frame *eh,
				       const struct sframe_cfi_entry *entry,
				       const struct sframe_cfi_cie *cie,
				       struct sframe_cfi_fde *fde);

/**
 * enum sframe_cfi_silence - does a function's CFI never say that SP moves, or what is saved?
 * @SFRAME_CFI_SPEAKS: it does
 * @SFRAME_CFI_SAYS_NOTHING: it says nothing at all
 * @SFRAME_CFI_NAMES_REGISTER: it says only that another register is for some time as SP was
 */
enum sframe_cfi_silence {
	SFRAME_CFI_SPEAKS,
	SFRAME_CFI_SAYS_NOTHING,
	SFRAME_CFI_NAMES_REGISTER,
};

enum sframe_cfi_silence sframe_cfi_silence(const struct sframe_cfi_fde *fde);
enum sframe_reason sframe_cfi_initial(struct sframe_cfi_rows *rows,
				      const struct sframe_eh_frame *eh,
				      const struct sframe_cfi_fde *fde);
void sframe_cfi_rows_init(struct sframe_cfi_rows *rows,
			  const struct sframe_eh_frame *eh,
			  const struct sframe_cfi_fde *fde);
bool sframe_cfi_rows_next(struct sframe_cfi_rows *rows,
			  struct sframe_cfi_row *row);

void sframe_cfi_cfa_expression(const struct sframe_abi *abi,
			       struct sframe_cfi_reader expr,
			       struct sframe_cfi_place *cfa);
void sframe_cfi_expression(struct sframe_cfi_reader expr, bool value,
			   struct sframe_cfi_place *place);
enum sframe_reason sframe_cfi_rule(const struct sframe_abi *abi,
				   const struct sframe_cfi_state *state,
				   struct sframe_rule *rule);
u8 sframe_cfi_plt(const struct sframe_cfi_state *state,
		  const struct sframe_rule *rule);

#endif /* SFRAME_CORE_CFI_H */
