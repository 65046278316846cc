// SPDX-License-Identifier: GPL-2.0
/*
 * Bugs of glibc, GHC and OCaml that .eh_frame bears, in blocks as those of quirks.c.
 */
#include "cfi.h"
#include "quirks.h"

/**
 * sframe_quirk_other_context() - does a rule lead to where the function jumps, not was called?
 * @abi: whose rules
 * @rule: the rule
 *
 * What:	glibc's longjmp() and setcontext() for AArch64 take the buffer that registers
 *		are loaded from, in x0, for the CFA, and never say that SP is loaded, too.
 * Impact:	the caller's SP would be in the buffer. In setcontext(), SP and PC lie there
 *		as FP and RA do in a record: whoever goes on would have called itself.
 * Remedy:	nobody else counts from x0, where arguments and results are: such rows are
 *		refused, as other machines' are, where CFI speaks of SP.
 * Test:	cfi_forms.h, "setcontext()", "longjmp()".
 *
 * Context: Any.
 * Return: true if the row must not be used.
 */
bool sframe_quirk_other_context(const struct sframe_abi *abi, const struct sframe_rule *rule)
{
	return abi->fallback == SFRAME_FALLBACK_FP && rule->cfa == SFRAME_LOC_REG &&
	       !rule->cfa_off;
}

/**
 * sframe_quirk_enters_ocaml() - put the rule right by which C is found that has entered OCaml
 * @abi: whose rules
 * @rule: put right if it is that
 *
 * What:	caml_start_program() of OCaml 5 for s390x says where RA is on C's stack, which
 *		OCaml's links to, by a CFA that is that place; and it writes a number of two
 *		bytes as one: 88 for 248.
 * Impact:	no RA is there: the walk ends.
 * Remedy:	a CFA that is 88 above what is loaded from SP + 16, and RA there: RA is at 248,
 *		r11 at 224, and SP was 344 above that, when the function was called.
 * Test:	cfi_forms.h, "C enters OCaml".
 *
 * Context: Any.
 */
void sframe_quirk_enters_ocaml(const struct sframe_abi *abi, struct sframe_rule *rule)
{
	const s32 cfa = 344 + 160;

	if (abi->fallback != SFRAME_FALLBACK_BACKCHAIN || !(rule->flags & SFRAME_RULE_CFA_ABOVE) ||
	    rule->cfa_off != SFRAME_CFA_ABOVE(16, 88) ||
	    rule->ra != SFRAME_LOC_SAVED || rule->ra_off)
		return;
	rule->cfa_off = SFRAME_CFA_ABOVE(16, cfa);
	rule->ra_off = 248 - cfa;
	rule->fp = SFRAME_LOC_SAVED;
	rule->fp_off = 224 - cfa;
	rule->flags &= ~SFRAME_RULE_RA_ABOVE;
}

/**
 * sframe_quirk_swallowed_load() - put a rule right whose CFA has to be loaded
 * @abi: whose rules
 * @rule: put right if it is one of these
 *
 * What:	caml_c_call() and others of OCaml 5 for s390x mean that the CFA is loaded
 *		from SP + 168, but write that number of two bytes as one, 0xa8: so it takes
 *		in the byte behind it, which is the load's, and becomes 808.
 * Impact:	RA would be some word of C's stack, 808 bytes up: a wrong caller.
 * Remedy:	a CFA that is 808 above a register, and RA there, is loaded from 168 above it:
 *		no RA lies at a CFA that nothing was loaded for.
 * Test:	cfi_forms.h, "OCaml calls C".
 *
 * Context: Any.
 */
void sframe_quirk_swallowed_load(const struct sframe_abi *abi, struct sframe_rule *rule)
{
	if (abi->fallback != SFRAME_FALLBACK_BACKCHAIN || rule->cfa & SFRAME_LOC_DEREF ||
	    rule->cfa_off != 808 || rule->ra != SFRAME_LOC_SAVED ||
	    rule->ra_off)
		return;
	rule->cfa |= SFRAME_LOC_DEREF;
	rule->cfa_off = 168;
}

/**
 * sframe_quirk_is_ocaml() - is a function one that only OCaml describes so?
 * @abi: whose rules
 * @fde: the function
 *
 * What:	ocamlopt (5.3 was seen) for s390x gives each of its functions an FDE, but says
 *		nothing there of the frames that they make; of those that call C it says which
 *		register is as SP was meanwhile, and still nothing else.
 * Impact:	RA would be in its register all the time, where it is what the last call has
 *		left there: a wrong caller.
 * Remedy:	no compiler of C names another register without saying where the CFA is from
 *		it, or what was saved. In a file with one such function, those that say nothing
 *		have no rows, of .sframe either: their code is asked. (How many say nothing
 *		tells less: two of three in libatomic, three of four in ocamllex.)
 * Test:	cfi_silent_kunit.c.
 *
 * Context: Any.
 * Return: true if so.
 */
bool sframe_quirk_is_ocaml(const struct sframe_abi *abi, const struct sframe_cfi_fde *fde)
{
	return abi->fallback == SFRAME_FALLBACK_BACKCHAIN &&
	       sframe_cfi_silence(fde) == SFRAME_CFI_NAMES_REGISTER;
}

/**
 * sframe_quirk_stg_run() - has the function lowered SP before its CFI says so?
 * @abi: whose rules
 * @state: what .eh_frame says from some place on
 *
 * What:	StgRun() in the runtime of GHC (9.0 and 9.6 were seen) makes place for
 *		16 KiB on the stack, and saves registers there. Its CFI tells only
 *		behind that where RA is, from the SP that it has then.
 * Impact:	up to there, RA is a word that was left on the stack.
 * Remedy:	nobody else says that RA lies above a CFA that is SP: the function's row
 *		before such a one is refused, as that is.
 * Test:	cfi_forms.h, "StgRun() of GHC".
 *
 * Context: Any.
 * Return: true if it says so.
 */
bool sframe_quirk_stg_run(const struct sframe_abi *abi,
			  const struct sframe_cfi_state *state)
{
	return abi->ra_reg < 0 && !state->signal &&
	       state->cfa.how == SFRAME_HOW_IS_REG &&
	       state->cfa.reg == (u8)abi->sp_reg &&
	       state->ra.how == SFRAME_HOW_AT_CFA && state->ra.off >= 0;
}
