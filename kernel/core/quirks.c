// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs of binutils, glibc, GHC and OCaml that tables in the wild bear, one block each: which
 * version writes what, what would go wrong, what is done about it, and the test. Those that
 * are only in .eh_frame are in cfi_quirks.c.
 */
#include <sframe/format.h>

#include "decode_impl.h"
#include "quirks.h"

/**
 * sframe_quirk_empty() - a section without a header
 * @data: the section's first bytes
 * @len: how many
 *
 * What:	ld, all versions, makes a section of zeros (or of no bytes)
 *		where its inputs had nothing to say.
 * Impact:	none but its name: it would be counted as a bad magic number.
 * Remedy:	it is refused as SFRAME_EMPTY.
 * Test:	header_kunit.c, refused.
 *
 * Context: Any.
 * Return: true if there are only zeros.
 */
bool sframe_quirk_empty(const u8 *data, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (data[i])
			return false;
	return true;
}

/* Bytes of the first entry of an amd64 PLT. */
#define PLT0_SIZE		16

/* A row that says no more than CFA = SP + @off, from @start on? */
static bool is_sp_row(struct sframe_rows *rows, u32 start, s32 off)
{
	struct sframe_row row;

	return !sframe_rows_next(rows, &row) && row.start == start &&
	       row.rule.cfa == SFRAME_LOC_SP && row.rule.cfa_off == off;
}

/* The rows that ld gives to the first entry of an amd64 PLT. */
static bool is_plt0(const struct sframe_section *sec,
		    const struct sframe_fde *fde)
{
	struct sframe_rows rows;

	if (fde->pcmask || fde->size != PLT0_SIZE || fde->num_rows != 2)
		return false;
	sframe_rows_init(&rows, sec, fde);
	return is_sp_row(&rows, 0, 16) && is_sp_row(&rows, 6, 24);
}

/**
 * sframe_quirk_plt_v1() - is it a PLT whose rows may be wrong?
 * @sec: the section
 * @fde: a function of it whose rows can be read
 *
 * What:	ld 2.40 (version 1) with -z ibtplt describes .plt.sec as if it
 *		were .plt, and misplaces the push in the .plt beside it.
 * Impact:	a CFA that is one word off in PLT stubs: a wrong caller.
 * Remedy:	such a section shows by its second PLT0: nothing that its PLT
 *		functions say is used then (SFRAME_FDE_PLT). With one PLT0 only,
 *		the rows are right.
 * Test:	functions_kunit.c, plt_version_1; vectors x86_64-2.40-ibt.
 *
 * Context: Any.
 * Return: true if it is one of these functions.
 */
bool sframe_quirk_plt_v1(const struct sframe_section *sec,
			 const struct sframe_fde *fde)
{
	return sec->version == SFRAME_VERSION_1 &&
	       sec->abi->id_le == SFRAME_ID_AMD64_LE &&
	       (fde->pcmask || is_plt0(sec, fde));
}

/**
 * sframe_quirk_plt_got() - put .plt.got right
 * @sec: the section
 * @fde: a repeated function (PCMASK)
 * @rule: of one of its rows
 *
 * What:	ld 2.44 to 2.47.50 says SP+16 for amd64's .plt.got, whose stubs
 *		are one jump each and push nothing. Its own tests want that.
 * Impact:	a CFA that is one word off: a wrong caller.
 * Remedy:	no other repeated function has just that one row: SP+8.
 * Test:	rows_kunit.c, row_plt_got; functions_kunit.c, plt.
 *
 * Context: Any.
 */
void sframe_quirk_plt_got(const struct sframe_section *sec,
			  const struct sframe_fde *fde,
			  struct sframe_rule *rule)
{
	if (sec->abi->id_le == SFRAME_ID_AMD64_LE && fde->num_rows == 1 &&
	    rule->cfa == SFRAME_LOC_SP && rule->cfa_off == 16)
		rule->cfa_off = 8;
}

