/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of functions: made by scripts/gen-vectors, do not edit. */
static const struct vector_row rows_051837f2[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x3, SP, 8, AT_CFA, -8, REG + 3, 0, 0),
	VECTOR_ROW(0x4, REG + 12, 64, AT_CFA, -8, REG + 3, 0, 0),
};
static const struct vector_row rows_1521fb87[] = {
	VECTOR_ROW(0x0, SP, 48, AT_CFA, -8, AT_CFA, -16, 0),
};
static const struct vector_row rows_16e4fd63[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_1acecfa2[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0xfe, SP, 16, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1fe, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_1de6ca1b[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 112, AT_CFA, -104, AT_CFA, -112, 0),
	VECTOR_ROW(0x8, SP, 128, AT_CFA, -104, AT_CFA, -112, 0),
	VECTOR_ROW(0xc, SP, 32752, AT_CFA, -32744, AT_CFA, -32752, 0),
	VECTOR_ROW(0x10, SP, 65552, AT_CFA, -65544, AT_CFA, -65552, 0),
};
static const struct vector_row rows_1f53ce59[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 160, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0xc, SP, 328, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x10, FP, 328, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x16, SP, 1184, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x1c, SP, 262304, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x22, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_1ffcdb3a[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 112, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 128, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x3, SP, 32760, AT_CFA, -8, AT_CFA, -32760, 0),
	VECTOR_ROW(0x4, SP, 32768, AT_CFA, -8, AT_CFA, -32760, 0),
	VECTOR_ROW(0x5, SP, 1048584, AT_CFA, -8, AT_CFA, -1048584, 0),
};
static const struct vector_row rows_22ee3fa3[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 320, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_23f6de30[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x2, REG + 14, 98464, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, REG + 10, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_26b1a9e9[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 16, AT_CFA, -16, SAME, 0, 0),
	VECTOR_ROW(0xc, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_2a1f56b2[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 16, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x10001, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_2a57aacd[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 16, AT_CFA, -8, AT_CFA, -16, 0),
	VECTOR_ROW(0x4, FP, 16, AT_CFA, -8, AT_CFA, -16, 0),
	VECTOR_ROW(0x6, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x7, FP, 16, AT_CFA, -8, AT_CFA, -16, 0),
};
static const struct vector_row rows_2ba6755d[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, SFRAME_RULE_SIGNAL),
};
static const struct vector_row rows_2bd6fd12[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_2dd9a6c7[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, SFRAME_RULE_SIGNAL),
};
static const struct vector_row rows_36bb221f[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0xfe, SP, 320, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x1fe, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_37003ad2[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 1168, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 1184, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 262296, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x8, SP, 262304, AT_CFA, -32768, SAME, 0, 0),
	VECTOR_ROW(0xa, SP, 262304, AT_CFA, -32776, SAME, 0, 0),
};
static const struct vector_row rows_4040579f[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 160, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0xc, SP, 328, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x10, FP, 328, AT_CFA, -48, AT_CFA, -72, 0),
	VECTOR_ROW(0x1c, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x1e, FP, 328, AT_CFA, -48, AT_CFA, -72, 0),
};
static const struct vector_row rows_516115db[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 32, AT_CFA, -24, AT_CFA, -32, 0),
	VECTOR_ROW(0x8, FP, 32, AT_CFA, -24, AT_CFA, -32, 0),
	VECTOR_ROW(0x10, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x14, FP, 32, AT_CFA, -24, AT_CFA, -32, 0),
};
static const struct vector_row rows_55a3ae1a[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 160, SAME, 0, AT_CFA, -72, 0),
	VECTOR_ROW(0xc, SP, 160, AT_CFA, -48, SAME, 0, 0),
};
static const struct vector_row rows_581f3c2f[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 160, REG + 16, 0, SAME, 0, 0),
	VECTOR_ROW(0x8, SP, 160, REG + 16, 0, REG + 17, 0, 0),
	VECTOR_ROW(0xc, SP, 160, SAME, 0, REG + 17, 0, 0),
	VECTOR_ROW(0x10, SP, 160, AT_CFA, -48, REG + 12, 0, 0),
};
static const struct vector_row rows_5879406a[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 0, SAME, 0, SAME, 0, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x8, SP, 16, AT_CFA, -8, AT_CFA, -16, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x10, SP, 0, SAME, 0, SAME, 0, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x14, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_5c40e5c2[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 160, AT_CFA, -48, SAME, 0, 0),
	VECTOR_ROW(0x8, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_63d39282[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 16, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x10004, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_676a640f[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_NO_RULE(0x1, SFRAME_RULE_OUTERMOST),
	VECTOR_NO_RULE(0x2, SFRAME_RULE_OUTERMOST),
};
static const struct vector_row rows_6880bdd2[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, SFRAME_RULE_SIGNAL),
};
static const struct vector_row rows_68b5752c[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 16, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_704ef497[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 24, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_72e50a4b[] = {
	VECTOR_ROW(0x0, SP, 16, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 24, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_7c41d102[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 16, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x8, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_7d71f974[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_NO_RULE(0x2, SFRAME_RULE_OUTERMOST),
};
static const struct vector_row rows_87f7c501[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0xb, SP, 16, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_8994ca0a[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_8abaa089[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x2, SP, 320, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x10002, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_98f7f265[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x6, SP, 160, SAME, 0, AT_CFA, -72, 0),
	VECTOR_ROW(0x8, SP, 160, AT_CFA, -48, AT_CFA, -72, 0),
};
static const struct vector_row rows_9a56ba15[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_NO_RULE(0x1, SFRAME_RULE_BAD),
	VECTOR_ROW(0x2, SP, 8, AT_CFA, -8, AT_FP, 0, 0),
};
static const struct vector_row rows_9e93153e[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x9, SP, 16, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_a016ed5e[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 0, SAME, 0, SAME, 0, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x8, SP, 16, AT_CFA, -16, SAME, 0, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x10, SP, 0, SAME, 0, SAME, 0, SFRAME_RULE_MANGLED),
	VECTOR_ROW(0x14, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_a9097209[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_NO_RULE(0x4, SFRAME_RULE_OUTERMOST),
};
static const struct vector_row rows_b3b750f5[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x5, REG + 10, 0, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x11, REG + 10, 0, AT_CFA, -8, AT_FP, 0, 0),
	VECTOR_ROW(0x13, AT_FP, -8, AT_CFA, -8, AT_FP, 0, 0),
	VECTOR_ROW(0x16, REG + 10, 0, AT_CFA, -8, AT_FP, 0, 0),
	VECTOR_ROW(0x1b, SP, 8, AT_CFA, -8, AT_FP, 0, 0),
};
static const struct vector_row rows_b5d06c4a[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_b664a3a7[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_NO_RULE(0x4, SFRAME_RULE_OUTERMOST),
};
static const struct vector_row rows_c4cde7ff[] = {
	VECTOR_ROW(0x0, SP, 0, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0xf8, SP, 16, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x1f8, SP, 0, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_cb2a9bb9[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 8, AT_CFA, -16, SAME, 0, 0),
};
static const struct vector_row rows_ce040a50[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 16, AT_CFA, -8, AT_CFA, -16, 0),
	VECTOR_ROW(0x2, SP, 24, AT_CFA, -8, AT_CFA, -16, 0),
	VECTOR_ROW(0x13, SP, 16, AT_CFA, -8, AT_CFA, -16, 0),
	VECTOR_ROW(0x14, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_e3b0c442[] = {
};
static const struct vector_row rows_e5729e80[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 160, SAME, 0, REG + 17, 0, 0),
	VECTOR_ROW(0x8, SP, 160, REG + 16, 0, REG + 17, 0, 0),
};
static const struct vector_row rows_e9d057a9[] = {
	VECTOR_ROW(0x0, SP, 8, AT_CFA, -8, SAME, 0, 0),
	VECTOR_ROW(0x1, SP, 8, AT_CFA, -8, SAME, 0, 0),
};
static const struct vector_row rows_f06d554b[] = {
	VECTOR_ROW(0x0, SP, 160, SAME, 0, SAME, 0, 0),
	VECTOR_ROW(0x4, SP, 160, REG + 16, 0, SAME, 0, 0),
	VECTOR_ROW(0x8, SP, 160, REG + 16, 0, REG + 17, 0, 0),
	VECTOR_ROW(0xa, SP, 160, SAME, 0, SAME, 0, 0),
};
static const struct vector_row rows_fb7a6498[] = {
	VECTOR_NO_RULE(0x0, SFRAME_RULE_OUTERMOST),
};
