/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the three ABIs: numbers, and functions that read instructions, filled
 * in by kernel/arch/. All three descriptors compile on every host; the module walks with its
 * own.
 */
#ifndef SFRAME_ABI_H
#define SFRAME_ABI_H

#include <sframe/code.h>

/**
 * enum sframe_fallback - where a frame without a row keeps its caller's FP and RA
 * @SFRAME_FALLBACK_FP_CFA: {FP, RA} record at FP, which ends at the CFA (x86-64)
 * @SFRAME_FALLBACK_FP: {FP, RA} record at FP, anywhere in the frame: the caller's SP is not
 *	known then (AArch64)
 * @SFRAME_FALLBACK_BACKCHAIN: the word at SP is the caller's SP (s390x)
 */
enum sframe_fallback {
	SFRAME_FALLBACK_FP_CFA,
	SFRAME_FALLBACK_FP,
	SFRAME_FALLBACK_BACKCHAIN,
};

/**
 * struct sframe_abi - one ABI's rules
 * @name: as in messages: "x86-64", "arm64", "s390x"
 * @e_machine: ELF machine
 * @id_le: SFrame ABI identifier of the little-endian form, 0 if none
 * @id_be: SFrame ABI identifier of the big-endian form, 0 if none
 * @sp_reg: DWARF number of the stack pointer
 * @fp_reg: DWARF number of the frame pointer
 * @ra_reg: DWARF number of the link register, or -1: RA is on the stack
 * @pc_reg: DWARF number of the PC, by which CFI of PLTs may find the CFA; 0: it does not
 * @max_reg: largest DWARF register number a rule may name
 * @kept_regs: registers, without SP and FP, that functions keep for their callers, a bit per
 *	DWARF number
 * @fixed_ra: RA's offset from the CFA in bytes the header must state, 0 none
 * @cfa_scale: CFA = base + word * @cfa_scale + @cfa_bias
 * @cfa_bias: bytes, see @cfa_scale
 * @sp_bias: caller's SP = CFA + @sp_bias
 * @cfa_align: alignment in bytes every CFA has
 * @min_cfa: bytes from SP to the CFA in the topmost frame, at least
 * @ra_word_zero: an RA word of 0 means "not saved"
 * @reg_in_word: an odd RA or FP word names a register (s390x, version 2)
 * @fallback: how to step without a row
 * @ra_slot: offset of the saved RA from FP, where the caller's is; or from the caller's SP, with
 *	a backchain, which does not tell whether FP was saved
 * @sp_slot: offset from the caller's SP where functions that save RA also save that SP; 0:
 *	they do not
 * @has_pac: return addresses may be signed
 * @call_len: bytes before an RA that @after_call looks at
 * @after_call: do the @call_len bytes that end at an RA end with a call?
 * @call_is_jump: does that never return, as the %SFRAME_CALL_IS_JUMP_LEN bytes at the RA say?
 *	NULL: they do not
 * @made_ra: do the %SFRAME_MADE_RA_LEN bytes that end at an address put it where a call
 *	would, and end with a jump? NULL: not known
 * @ra_aside: has a function put an address of its own into RA's register, @ahead bytes ahead of
 *	the PC? If so, as the %SFRAME_ASIDE_BEFORE bytes at @code and %SFRAME_ASIDE_AFTER from
 *	that address on say, @aside is filled. NULL: not known
 * @resumes: does the code at an address reload SP from its frame, as an interpreter does to
 *	which a function returns that it has jumped to (HotSpot)? %SFRAME_RESUME_LEN bytes
 *	are looked at. NULL: not known
 * @jump_reg: with @resumes, DWARF number of the register in which such a function has its RA
 *	at first
 * @call_target: the function that the call at the end of these bytes, before @ra, calls; 0 if
 *	that is not certain
 * @calls_register: does a call that ends @call_len bytes name a register? NULL: not known
 * @far_call_target: if so, as @call_target of the %SFRAME_FAR_CALL_LEN bytes before a RA, if
 *	the function's address is put into the register right before
 * @stub_slot: if the %SFRAME_STUB_LEN bytes at @code, for @pc, are a stub of the linker's,
 *	address of the word that it jumps to; else 0. NULL: not known
 * @arms_marked: an instruction marks where arms of switches begin; else one may begin behind
 *	any jump that is always made
 * @insn: read the instruction at @code, for @pc, from %SFRAME_CODE_AFTER bytes; false if it
 *	is none
 * @gap_fill: the byte that gaps between functions compiled at run time are filled with, an
 *	instruction that stops; 0: not known
 * @sp_step: as @insn, and what the instruction does to SP, and uses FP for. NULL: not known
 * @fp_use: without @sp_step, what it uses FP for; with %SFRAME_FP_POPPED, @pop_at is how far
 *	above SP that lies. NULL: not known
 * @makes_record: does the instruction at @code, for @pc, make FP point to the function's
 *	record? %SFRAME_CODE_BEFORE bytes before may be looked at, and %SFRAME_CODE_AFTER;
 *	where instructions begin is not known. @looks grows by the number of those looked
 *	at
 * @record_mark: @makes_record is false, and need not be asked, where the byte @record_mark_at
 *	bytes on, masked by @record_mark_mask, is not this one
 * @record_mark_at: see there
 * @record_mark_mask: see there
 * @sigreturn: is the PC in a signal trampoline (@start: at its first instruction, where a
 *	handler returns to), by the %SFRAME_SIGRETURN_LEN bytes that begin
 *	%SFRAME_SIGRETURN_PC before it? What the kernel has left on the stack, or NULL
 * @leave: follow code from a PC to where its function is left; true if a way out was found
 * @near_costs: even without &sframe_leave.far, the answers of @leave are worth keeping
 * @enter: follow code from a function's beginning, where SP is &sframe_leave.sp, to @pc; true
 *	if SP is @sp there. With &sframe_leave.by_fp, FP is &sframe_leave.fp there. NULL: not
 *	known
 * @record_depth: if the %SFRAME_RECORD_DEPTH_LEN bytes at @code begin a function that makes its
 *	record at once: how far below that SP stays from then on, but for arguments; 0 if they
 *	do not, or that is not known. @looks grows by the number of instructions looked at.
 *	NULL: not known
 * @prologue: follow code from a function's beginning to its first branch; at first SP is
 *	&sframe_leave.sp, and RA and FP are in their registers. True if it saves RA, and SP
 *	does not change from there to @pc; that SP is &sframe_leave.sp then. NULL: not
 *	known
 * @mark: first byte of the instruction that functions begin with which
 *	may be called by a pointer, or save RA; with @enter or @prologue
 * @is_mark: do %SFRAME_ENTER_MARK_LEN bytes that begin with @mark begin with that
 *	instruction?
 * @ocaml_frame: of how many bytes is the frame that a function of OCaml's makes which begins with
 *	%SFRAME_ENTER_MARK_LEN bytes? 0: it is none. NULL: OCaml's CFI tells
 * @go_back: do the %SFRAME_GO_BACK_LEN bytes at @code begin with Go's way back to a
 *	goroutine's stack? If so, @back is filled
 * @go_reg: DWARF number of the register in which Go keeps the goroutine
 * @stg_run: do the %SFRAME_STG_RUN_LEN bytes at @code begin GHC's StgRun()?
 * @stg_pops: how many bytes the %SFRAME_STG_POPS_LEN at @code take off the stack, as GHC
 *	does behind a call of C; 0 if they do something else
 * @stg_ra: bytes from SP, as StgRun() leaves it, to its RA
 * @stg_sp_reg: DWARF number of the register that points to the Haskell stack
 * @stg_base_reg: DWARF number of the register that points to GHC's runtime in what it
 *	compiles
 * @stg_limit_reg: and of the one that says where the Haskell stack ends
 * @first_call: do the %SFRAME_FIRST_CALL_LEN bytes before a RA align SP and call, as only
 *	programs' beginnings do? Or NULL
 * @ends_thread: do the %SFRAME_EXIT_LEN bytes at a RA end the thread, as musl's do that have
 *	called its first function? NULL: that is not asked (s390x)
 * @call_mark: HotSpot: by the %SFRAME_CALL_MARK_LEN bytes at a RA, how far before it the
 *	memory begins that holds the function; 0: they do not say. NULL: not known
 * @find_call_mark: of the first @len bytes at @code, where such an instruction begins, at a
 *	multiple of 4 (%SFRAME_CALL_MARK_LEN more can be read); @len: none. Needs @sp_step,
 *	or NULL
 * @chain_resumes: HotSpot's frames keep a backchain, with RA beside it: are these
 *	%SFRAME_CHAIN_RESUME_LEN bytes where its interpreter is returned to? NULL: it does not
 * @chain_at: and is one made, where these %SFRAME_CHAIN_AT_LEN bytes are?
 * @frame_made: HotSpot: if these %SFRAME_FRAME_MADE_LEN bytes begin a function, how far below
 *	its RA it then has SP; its caller's FP is beside that RA. Else 0
 * @is_sure_call: is the call around a RA one of a kind that returns, made at run time?
 *	%SFRAME_SURE_CALL_BEFORE bytes before the RA, and %SFRAME_SURE_CALL_AFTER from there
 *	on (RPython's)
 * @lisp: where FP points in the code around a PC, if it calls functions as Lisp does;
 *	%SFRAME_LISP_BEFORE bytes before and %SFRAME_LISP_AFTER from there on can be read;
 *	@looks grows by the number of instructions looked at (x86-64: SBCL's)
 * @lisp_entry: do the %SFRAME_STG_RUN_LEN bytes at @code begin the function by which C enters
 *	Lisp (SBCL), on a stack of its own? As @stg_run. NULL: not known
 * @lisp_ra: bytes from SP, as that leaves it, to its RA
 * @insn_align: instructions begin at multiples of it
 */
