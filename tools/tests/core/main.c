// SPDX-License-Identifier: GPL-2.0
/*
 * Runs the portable KUnit suites in user space.
 *
 * Usage: core-tests [NAME...]: only the suites and cases whose name contains
 * one of the given words.
 */
#include <kunit/test.h>

#include "alloc.h"

static struct kunit_suite *suites;
static unsigned int nr_passed, nr_failed, nr_skipped;

/* Suites run in the order of their names, so as to be repeatable. */
void shim_register(struct kunit_suite *suite)
{
	struct kunit_suite **p = &suites;

	while (*p && strcmp((*p)->name, suite->name) < 0)
		p = &(*p)->next;
	suite->next = *p;
	*p = suite;
}

/* Allocator of the core: counts, and fails when told to. */
long alloc_live, alloc_count, alloc_fail_at = -1;
size_t alloc_bytes, alloc_peak;

void *sframe_alloc(size_t size)
{
	size_t *p;

	if (alloc_count++ == alloc_fail_at)
		return NULL;
	p = malloc(size + sizeof(max_align_t));
	if (!p)
		return NULL;
	*p = size;
	alloc_live++;
	alloc_bytes += size;
	if (alloc_bytes > alloc_peak)
		alloc_peak = alloc_bytes;
	return (char *)p + sizeof(max_align_t);
}

void sframe_free(const void *mem)
{
	size_t *p;

	if (!mem)
		return;
	p = (size_t *)((char *)mem - sizeof(max_align_t));
	alloc_live--;
	alloc_bytes -= *p;
	free(p);
}

long relax_count;

void sframe_relaxed(void)
{
	relax_count++;
}

static bool wanted(const char *suite, const char *name, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (strstr(suite, argv[i]) || strstr(name, argv[i]))
			return true;
	return argc < 2;
}

static void run_one(const struct kunit_suite *suite,
		    const struct kunit_case *c, const void *param,
		    const char *desc)
{
	struct kunit test = { .param_value = param };
	long live = alloc_live;

	alloc_fail_at = -1;
	if (!setjmp(test.leave))
		c->run_case(&test);
	if (!test.failed && alloc_live != live) {
		printf("    # %ld allocations leaked\n", alloc_live - live);
		test.failed = true;
	}
	/* In KTAP, what follows is no part of the name: the rest of the suite would be lost. */
	if (strchr(desc, '#')) {
		printf("    # a name with this sign\n");
		test.failed = true;
	}
	printf("%s %s.%s%s%s%s\n", test.failed ? "not ok" : "ok", suite->name,
	       c->name, *desc ? "/" : "", desc,
	       test.skipped ? " # SKIP" : "");
	if (test.failed)
		nr_failed++;
	else if (test.skipped)
		nr_skipped++;
	else
		nr_passed++;
}

static void run_case(const struct kunit_suite *suite,
		     const struct kunit_case *c)
{
	char desc[KUNIT_PARAM_DESC_SIZE] = "";
	const void *param = NULL;

	if (!c->generate_params) {
		run_one(suite, c, NULL, "");
		return;
	}
	while ((param = c->generate_params(param, desc)))
		run_one(suite, c, param, desc);
}

int main(int argc, char **argv)
{
	struct kunit_suite *suite;
	struct kunit_case *c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (suite = suites; suite; suite = suite->next)
		for (c = suite->test_cases; c->run_case; c++)
			if (wanted(suite->name, c->name, argc, argv))
				run_case(suite, c);
	if (nr_skipped)
		printf("%u skipped\n", nr_skipped);
	printf("%u passed, %u failed\n", nr_passed, nr_failed);
	return nr_failed || !nr_passed;
}