/**
 * sframe_quirk_cut_offset() - has an offset of RA lost its upper bits?
 * @abi: whose rules
 * @ra: where RA is, enum sframe_loc
 * @ra_off: its offset as it was read
 *
 * What:	gas 2.47 (version 3, flexible rows) cuts offsets to the width
 *		that the CFA's needs: -200 may come as 56.
 * Impact:	any word of the caller's frame is taken for the RA.
 * Remedy:	where a call pushes the RA, it lies below the CFA; an offset
 *		that says otherwise is refused. (A cut offset that is still
 *		negative goes undetected: no assembler is known to emit one.)
 * Test:	rows_kunit.c, the flexible rows.
 *
 * Context: Any.
 * Return: true if the row must not be used.
 */
bool sframe_quirk_cut_offset(const struct sframe_abi *abi, u8 ra, s32 ra_off)
{
	return abi->ra_reg < 0 && ra == SFRAME_LOC_SAVED &&
	       ra_off >= 0;
}

/**
 * sframe_quirk_says_less() - does a rule lack what another source says of the same place?
 * @rule: what is believed first, which .sframe has said if there is any
 * @other: what is asked next; .eh_frame, if there is any
 *
 * What:	gas before 2.45.50 writes rows like any other where RA is undefined, and none
 *		before 2.46 tells functions marked as signal trampolines from others; to
 *		.eh_frame both write it.
 * Impact:	whatever lies where RA would be is taken for a caller's; or the PC that was
 *		interrupted for an RA, so that the byte before it is looked up.
 * Remedy:	for those, .eh_frame is believed.
 * Test:	sources_kunit.c, said_by_one.
 *
 * Context: Any.
 * Return: true if @other is to be used.
 */
bool sframe_quirk_says_less(const struct sframe_rule *rule, const struct sframe_rule *other)
{
	const u8 flags = SFRAME_RULE_OUTERMOST | SFRAME_RULE_SIGNAL;

	return other->flags & flags && !(rule->flags & flags);
}

/**
 * sframe_quirk_fp_restored() - has FP its caller's value already?
 * @rule: of the frame that is left
 * @fp: FP in it
 * @cfa: its CFA
 *
 * What:	gas, all versions, as in DWARF: in a function that realigns its
 *		stack, between "pop %rbp" and "ret" rows still say that FP is
 *		saved where FP points to.
 * Impact:	FP is loaded once too often, from the caller's record.
 * Remedy:	a slot at or above the CFA is not of this frame: FP is kept.
 * Test:	cursor_x86.h, "FP restored before its rule ends".
 *
 * Context: Any.
 * Return: true if FP is to be kept as it is.
 */
bool sframe_quirk_fp_restored(const struct sframe_rule *rule, u64 fp, u64 cfa)
{
	return rule->fp == (SFRAME_LOC_FP | SFRAME_LOC_DEREF) &&
	       fp + rule->fp_off >= cfa;
}

/**
 * sframe_quirk_ra_above() - mark a rule whose CFA is not the caller's SP
 * @abi: whose rules
 * @rule: a rule; marked if it says that RA lies at the CFA or above
 *
 * What:	glibc's _dl_runtime_resolve() on AArch64 does not count the two words
 *		that the PLT has pushed before, of which one is RA: RA is at CFA + 8,
 *		and the caller's SP 16 bytes above the CFA.
 *		OCaml 5 for s390x has RA at the CFA where C is called on another stack: its
 *		CFA is OCaml's SP, and not, as the ABI has it, 160 bytes above that.
 * Impact:	who calls a function for the first time, bound lazily, is left by a
 *		wrong SP: its RA is the one that it was called with, or no RA at all.
 * Remedy:	SP lies above RA, aligned as ever: see below.
 * Test:	cursor_kunit.c, "arm64: RA above the CFA", "s390x: RA at the CFA"; the program
 *		lazy.
 *
 * Context: Any.
 */
void sframe_quirk_ra_above(const struct sframe_abi *abi,
			   struct sframe_rule *rule)
{
	if (abi->ra_reg >= 0 && rule->ra_off >= 0 &&
	    rule->ra == SFRAME_LOC_SAVED)
		rule->flags |= SFRAME_RULE_RA_ABOVE;
}

