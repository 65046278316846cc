// SPDX-License-Identifier: GPL-2.0
/*
 * From what CFI says of one address to a rule. Expressions are not evaluated, but
 * compared with the few forms that compilers and linkers write.
 */
#include "cfi.h"
#include "decode_impl.h"
#include "quirks.h"

/* DWARF operations. */
#define OP_DEREF	0x06
#define OP_CONST1U	0x08
#define OP_AND		0x1a
#define OP_PLUS		0x22
#define OP_PLUS_UCONST	0x23
#define OP_SHL		0x24
#define OP_GE		0x2a
#define OP_LIT0		0x30
#define OP_LIT31	0x4f
#define OP_BREG0	0x70
#define OP_BREG31	0x8f
#define OP_BREGX	0x92

/* Bytes in a word, and how far a PLT's expression shifts to get them. */
#define WORD		8
#define WORD_SHIFT	3
/* Words that may be added to what was loaded, at most. */
#define WORDS_MAX	255

static void refuse_place(struct sframe_cfi_place *place, enum sframe_reason reason)
{
	*place = (struct sframe_cfi_place){
		.how = SFRAME_HOW_REFUSED,
		.off = reason,
	};
}

/**
 * sframe_cfi_place_set() - a value is in a place
 * @place: set; SFRAME_HOW_REFUSED if the offset has more than 32 bits
 * @how: what kind of place
 * @reg: DWARF number, if the place is relative to a register
 * @off: bytes
 *
 * Context: Any.
 */
void sframe_cfi_place_set(struct sframe_cfi_place *place,
			  enum sframe_cfi_how how, u64 reg, s64 off)
{
	*place = (struct sframe_cfi_place){
		.off = (s32)off,
		.reg = reg < SFRAME_CFI_REG_MAX ? reg : SFRAME_CFI_REG_MAX,
		.how = how,
	};
	if (unlikely(place->off != off))
		refuse_place(place, SFRAME_CFI_OFFSET);
}

/* Read "register plus offset"; false if the expression begins otherwise. */
static bool read_breg(struct sframe_cfi_reader *r, u64 *reg, s64 *off)
{
	u8 op = sframe_cfi_uint(r, 1);

	if (op >= OP_BREG0 && op <= OP_BREG31)
		*reg = op - OP_BREG0;
	else if (op == OP_BREGX)
		*reg = sframe_cfi_uleb(r);
	else
		return false;
	*off = sframe_cfi_sleb(r);
	return !r->bad;
}

/* Read a small constant, in either encoding. */
static bool read_constant(struct sframe_cfi_reader *r, u8 *value)
{
	u8 op = sframe_cfi_uint(r, 1);

	if (op >= OP_LIT0 && op <= OP_LIT31)
		*value = op - OP_LIT0;
	else if (op == OP_CONST1U)
		*value = sframe_cfi_uint(r, 1);
	else
		return false;
	return !r->bad;
}

static bool read_expected_op(struct sframe_cfi_reader *r, u8 op)
{
	return sframe_cfi_uint(r, 1) == op && !r->bad;
}

/* Is the rest of the expression an addition of words, in one constant or several? */
static bool reads_plus_words(struct sframe_cfi_reader r, u8 *words)
{
	u64 sum = 0, more;
	u8 value;

	while (r.p < r.end && sum < WORDS_MAX * WORD) {
		if (*r.p == OP_PLUS_UCONST) {
			r.p++;
			more = sframe_cfi_uleb(&r);
		} else if (read_constant(&r, &value) && read_expected_op(&r, OP_PLUS)) {
			more = value;
		} else {
			return false;
		}
		if (r.bad || more > WORDS_MAX * WORD)
			return false;
		sum += more;
	}
	*words = sum / WORD;
	return sum && !(sum % WORD) && *words * WORD == sum && r.p == r.end;
}

/*
 * Is the rest of the expression that of an amd64 PLT? Behind rsp + off: "(rip & 15) >=
 * from) << 3) +". The CFA is a word higher from that byte of each 16-byte entry on,
 * where it has pushed its number.
 */
static bool reads_plt(const struct sframe_abi *abi, struct sframe_cfi_reader r,
		      u8 *from)
{
	u8 mask, shift;
	u64 reg;
	s64 off;

	return abi->pc_reg && read_breg(&r, &reg, &off) &&
	       reg == abi->pc_reg && !off &&
	       read_constant(&r, &mask) && mask == SFRAME_CFI_PLT_ENTRY - 1 &&
	       read_expected_op(&r, OP_AND) && read_constant(&r, from) &&
	       *from && *from < SFRAME_CFI_PLT_ENTRY && read_expected_op(&r, OP_GE) &&
	       read_constant(&r, &shift) && shift == WORD_SHIFT &&
	       read_expected_op(&r, OP_SHL) && read_expected_op(&r, OP_PLUS) && r.p == r.end;
}

