// SPDX-License-Identifier: GPL-2.0
/*
 * Load and unload. Loading goes from what nobody calls yet to what perf
 * calls; unloading in the opposite order, each part waiting until nobody is
 * inside it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "compat/compat.h"
#include "internal.h"

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

/* What was asked for; once loaded, what was chosen. */
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
MODULE_PARM_DESC(mode, "auto, deferred or inplace; reads back what was chosen");

unsigned long sframe_max_file_bytes = SZ_64M;
module_param_named(max_file_bytes, sframe_max_file_bytes, ulong, 0644);
MODULE_PARM_DESC(max_file_bytes, "most memory for one file's table");

unsigned long sframe_max_total_bytes = SZ_256M;
module_param_named(max_total_bytes, sframe_max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes, "most memory for all tables");

unsigned int sframe_max_frames = 1024;
module_param_named(max_frames, sframe_max_frames, uint, 0644);
MODULE_PARM_DESC(max_frames, "most frames in a record of our own deferral");

/* Deferred where the kernel can; in place always, for what is not deferred. */
static void choose_way(void)
{
	int ret;

	if (mode == MODE_INPLACE) {
		pr_info("in place, as asked for\n");
		return;
	}
	ret = sframe_deferred_init();
	mode = ret ? MODE_INPLACE : MODE_DEFERRED;
	if (!ret)
		pr_info("deferred by %s, else in place\n", sframe_deferred_by);
	else if (ret == -EOPNOTSUPP)
		pr_info("in place: this kernel does not defer user unwinding\n");
	else
		pr_warn("in place: deferral by %s failed (%d)\n",
			sframe_deferred_by, ret);
}

static int __init sframe_init(void)
{
	int ret;

	ret = sframe_symbols_init();
	if (ret) {
		pr_err("this kernel hides functions that are needed (%d)\n",
		       ret);
		return ret;
	}
	ret = sframe_file_init();
	if (ret)
		return ret;
	ret = sframe_map_init();
	if (ret)
		goto err_map;
	ret = sframe_track_init();
	if (ret)
		goto err_track;
	ret = sframe_perf_init();
	if (ret) {
		pr_err("perf_callchain_user() cannot be redirected (%d)\n",
		       ret);
		goto err_perf;
	}
	choose_way();
	sframe_stats_init();
	return 0;

err_perf:
	sframe_track_exit();
	sframe_mm_shutdown();
err_track:
	sframe_map_exit();
err_map:
	sframe_file_exit();
	return ret;
}

static void __exit sframe_exit(void)
{
	sframe_stats_exit();
	if (mode == MODE_DEFERRED)
		sframe_deferred_exit();
	sframe_perf_exit();
	sframe_track_exit();
	sframe_mm_shutdown();
	sframe_map_exit();
	sframe_file_exit();
}

module_init(sframe_init);
module_exit(sframe_exit);
MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("User stacks for perf, unwound with SFrame");