/**
 * sframe_quirk_not_saved() - put a rule right that says RA is saved before it is
 * @abi: whose rules
 * @rule: put right if it says that RA lies below SP
 *
 * What:	OCaml 5 for arm64 says of caml_c_call(), caml_call_gc() and others from
 *		their first instruction on that FP and RA are in the frame, which that
 *		instruction makes.
 * Impact:	what is read there was left by others: a caller that is none.
 * Remedy:	below SP is nothing: where a whole record would be right below, both are
 *		still in their registers. (Behind the last load from there, glibc's CFI
 *		says likewise of others, and is right as long as nothing interrupts.)
 * Test:	cfi_forms.h, "RA below SP"; rows_kunit.c, row_not_saved.
 *
 * Context: Any.
 */
void sframe_quirk_not_saved(const struct sframe_abi *abi, struct sframe_rule *rule)
{
	if (abi->fallback != SFRAME_FALLBACK_FP || rule->cfa != SFRAME_LOC_SP || rule->cfa_off ||
	    rule->ra != SFRAME_LOC_SAVED || rule->ra_off != -8 ||
	    rule->fp != SFRAME_LOC_SAVED || rule->fp_off != -16)
		return;
	rule->ra = SFRAME_LOC_SAME;
	rule->fp = SFRAME_LOC_SAME;
	rule->ra_off = 0;
	rule->fp_off = 0;
}

/**
 * sframe_quirk_sp() - the caller's SP, also for a rule that sframe_quirk_ra_above() marked
 * @abi: whose rules
 * @rule: that of the frame that is left; or the next one, at its function's beginning,
 *	where RA is said to be in its register, as it is, too
 * @cfa: its CFA
 *
 * What:	see sframe_quirk_ra_above().
 *
 * Context: Any.
 * Return: SP, above RA if the rule is marked
 */
u64 sframe_quirk_sp(const struct sframe_abi *abi, const struct sframe_rule *rule, u64 cfa)
{
	u64 align = abi->cfa_align;

	if (!(rule->flags & SFRAME_RULE_RA_ABOVE))
		return cfa + abi->sp_bias;
	return (cfa + rule->ra_off + sizeof(u64) + align - 1) & ~(align - 1);
}

/**
 * sframe_quirk_saves_all() - put a rule right that has FP and RA above the CFA, not below
 * @abi: whose rules
 * @rule: one marked as a signal trampoline's; put right if it says otherwise
 *
 * What:	caml_start_program() and others of OCaml 5 for arm64 save all registers
 *		that functions have to keep, 160 bytes, in an instruction that lowers SP:
 *		FP and RA first. Their CFI takes them to be where SP is then, but says
 *		so as if that were the CFA.
 * Impact:	the record that is right above the CFA is that of the caller: it would
 *		be skipped.
 * Remedy:	rules that have the CFA by SP, and FP and RA right above it, mean 160
 *		bytes lower. (The vDSO's trampoline, whose record is there, has it by FP.)
 * Test:	cfi_forms.h, "OCaml saves all registers"; rows_kunit.c, row_saves_all.
 *
 * Context: Any.
 */
void sframe_quirk_saves_all(const struct sframe_abi *abi, struct sframe_rule *rule)
{
	/* X19 to X30, and half of V8 to V15. */
	const s32 all = 12 * 8 + 8 * 8;

	if (abi->fallback != SFRAME_FALLBACK_FP ||
	    (rule->cfa & ~SFRAME_LOC_DEREF) != SFRAME_LOC_SP ||
	    rule->ra != SFRAME_LOC_SAVED || rule->ra_off != 8 ||
	    rule->fp != SFRAME_LOC_SAVED || rule->fp_off)
		return;
	rule->fp_off -= all;
	rule->ra_off -= all;
	rule->flags &= ~SFRAME_RULE_RA_ABOVE;
}
