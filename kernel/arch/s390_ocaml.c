// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: the frames of what ocamlopt compiles, whose CFI says nothing (core/cfi_quirks.c). Each
 * function that calls another, or may call the garbage collector, begins so:
 *
 *	lay	%r15,-N(%r15)
 *	stg	%r14,N-8(%r15)
 */
#include <sframe/abi.h>

#include "s390.h"

#define SP		15
#define RA		14
#define LAY_LEN		6

/**
 * sframe_s390_ocaml_frame() - &sframe_abi.ocaml_frame
 * @code: as there
 *
 * Context: any.
 * Return: N, bytes; 0 if that is not how a function of OCaml's begins.
 */
u32 sframe_s390_ocaml_frame(const u8 *code)
{
	struct s390_insn lay = { .len = LAY_LEN }, save = { .len = LAY_LEN };
	struct s390_memory set, store;

	/* The first and the last byte of both: less to do for most of what is asked about. */
	if (code[0] != 0xe3 || code[5] != 0x71 || code[6] != 0xe3 || code[11] != 0x24)
		return 0;
	memcpy(lay.b, code, LAY_LEN);
	memcpy(save.b, code + LAY_LEN, LAY_LEN);
	if (sframe_s390_memory(&lay, &set) != S390_SET || set.regs != s390_one(SP) ||
	    set.base != SP || set.index || set.off >= 0 || set.off % 8 ||
	    sframe_s390_memory(&save, &store) != S390_STORE || store.regs != s390_one(RA) ||
	    store.base != SP || store.index || store.off != -set.off - 8)
		return 0;
	return -set.off;
}
