// SPDX-License-Identifier: GPL-2.0
/* Is it seen in a file's code that its functions keep frame pointers, as few have rows? */
#include <kunit/test.h>

#include "cfi_trial.h"

/* Of the file: enough that all places which are looked at are apart. */
#define TEXT_SIZE	0x60000
#define FUNCTION	32

/* A function that makes its record, and one that does not: both call. */
static const u8 x86_record[FUNCTION] = {
	0x55, 0x48, 0x89, 0xe5,		/* push %rbp; mov %rsp, %rbp */
	0x48, 0x83, 0xec, 0x10,		/* sub $16, %rsp */
	0xe8, 0, 0, 0, 0,		/* call */
	0xc9, 0xc3,			/* leave; ret */
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
};

static const u8 x86_bare[FUNCTION] = {
	0x53,				/* push %rbx */
	0x48, 0x83, 0xec, 0x10,		/* sub $16, %rsp */
	0xe8, 0, 0, 0, 0,		/* call */
	0x48, 0x83, 0xc4, 0x10,		/* add $16, %rsp */
	0x5b, 0xc3,			/* pop %rbx; ret */
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
};

static const u8 arm64_record[FUNCTION] = {
	0xfd, 0x7b, 0xbf, 0xa9,		/* stp x29, x30, [sp, #-16]! */
	0xfd, 0x03, 0x00, 0x91,		/* mov x29, sp */
	0x00, 0x00, 0x00, 0x94,		/* bl */
	0xfd, 0x7b, 0xc1, 0xa8,		/* ldp x29, x30, [sp], #16 */
	0xc0, 0x03, 0x5f, 0xd6,		/* ret */
	0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5,
};

/* In between, the first returns: what is behind that is no function. */
static const u8 x86_split[FUNCTION] = {
	0x55, 0x48, 0x89, 0xe5,		/* push %rbp; mov %rsp, %rbp */
	0x74, 0x02, 0xc9, 0xc3,		/* je; leave; ret */
	0xe8, 0, 0, 0, 0,		/* call */
	0xc9, 0xc3,			/* leave; ret */
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
	0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc,
};

/* On s390x functions have no such records. */
static const u8 s390_function[FUNCTION] = {
	0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24,	/* stmg %r14, %r15, 112(%r15) */
	0xc0, 0xe5, 0, 0, 0, 0,			/* brasl %r14 */
	0x07, 0xfe,				/* br %r14 */
	0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07,
	0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07, 0x07,
};

/**
 * struct code - the file's code, as it is read
 * @record: of %FUNCTION bytes
 * @bare: likewise
 * @one_in: of so many functions one is @bare; 0: none
 * @in_rows: those that have rows are, within each place that is looked at
 * @every: bytes from one function to the next; in between is what stops
 * @reads: so often
 * @reason: it cannot be read, as the file ends before, or for another reason
 */
struct code {
	const u8 *record;
	const u8 *bare;
	u32 one_in;
	bool in_rows;
	u32 every;
	u32 reads;
	enum sframe_reason reason;
};

/* Bytes from one place to the next, and where in each there are rows, if there are. */
#define PLACE_STEP	(TEXT_SIZE / 64)
#define ROWS_AT		1024
#define ROWS_SIZE	2048

static enum sframe_reason read_made_code(void *ctx, u64 offset, void *buf, unsigned int len)
{
	struct code *code = ctx;
	u8 *to = buf;
	u64 at;

	code->reads++;
	for (at = offset; at < offset + len; at++) {
		u64 n = at / code->every;
		bool bare = (code->one_in && n % code->one_in == 0) ||
			    (code->in_rows && at % PLACE_STEP - ROWS_AT < ROWS_SIZE);
		u32 i = at % code->every;

		to[at - offset] = i >= FUNCTION ? 0xcc : bare ? code->bare[i] : code->record[i];
	}
	return code->reason;
}

