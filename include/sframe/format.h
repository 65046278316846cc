/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The SFrame format on disk: sizes, positions and bits, for versions 1, 2
 * and 3. Fields are read by position (FDEs and rows are unaligned), so there
 * are no structures to lay over the input.
 */
#ifndef SFRAME_FORMAT_H
#define SFRAME_FORMAT_H

#define SFRAME_PT_GNU_SFRAME	0x6474e554u
#define SFRAME_PT_GNU_EH_FRAME	0x6474e550u

#define SFRAME_MAGIC		0xdee2
#define SFRAME_MAGIC_SWAPPED	0xe2de

#define SFRAME_VERSION_1	1
#define SFRAME_VERSION_2	2
#define SFRAME_VERSION_3	3

/* Header flags, and those that each version knows. */
#define SFRAME_F_SORTED		0x01	/* FDEs ascend by start */
#define SFRAME_F_FRAME_POINTER	0x02	/* all code keeps a frame pointer */
#define SFRAME_F_PCREL		0x04	/* starts are relative to the field */
#define SFRAME_F_V1_MASK	(SFRAME_F_SORTED | SFRAME_F_FRAME_POINTER)
#define SFRAME_F_V2_MASK	(SFRAME_F_V1_MASK | SFRAME_F_PCREL)
#define SFRAME_F_V3_MASK	(SFRAME_F_SORTED | SFRAME_F_PCREL)

/* ABI identifiers; version 1 knows the first three. */
#define SFRAME_ID_ARM64_BE	1
#define SFRAME_ID_ARM64_LE	2
#define SFRAME_ID_AMD64_LE	3
#define SFRAME_ID_S390X_BE	4

/* Header: positions of its fields. */
#define SFRAME_HDR_SIZE		28
#define SFRAME_AT_MAGIC		0	/* u16 */
#define SFRAME_AT_VERSION	2	/* u8 */
#define SFRAME_AT_FLAGS		3	/* u8 */
#define SFRAME_AT_ABI		4	/* u8 */
#define SFRAME_AT_FIXED_FP	5	/* s8 */
#define SFRAME_AT_FIXED_RA	6	/* s8 */
#define SFRAME_AT_AUX_LEN	7	/* u8 */
#define SFRAME_AT_NUM_FDES	8	/* u32 */
#define SFRAME_AT_NUM_FRES	12	/* u32, advisory */
#define SFRAME_AT_FRE_LEN	16	/* u32 */
#define SFRAME_AT_FDE_OFF	20	/* u32, from the end of the header */
#define SFRAME_AT_FRE_OFF	24	/* u32, from the end of the header */

/* Function descriptor entries of versions 1 and 2. */
#define SFRAME_FDE1_SIZE	17
#define SFRAME_FDE2_SIZE	20
#define SFRAME_FDE_START	0	/* s32 */
#define SFRAME_FDE_FUNC_SIZE	4	/* u32 */
#define SFRAME_FDE_ROW_OFF	8	/* u32, from the row area */
#define SFRAME_FDE_NUM_ROWS	12	/* u32 */
#define SFRAME_FDE_INFO		16	/* u8 */
#define SFRAME_FDE2_REP_SIZE	17	/* u8 */

/* Version 3: an index entry, and an attribute in front of the rows. */
#define SFRAME_FDE3_SIZE	16
#define SFRAME_FDE3_START	0	/* s64 */
#define SFRAME_FDE3_FUNC_SIZE	8	/* u32 */
#define SFRAME_FDE3_ATTR_OFF	12	/* u32, from the row area */
#define SFRAME_ATTR_SIZE	5
#define SFRAME_ATTR_NUM_ROWS	0	/* u16 */
#define SFRAME_ATTR_INFO	2	/* u8 */
#define SFRAME_ATTR_INFO2	3	/* u8 */
#define SFRAME_ATTR_REP_SIZE	4	/* u8 */

/* FDE info. */
#define SFRAME_FDE_ROW_TYPE(info)	((info) & 0x0f)
#define SFRAME_FDE_ROW_TYPE_MAX		2	/* ADDR1, ADDR2, ADDR4 */
#define SFRAME_FDE_PCMASK		0x10
#define SFRAME_FDE_PAUTH_B		0x20
#define SFRAME_FDE_SIGNAL		0x80	/* version 3 */
/* FDE info2 (version 3). */
#define SFRAME_FDE_KIND(info2)		((info2) & 0x1f)
#define SFRAME_FDE_KIND_DEFAULT		0
#define SFRAME_FDE_KIND_FLEX		1

/* Row info: one byte after the row's start. */
#define SFRAME_ROW_BASE_SP		0x01
#define SFRAME_ROW_COUNT(info)		(((info) >> 1) & 0x0f)
#define SFRAME_ROW_WORD_CODE(info)	(((info) >> 5) & 0x03)
#define SFRAME_ROW_WORD_CODE_MAX	2	/* 1, 2, 4 bytes */
#define SFRAME_ROW_MANGLED		0x80
/* No row is shorter: a one-byte start and the info byte. */
#define SFRAME_ROW_MIN_SIZE		2

/* Control words of flexible rows. */
#define SFRAME_CTRL_REG			0x01
#define SFRAME_CTRL_DEREF		0x02
#define SFRAME_CTRL_UNUSED		0x04
#define SFRAME_CTRL_REGNUM(ctrl)	((ctrl) >> 3)

#endif /* SFRAME_FORMAT_H */
