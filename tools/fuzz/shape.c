// SPDX-License-Identifier: GPL-2.0
/*
 * From the fuzzer's bytes to a section: puts right what the knobs say.
 */
#include <sframe/format.h>

#include "fuzz.h"

const struct target targets[4] = {
	{ &sframe_abi_x86, false },
	{ &sframe_abi_arm64, false },
	{ &sframe_abi_arm64, true },
	{ &sframe_abi_s390, true },
};

static bool swapped(const struct input *in)
{
	return in->target->big_endian != SFRAME_MACHINE_BE;
}

static u8 shape_of(const struct input *in)
{
	return in->knobs[KNOB_WHAT] >> 4 & 7;
}

/* 1, 2 or 3, and one that the target has. */
static u8 version_of(const struct input *in)
{
	u8 version = in->knobs[KNOB_WHAT] >> 2 & 3;

	if (!version || (version == 1 && in->target->abi == &sframe_abi_s390))
		return 2;
	return version;
}

static u32 fde_size(u8 version)
{
	return version == 1 ? SFRAME_FDE1_SIZE :
	       version == 2 ? SFRAME_FDE2_SIZE : SFRAME_FDE3_SIZE;
}

/* A header that is accepted; returns how many FDEs follow it. */
static u32 put_header(struct input *in, u8 version)
{
	static const u8 known[] = { 0, SFRAME_F_V1_MASK, SFRAME_F_V2_MASK,
				    SFRAME_F_V3_MASK };
	const struct sframe_abi *abi = in->target->abi;
	u32 fdes = in->knobs[KNOB_HEADER] >> 3;
	size_t room = in->file_len - SFRAME_HDR_SIZE;
	u8 *p = in->file;

	if (fdes > room / fde_size(version))
		fdes = room / fde_size(version);
	put(in, p + SFRAME_AT_MAGIC, 2, SFRAME_MAGIC);
	p[SFRAME_AT_VERSION] = version;
	p[SFRAME_AT_FLAGS] = in->knobs[KNOB_HEADER] & known[version];
	p[SFRAME_AT_ABI] = in->target->big_endian ? abi->id_be : abi->id_le;
	p[SFRAME_AT_FIXED_RA] = abi->fixed_ra;
	p[SFRAME_AT_AUX_LEN] = 0;
	put(in, p + SFRAME_AT_NUM_FDES, 4, fdes);
	put(in, p + SFRAME_AT_FDE_OFF, 4, 0);
	put(in, p + SFRAME_AT_FRE_OFF, 4, fdes * fde_size(version));
	put(in, p + SFRAME_AT_FRE_LEN, 4, room - fdes * fde_size(version));
	return fdes;
}

/* Write FDE @i's start so that it means @start. */
static void put_start(struct input *in, u32 i, u8 version, u64 start)
{
	u32 pos = SFRAME_HDR_SIZE + i * fde_size(version);

	start -= SECTION_VA;
	if (in->file[SFRAME_AT_FLAGS] & SFRAME_F_PCREL)
		start -= pos;
	put(in, in->file + pos, version == 3 ? 8 : 4, start);
}

/* Functions of up to 1 KiB inside the text, rows inside the row area. */
static void put_fdes(struct input *in, u32 fdes, u8 version, bool ascending)
{
	u32 fre_len = in->file_len - SFRAME_HDR_SIZE - fdes * fde_size(version);
	u32 i, at = version == 3 ? 8 : 4;
	u64 start = TEXT_VA;

	for (i = 0; i < fdes; i++) {
		u8 *p = in->file + SFRAME_HDR_SIZE + i * fde_size(version);
		u32 a = sframe_get32(p, false);
		u32 b = sframe_get32(p + at, false);
		u32 c = sframe_get32(p + at + 4, false);

		if (!ascending)
			start = TEXT_VA;
		start += a % (ascending ? 1024 : TEXT_SIZE);
		put_start(in, i, version, start);
		put(in, p + at, 4, b % (b >> 30 ? 1024 : TEXT_SIZE));
		put(in, p + at + 4, 4, c % (fre_len + 1));
		if (version < 3 && p[SFRAME_FDE_NUM_ROWS + 3] < 0xe0)
			put(in, p + SFRAME_FDE_NUM_ROWS, 4,
			    p[SFRAME_FDE_NUM_ROWS] & 31);
	}
}

