/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kernel/arch/ tells of code: instructions, ways out of a function, frames that are
 * known by the code that makes them.
 */
#ifndef SFRAME_CODE_H
#define SFRAME_CODE_H

#include <sframe/env.h>

/* Bytes of code that sframe_abi.sigreturn looks at, and the PC's place in them. */
#define SFRAME_SIGRETURN_LEN	18
#define SFRAME_SIGRETURN_PC	8

/* Bytes before an address, and from there on, of which an instruction can be read. */
#define SFRAME_CODE_BEFORE	16
#define SFRAME_CODE_AFTER	16

/* The longest sframe_abi.call_len. */
#define SFRAME_CALL_LEN_MAX	8
/* Bytes from a RA on that sframe_abi.call_is_jump looks at. */
#define SFRAME_CALL_IS_JUMP_LEN	2
/* Bytes that sframe_abi.far_call_target looks at. */
#define SFRAME_FAR_CALL_LEN	13
/* Bytes that &sframe_abi.made_ra looks at. */
#define SFRAME_MADE_RA_LEN	24
/*
 * Bytes before an address that a function has put into RA's register, and from there on, that
 * sframe_abi.ra_aside looks at; and how far from there PCs are, at most.
 */
#define SFRAME_ASIDE_BEFORE	80
#define SFRAME_ASIDE_AFTER	12
#define SFRAME_ASIDE_MAX	256
/* Bytes that sframe_abi.stub_slot looks at. */
#define SFRAME_STUB_LEN		12
/* Bytes from an RA on that sframe_abi.resumes looks at. */
#define SFRAME_RESUME_LEN	17

/* What is farther from SP is not near the frame. */
#define SFRAME_NEAR		65536

static inline bool sframe_is_near(u64 addr, u64 sp)
{
	return addr - sp + SFRAME_NEAR < 2 * SFRAME_NEAR;
}

/**
 * struct sframe_aside - where RA is while a function has an address of its own in RA's register
 * @reg: DWARF number of a register
 * @off: if @is_saved, RA is so many bytes above what is in that
 * @is_saved: RA is in memory; else in the register
 */
struct sframe_aside {
	u8 reg;
	u8 off;
	bool is_saved;
};

/* Copies @len bytes of the task's memory at @addr to @buf: 0 or -errno. */
typedef int (*sframe_read_fn)(void *ctx, u64 addr, void *buf, unsigned int len);

/**
 * struct sframe_leave - a question to code (in:), how is its function left, and the answer
 *	(out:)
 * @sp: in: SP; out: the caller's SP, or if @sp_lost an address that is not above it
 * @fp: in: FP; out: the caller's FP, if @fp_at is 0
 * @fp_at: out: address where the caller's FP is saved, or 0
 * @ra_at: out: address where RA is saved; 0: RA is in a register
 * @ra_reg: out: DWARF number of that register; 0: the link register, as X0 cannot have RA
 *	(arm64)
 * @cost: out: what it took to look at instructions, and to read them: in units of the time of
 *	some 68 instructions, a few more than @cost_max at most
 * @cost_max: in: limit of @cost
 * @topmost: in: the frame is the topmost one, so RA may still be in its register
 * @returned: in: the frame is not topmost, and its callee will surely return (x86-64)
 * @far: in: follow code until @cost_max is reached; else only a few bytes (x86-64), or some
 *	hundred instructions
 * @want_sp: in: as long as there are others, pass over ways out that do not tell the caller's
 *	SP
 * @by_mark: in: a call that HotSpot has marked is as good as a way out (x86-64)
 * @mark: out: where the first such call returns to: then @sp is SP there, and @fp_at where FP
 *	was put since the PC; else 0
 * @sure: out: the way out leads past no call, which might never return
 * @returns: out: the way out ends in a return, not in a jump to another function (x86-64)
 * @sp_lost: in: SP is not known; out: the caller's SP is not, as the function takes arguments
 *	off the stack, or jumps to one that may (arm64)
 * @ra_before_calls: out: RA is in its register, unless a call made by the function has put
 *	something else there (arm64)
 * @fp_lost: in: FP is not known (s390x); out: the caller's FP was not found
 * @by_pointer: in: SP has to be aligned at each call on the way (x86-64)
 * @lasts: out: relative to SP, the answer holds as long as the code is the same, unless one
 *	of the following had a part in it
 * @by_stack: out: what is on the stack, or its very address, had a part in it
 * @by_fp: out: the distance from SP to FP had
 * @from_fp: out: and a place was found relative to FP, or could be, if FP or what is added to
 *	it is large
 * @sp_saved: out: the caller's SP was loaded from where &sframe_abi.sp_slot says; and no
 *	other SP, or @by_stack is set
 * @ocaml: out: it is a function of OCaml: below @sp may lie what it has pushed for handlers of
 *	exceptions, each an outer one's SP and where its own code is (s390x)
 * @interprets: out: it is an interpreter, in whose frame its caller's SP is stored (arm64)
 * @recall: in: NULL, or fills in @known if it is known already how the function is left from
 *	the branch at @pc on, where SP and FP are as at the PC; @ctx is that of what reads code
 * @branch: out: such a branch that all ways out pass by, or 0 (x86-64)
 * @branch_cost: out: what it has cost to come there
 * @branch_known: out: it was known there
 */
