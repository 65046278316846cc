// SPDX-License-Identifier: GPL-2.0
/*
 * What sframe/counters in debugfs tells.
 */
#include <kunit/test.h>

#include <linux/ctype.h>
#include <linux/kstrtox.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "../../kernel/stats.h"
#include "../../kernel/walk.h"

static char *show(struct kunit *test)
{
	struct seq_file m = {
		.buf = kunit_kzalloc(test, SZ_32K, GFP_KERNEL),
		.size = SZ_32K,
	};

	KUNIT_ASSERT_NOT_NULL(test, m.buf);
	mutex_init(&m.lock);
	sframe_stats_show(&m, NULL);
	KUNIT_ASSERT_FALSE(test, seq_has_overflowed(&m));
	m.buf[m.count] = '\0';
	return m.buf;
}

/* What the line says that begins with @name and a space; -1 if there is none. */
static long value_of(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *line = text;
	long n;

	while (*line) {
		if (!strncmp(line, name, len) && line[len] == ' ')
			return sscanf(line + len + 1, "%ld", &n) == 1 ? n : -1;
		line = strchrnul(line, '\n');
		line += *line == '\n';
	}
	return -1;
}

/* NAME, a space, a number: nothing that a script could trip over. */
static void lines_are_plain(struct kunit *test)
{
	char *text = show(test), *line;
	unsigned int lines = 0;
	unsigned long value;
	size_t len;

	while ((line = strsep(&text, "\n")) && *line) {
		for (len = 0; line[len] == '_' || isalnum(line[len]); len++)
			;
		KUNIT_EXPECT_GT(test, len, 0ul);
		KUNIT_ASSERT_EQ(test, line[len], ' ');
		KUNIT_EXPECT_EQ_MSG(test, kstrtoul(line + len + 1, 10, &value),
				    0, "%s", line);
		lines++;
	}
	KUNIT_EXPECT_GE(test, lines, 20u);
}

static void names_are_distinct(struct kunit *test)
{
	char *text = show(test), *line = text;

	while (*line) {
		char *end = strchrnul(line, '\n');
		char *space = strchr(line, ' ');
		char *other;

		KUNIT_ASSERT_TRUE(test, space && space < end);
		for (other = end; (other = strstr(other, "\n")) && other[1];
		     other++)
			KUNIT_EXPECT_FALSE(test, !strncmp(other + 1, line,
							  space - line + 1));
		line = end + (*end == '\n');
	}
}

static void counts_appear(struct kunit *test)
{
	char *text = show(test);
	long before;

	KUNIT_EXPECT_GE(test, value_of(text, "inplace_walks"), 0l);
	KUNIT_EXPECT_GE(test, value_of(text, "mms"), 0l);
	KUNIT_EXPECT_EQ(test, value_of(text, "no_such_counter"), -1l);

	/* Summed over processors. */
	before = value_of(text, "scans");
	preempt_disable();
	sframe_count(SFRAME_EV_SCAN);
	per_cpu(sframe_stats, cpumask_first(cpu_possible_mask))
		.event[SFRAME_EV_SCAN]++;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, value_of(show(test), "scans"), before + 2);

	/* Rare ones have no line as long as they are zero. */
	before = max(value_of(text, "refused_NOT_ELF"), 0l);
	atomic_long_inc(&sframe_refused[SFRAME_NOT_ELF]);
	KUNIT_EXPECT_EQ(test, value_of(show(test), "refused_NOT_ELF"), before + 1);
	before = max(value_of(text, "inplace_end_FP_OFF_STACK"), 0l);
	this_cpu_inc(sframe_stats.end[SFRAME_WAY_INPLACE][SFRAME_FP_OFF_STACK]);
	KUNIT_EXPECT_EQ(test, value_of(show(test), "inplace_end_FP_OFF_STACK"),
			before + 1);
}

static struct kunit_case stats_cases[] = {
	KUNIT_CASE(lines_are_plain),
	KUNIT_CASE(names_are_distinct),
	KUNIT_CASE(counts_appear),
	{}
};

static struct kunit_suite stats_suite = {
	.name = "sframe_stats",
	.test_cases = stats_cases,
};

kunit_test_suite(stats_suite);
