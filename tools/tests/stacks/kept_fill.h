/* SPDX-License-Identifier: GPL-2.0 */
/*
 * As much code as a large file has of which nothing is known: functions that keep frame
 * pointers, and call (x86-64).
 */
asm(".pushsection .text\n"
	".balign 64, 0xcc\n"
	".rept 5000\n"
	"push %rbp\n"
	"mov %rsp, %rbp\n"
	"call *%rdi\n"
	"pop %rbp\n"
	"ret\n"
	".balign 64, 0xcc\n"
	".endr\n"
	".popsection\n");
