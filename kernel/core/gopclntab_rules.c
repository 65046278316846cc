// SPDX-License-Identifier: GPL-2.0
/*
 * From what .gopclntab says of a place in a function to a rule.
 *
 * What Go compiles has one kind of frame. x86-64 pushes FP below RA; arm64 puts RA at
 * the frame's lower end, and FP a word below it; s390x puts RA there and does not keep
 * FP. The runtime's functions in assembly that do other things are told by their names,
 * as their numbers differ from version to version.
 */
#include "gopclntab.h"
#include "table_impl.h"

#define WORD		8
/*
 * Where Go makes the frame of a function written in assembly, SP is lowered by the
 * first instruction, of at most this many bytes; on s390x by the second, as RA is
 * stored first.
 */
#define FIRST_INSN_MAX	7
#define FIRST_TWO_MAX	12

/* Bytes, from the beginning of the first row that lowers SP, in which FP is not in its place. */
#define STORES_FP	1	/* x86-64, before Go 1.21: until FP is stored */
#define SETS_FP		1	/* x86-64: until FP is set, if it was pushed */
#define SETS_FP_LATE	9	/* x86-64: until FP is set, if it was stored */
#define STORES_FP_LR	4	/* arm64: until FP is stored */
#define SETS_FP_LR	8	/* arm64: until it is set, too */

static bool name_is(const struct sframe_go_func *f, const char *name)
{
	return !strcmp(f->name, name);
}

static bool name_begins(const struct sframe_go_func *f, const char *name)
{
	return !strncmp(f->name, name, strlen(name));
}

static bool abi_pushes_ra(const struct sframe_abi *abi)
{
	return abi->ra_reg < 0;
}

static bool abi_keeps_fp(const struct sframe_abi *abi)
{
	return abi->fallback != SFRAME_FALLBACK_BACKCHAIN;
}

static bool has_known_code(const struct sframe_go_func *f)
{
	return name_is(f, "runtime.systemstack") || name_is(f, "runtime.asmcgocall");
}

/*
 * What kind is a function that puts another stack's pointer into SP? On x86-64 all of
 * the runtime's that have a frame keep FP at it. On arm64 those do that are named here;
 * others load FP with what belongs to the other stack. Of these, and on s390x, some
 * have code that is known.
 */
static enum sframe_go_kind switching_kind(const struct sframe_abi *abi,
					  const struct sframe_go_func *f)
{
	if (!abi_pushes_ra(abi) && has_known_code(f))
		return SFRAME_GO_BY_CODE;
	if (!abi_keeps_fp(abi))
		return name_is(f, "runtime.nanotime1") || name_is(f, "runtime.walltime") ?
		       SFRAME_GO_BY_CODE : SFRAME_GO_REFUSED;
	if (!name_begins(f, "runtime.") && !name_is(f, "time.now"))
		return SFRAME_GO_REFUSED;
	if (abi_pushes_ra(abi) || name_is(f, "time.now") || name_is(f, "runtime.nanotime1") ||
	    name_is(f, "runtime.walltime") || name_is(f, "runtime.vgetrandom1") ||
	    name_is(f, "runtime.cgocallback"))
		return SFRAME_GO_SWITCHES;
	return SFRAME_GO_REFUSED;
}

/*
 * Where calls leave RA in a register, assembly may save it anywhere: only that in Go's
 * own packages is known to save it as Go does.
 */
static bool is_known_assembly(const struct sframe_go_func *f)
{
	return name_begins(f, "runtime.") || name_begins(f, "reflect.") ||
	       name_begins(f, "internal/") || name_begins(f, "crypto/") ||
	       name_begins(f, "syscall.") || name_is(f, "time.now") ||
	       name_is(f, "gcWriteBarrier") || name_is(f, "callRet");
}

/**
 * sframe_go_kind() - how does a function treat the stack?
 * @abi: the file's ABI
 * @f: the function
 *
 * Context: Any.
 * Return: its kind.
 */