/* Is the code said to keep frame pointers, if @covered bytes of it have rows? */
static bool keeps_fp(struct kunit *test, const struct sframe_abi *abi, struct code *code,
		     u32 covered)
{
	const struct sframe_segment text = { .vaddr = CFI_TEXT, .size = TEXT_SIZE };
	struct trial *t = start(test);
	enum sframe_reason reason;
	bool keeps;
	u32 at;

	cfi_begin(&t->m, abi, false);
	cfi_usual_cie(&t->m, "zR");
	function(t, CFI_TEXT, covered, 4, 16);
	for (at = ROWS_AT; code->in_rows && at < TEXT_SIZE; at += PLACE_STEP)
		function(t, CFI_TEXT + at, ROWS_SIZE, 4, 16);
	cfi_end(&t->m);
	cfi_sources(&t->m, &t->src);
	t->src.text = &text;
	t->src.read_code = read_made_code;
	t->src.ctx = code;
	code->reads = 0;
	reason = sframe_sources_build(&t->src, &t->limits, &t->table, &t->skips);
	if (reason) {
		KUNIT_EXPECT_EQ(test, reason, code->reason);
		KUNIT_EXPECT_NULL(test, t->table);
		return false;
	}
	KUNIT_EXPECT_TRUE(test, !code->reason || code->reason == SFRAME_FILE_SHORT);
	keeps = sframe_rule_keeps_fp(sframe_table_lookup(t->table, CFI_TEXT + TEXT_SIZE - 1));
	KUNIT_EXPECT_FALSE(test, sframe_rule_keeps_fp(sframe_table_lookup(t->table, CFI_TEXT)));
	KUNIT_EXPECT_LE(test, code->reads, 64);
	finish(t, 0);
	return keeps;
}

static void seen_in_code(struct kunit *test)
{
	struct code x86 = { .record = x86_record, .bare = x86_bare, .every = FUNCTION };
	struct code arm64 = { .record = arm64_record, .every = FUNCTION };
	struct code s390 = { .record = s390_function, .every = FUNCTION };
	struct code split = { .record = x86_split, .every = FUNCTION };

	KUNIT_EXPECT_TRUE(test, keeps_fp(test, &sframe_abi_x86, &x86, 16));
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_arm64, &arm64, 16));
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_s390, &s390, 16));
	KUNIT_EXPECT_TRUE(test, keeps_fp(test, &sframe_abi_x86, &split, 16));
	x86.one_in = 61;
	KUNIT_EXPECT_TRUE(test, keeps_fp(test, &sframe_abi_x86, &x86, 16));
	x86.one_in = 29;
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &x86, 16));
	x86.one_in = 1;
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &x86, 16));
}

/* Only functions without a row count. */
static void not_those_with_rows(struct kunit *test)
{
	struct code code = {
		.record = x86_record, .bare = x86_bare, .in_rows = true, .every = FUNCTION,
	};

	KUNIT_EXPECT_TRUE(test, keeps_fp(test, &sframe_abi_x86, &code, 16));
}

/* Too few functions say nothing. */
static void too_few(struct kunit *test)
{
	struct code code = { .record = x86_record, .every = 4096 };

	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &code, 16));
	KUNIT_EXPECT_GT(test, code.reads, 32);
}

static void not_read(struct kunit *test)
{
	struct code code = { .record = x86_record, .every = FUNCTION };

	/* Most functions have rows: their code is not looked at. */
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &code, TEXT_SIZE * 5 / 8));
	KUNIT_EXPECT_EQ(test, code.reads, 0);
	KUNIT_EXPECT_TRUE(test, keeps_fp(test, &sframe_abi_x86, &code, TEXT_SIZE * 3 / 8));
	code.reason = SFRAME_FILE_SHORT;
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &code, 16));
	KUNIT_EXPECT_GT(test, code.reads, 32);
	/* Another attempt may do better: there is no table now. */
	code.reason = SFRAME_READ_FAILED;
	KUNIT_EXPECT_FALSE(test, keeps_fp(test, &sframe_abi_x86, &code, 16));
	KUNIT_EXPECT_EQ(test, code.reads, 1);
}

static int fp_use(const struct sframe_abi *abi, const u8 *code)
{
	struct sframe_sp_step step;

	return abi->sp_step(code, 0, &step) ? step.fp : -1;
}

