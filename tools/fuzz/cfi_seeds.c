// SPDX-License-Identifier: GPL-2.0
/*
 * cfi-seeds DIR: writes the first inputs for .eh_frame to DIR: the functions of
 * the suites, some with another one behind.
 */
#include <stdio.h>

#include "cfi_forms.h"
#include "fuzz_cfi.h"
#include "plain_alloc.h"

#define STACK_WORDS	64
#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define NR_FORMS	ARRAY_SIZE(forms)

static void write_seed(const char *dir, unsigned int n, const u8 *knobs,
		       const struct cfi_made *m)
{
	u64 stack[STACK_WORDS];
	char path[4096];
	FILE *f;
	int i;

	for (i = 0; i < STACK_WORDS; i++)
		stack[i] = (u64)(i * 8 + 32) << 8 | i % 6;
	snprintf(path, sizeof(path), "%s/cfi-%03u", dir, n);
	f = fopen(path, "wb");
	if (!f || fwrite(knobs, KNOBS, 1, f) != 1 ||
	    fwrite(m->data, m->len, 1, f) != 1 ||
	    fwrite(stack, sizeof(stack), 1, f) != 1 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

static void add(struct cfi_made *m, const struct form *f, u64 start)
{
	cfi_usual_cie(m, f->letters ? f->letters : "zR");
	cfi_fde_bytes(m, start, 0x40, f->insns, f->len);
}

int main(int argc, char **argv)
{
	static struct cfi_made m;
	unsigned int i, what, target, nr = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: cfi-seeds DIR\n");
		return 2;
	}
	for (i = 0; i < NR_FORMS; i++) {
		const struct form *f = &forms[i];

		target = f->abi == &sframe_abi_x86 ? 0 :
			 f->abi == &sframe_abi_arm64 ? 1 : 3;
		for (what = 0; what < 4; what++) {
			u8 knobs[KNOBS] = {
				[KNOB_WHAT] = target | 2 << 2 | what << 4,
				[KNOB_HEADER] = 2 << 3,
				[KNOB_STACK] = STACK_WORDS,
				[KNOB_MEMORY] = 7 | 5 << 3,
				[KNOB_PC] = i,
			};

			cfi_begin(&m, f->abi, target == 3);
			add(&m, f, CFI_TEXT);
			if (i + 1 < NR_FORMS && forms[i + 1].abi == f->abi)
				add(&m, &forms[i + 1], CFI_TEXT + 0x30);
			cfi_end(&m);
			write_seed(argv[1], nr++, knobs, &m);
		}
	}
	return 0;
}
