/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of the .eh_frame target share.
 */
#ifndef FUZZ_CFI_H
#define FUZZ_CFI_H

#include "fuzz.h"

/* Where the section is. */
#define EH_VA		0x3e0000ull
#define EH_HDR_VA	0x3df000ull

/* Bits 4-6 of KNOB_WHAT. */
#define CFI_RAW		0x10	/* nothing is put right */
#define CFI_BOTH	0x20	/* the same bytes are .sframe, too */

/* cfi_shape.c: put entries right, in place. */
void cfi_shape(struct input *in);

#endif /* FUZZ_CFI_H */