struct sframe_leave {
	u64 sp;
	u64 fp;
	u64 fp_at;
	u64 ra_at;
	u64 mark;
	u8 ra_reg;
	u32 cost;
	u32 cost_max;
	bool topmost;
	bool returned;
	bool far;
	bool want_sp;
	bool by_mark;
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
	bool ocaml;
	bool interprets;
	bool (*recall)(void *ctx, u64 pc, const struct sframe_leave *lv,
		       struct sframe_leave *known);
	u64 branch;
	u32 branch_cost;
	bool branch_known;
};

/**
 * enum sframe_resume - how code that an interpreter is returned to finds its SP
 * @SFRAME_RESUME_NOT: it is no such code
 * @SFRAME_RESUME_ADDRESS: the second word below FP is SP
 * @SFRAME_RESUME_DISTANCE: the second word below FP says how many words from FP SP is
 */
enum sframe_resume {
	SFRAME_RESUME_NOT,
	SFRAME_RESUME_ADDRESS,
	SFRAME_RESUME_DISTANCE,
};

/* So many places are remembered where interpreters are returned to. */
#define SFRAME_RESUMED_MAX	4

/**
 * struct sframe_resumed - the last places that were found where an interpreter is returned to
 * @nr: so many were found
 * @at: the last of them, at its number modulo %SFRAME_RESUMED_MAX
 * @how: and how the interpreter finds its SP there
 *
 * HotSpot's has one for each kind of call and of result; of a stack, most are two or three.
 */
struct sframe_resumed {
	u32 nr;
	u64 at[SFRAME_RESUMED_MAX];
	enum sframe_resume how[SFRAME_RESUMED_MAX];
};

/**
 * struct sframe_sigframe - where the kernel saves the registers that a signal interrupts
 * @regs: bytes from the SP at the trampoline to where they begin
 * @pc: the PC's place, in bytes from there
 * @nr: entries in @reg
 * @reg: by DWARF number, a register's place in bytes from there
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
 * enum sframe_lisp - where FP points in a function of Lisp (SBCL)
 * @SFRAME_LISP_NOT: not known, or not Lisp
 * @SFRAME_LISP_OWN: to its own record
 * @SFRAME_LISP_CALLED: likewise; the PC is behind a call of a function of Lisp
 * @SFRAME_LISP_LENT: to the record made for the function to be called next, in which is its
 *	own FP
 */
enum sframe_lisp {
	SFRAME_LISP_NOT,
	SFRAME_LISP_OWN,
	SFRAME_LISP_CALLED,
	SFRAME_LISP_LENT,
};

/* Bytes that sframe_abi.is_mark and sframe_abi.ocaml_frame look at. */
#define SFRAME_ENTER_MARK_LEN	12

/* Bytes that sframe_abi.stg_run and sframe_abi.stg_pops look at. */
#define SFRAME_STG_RUN_LEN	88
#define SFRAME_STG_POPS_LEN	4

/* Bytes that sframe_abi.first_call looks at. */
#define SFRAME_FIRST_CALL_LEN	9
/* Bytes that sframe_abi.ends_thread looks at. */
#define SFRAME_EXIT_LEN		8
/* And sframe_abi.call_mark and sframe_abi.frame_made. */
#define SFRAME_CALL_MARK_LEN	12
#define SFRAME_CHAIN_RESUME_LEN	12
#define SFRAME_CHAIN_AT_LEN	64
#define SFRAME_FRAME_MADE_LEN	20
/* And sframe_abi.record_depth. */
#define SFRAME_RECORD_DEPTH_LEN	64
/* Bytes before a RA, and from there on, that sframe_abi.is_sure_call looks at. */
#define SFRAME_SURE_CALL_BEFORE	20
#define SFRAME_SURE_CALL_AFTER	17

/**
 * struct sframe_stg_run - what GHC's StgRun(), by which C enters Haskell, has put on the stack;
 *	or what enters Lisp
 * @sp: its caller's SP; bytes from where it leaves SP
 * @ra: its RA; likewise
 * @fp: its caller's FP; likewise
 */
struct sframe_stg_run {
	u32 sp;
	u32 ra;
	u32 fp;
};

/* Bytes that sframe_abi.go_back looks at, at most. */
#define SFRAME_GO_BACK_LEN	48

/**
 * enum sframe_go_way - how a function of Go's runtime finds the stack again that it has left
 * @SFRAME_GO_BY_SCHEDULER: the running goroutine ("g") names its thread ("m"), that names the
 *	goroutine that it runs for, and that says where it has left SP
 * @SFRAME_GO_BY_DEPTH: on the other stack are the function's goroutine, and how far below the
 *	upper end of that one's stack SP was
 * @SFRAME_GO_BY_COPY: on the other stack is SP itself
 * @SFRAME_GO_BY_THREAD: the thread knows the caller's SP and PC, and a register keeps SP
 */
