// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: matches how functions that HotSpot compiles begin, and what it leaves behind
 * calls; for core/call_mark.c.
 */
#include <sframe/abi.h>

#include "x86.h"

/*
 * The lower bits say how far it is to what holds the function; the upper ones are for
 * HotSpot's own use.
 */
#define MARK_BACK	0xffffff

/**
 * sframe_x86_call_mark() - &sframe_abi.call_mark
 * @code: %SFRAME_CALL_MARK_LEN bytes
 *
 * Context: any.
 * Return: as there. Compilers fill gaps with the same instruction, but with 0 in it.
 */
u32 sframe_x86_call_mark(const u8 *code)
{
	static const u8 nopl[] = { 0x0f, 0x1f, 0x84, 0x00 };
	/* In a frame that is to be interpreted from now on, a trap replaces it. */
	static const u8 ud0[] = { 0x0f, 0xff, 0x00 };

	if (memcmp(code, nopl, sizeof(nopl)) && memcmp(code, ud0, sizeof(ud0)))
		return 0;
	return sframe_x86_u32(code + sizeof(nopl)) & MARK_BACK;
}

/**
 * sframe_x86_find_call_mark() - &sframe_abi.find_call_mark
 * @code: the bytes
 * @len: how many may begin it
 *
 * Context: any.
 * Return: as there.
 */
u32 sframe_x86_find_call_mark(const u8 *code, u32 len)
{
	u32 i;

	for (i = 0; i < len; i += 4) {
		if (code[i] == 0x0f && sframe_x86_call_mark(code + i))
			return i;
	}
	return len;
}

/* sub $...,%rsp: returns what is subtracted, or 0; @len is the instruction's length. */
static u32 match_sub_rsp(const u8 *p, unsigned int *len)
{
	static const u8 sub[] = { 0x48, 0x83, 0xec }, sub_more[] = { 0x48, 0x81, 0xec };

	*len = 4;
	if (!memcmp(p, sub, sizeof(sub)))
		return p[sizeof(sub)] >> 7 ? 0 : p[sizeof(sub)];
	*len = 7;
	return memcmp(p, sub_more, sizeof(sub_more)) ? 0 : sframe_x86_u32(p + sizeof(sub_more));
}

/*
 * mov %rbp,...(%rsp): is that the word right below where SP was before @size was
 * subtracted? So begin functions that call no Java code.
 */
static bool match_save_fp(const u8 *p, u32 size)
{
	static const u8 mov[] = { 0x48, 0x89, 0x6c, 0x24 }, mov_far[] = { 0x48, 0x89, 0xac, 0x24 };

	if (!memcmp(p, mov, sizeof(mov)))
		return p[sizeof(mov)] < 128 && p[sizeof(mov)] + sizeof(u64) == size;
	return !memcmp(p, mov_far, sizeof(mov_far)) &&
	       sframe_x86_u32(p + sizeof(mov_far)) + sizeof(u64) == size;
}

/**
 * sframe_x86_frame_made() - &sframe_abi.frame_made
 * @code: %SFRAME_FRAME_MADE_LEN bytes
 *
 * Other functions first check whether there is room on the stack, then push FP.
 *
 * Context: any.
 * Return: as there.
 */
u64 sframe_x86_frame_made(const u8 *code)
{
	/* mov %eax,-...(%rsp), and it is far below; push %rbp; mov %rsp,%rbp */
	static const u8 touch[] = { 0x89, 0x84, 0x24 }, push[] = { 0xff, 0x55 };
	static const u8 record[] = { 0x48, 0x89, 0xe5 }, record_too[] = { 0x48, 0x8b, 0xec };
	unsigned int len;
	u32 size;

	if (code[0] == 0x48) {
		size = match_sub_rsp(code, &len);
		return size && match_save_fp(code + len, size) ? size : 0;
	}
	if (memcmp(code, touch, sizeof(touch)) || memcmp(code + 6, push, sizeof(push)))
		return 0;
	code += 8;
	if (!memcmp(code, record, sizeof(record)) || !memcmp(code, record_too, sizeof(record_too)))
		code += sizeof(record);
	size = match_sub_rsp(code, &len);
	return size ? (u64)size + sizeof(u64) : 0;
}
