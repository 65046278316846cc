/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of KUnit that the portable suites use, for user space. A failed
 * EXPECT marks the case, a failed ASSERT also leaves it.
 */
#ifndef SHIM_KUNIT_TEST_H
#define SHIM_KUNIT_TEST_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define KUNIT_PARAM_DESC_SIZE	128
#define __maybe_unused	__attribute__((unused))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

struct kunit {
	const void *param_value;
	bool failed;
	bool skipped;
	jmp_buf leave;
};

struct kunit_case {
	void (*run_case)(struct kunit *test);
	const char *name;
	const void *(*generate_params)(const void *prev, char *desc);
};

struct kunit_suite {
	const char *name;
	struct kunit_case *test_cases;
	struct kunit_suite *next;
};

/* tools/tests/core/main.c */
void shim_register(struct kunit_suite *suite);

#define KUNIT_CASE(fn)			{ .run_case = fn, .name = #fn }
#define KUNIT_CASE_PARAM(fn, gen)	\
	{ .run_case = fn, .name = #fn, .generate_params = gen }

#define SHIM_ARRAY_PARAM(name, array, describe)				\
	static const void *name##_gen_params(const void *prev, char *desc) \
	{								\
		const typeof((array)[0]) *p = prev;			\
									\
		p = p ? p + 1 : (array);				\
		if (p == (array) + ARRAY_SIZE(array))			\
			return NULL;					\
		describe;						\
		return p;						\
	}

#define KUNIT_ARRAY_PARAM(name, array, get_desc)			\
	SHIM_ARRAY_PARAM(name, array, get_desc(p, desc))
#define KUNIT_ARRAY_PARAM_DESC(name, array, member)			\
	SHIM_ARRAY_PARAM(name, array,					\
			 shim_describe(desc, (const char *)p +		\
					     offsetof(typeof(*p), member)))

/* @member: a string that a case has. */
static inline void shim_describe(char *desc, const void *member)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", *(const char *const *)member);
}

#define kunit_test_suite(suite)						\
	static void __attribute__((constructor)) suite##_register(void)	\
	{								\
		shim_register(&(suite));				\
	}

#define kunit_skip(test, ...)						\
	do {								\
		printf("    # " __VA_ARGS__);				\
		putchar('\n');						\
		(test)->skipped = true;					\
		longjmp((test)->leave, 1);				\
	} while (0)

#define SHIM_FAIL(test, fatal, ...)					\
	do {								\
		printf("    # %s:%d: ", __FILE__, __LINE__);		\
		printf(__VA_ARGS__);					\
		putchar('\n');						\
		(test)->failed = true;					\
		if (fatal)						\
			longjmp((test)->leave, 1);			\
	} while (0)

#define SHIM_COMPARE(test, fatal, a, op, b, fmt, ...)			\
	do {								\
		typeof(a) shim_a = (a);					\
		typeof(b) shim_b = (b);					\
									\
		if (!(shim_a op shim_b))				\
			SHIM_FAIL(test, fatal, "%s %s %s: %#llx, %#llx" fmt, \
				  #a, #op, #b,				\
				  (unsigned long long)shim_a,		\
				  (unsigned long long)shim_b,		\
				  ##__VA_ARGS__);			\
	} while (0)

#define SHIM_TRUTH(test, fatal, cond, want, fmt, ...)			\
	do {								\
		if (((cond) ? true : false) != (want))			\
			SHIM_FAIL(test, fatal, "%s is %s" fmt, #cond,	\
				  (want) ? "false" : "true", ##__VA_ARGS__); \
	} while (0)

#define KUNIT_FAIL(test, ...)		SHIM_FAIL(test, 0, __VA_ARGS__)
#define KUNIT_FAIL_AND_ABORT(test, ...)	SHIM_FAIL(test, 1, __VA_ARGS__)
#define KUNIT_EXPECT_TRUE(t, c)		SHIM_TRUTH(t, 0, c, true, "")
#define KUNIT_EXPECT_FALSE(t, c)	SHIM_TRUTH(t, 0, c, false, "")
#define KUNIT_ASSERT_TRUE(t, c)		SHIM_TRUTH(t, 1, c, true, "")
#define KUNIT_ASSERT_FALSE(t, c)	SHIM_TRUTH(t, 1, c, false, "")
#define KUNIT_EXPECT_TRUE_MSG(t, c, ...) \
	SHIM_TRUTH(t, 0, c, true, ": " __VA_ARGS__)
#define KUNIT_ASSERT_TRUE_MSG(t, c, ...) \
	SHIM_TRUTH(t, 1, c, true, ": " __VA_ARGS__)
#define KUNIT_EXPECT_EQ(t, a, b)	SHIM_COMPARE(t, 0, a, ==, b, "")
#define KUNIT_EXPECT_NE(t, a, b)	SHIM_COMPARE(t, 0, a, !=, b, "")
#define KUNIT_EXPECT_LT(t, a, b)	SHIM_COMPARE(t, 0, a, <, b, "")
#define KUNIT_EXPECT_LE(t, a, b)	SHIM_COMPARE(t, 0, a, <=, b, "")
#define KUNIT_EXPECT_GT(t, a, b)	SHIM_COMPARE(t, 0, a, >, b, "")
#define KUNIT_EXPECT_GE(t, a, b)	SHIM_COMPARE(t, 0, a, >=, b, "")
#define KUNIT_ASSERT_EQ(t, a, b)	SHIM_COMPARE(t, 1, a, ==, b, "")
#define KUNIT_ASSERT_NE(t, a, b)	SHIM_COMPARE(t, 1, a, !=, b, "")
#define KUNIT_ASSERT_LT(t, a, b)	SHIM_COMPARE(t, 1, a, <, b, "")
#define KUNIT_ASSERT_LE(t, a, b)	SHIM_COMPARE(t, 1, a, <=, b, "")
#define KUNIT_ASSERT_GE(t, a, b)	SHIM_COMPARE(t, 1, a, >=, b, "")
#define KUNIT_EXPECT_EQ_MSG(t, a, b, ...) \
	SHIM_COMPARE(t, 0, a, ==, b, ": " __VA_ARGS__)
#define KUNIT_ASSERT_EQ_MSG(t, a, b, ...) \
	SHIM_COMPARE(t, 1, a, ==, b, ": " __VA_ARGS__)
#define KUNIT_EXPECT_NULL(t, p)		SHIM_TRUTH(t, 0, p, false, "")
#define KUNIT_EXPECT_NOT_NULL(t, p)	SHIM_TRUTH(t, 0, p, true, "")
#define KUNIT_ASSERT_NOT_NULL(t, p)	SHIM_TRUTH(t, 1, p, true, "")
#define KUNIT_EXPECT_MEMEQ(t, a, b, n)	\
	SHIM_TRUTH(t, 0, memcmp(a, b, n), false, "")
#define KUNIT_EXPECT_STREQ(t, a, b)	\
	SHIM_TRUTH(t, 0, strcmp(a, b), false, ": \"%s\", \"%s\"", a, b)
#define KUNIT_EXPECT_PTR_EQ(t, a, b)	SHIM_TRUTH(t, 0, (a) == (b), true, "")

#endif /* SHIM_KUNIT_TEST_H */