enum sframe_go_way {
	SFRAME_GO_BY_SCHEDULER,
	SFRAME_GO_BY_DEPTH,
	SFRAME_GO_BY_COPY,
	SFRAME_GO_BY_THREAD,
};

/**
 * struct sframe_go_back - where to find what the way back needs; in bytes from the beginning
 *	of each structure
 * @way: the way, which says which of the following are set
 * @m: BY_SCHEDULER, BY_THREAD: in a goroutine, its thread
 * @curg: BY_SCHEDULER: in a thread, the goroutine that it runs for
 * @sp: BY_SCHEDULER: in a goroutine, its SP; BY_THREAD: in a thread, the caller's SP;
 *	BY_DEPTH, BY_COPY: on the stack, from SP on, the depth or SP
 * @pc: BY_THREAD: in a thread, the RA
 * @g: BY_DEPTH: on the stack, the goroutine; BY_THREAD: where the callee saves the
 *	goroutine's register
 * @sp_reg: BY_THREAD: DWARF number of the register that keeps SP
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
#define SFRAME_INSN_STOPS	1	/* return, jump or trap: code behind it is not reached */
#define SFRAME_INSN_JUMPS	2	/* may go to its target */
#define SFRAME_INSN_CALLS	4	/* call or system call: may not return */
#define SFRAME_INSN_FILLS	8	/* does nothing, as in gaps */
#define SFRAME_INSN_BEGINS	16	/* functions typically begin with it */
#define SFRAME_INSN_RESTORES	32	/* changes FP */
#define SFRAME_INSN_ANYWHERE	64	/* a jump to an unknown target */
#define SFRAME_INSN_ENTERED	128	/* marks an entry: RA is in its register */
#define SFRAME_INSN_CHOOSES	256	/* a jump to an arm of a switch */
#define SFRAME_INSN_ARM		512	/* an arm of a switch begins (arm64) */
#define SFRAME_INSN_LEAVES	1024	/* SP is the caller's from here on (s390x) */

/**
 * struct sframe_insn - an instruction
 * @target: where it may jump to
 * @flags: SFRAME_INSN_*
 * @len: bytes
 */
struct sframe_insn {
	u64 target;
	u16 flags;
	u8 len;
};

/**
 * enum sframe_chain_at - has a function of HotSpot's a frame, by its code at the PC (s390x)?
 * @SFRAME_CHAIN_UNKNOWN: that does not say
 * @SFRAME_CHAIN_UNMADE: none yet, or none left
 * @SFRAME_CHAIN_UNLINKED: SP is the frame's, the backchain not there yet
 */
enum sframe_chain_at {
	SFRAME_CHAIN_UNKNOWN,
	SFRAME_CHAIN_UNMADE,
	SFRAME_CHAIN_UNLINKED,
};

/**
 * enum sframe_fp_use - what an instruction uses FP for
 * @SFRAME_FP_UNUSED: nothing of these
 * @SFRAME_FP_WRITTEN: it may give it another value
 * @SFRAME_FP_BASE: to address memory, as a function does with a frame pointer
 * @SFRAME_FP_POINTER: to address memory, as with any pointer: at it, or above (x86-64)
 * @SFRAME_FP_LEFT: to set SP, as a function with a record does before it returns
 * @SFRAME_FP_POPPED: none: it takes FP from where SP is
 */
enum sframe_fp_use {
	SFRAME_FP_UNUSED,
	SFRAME_FP_WRITTEN,
	SFRAME_FP_BASE,
	SFRAME_FP_POINTER,
	SFRAME_FP_LEFT,
	SFRAME_FP_POPPED,
};

/**
 * enum sframe_sp_after - what an instruction does to SP
 * @SFRAME_SP_KEPT: nothing; a call is taken for one that is returned from
 * @SFRAME_SP_MOVED: it may be another one, or is not known
 * @SFRAME_SP_HANDED_ON: nothing, but it jumps to where a pointer says
 */
enum sframe_sp_after {
	SFRAME_SP_KEPT,
	SFRAME_SP_MOVED,
	SFRAME_SP_HANDED_ON,
};

/**
 * struct sframe_sp_step - what an instruction does, to SP, too
 * @insn: as &sframe_abi.insn says
 * @sp: what it does to SP
 * @added: bytes added to SP, if @sp is %SFRAME_SP_MOVED; 0: not known
 * @fp: what it uses FP for
 * @pop_at: with %SFRAME_FP_POPPED, bytes from SP to where that is taken from
 * @plain: it does nothing to SP and FP, and has no flags but %SFRAME_INSN_FILLS, which may be
 *	missing
 * @slow: it took three times as long to see that as for others
 */
struct sframe_sp_step {
	struct sframe_insn insn;
	enum sframe_sp_after sp;
	s64 added;
	s64 pop_at;
	enum sframe_fp_use fp;
	bool plain;
	bool slow;
};

#endif /* SFRAME_CODE_H */
