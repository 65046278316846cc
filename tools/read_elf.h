/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ELF headers of a file of any ABI, for programs that have all of it.
 */
#ifndef TOOLS_READ_ELF_H
#define TOOLS_READ_ELF_H

#include <sframe/elf.h>

/* As sframe_elf_header() and sframe_elf_phdrs(). */
static inline enum sframe_reason read_elf_headers(const u8 *data, size_t len,
						  struct sframe_elf *elf)
{
	static const struct sframe_abi *const abis[] = {
		&sframe_abi_x86, &sframe_abi_arm64, &sframe_abi_s390,
	};
	enum sframe_reason reason = SFRAME_NOT_ELF;
	size_t i;

	for (i = 0; i < 3; i++) {
		reason = sframe_elf_header(elf, abis[i], data, len, true);
		if (reason != SFRAME_ELF_MACHINE)
			break;
	}
	if (reason)
		return reason;
	if (elf->phoff > len)
		return SFRAME_ELF_PHDRS;
	return sframe_elf_phdrs(elf, data + elf->phoff, len - elf->phoff);
}

/* Where .eh_frame is, as sframe_elf_eh_frame(); all of it is in the file. */
static inline enum sframe_reason find_eh_frame(const u8 *data, size_t len,
					       const struct sframe_elf *elf,
					       struct sframe_segment *where)
{
	enum sframe_reason reason;

	if (elf->eh_hdr.offset > len)
		return SFRAME_FILE_SHORT;
	reason = sframe_elf_eh_frame(elf, data + elf->eh_hdr.offset, len - elf->eh_hdr.offset,
				     where);
	if (reason)
		return reason;
	return where->offset > len || where->size > len - where->offset ? SFRAME_FILE_SHORT :
									  SFRAME_OK;
}

#endif /* TOOLS_READ_ELF_H */
