/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every way a walk can end, a file can be refused, or a part of a table can
 * be skipped has one name here. The list feeds return values, counters,
 * tests and documentation alike.
 */
#ifndef SFRAME_REASON_H
#define SFRAME_REASON_H

/* X(NAME, "text") */
#define SFRAME_WALK_REASONS(X)						\
	X(OUTERMOST,		"outermost frame reached")		\
	X(DEPTH,		"depth limit reached")			\
	X(NO_MAPPING,		"PC outside executable mappings")	\
	X(NO_TABLE,		"file has no table")			\
	X(NOT_YET,		"table still being built, or mapping changed") \
	X(CHANGED,		"mapping changed, and was no code before") \
	X(NO_FDE,		"no function covers the PC")		\
	X(BAD_RULE,		"row for the PC was refused")		\
	X(SIGNAL_FRAME,		"signal frame unknown, or too many")	\
	X(NEEDS_TOPMOST,	"rule needs registers of the topmost frame") \
	X(RA_IN_REGISTER,	"RA in a register below the topmost frame") \
	X(SP_UNKNOWN,		"rule needs SP, lost in a frame-pointer step") \
	X(FP_UNKNOWN,		"rule needs FP, lost in a backchain step") \
	X(UNREADABLE,		"stack unreadable")			\
	X(CFA_NOT_RISING,	"CFA does not rise")			\
	X(CFA_UNALIGNED,	"CFA is not aligned")			\
	X(GO_NO_STACK,		"Go's runtime does not tell which stack it has left") \
	X(FP_OFF_STACK,		"frame pointer not above SP, or unaligned") \
	X(FP_TOO_FAR,		"frame pointer too far above SP to verify") \
	X(FP_TOO_COSTLY,	"verifying frame records took too long")	\
	X(FP_NOT_A_CALL,	"no call before the RA in the frame record") \
	X(FP_HIDDEN_RA,		"another RA between SP and the frame record")

#define SFRAME_FILE_REASONS(X)						\
	X(NOT_ELF,		"not an ELF file")			\
	X(ELF_CLASS,		"not 64-bit")				\
	X(ELF_ORDER,		"foreign byte order")			\
	X(ELF_MACHINE,		"foreign machine")			\
	X(ELF_PHDRS,		"program headers malformed or truncated") \
	X(NO_SFRAME,		"no PT_GNU_SFRAME")			\
	X(NO_EH_FRAME,		"no PT_GNU_EH_FRAME")			\
	X(EH_FRAME_HDR,		"bad .eh_frame_hdr")			\
	X(NO_GOPCLNTAB,		"no .gopclntab")			\
	X(GO_HEADER,		".gopclntab of an unknown version, or malformed") \
	X(GO_TEXT,		"address of Go's code not found")	\
	X(EMPTY,		"PT_GNU_SFRAME holds zeros")		\
	X(HDR_TRUNCATED,	"header truncated")			\
	X(HDR_MAGIC,		"bad magic")				\
	X(HDR_ORDER,		"section in foreign byte order")	\
	X(HDR_VERSION,		"unknown version")			\
	X(HDR_FLAGS,		"unknown flags")			\
	X(HDR_ABI,		"wrong ABI")				\
	X(HDR_FIXED,		"unexpected fixed RA or FP offset")	\
	X(HDR_BOUNDS,		"counts or offsets outside the section") \
	X(NO_FUNCTIONS,		"no usable function")			\
	X(TOO_BIG,		"over the memory limit")		\
	X(NO_MEMORY,		"out of memory")			\
	X(READ_FAILED,		"file could not be read")		\
	X(FILE_CHANGED,		"file changed while it was read")	\
	X(FILE_SHORT,		"file ends before the section does")	\
	X(FILE_KIND,		"not a kind of file that is read")	\
	X(FILE_WATCHED,		"a task is asked before the file is read") \
	X(SHARE,		"the user's share is used up")		\
	X(USERS_SHARE,		"what all users but root may have is used up")

#define SFRAME_SKIP_REASONS(X)						\
	X(FDE_RANGE,		"function outside the executable segments") \
	X(FDE_EMPTY,		"function of size zero")		\
	X(FDE_OVERLAP,		"function cut by the next one")		\
	X(FDE_TYPE,		"unknown FDE, row or PC type")		\
	X(FDE_BOUNDS,		"function's rows outside the section")	\
	X(FDE_REPEAT,		"bad or excessive PCMASK repeat")	\
	X(FDE_PLT,		"PLT rows known to be wrong")		\
	X(FDE_BUDGET,		"more rows than the section can hold")	\
	X(ROW_BOUNDS,		"row outside the section")		\
	X(ROW_WORDS,		"bad word size or count")		\
	X(ROW_ORDER,		"row starts not increasing")		\
	X(ROW_PAST_END,		"row starts at or past the function's end") \
	X(ROW_REGISTER,		"bad register number or control word")	\
	X(ROW_OFFSET,		"offset out of range")			\
	X(RULES_FULL,		"too many distinct rules")		\
	X(CFI_ENTRY,		"CIE or FDE cut off")			\
	X(CFI_CIE,		"CIE missing, malformed, read too often") \
	X(CFI_AUGMENTATION,	"unknown augmentation")			\
	X(CFI_POINTER,		"unknown pointer encoding")		\
	X(CFI_RANGE,		"CFI function outside the executable segments") \
	X(CFI_EMPTY,		"CFI function of size zero")		\
	X(CFI_OVERLAP,		"CFI function cut by the next one")	\
	X(CFI_SILENT,		"function without CFI, in a file of such") \
	X(CFI_OPCODE,		"unknown CFI instruction, or cut off")	\
	X(CFI_STATES,		"states remembered too many, or too few") \
	X(CFI_ORDER,		"CFI goes back, or past its function's end") \
	X(CFI_EXPRESSION,	"expression of no known form")		\
	X(CFI_REGISTER,		"value in no place that rules can name") \
	X(CFI_OFFSET,		"CFI offset out of range")		\
	X(CFI_SP,		"caller's SP is not the CFA")		\
	X(CFI_REPEAT,		"too many PLT entries")			\
	X(GO_RECORD,		"Go function's record outside the section") \
	X(GO_ORDER,		"Go function not behind the one before") \
	X(GO_RANGE,		"Go function outside the executable segments") \
	X(GO_ROWS,		"Go function's rows cut off or malformed") \
	X(GO_DELTA,		"SP above where Go's function began, or unaligned") \
	X(GO_STACK,		"Go function whose rows do not tell where RA is") \
	X(GO_REPEAT,		"too many rows that Go functions share")

/**
 * enum sframe_reason - outcome of a core call
 *
 * SFRAME_OK is zero; every other value names what went wrong, from the
 * walk, file and skip lists above, in this order.
 */
enum sframe_reason {
	SFRAME_OK,
#define X(name, text)	SFRAME_##name,
	SFRAME_WALK_REASONS(X)
	SFRAME_FILE_REASONS(X)
	SFRAME_SKIP_REASONS(X)
#undef X
	SFRAME_NR_REASONS,
};

/**
 * struct sframe_skips - parts of one table that were left out, per reason
 * @count: indexed by enum sframe_reason; only skip reasons are ever non-zero
 */
struct sframe_skips {
	unsigned int count[SFRAME_NR_REASONS];
};

/* Name ("NO_FDE", for counters) and text ("no function covers the PC"). */
const char *sframe_reason_name(enum sframe_reason reason);
const char *sframe_reason_text(enum sframe_reason reason);

#endif /* SFRAME_REASON_H */
