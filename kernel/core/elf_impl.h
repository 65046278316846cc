/* SPDX-License-Identifier: GPL-2.0 */
/* What elf.c and elf_sections.c share. */
#ifndef SFRAME_CORE_ELF_IMPL_H
#define SFRAME_CORE_ELF_IMPL_H

#include <sframe/elf.h>

/* No offset in a file is larger (loff_t is signed). */
#define SFRAME_POSITION_MAX	(~0ull >> 1)

bool sframe_elf_place(const struct sframe_elf *elf,
		      struct sframe_segment *table);

#endif /* SFRAME_CORE_ELF_IMPL_H */