static bool open_section(struct input *in)
{
	u8 shape = shape_of(in), version = version_of(in);

	if (shape != SHAPE_RAW && in->file_len >= SFRAME_HDR_SIZE) {
		u32 fdes = put_header(in, version);

		if (shape != SHAPE_HEADER)
			put_fdes(in, fdes, version, shape == SHAPE_ASCENDING);
	}
	return !sframe_section_init(&in->sec, in->target->abi, in->file,
				    in->file_len, SECTION_VA, swapped(in));
}

static void put_ehdr(struct input *in)
{
	static const u8 ident[] = { 0x7f, 'E', 'L', 'F', 2 };
	u8 *p = in->file;

	memcpy(p, ident, sizeof(ident));
	p[5] = in->target->big_endian ? 2 : 1;
	put(in, p + 18, 2, in->target->abi->e_machine);
	put(in, p + 32, 8, SFRAME_ELF_EHDR_SIZE);
	put(in, p + 54, 2, SFRAME_ELF_PHDR_SIZE);
	if (p[56] & 0xf0)
		put(in, p + 56, 2, p[56] & 7);
}

/* As the module opens a file: each read is checked against its size. */
static bool open_elf(struct input *in)
{
	struct sframe_elf elf;
	u64 phdrs;
	unsigned int i;

	if (shape_of(in) == SHAPE_ELF && in->file_len >= SFRAME_ELF_EHDR_SIZE)
		put_ehdr(in);
	if (sframe_elf_header(&elf, in->target->abi, in->file, in->file_len,
			      true))
		return false;
	phdrs = (u64)elf.phnum * SFRAME_ELF_PHDR_SIZE;
	if (elf.phoff > in->file_len || phdrs > in->file_len - elf.phoff)
		return false;
	if (sframe_elf_phdrs(&elf, in->file + elf.phoff, phdrs))
		return false;
	MUST(elf.has_table && elf.nr_text <= SFRAME_ELF_MAX_TEXT);
	if (elf.table.offset > in->file_len ||
	    elf.table.size > in->file_len - elf.table.offset)
		return false;
	for (i = 0; i < elf.nr_text; i++)
		in->text[i] = elf.text[i];
	in->nr_text = elf.nr_text;
	return !sframe_section_init(&in->sec, in->target->abi,
				    in->file + elf.table.offset,
				    elf.table.size, elf.table.vaddr, elf.swap);
}

/* Words of a stack: mostly addresses of the stack itself and of code. */
static u64 stack_word(const struct input *in, u64 raw)
{
	u64 r = raw >> 8;

	switch (raw & 7) {
	case 0:
	case 1:
		return STACK_VA + r % (in->stack_words + 8) * 8;
	case 2:
	case 3:
		return TEXT_VA + r % TEXT_SIZE / 16 * 16;
	case 4:
		return BARE_VA + r % BARE_SIZE / 16 * 16;
	case 5:
		return TEXT_VA + r % 65536;
	case 6:
		return raw & 8 ? 0 : r % 512;
	default:
		return raw;
	}
}

static void *own(const u8 *data, size_t len)
{
	void *p = malloc(len ?: 1);

	MUST(p);
	memcpy(p, data, len);
	return p;
}

bool input_begin(struct input *in, const u8 *data, size_t len)
{
	size_t words;
	u32 i;

	memset(in, 0, sizeof(*in));
	if (len < KNOBS)
		return false;
	in->knobs = data;
	in->target = &targets[data[KNOB_WHAT] & 3];
	len -= KNOBS;
	words = data[KNOB_STACK];
	if (words > len / 2 / sizeof(u64))
		words = len / 2 / sizeof(u64);
	in->stack_words = words;
	in->file_len = len - words * sizeof(u64);
	in->file = own(data + KNOBS, in->file_len);
	in->stack = own(data + KNOBS + in->file_len, words * sizeof(u64));
	in->text[0] = (struct sframe_segment){ TEXT_VA, 0, TEXT_SIZE };
	in->nr_text = 1;
	for (i = 0; i < words; i++)
		in->stack[i] = stack_word(in, in->stack[i]);
	return true;
}

bool input_open(struct input *in, const u8 *data, size_t len)
{
	if (!input_begin(in, data, len))
		return false;
	return shape_of(in) >= SHAPE_ELF ? open_elf(in) : open_section(in);
}

bool input_section(struct input *in, const u8 *data, size_t len)
{
	return input_begin(in, data, len) && open_section(in);
}

void input_close(struct input *in)
{
	free(in->file);
	free(in->stack);
}
