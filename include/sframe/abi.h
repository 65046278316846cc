/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the three ABIs, as data. All descriptors compile on
 * every host; the module walks with its own.
 */
#ifndef SFRAME_ABI_H
#define SFRAME_ABI_H

#include <sframe/env.h>

/* The bytes of code that sframe_abi.sigreturn looks at, and the PC's place. */
#define SFRAME_SIGRETURN_LEN	18
#define SFRAME_SIGRETURN_PC	8

/* Bytes of code before and from an address on that instructions are read from. */
#define SFRAME_CODE_BEFORE	16
#define SFRAME_CODE_AFTER	16

/* The longest sframe_abi.call_len. */
#define SFRAME_CALL_LEN_MAX	8
/* Bytes that &sframe_abi.made_ra looks at. */
#define SFRAME_MADE_RA_LEN	24
/* Bytes of a linker's stub that are looked at. */
#define SFRAME_STUB_LEN		12
/* Bytes from an RA on that sframe_abi.resumes looks at. */
#define SFRAME_RESUME_LEN	17

/**
 * enum sframe_fallback - how a frame without a row is stepped over
 * @SFRAME_FALLBACK_FP_CFA: {FP, RA} record at FP; it ends at the CFA (x86-64)
 * @SFRAME_FALLBACK_FP: {FP, RA} record at FP anywhere in the frame: SP is
 *	not known afterwards (AArch64)
 * @SFRAME_FALLBACK_BACKCHAIN: word at SP is the caller's SP (s390x)
 */
enum sframe_fallback {
	SFRAME_FALLBACK_FP_CFA,
	SFRAME_FALLBACK_FP,
	SFRAME_FALLBACK_BACKCHAIN,
};

/* Copies @len bytes of the task's memory at @addr to @buf: 0 or -errno. */
typedef int (*sframe_read_fn)(void *ctx, u64 addr, void *buf, unsigned int len);

/**
 * struct sframe_leave - how a function will be left, as its code says
 * @sp: SP; the caller's when the way out was found, or if @sp_lost an address not above
 * @fp: FP; the caller's if @fp_at is 0
 * @fp_at: where the caller's FP is in memory, or 0
 * @ra_at: where RA is in memory; 0: in its register, as it was
 * @ra_reg: number of the register that has RA instead, as it was; 0: none, for X0 cannot
 *	have it (arm64)
 * @cost: instructions looked at, as if they were of arm64
 * @cost_max: the highest cost
 * @topmost: RA may still be in its register
 * @returned: if not, the function that it has called will surely return (x86-64)
 * @far: whatever it takes; else only what is told by a few bytes (x86-64), or by some
 *	hundred instructions
 * @want_sp: what leaves SP open is not enough, as long as there are other ways
 * @sure: no call was passed by, one that might never return
 * @returns: and it ends in a return, not in a jump to another function (x86-64)
 * @sp_lost: SP is not known; when the way out was found, the caller's is not: the
 *	function takes arguments off the stack, or jumps to one that may (arm64)
 * @ra_before_calls: RA is in its register if no call of the function itself has left there
 *	what is in it (arm64)
 * @fp_lost: FP is not known (s390x); where the caller's FP is was not found
 * @by_pointer: SP was aligned wherever the function made a call (x86-64)
 * @lasts: the same code says the same again, from SP on. Unless the following
 *	has a part in it, it is all that does
 * @by_stack: what is on the stack, or where exactly it is
 * @by_fp: how far FP is from SP
 * @from_fp: and some place was found from there
 * @sp_saved: this SP was saved where &sframe_abi.sp_slot says
 */
struct sframe_leave {
	u64 sp;
	u64 fp;
	u64 fp_at;
	u64 ra_at;
	u8 ra_reg;
	u32 cost;
	u32 cost_max;
	bool topmost;
	bool returned;
	bool far;
	bool want_sp;
	bool sure;
	bool returns;
	bool sp_lost;
	bool ra_before_calls;
	bool fp_lost;
	bool by_pointer;
	bool lasts;
	bool by_stack;
	bool by_fp;
	bool from_fp;
	bool sp_saved;
};

/**
 * enum sframe_resume - how an interpreter that is returned to finds its SP again
 * @SFRAME_RESUME_NOT: that is none
 * @SFRAME_RESUME_ADDRESS: it is in the second word below FP
 * @SFRAME_RESUME_DISTANCE: or how many words from FP
 */
