/* SPDX-License-Identifier: GPL-2.0 */
/* The others: libunwind, and a loop that follows frame pointers. */
#ifndef BENCH_COMPARE_H
#define BENCH_COMPARE_H

/*
 * Run @walk COMPARE_DEPTH calls deep. Each walk returns the frames it saw.
 */
#define COMPARE_DEPTH	64

long compare_deep(int depth, long (*walk)(void));
long compare_libunwind(void);
long compare_libunwind_backtrace(void);
long compare_frame_pointers(void);

#endif /* BENCH_COMPARE_H */
