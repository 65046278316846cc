// SPDX-License-Identifier: GPL-2.0
/*
 * As plug.c, and beside it functions that nobody calls, whose CFI has all the forms that
 * compilers and linkers write: what there is in .eh_frame to be changed at random.
 *
 * Numbers in escapes are operators of DWARF 5 (section 7.24: call frame instructions,
 * 7.7.1: expressions).
 */
#include "plug.c"

#if defined(__x86_64__)
#define SP "7"
#define FP "6"
#define RA "16"
#define OTHER "3"
#elif defined(__aarch64__)
#define SP "31"
#define FP "29"
#define RA "30"
#define OTHER "72"	/* d8 */
#else
#define SP "15"
#define FP "11"
#define RA "14"
#define OTHER "24"	/* f8 */
#endif

#define CFI_FOR(name, cfi)						\
	asm(".pushsection .text\n" name ":\n.cfi_startproc\n" cfi	\
	    ".skip 16\n.cfi_endproc\n.popsection\n")

CFI_FOR("frame",
	".skip 4\n.cfi_def_cfa_offset 192\n.cfi_offset " FP ", -16\n"
	".cfi_offset " RA ", -8\n"
	".skip 4\n.cfi_def_cfa_register " FP "\n"
	".skip 300\n.cfi_remember_state\n.cfi_restore " FP "\n.cfi_restore " RA "\n"
	".cfi_def_cfa " SP ", 160\n.skip 70000\n.cfi_restore_state\n");

CFI_FOR("states",
	".cfi_remember_state\n.skip 4\n.cfi_adjust_cfa_offset 8\n"
	".cfi_remember_state\n.skip 4\n.cfi_adjust_cfa_offset 8\n"
	".cfi_remember_state\n.skip 4\n.cfi_adjust_cfa_offset 8\n"
	".cfi_restore_state\n.skip 4\n.cfi_restore_state\n.skip 4\n.cfi_restore_state\n");

/* Where the stack was aligned: the CFA is what FP - 8 holds, FP is saved at FP. */
CFI_FOR("aligned",
	".cfi_def_cfa " OTHER ", 0\n.skip 4\n"
	".cfi_escape 0x10, " FP ", 2, 0x70 + " FP ", 0\n"
	".cfi_escape 0x0f, 3, 0x70 + " FP ", 0x78, 6\n");

/* ld's of a PLT: the CFA is 8 bytes farther when the PC is in an entry's last five. */
CFI_FOR("plt",
	".cfi_escape 0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22\n");

/* In a register, by a value, not at all, as it was; an offset in units, and back. */
CFI_FOR("places",
	".cfi_register " RA ", " OTHER "\n.skip 4\n.cfi_undefined " RA "\n.skip 4\n"
	".cfi_same_value " FP "\n.skip 4\n.cfi_val_offset " SP ", 0\n.skip 4\n"
	".cfi_escape 0x16, " RA ", 2, 0x91, 8\n.skip 4\n"
	".cfi_escape 0x11, " FP ", 2\n.skip 4\n.cfi_escape 0x06, " FP "\n"
	".cfi_escape 0x2e, 16\n");

/* What the kernel saved; and C++'s. */
CFI_FOR("signal",
	".cfi_signal_frame\n"
	".cfi_escape 0x0f, 5, 0x70 + " FP ", 0xa0, 1, 6, 0x23, 0\n"
	".cfi_escape 0x10, " RA ", 3, 0x70 + " FP ", 0xa8, 1\n");
CFI_FOR("throws",
	".cfi_personality 0x1b, plug\n.cfi_lsda 0x1b, plug_leaf\n"
	".skip 4\n.cfi_adjust_cfa_offset 16\n");
#ifdef __aarch64__
CFI_FOR("signs", ".skip 4\n.cfi_negate_ra_state\n.skip 4\n.cfi_negate_ra_state\n");
#endif