enum sframe_resume {
	SFRAME_RESUME_NOT,
	SFRAME_RESUME_ADDRESS,
	SFRAME_RESUME_DISTANCE,
};

/**
 * struct sframe_sigframe - where the kernel saves the registers of what a
 *	signal interrupts
 * @regs: where they begin, in bytes from the SP that the trampoline is reached
 *	with
 * @pc: of the PC, from @regs
 * @nr: entries in @reg
 * @reg: of the register with that DWARF number, from @regs
 */
struct sframe_sigframe {
	u16 regs;
	u16 pc;
	u16 nr;
	const u16 *reg;
};

/* Bytes of code before a PC that sframe_abi.lisp looks at, and from there on. */
#define SFRAME_LISP_BEFORE	40
#define SFRAME_LISP_AFTER	56

/**
 * enum sframe_lisp - where the records are in a function of Lisp
 * @SFRAME_LISP_NOT: not known, or it is another language's
 * @SFRAME_LISP_OWN: FP is at its own record
 * @SFRAME_LISP_CALLED: the same, behind a call of a function of Lisp
 * @SFRAME_LISP_LENT: FP is at the record of what it calls next; its own FP is in that
 */
enum sframe_lisp {
	SFRAME_LISP_NOT,
	SFRAME_LISP_OWN,
	SFRAME_LISP_CALLED,
	SFRAME_LISP_LENT,
};

/* Bytes that sframe_abi.is_mark wants to see. */
#define SFRAME_ENTER_MARK_LEN	6

/* Bytes of code that sframe_abi.stg_run and sframe_abi.stg_pops look at. */
#define SFRAME_STG_RUN_LEN	45
#define SFRAME_STG_POPS_LEN	4

/* Bytes of code that sframe_abi.first_call looks at. */
#define SFRAME_FIRST_CALL_LEN	9
/* And sframe_abi.call_mark and sframe_abi.frame_made. */
#define SFRAME_CALL_MARK_LEN	8
#define SFRAME_FRAME_MADE_LEN	18

/**
 * struct sframe_stg_run - what StgRun() has put on the stack, by which C enters what GHC
 *	has compiled, in bytes from where it leaves SP
 * @ra: its RA
 * @fp: its caller's FP
 */
struct sframe_stg_run {
	u32 ra;
	u32 fp;
};

/* Bytes of code that sframe_abi.go_back looks at, at the most. */
#define SFRAME_GO_BACK_LEN	48

/**
 * enum sframe_go_way - how a function of Go's runtime finds its own stack again
 * @SFRAME_GO_BY_SCHEDULER: by what the scheduler knows: the thread ("m") of the
 *	goroutine ("g") that runs, which goroutine that thread is for, and where that
 *	has left its stack
 * @SFRAME_GO_BY_DEPTH: on the other stack it has put its goroutine, and how far
 *	below the upper end of that one's stack it was
 * @SFRAME_GO_BY_COPY: it has put SP there
 * @SFRAME_GO_BY_THREAD: it has told the thread where its caller is, and keeps SP in a
 *	register
 */
enum sframe_go_way {
	SFRAME_GO_BY_SCHEDULER,
	SFRAME_GO_BY_DEPTH,
	SFRAME_GO_BY_COPY,
	SFRAME_GO_BY_THREAD,
};

/**
 * struct sframe_go_back - where things are that lead back, in bytes from the
 *	beginning of what they are in
 * @way: which of them are known
 * @m: in a goroutine, its thread; by the scheduler, or by the thread
 * @curg: in a thread, the goroutine that it runs for; by the scheduler
 * @sp: in a goroutine, its SP, by the scheduler; in a thread, the caller's SP, by the
 *	thread; else on the stack, from SP on: the depth, or SP
 * @pc: in a thread, the RA; by the thread
 * @g: on the stack, the goroutine; by depth; or where what is called saves the
 *	register, by the thread
 * @sp_reg: DWARF number of the register; by the thread
 */
struct sframe_go_back {
	enum sframe_go_way way;
	u32 m;
	u32 curg;
	u32 sp;
	u32 pc;
	u32 g;
	u8 sp_reg;
};

