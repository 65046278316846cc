/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the benchmark share. */
#ifndef BENCH_H
#define BENCH_H

#include <stdlib.h>

/* What the core has allocated, at most since it was last set to what it has. */
extern size_t alloc_bytes, alloc_peak;

void die(const char *what, const char *name);

/* What is in between is counted, under a name and with its number of units. */
void phase_begin(void);
void phase_end(const char *name, const char *program, size_t units);

/* eh_frame.c: a table of a file's .eh_frame, of any ABI. */
void measure_eh_frame(const char *name, const char *path);

/* code.c: to follow code, beside what walks pay for that. */
void measure_code(void);

#endif /* BENCH_H */