enum sframe_go_kind sframe_go_kind(const struct sframe_abi *abi,
				   const struct sframe_go_func *f)
{
	if (!f->name[0])
		return SFRAME_GO_USUAL;
	if (name_is(f, "runtime.sigreturn__sigaction") || name_is(f, "runtime.sigreturn"))
		return SFRAME_GO_SIGRETURN;
	if (name_begins(f, "runtime.debugCallV"))
		return SFRAME_GO_REFUSED;
	/* It calls nobody, and stores other things where it has saved RA. */
	if (!abi_pushes_ra(abi) && name_is(f, "internal/chacha8rand.block"))
		return SFRAME_GO_REFUSED;
	if (name_is(f, "runtime.asyncPreempt") || name_is(f, "runtime.sigpanic"))
		return SFRAME_GO_INJECTED;
	if (name_is(f, "runtime.mcall"))
		return SFRAME_GO_LEAVES;
	if (name_is(f, "runtime.morestack") || name_is(f, "runtime.switchToCrashStack0"))
		return SFRAME_GO_FIRST;
	/*
	 * Signal handlers have that flag, too, but the kernel has called them, and they
	 * return.
	 */
	if (f->flags & SFRAME_GO_TOP && !name_begins(f, "runtime.sig"))
		return SFRAME_GO_FIRST;
	if (f->flags & SFRAME_GO_SPWRITE)
		return switching_kind(abi, f);
	return SFRAME_GO_USUAL;
}

/**
 * sframe_go_frame_init() - find out what a function's rules follow from
 * @frame: filled in
 * @abi: the file's ABI
 * @f: the function
 * @size: bytes that its rows lower SP by first of all, 0 if they do not
 * @at: first byte of the function where they do
 *
 * On x86-64 functions that switch stacks had no frame before Go 1.21. Then nothing
 * tells where they were called from, not even before they switch, as nobody knows when
 * that is; except for some whose code tells.
 *
 * Context: Any.
 */
void sframe_go_frame_init(struct sframe_go_frame *frame,
			  const struct sframe_abi *abi,
			  const struct sframe_go_func *f, s64 size, u64 at)
{
	*frame = (struct sframe_go_frame){
		.abi = abi,
		.kind = sframe_go_kind(abi, f),
		/* If SP is raised first, that makes no frame. */
		.size = size > 0 ? size : 0,
		.keeps_fp = abi_keeps_fp(abi),
	};
	if (f->flags & SFRAME_GO_SPWRITE &&
	    at > (frame->keeps_fp ? FIRST_INSN_MAX : FIRST_TWO_MAX))
		frame->size = 0;
	if ((frame->kind == SFRAME_GO_SWITCHES ||
	     frame->kind == SFRAME_GO_BY_CODE) && !frame->size)
		frame->kind = abi_pushes_ra(abi) && has_known_code(f) ?
			      SFRAME_GO_BY_CODE : SFRAME_GO_REFUSED;
	if (!(f->flags & SFRAME_GO_ASM) || !size || is_known_assembly(f))
		return;
	if (!abi_pushes_ra(abi))
		frame->kind = SFRAME_GO_REFUSED;
	/* What it has pushed may be something else than FP. */
	else if (size != WORD)
		frame->keeps_fp = false;
}

/**
 * sframe_go_prologue() - for how many bytes of the first row that lowers SP is FP not
 *	in its place?
 * @frame: what its rules follow from
 *
 * Context: Any.
 * Return: bytes; 0 if it is from the row's beginning on.
 */
u64 sframe_go_prologue(const struct sframe_go_frame *frame)
{
	bool sets = frame->kind == SFRAME_GO_SWITCHES ||
		    frame->kind == SFRAME_GO_LEAVES;

	if (!abi_pushes_ra(frame->abi))
		return sets ? SETS_FP_LR : STORES_FP_LR;
	if (frame->size == WORD)
		return sets ? SETS_FP : 0;
	return sets ? SETS_FP_LATE : STORES_FP;
}

/*
 * Bytes that the signal handler has lowered SP by to make it look like a call (arm64,
 * s390x), where it stored the old link register.
 */
static s64 injected_bytes(const struct sframe_go_frame *frame)
{
	return frame->kind == SFRAME_GO_INJECTED && !abi_pushes_ra(frame->abi) ?
	       frame->abi->cfa_align : 0;
}

/* Does it switch stacks without a frame? Then it leaves FP alone. */
static bool frame_is_bare(const struct sframe_go_frame *frame)
{
	return frame->kind == SFRAME_GO_BY_CODE && !frame->size;
}

