// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose CFI says nothing of the frames that they make: OCaml's for s390x.
 */
#include <kunit/test.h>

#include "build.h"
#include "cfi_trial.h"

/* Functions of the file below. */
#define SILENT_NR	66

/*
 * A file whose functions are silent, but for @others; all of them say 160 at first. The last one
 * names another register if @named.
 */
static void mostly_silent(struct trial *t, const struct sframe_abi *abi, unsigned int others,
			  bool named)
{
	const unsigned int nr = SILENT_NR;
	unsigned int i;

	cfi_begin(&t->m, abi, abi->id_be);
	cfi_usual_cie(&t->m, "zR");
	for (i = 0; i < nr; i++) {
		if (i < others)
			function(t, FN + 0x10 * i, 0x10, 4, 80);
		else if (i == nr - 2 && named)
			cfi_fde(&t->m, FN + 0x10 * i, 0x10, CFA_ADVANCE_LOC | 1, CFA_REMEMBER_STATE,
				CFA_DEF_CFA_REGISTER, abi->sp_reg, CFA_ADVANCE_LOC1, 1,
				CFA_RESTORE_STATE);
		else
			cfi_fde(&t->m, FN + 0x10 * i, 0x10, CFA_NOP);
	}
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(t->test, convert(t), SFRAME_OK);
}

/* Where OCaml's functions for s390x say nothing, it is not true that they have no frame. */
static void silent_functions(struct kunit *test)
{
	static const struct {
		const struct sframe_abi *abi;
		unsigned int others;
		bool named;
		unsigned int refused;
	} files[] = {
		{ &sframe_abi_s390, 1, true, SILENT_NR - 1 },
		{ &sframe_abi_s390, SILENT_NR - 2, true, 2 },
		{ &sframe_abi_s390, 1, false, 0 },
		{ &sframe_abi_arm64, 1, true, 0 },
		{ &sframe_abi_x86, 1, true, 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		struct trial *t = start(test);
		u64 last = FN + 0x10 * (SILENT_NR - 1);

		mostly_silent(t, files[i].abi, files[i].others, files[i].named);
		KUNIT_EXPECT_EQ(test, cfa_at(t->table, last) == REFUSED, !!files[i].refused);
		KUNIT_EXPECT_NE(test, cfa_at(t->table, FN), REFUSED);
		EXPECT_SKIPS(t, CFI_SILENT, files[i].refused);
		finish(t, files[i].refused);
	}
}

/* The assembler writes to .sframe as much as those functions say, which is as wrong there. */
static void silent_in_both(struct kunit *test)
{
	int named;

	for (named = 0; named < 2; named++) {
		struct trial *t = start(test);
		struct build b;

		mostly_silent(t, &sframe_abi_s390, 1, named);
		sframe_table_free(t->table);
		build_init(&b, &sframe_abi_s390, 3, true, 0, 0x600000);
		build_fde(&b, FN, 0x10, 0, 0, 0);
		build_row(&b, 0, SFRAME_ROW_BASE_SP, 0, 1, 1);
		build_fde(&b, FN + 0x10, 0x10, 0, 0, 0);
		build_row(&b, 0, SFRAME_ROW_BASE_SP, 0, 1, 0);
		build_end(&b);
		KUNIT_ASSERT_FALSE(test, b.failed);
		t->src.sframe = (struct sframe_bytes){ b.data, b.len, 0x600000 };
		KUNIT_ASSERT_EQ(test, sframe_sources_build(&t->src, &t->limits, &t->table,
							   &t->skips), SFRAME_OK);
		EXPECT_CFA(t, FN + 8, 168);
		EXPECT_CFA(t, FN + 0x18, named ? REFUSED : 160);
		finish(t, named ? SILENT_NR - 1 : 0);
		build_free(&b);
	}
}

static struct kunit_case cfi_silent_cases[] = {
	KUNIT_CASE(silent_functions),
	KUNIT_CASE(silent_in_both),
	{}
};

static struct kunit_suite cfi_silent_suite = {
	.name = "sframe_cfi_silent",
	.test_cases = cfi_silent_cases,
};

kunit_test_suite(cfi_silent_suite);