#define EXPECT_USE(abi, use, ...) do {						\
	const u8 code[SFRAME_CODE_AFTER] = { __VA_ARGS__ };			\
	KUNIT_EXPECT_EQ(test, fp_use(&(abi), code), (int)SFRAME_FP_##use);	\
} while (0)

static void uses_of_fp(struct kunit *test)
{
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x89, 0xe5);		/* mov %rsp, %rbp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x8b, 0xec);		/* likewise */
	/* lea 16(%rsp), %rbp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x8d, 0x6c, 0x24, 0x10);
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x49, 0x89, 0xe5);		/* mov %rsp, %r13 */
	EXPECT_USE(sframe_abi_x86, LEFT, 0x48, 0x89, 0xec);		/* mov %rbp, %rsp */
	EXPECT_USE(sframe_abi_x86, LEFT, 0x48, 0x8b, 0xe5);		/* likewise */
	EXPECT_USE(sframe_abi_x86, BASE, 0x48, 0x8d, 0x65, 0xf8);	/* lea -8(%rbp), %rsp */
	EXPECT_USE(sframe_abi_x86, BASE, 0x8b, 0x45, 0xf8);		/* mov -8(%rbp), %eax */
	/* mov %eax, 256(%rbp) */
	EXPECT_USE(sframe_abi_x86, POINTER, 0x89, 0x85, 0, 1, 0, 0);
	/* mov %rax, -256(%rbp) */
	EXPECT_USE(sframe_abi_x86, BASE, 0x48, 0x89, 0x85, 0, 0xff, 0xff, 0xff);
	EXPECT_USE(sframe_abi_x86, POINTER, 0x8b, 0x45, 0x00);		/* mov 0(%rbp), %eax */
	/* mov 127(%rbp), %rax */
	EXPECT_USE(sframe_abi_x86, POINTER, 0x48, 0x8b, 0x45, 0x7f);
	EXPECT_USE(sframe_abi_x86, BASE, 0x48, 0x83, 0x7d, 0xf8, 1);	/* cmpq $1, -8(%rbp) */
	/* movaps %xmm0, 0(%rbp) */
	EXPECT_USE(sframe_abi_x86, POINTER, 0x0f, 0x29, 0x45, 0x00);
	/* movaps %xmm0, -16(%rbp) */
	EXPECT_USE(sframe_abi_x86, BASE, 0x0f, 0x29, 0x45, 0xf0);
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x8b, 0x05, 0, 1, 0, 0);	/* mov 256(%rip), %eax */
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x41, 0x8b, 0x45, 0xf8);	/* mov -8(%r13), %eax */
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x8b, 0x44, 0x24, 0x08);	/* mov 8(%rsp), %eax */
	/* mov 16(%rsp), %rbp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x8b, 0x6c, 0x24, 16);
	/* lea (%rax,%rax), %rbp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x8d, 0x2c, 0x00);
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x0f, 0xb6, 0x2f);		/* movzbl (%rdi), %ebp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x8b, 0x6d, 0x08);	/* mov 8(%rbp), %rbp */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x31, 0xed);		/* xor %ebp, %ebp */
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x0f, 0x1f, 0x45, 0x00);	/* nopl 0(%rbp) */
	EXPECT_USE(sframe_abi_x86, POPPED, 0x5d);			/* pop %rbp */
	EXPECT_USE(sframe_abi_x86, LEFT, 0xc9);			/* leave */
	EXPECT_USE(sframe_abi_x86, UNUSED, 0x41, 0x5d);			/* pop %r13 */
	EXPECT_USE(sframe_abi_x86, WRITTEN, 0x48, 0x89, 0xfd);		/* mov %rdi, %rbp */
}

static struct kunit_case keeps_fp_test_cases[] = {
	KUNIT_CASE(seen_in_code),
	KUNIT_CASE(not_those_with_rows),
	KUNIT_CASE(too_few),
	KUNIT_CASE(not_read),
	KUNIT_CASE(uses_of_fp),
	{}
};

static struct kunit_suite keeps_fp_suite = {
	.name = "sframe_keeps_fp",
	.test_cases = keeps_fp_test_cases,
};

kunit_test_suite(keeps_fp_suite);