static void set_rule_fp(const struct sframe_go_frame *frame, s64 delta, bool prologue,
			struct sframe_rule *rule)
{
	if (!frame->keeps_fp) {
		rule->fp = SFRAME_LOC_LOST;
	} else if (delta && !prologue && !frame_is_bare(frame)) {
		rule->fp = SFRAME_LOC_SAVED;
		rule->fp_off = abi_pushes_ra(frame->abi) ? -2 * WORD :
			       -frame->size - WORD - injected_bytes(frame);
	}
}

static void set_rule_cfa(const struct sframe_go_frame *frame, s64 delta, bool prologue,
			 struct sframe_rule *rule)
{
	s64 pushed = abi_pushes_ra(frame->abi) ? WORD : 0;

	rule->cfa = SFRAME_LOC_SP;
	rule->cfa_off = delta + pushed - frame->abi->sp_bias +
			injected_bytes(frame);
	if ((!delta || prologue) && !frame_is_bare(frame))
		return;
	if (frame->kind == SFRAME_GO_SWITCHES) {
		rule->cfa = SFRAME_LOC_FP;
		rule->cfa_off = pushed ? 2 * WORD : frame->size + WORD;
		rule->flags |= SFRAME_RULE_SWITCH;
	} else if (frame->kind == SFRAME_GO_BY_CODE) {
		rule->cfa = SFRAME_LOC_REG | frame->abi->go_reg;
		rule->cfa_off = frame->size + pushed - frame->abi->sp_bias;
		rule->flags |= SFRAME_RULE_SWITCH;
	}
}

/* RA stays where it was put first. */
static void set_rule_ra(const struct sframe_go_frame *frame, s64 delta,
			struct sframe_rule *rule)
{
	if (!abi_pushes_ra(frame->abi) && !delta)
		return;
	rule->ra = SFRAME_LOC_SAVED;
	rule->ra_off = abi_pushes_ra(frame->abi) ? -WORD :
		       frame->abi->sp_bias - frame->size - injected_bytes(frame);
}

/*
 * The rule of mcall(): where more was pushed, it has left its caller's stack. Else it
 * is like a function that switches stacks, as @usual says.
 */
static enum sframe_reason leaving_rule(const struct sframe_go_frame *frame,
				       s64 delta, struct sframe_rule *rule,
				       struct sframe_go_frame *usual)
{
	if (delta > frame->size) {
		rule->flags = SFRAME_RULE_OUTERMOST;
		return SFRAME_OK;
	}
	usual->kind = SFRAME_GO_SWITCHES;
	return frame->size ? SFRAME_OK : SFRAME_GO_STACK;
}

/**
 * sframe_go_rule() - make the rule for a place in a function
 * @frame: what it follows from: the function has rows, and they are not refused
 * @delta: bytes that SP is below where it was at the function's entry
 * @prologue: it is in the first sframe_go_prologue() bytes of the row
 * @rule: filled; SFRAME_RULE_BAD if a reason is returned
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_GO_DELTA, SFRAME_GO_STACK.
 */
enum sframe_reason sframe_go_rule(const struct sframe_go_frame *frame,
				  s64 delta, bool prologue,
				  struct sframe_rule *rule)
{
	enum sframe_reason reason = SFRAME_OK;
	struct sframe_go_frame usual = *frame;

	memset(rule, 0, sizeof(*rule));
	if (delta < 0 || delta % frame->abi->cfa_align)
		reason = SFRAME_GO_DELTA;
	else if (frame->kind == SFRAME_GO_LEAVES)
		reason = leaving_rule(frame, delta, rule, &usual);
	else if (delta && !frame_is_bare(frame) &&
		 (!frame->size || delta < frame->size))
		reason = SFRAME_GO_DELTA;
	if (reason)
		rule->flags = SFRAME_RULE_BAD;
	if (rule->flags)
		return reason;
	set_rule_cfa(&usual, delta, prologue, rule);
	set_rule_ra(&usual, delta, rule);
	set_rule_fp(&usual, delta, prologue, rule);
	if (frame->kind == SFRAME_GO_INJECTED)
		rule->flags |= SFRAME_RULE_SIGNAL;
	if (injected_bytes(frame))
		rule->flags |= SFRAME_RULE_SWITCH;
	return SFRAME_OK;
}