/**
 * sframe_cfi_cfa_expression() - understand an expression for the CFA
 * @abi: the file's ABI
 * @expr: the expression
 * @cfa: filled; SFRAME_HOW_REFUSED if it has none of the known forms
 *
 * Context: Any.
 */
void sframe_cfi_cfa_expression(const struct sframe_abi *abi,
			       struct sframe_cfi_reader expr,
			       struct sframe_cfi_place *cfa)
{
	enum sframe_cfi_how how = SFRAME_HOW_BY_EXPR;
	u8 plt_from = 0, above = 0;
	u64 reg = 0;
	s64 off = 0;
	bool good = read_breg(&expr, &reg, &off);

	if (good && expr.p < expr.end) {
		if (*expr.p == OP_DEREF) {
			expr.p++;
			how = expr.p == expr.end ? SFRAME_HOW_AT_REG :
						   SFRAME_HOW_ABOVE;
			good = expr.p == expr.end || reads_plus_words(expr, &above);
		} else {
			how = SFRAME_HOW_PLT;
			good = reads_plt(abi, expr, &plt_from);
		}
	}
	if (!good) {
		refuse_place(cfa, SFRAME_CFI_EXPRESSION);
		return;
	}
	sframe_cfi_place_set(cfa, how, reg, off);
	if (cfa->how == SFRAME_HOW_PLT)
		cfa->plt_from = plt_from;
	if (cfa->how == SFRAME_HOW_ABOVE)
		cfa->above = above;
}

/**
 * sframe_cfi_expression() - understand an expression for a register
 * @expr: the expression
 * @value: it gives the register's value, not where that is in memory
 * @place: filled; SFRAME_HOW_REFUSED if it has none of the known forms
 *
 * Context: Any.
 */
void sframe_cfi_expression(struct sframe_cfi_reader expr, bool value,
			   struct sframe_cfi_place *place)
{
	enum sframe_cfi_how how = value ? SFRAME_HOW_IS_REG : SFRAME_HOW_AT_REG;
	u64 reg = 0;
	s64 off = 0;
	bool good = read_breg(&expr, &reg, &off);

	if (good && value && expr.p < expr.end) {
		how = SFRAME_HOW_AT_REG;
		good = read_expected_op(&expr, OP_DEREF);
	}
	if (good && expr.p == expr.end)
		sframe_cfi_place_set(place, how, reg, off);
	else
		refuse_place(place, SFRAME_CFI_EXPRESSION);
}

static enum sframe_reason loc_of_place(const struct sframe_abi *abi,
				       const struct sframe_cfi_place *place,
				       u8 *loc, s32 *off)
{
	*off = place->off;
	switch (place->how) {
	case SFRAME_HOW_SAME:
		*loc = SFRAME_LOC_SAME;
		*off = 0;
		return SFRAME_OK;
	case SFRAME_HOW_AT_CFA:
		*loc = SFRAME_LOC_SAVED;
		break;
	case SFRAME_HOW_IS_CFA:
		*loc = SFRAME_LOC_CFA;
		break;
	case SFRAME_HOW_IS_REG:
	case SFRAME_HOW_AT_REG:
	case SFRAME_HOW_BY_EXPR:
	case SFRAME_HOW_ABOVE:
	case SFRAME_HOW_PLT:
		if (sframe_reg_loc(abi, place->reg, loc))
			return SFRAME_CFI_REGISTER;
		if (place->how == SFRAME_HOW_AT_REG ||
		    place->how == SFRAME_HOW_ABOVE)
			*loc |= SFRAME_LOC_DEREF;
		break;
	case SFRAME_HOW_REFUSED:
		return place->off;
	default:
		return SFRAME_CFI_REGISTER;
	}
	return SFRAME_OK;
}

/*
 * Is the caller's SP the CFA (s390x: 160 bytes below), as a step takes it to be? s390x
 * saves SP like any other register, beside the CFA or in another register, and its
 * value was the same.
 */
static bool caller_sp_is_cfa(const struct sframe_abi *abi,
			     const struct sframe_cfi_place *sp)
{
	switch (sp->how) {
	case SFRAME_HOW_SAME:
		return true;
	case SFRAME_HOW_IS_CFA:
		return sp->off == abi->sp_bias;
	case SFRAME_HOW_AT_CFA:
		return abi->sp_bias;
	case SFRAME_HOW_IS_REG:
		return abi->sp_bias && sp->reg != (u32)abi->sp_reg && !sp->off;
	default:
		return false;
	}
}

