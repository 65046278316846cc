// SPDX-License-Identifier: GPL-2.0
/*
 * The suites as a module: inserting it, after sframe.ko, runs them.
 */
#include <linux/module.h>

MODULE_IMPORT_NS("EXPORTED_FOR_KUNIT_TESTING");
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("KUnit suites of sframe");
