/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SPIN(sp, fp, n): count n down with the stack and frame pointer set to
 * anything at all, then put them back. No signal may come meanwhile.
 */
#ifndef SPIN_H
#define SPIN_H

#if defined(__x86_64__)
#define SPIN(sp, fp, n)							\
	asm volatile("movq %%rsp, %%r12\n\t"				\
		     "movq %%rbp, %%r13\n\t"				\
		     "movq %1, %%rsp\n\t"				\
		     "movq %2, %%rbp\n"					\
		     "1:\tdecq %0\n\t"					\
		     "jnz 1b\n\t"					\
		     "movq %%r12, %%rsp\n\t"				\
		     "movq %%r13, %%rbp"				\
		     : "+c"(n) : "D"(sp), "S"(fp) : "r12", "r13", "cc")
#elif defined(__aarch64__)
#define SPIN(sp, fp, n)							\
	do {								\
		register unsigned long n_ asm("x0") = n;		\
		register unsigned long sp_ asm("x1") = sp;		\
		register unsigned long fp_ asm("x2") = fp;		\
									\
		asm volatile("mov x3, sp\n\t"				\
			     "mov x4, x29\n\t"				\
			     "mov sp, x1\n\t"				\
			     "mov x29, x2\n"				\
			     "1:\tsubs x0, x0, #1\n\t"			\
			     "b.ne 1b\n\t"				\
			     "mov sp, x3\n\t"				\
			     "mov x29, x4"				\
			     : "+r"(n_) : "r"(sp_), "r"(fp_)		\
			     : "x3", "x4", "cc");			\
	} while (0)
#elif defined(__s390x__)
#define SPIN(sp, fp, n)							\
	do {								\
		register unsigned long n_ asm("2") = n;			\
		register unsigned long sp_ asm("3") = sp;		\
		register unsigned long fp_ asm("4") = fp;		\
									\
		asm volatile("lgr %%r5, %%r15\n\t"			\
			     "lgr %%r1, %%r11\n\t"			\
			     "lgr %%r15, %%r3\n\t"			\
			     "lgr %%r11, %%r4\n"			\
			     "1:\tbrctg %%r2, 1b\n\t"			\
			     "lgr %%r15, %%r5\n\t"			\
			     "lgr %%r11, %%r1"				\
			     : "+d"(n_) : "d"(sp_), "d"(fp_)		\
			     : "1", "5", "cc");				\
	} while (0)
#else
#error "no way known to set the stack pointer"
#endif

#endif