/* What an instruction does; any of these. */
#define SFRAME_INSN_STOPS	1	/* never passed: a return, jump or trap */
#define SFRAME_INSN_JUMPS	2	/* it may go to its target */
#define SFRAME_INSN_CALLS	4	/* or asks the kernel: that may not return */
#define SFRAME_INSN_FILLS	8	/* does nothing, fills gaps */
#define SFRAME_INSN_BEGINS	16	/* functions begin like that */
#define SFRAME_INSN_RESTORES	32	/* FP is no longer where it was */
#define SFRAME_INSN_ANYWHERE	64	/* a jump to where it does not say */
#define SFRAME_INSN_ENTERED	128	/* RA is in its register: who calls comes here */
#define SFRAME_INSN_CHOOSES	256	/* a jump to an arm of a switch */
#define SFRAME_INSN_ARM		512	/* an arm of a switch begins (arm64) */
#define SFRAME_INSN_LEAVES	1024	/* SP is the caller's (s390x) */

/**
 * struct sframe_insn - an instruction
 * @target: where it may jump to
 * @flags: SFRAME_INSN_*
 * @len: its length in bytes
 */
struct sframe_insn {
	u64 target;
	u16 flags;
	u8 len;
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
 * @pc_reg: DWARF number of the PC, by which a PLT's CFA may be found; 0: it
 *	is not
 * @max_reg: largest DWARF register number a rule may name
 * @kept_regs: registers that functions keep for their callers, a bit per DWARF
 *	number, without SP and FP
 * @fixed_ra: RA's offset from the CFA in bytes the header must state, 0 none
 * @cfa_scale: CFA = base + word * @cfa_scale + @cfa_bias
 * @cfa_bias: bytes, see @cfa_scale
 * @sp_bias: caller's SP = CFA + @sp_bias
 * @cfa_align: alignment in bytes every CFA has
 * @min_cfa: least distance in bytes from SP to the CFA in the topmost frame
 * @ra_word_zero: an RA word of 0 means "not saved"
 * @reg_in_word: an odd RA or FP word names a register (s390x, version 2)
 * @fallback: how to step without a row
 * @fp_slot: offset of the saved FP from FP; unused with a backchain, which
 *	does not tell whether FP was saved
 * @ra_slot: offset of the saved RA from FP, or from the caller's SP (backchain)
 * @sp_slot: and where functions that save RA save the caller's SP; 0: they do not
 * @has_pac: return addresses may be signed
 * @call_len: bytes before an RA that @after_call wants to see
 * @after_call: do the @call_len bytes that end at an RA end with a call?
 * @made_ra: do the %SFRAME_MADE_RA_LEN bytes that end at an RA put it where a call would
 *	put it, and end with a jump? NULL: not known
 * @resumes: do the %SFRAME_RESUME_LEN bytes at an RA take SP from their frame? An
 *	interpreter is returned to there that does not call functions, but jumps to
 *	them (HotSpot). NULL: not known
 * @jump_reg: DWARF number of the register in which a function that is jumped to may have
 *	that RA for a while, if @resumes
 * @call_target: the function that the last of these bytes call, which end at
 *	@ra; 0 if that is not certain
 * @stub_slot: where the address is that a linker's stub jumps to, of which
 *	%SFRAME_STUB_LEN bytes are at @code and lie at @pc; 0 if it is none. NULL:
 *	not known
 * @arms_marked: where arms of switches begin, code says so; else any may begin behind a
 *	jump that is always made
 * @insn: tell what the instruction at @code is, which lies at @pc, from as many
 *	bytes as %SFRAME_CODE_AFTER; false if it is none. NULL: not known
 * @makes_record: does what is at @code, which lies at @pc, make FP point to the
 *	function's record? %SFRAME_CODE_BEFORE bytes before may be looked at, and
 *	%SFRAME_CODE_AFTER; it is not known where instructions begin. @looks grows
 *	by the number of those that had to be looked at
 * @record_mark: it is no question where the byte @record_mark_at bytes on is not
 *	this one, but for the bits that @record_mark_mask leaves out
 * @record_mark_at: see there
 * @record_mark_mask: see there
 * @sigreturn: do the SFRAME_SIGRETURN_LEN bytes that begin SFRAME_SIGRETURN_PC
 *	before a PC put it in a signal trampoline (@start: at its beginning,
 *	where a handler returns to)? What is on the stack then, or NULL
 * @leave: follow the code from a PC to where its function is left: was that
 *	found? NULL if code is not understood
 * @leave_lasts: it sets &sframe_leave.lasts
 * @near_costs: it takes long, too, where it may not go far
 * @enter: follow the code of a function from its beginning, where @sframe_leave.sp is
 *	SP, to a PC: is it there with that SP? NULL: not known
 * @prologue: from where a function begins, what does it do before it branches? At first SP
 *	is @sframe_leave.sp, and is left there as it is then; FP and RA are in their
 *	registers. Up to @pc, is SP changed by constants only? NULL: not known
 * @mark: the first byte of what functions begin with that may be called by a pointer, or
 *	that save RA; with @enter or @prologue
 * @is_mark: are %SFRAME_ENTER_MARK_LEN bytes, of which @mark is the first, that?
 * @go_back: do the %SFRAME_GO_BACK_LEN bytes at @code begin with Go's way back to a
 *	goroutine's stack?
 * @go_reg: DWARF number of the register in which Go keeps the goroutine
 * @stg_run: do the %SFRAME_STG_RUN_LEN bytes at @code begin GHC's StgRun()? NULL: not
 *	known
 * @stg_pops: how many bytes the %SFRAME_STG_POPS_LEN at @code take off the stack, as GHC
 *	does behind a call of C; 0 if they do something else
 * @stg_ra: how far above SP, as StgRun() leaves it, its RA is looked for; 0: nowhere
 * @stg_base_reg: DWARF number of the register by which what GHC compiles finds its
 *	runtime
 * @stg_limit_reg: and of the one for where the Haskell stack ends
 * @first_call: do the %SFRAME_FIRST_CALL_LEN bytes before a RA align SP, and call, as only
 *	programs' beginnings do? Or NULL
 * @call_mark: how far before them do the %SFRAME_CALL_MARK_LEN bytes at a RA say that it
 *	begins what holds the function, which HotSpot has compiled? 0: nothing. NULL:
 *	not known
 * @frame_made: where a function does not begin with the %SFRAME_FRAME_MADE_LEN bytes as
 *	those that HotSpot compiles do: 0. Else how far below its RA it leaves SP; its
 *	caller's FP is beside that RA
 * @lisp: what the code around a PC says of records, if it calls functions as Lisp does;
 *	%SFRAME_LISP_BEFORE bytes before it and %SFRAME_LISP_AFTER from there on can be read;
 *	@looks grows by the number of instructions looked at (x86-64: SBCL's)
 * @insn_align: instructions are at multiples of it
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
	s16 fp_slot;
	s16 ra_slot;
	s16 sp_slot;
	bool has_pac;
	u8 call_len;
	bool (*after_call)(const u8 *code);
	bool (*made_ra)(const u8 *code);
	enum sframe_resume (*resumes)(const u8 *code);
	u8 jump_reg;
	u64 (*call_target)(const u8 *code, u64 ra);
	u64 (*stub_slot)(const u8 *code, u64 pc);
	bool arms_marked;
	bool (*insn)(const u8 *code, u64 pc, struct sframe_insn *insn);
	bool (*makes_record)(const u8 *code, u64 pc, u32 *looks);
	u8 record_mark;
	u8 record_mark_at;
	u8 record_mark_mask;
	const struct sframe_sigframe *(*sigreturn)(const u8 *code, bool start);
	bool (*leave)(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx);
	bool leave_lasts;
	bool near_costs;
	bool (*enter)(struct sframe_leave *lv, u64 from, u64 pc, u64 sp,
		      sframe_read_fn read, void *ctx);
	bool (*prologue)(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			 void *ctx);
	u8 mark;
	bool (*is_mark)(const u8 *code);
	bool (*go_back)(const u8 *code, struct sframe_go_back *back);
	u8 go_reg;
	bool (*stg_run)(const u8 *code, struct sframe_stg_run *run);
	u32 (*stg_pops)(const u8 *code);
	u16 stg_ra;
	u8 stg_base_reg;
	u8 stg_limit_reg;
	bool (*first_call)(const u8 *code);
	u32 (*call_mark)(const u8 *code);
	u64 (*frame_made)(const u8 *code);
	enum sframe_lisp (*lisp)(const u8 *code, u32 *looks);
	u8 insn_align;
};

extern const struct sframe_abi sframe_abi_x86;
extern const struct sframe_abi sframe_abi_arm64;
extern const struct sframe_abi sframe_abi_s390;

#endif /* SFRAME_ABI_H */