struct sframe_abi {
	const char *name;
	u16 e_machine;
	u8 id_le;
	u8 id_be;
	s8 sp_reg;
	s8 fp_reg;
	s8 ra_reg;
	u8 pc_reg;
	u8 max_reg;
	u32 kept_regs;
	s8 fixed_ra;
	u8 cfa_scale;
	s16 cfa_bias;
	s16 sp_bias;
	u8 cfa_align;
	u8 min_cfa;
	bool ra_word_zero;
	bool reg_in_word;
	enum sframe_fallback fallback;
	s16 ra_slot;
	s16 sp_slot;
	bool has_pac;
	u8 call_len;
	bool (*after_call)(const u8 *code);
	bool (*call_is_jump)(const u8 *code);
	bool (*made_ra)(const u8 *code);
	bool (*ra_aside)(const u8 *code, s64 ahead, struct sframe_aside *aside);
	enum sframe_resume (*resumes)(const u8 *code);
	u8 jump_reg;
	u64 (*call_target)(const u8 *code, u64 ra);
	bool (*calls_register)(const u8 *code);
	u64 (*far_call_target)(const u8 *code);
	u64 (*stub_slot)(const u8 *code, u64 pc);
	bool arms_marked;
	bool (*insn)(const u8 *code, u64 pc, struct sframe_insn *insn);
	u8 gap_fill;
	bool (*sp_step)(const u8 *code, u64 pc, struct sframe_sp_step *step);
	enum sframe_fp_use (*fp_use)(const u8 *code, s64 *pop_at);
	bool (*makes_record)(const u8 *code, u64 pc, u32 *looks);
	u8 record_mark;
	u8 record_mark_at;
	u8 record_mark_mask;
	const struct sframe_sigframe *(*sigreturn)(const u8 *code, bool start);
	bool (*leave)(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx);
	bool near_costs;
	bool (*enter)(struct sframe_leave *lv, u64 from, u64 pc, u64 sp,
		      sframe_read_fn read, void *ctx);
	u64 (*record_depth)(const u8 *code, u32 *looks);
	bool (*prologue)(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			 void *ctx);
	u8 mark;
	bool (*is_mark)(const u8 *code);
	u32 (*ocaml_frame)(const u8 *code);
	bool (*go_back)(const u8 *code, struct sframe_go_back *back);
	u8 go_reg;
	bool (*stg_run)(const u8 *code, struct sframe_stg_run *run);
	u32 (*stg_pops)(const u8 *code);
	u16 stg_ra;
	u8 stg_sp_reg;
	u8 stg_base_reg;
	u8 stg_limit_reg;
	bool (*first_call)(const u8 *code);
	bool (*ends_thread)(const u8 *code);
	u32 (*call_mark)(const u8 *code);
	u32 (*find_call_mark)(const u8 *code, u32 len);
	bool (*chain_resumes)(const u8 *code);
	enum sframe_chain_at (*chain_at)(const u8 *code);
	u64 (*frame_made)(const u8 *code);
	bool (*is_sure_call)(const u8 *code);
	enum sframe_lisp (*lisp)(const u8 *code, u32 *looks);
	bool (*lisp_entry)(const u8 *code, struct sframe_stg_run *run);
	u8 lisp_ra;
	u8 insn_align;
};

extern const struct sframe_abi sframe_abi_x86;
extern const struct sframe_abi sframe_abi_arm64;
extern const struct sframe_abi sframe_abi_s390;

#endif /* SFRAME_ABI_H */
