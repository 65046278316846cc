// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload. Parts are set up from those that nobody calls yet to those that perf
 * calls, and torn down in the opposite order, each waiting until nobody is inside it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/array_size.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/compat.h"
#include "files.h"
#include "map.h"
#include "mm.h"
#include "recorded.h"
#include "stats.h"
#include "track.h"
#include "trails.h"
#include "vdso.h"
#include "ways.h"

enum mode {
	MODE_AUTO,
	MODE_DEFERRED,
	MODE_INPLACE,
};

static const char *const mode_names[] = {
	[MODE_AUTO] = "auto",
	[MODE_DEFERRED] = "deferred",
	[MODE_INPLACE] = "inplace",
};

/* The mode that was asked for; once loaded, the one that was chosen. */
static enum mode mode;

static int mode_set(const char *val, const struct kernel_param *kp)
{
	int i = sysfs_match_string(mode_names, val);

	if (i < 0)
		return i;
	mode = i;
	return 0;
}

static int mode_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", mode_names[mode]);
}

static const struct kernel_param_ops mode_ops = {
	.set = mode_set,
	.get = mode_get,
};
module_param_cb(mode, &mode_ops, NULL, 0444);
MODULE_PARM_DESC(mode, "auto, deferred or inplace (default auto); reads back what was chosen");

/*
 * Choose the way: deferred where the kernel can; in place for what is not deferred.
 * With mode=deferred loading fails if that cannot be had.
 */
static int choose_way(void)
{
	int ret = sframe_deferred_init(mode != MODE_INPLACE);

	if (ret && mode == MODE_DEFERRED) {
		pr_err("mode=deferred: %s cannot (%d)\n",
		       ret == -EOPNOTSUPP ? "this kernel's perf" :
					    sframe_deferred_by, ret);
		return ret;
	}
	if (mode == MODE_INPLACE)
		pr_info("in place, as asked for\n");
	else if (!ret)
		pr_info("deferred by %s, else in place\n", sframe_deferred_by);
	else if (ret == -EOPNOTSUPP)
		pr_info("in place: this kernel does not defer user unwinding\n");
	else
		pr_warn("in place: deferral by %s failed (%d)\n",
			sframe_deferred_by, ret);
	mode = ret || mode == MODE_INPLACE ? MODE_INPLACE : MODE_DEFERRED;
	sframe_recorded_in_place = mode == MODE_INPLACE;
	return 0;
}

/**
 * struct part - a part of the module
 * @name: for messages
 * @init: returns 0 or -errno, with nothing left to undo; NULL if there is nothing to do
 * @exit: waits until nobody is inside the part; or NULL
 */
struct part {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
};

/* In the order of loading; each may use the parts before it. */
static const struct part parts[] = {
	{ "looking up functions", sframe_symbols_init },
	{ "files", sframe_files_init, sframe_files_exit },
	{ "the vDSO", sframe_vdso_init, sframe_vdso_exit },
	{ "maps", sframe_map_init, sframe_map_exit },
	{ "trails", sframe_trails_init, sframe_trails_exit },
	{ "mms", NULL, sframe_mm_shutdown },
	{ "hooks", sframe_track_init, sframe_track_exit },
	{ "redirecting perf_callchain_user()", sframe_inplace_init,
	  sframe_inplace_exit },
	{ "deferred walks", choose_way, sframe_deferred_exit },
	{ "requests of updates", sframe_track_open, sframe_track_close },
	{ "counters", sframe_stats_init, sframe_stats_exit },
};

static void exit_parts(unsigned int nr)
{
	while (nr--) {
		if (parts[nr].exit)
			parts[nr].exit();
	}
}

static int __init sframe_init(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		ret = parts[i].init ? parts[i].init() : 0;
		if (ret) {
			pr_err("%s: %d, not loaded\n", parts[i].name, ret);
			exit_parts(i);
			return ret;
		}
	}
	return 0;
}

static void __exit sframe_exit(void)
{
	exit_parts(ARRAY_SIZE(parts));
}

module_init(sframe_init);
module_exit(sframe_exit);
MODULE_LICENSE("GPL");
MODULE_AUTHOR("The sframe maintainers");
MODULE_VERSION("0.1");
MODULE_DESCRIPTION("User stacks for perf, unwound with SFrame");