/*
 * An RA that is not saved is in the register where calls leave it. If the CIE's column
 * for RA is another register, nobody promises that this still holds it: s390x's
 * __fentry__ gets RA in r0, which the function that it calls does not keep.
 */
static enum sframe_reason loc_of_ra(const struct sframe_abi *abi,
				    const struct sframe_cfi_state *state,
				    struct sframe_rule *rule)
{
	if (state->ra.how == SFRAME_HOW_IS_CFA)
		return SFRAME_CFI_REGISTER;
	if (state->ra.how == SFRAME_HOW_SAME && state->foreign_ra)
		return SFRAME_CFI_REGISTER;
	return loc_of_place(abi, &state->ra, &rule->ra, &rule->ra_off);
}

/* Put what is added after the load into @rule->cfa_off, beside the offset before it. */
static enum sframe_reason encode_cfa_above(const struct sframe_cfi_place *cfa,
					   struct sframe_rule *rule)
{
	if (cfa->off != (s16)cfa->off)
		return SFRAME_CFI_OFFSET;
	rule->flags |= SFRAME_RULE_CFA_ABOVE;
	rule->cfa_off = SFRAME_CFA_ABOVE(cfa->off, cfa->above * WORD);
	return SFRAME_OK;
}

static enum sframe_reason rule_of_state(const struct sframe_abi *abi,
					const struct sframe_cfi_state *state,
					struct sframe_rule *rule)
{
	enum sframe_reason reason;

	if (state->cfa.how == SFRAME_HOW_SAME)
		return SFRAME_CFI_REGISTER;
	if (!state->signal && !caller_sp_is_cfa(abi, &state->sp))
		return SFRAME_CFI_SP;
	reason = loc_of_place(abi, &state->cfa, &rule->cfa, &rule->cfa_off);
	if (!reason)
		reason = loc_of_ra(abi, state, rule);
	if (!reason)
		reason = loc_of_place(abi, &state->fp, &rule->fp, &rule->fp_off);
	if (!reason && !state->signal && sframe_quirk_other_context(abi, rule))
		reason = SFRAME_CFI_SP;
	if (state->cfa.how == SFRAME_HOW_ABOVE && !reason)
		reason = encode_cfa_above(&state->cfa, rule);
	if (!reason)
		sframe_quirk_not_saved(abi, rule);
	sframe_quirk_ra_above(abi, rule);
	sframe_quirk_enters_ocaml(abi, rule);
	sframe_quirk_swallowed_load(abi, rule);
	return reason;
}

/**
 * sframe_cfi_rule() - the rule for what CFI says
 * @abi: the file's ABI
 * @state: what holds at an address
 * @rule: filled; SFRAME_RULE_BAD if a reason is returned
 *
 * A signal trampoline stays one whatever its rules are: if they cannot be expressed,
 * the rule says no more than that.
 *
 * Context: Any.
 * Return: SFRAME_OK, or why there is no rule.
 */
enum sframe_reason sframe_cfi_rule(const struct sframe_abi *abi,
				   const struct sframe_cfi_state *state,
				   struct sframe_rule *rule)
{
	enum sframe_reason reason = SFRAME_OK;

	memset(rule, 0, sizeof(*rule));
	if (state->ra.how == SFRAME_HOW_UNDEFINED && !state->signal) {
		rule->flags = SFRAME_RULE_OUTERMOST;
		return SFRAME_OK;
	}
	reason = rule_of_state(abi, state, rule);
	if (reason)
		memset(rule, 0, sizeof(*rule));
	if (state->signal) {
		rule->flags |= SFRAME_RULE_SIGNAL;
		sframe_quirk_saves_all(abi, rule);
		return SFRAME_OK;
	}
	if (reason)
		rule->flags = SFRAME_RULE_BAD;
	return reason;
}

/**
 * sframe_cfi_plt() - from which byte of a PLT's entry on is the CFA a word higher?
 * @state: what holds at an address
 * @rule: the rule for it
 *
 * Context: Any.
 * Return: that byte's position in the entry; 0 if this is no PLT.
 */
u8 sframe_cfi_plt(const struct sframe_cfi_state *state,
		  const struct sframe_rule *rule)
{
	return state->cfa.how == SFRAME_HOW_PLT && rule->cfa ?
	       state->cfa.plt_from : 0;
}
