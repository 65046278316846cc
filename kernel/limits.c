// SPDX-License-Identifier: GPL-2.0
/*
 * What the administrator may set, in /sys/module/sframe/parameters. All may be
 * changed at any time, and are read where they matter, without a lock.
 */
#include <linux/moduleparam.h>
#include <linux/sizes.h>

#include "limits.h"

bool sframe_eh_frame = SFRAME_HAS_EH_FRAME;
module_param_named(eh_frame, sframe_eh_frame, bool, 0644);
MODULE_PARM_DESC(eh_frame, "also make tables from .eh_frame and .gopclntab, of files not yet read (default Y, N if built without)");

unsigned long sframe_max_file_bytes = SZ_64M;
module_param_named(max_file_bytes, sframe_max_file_bytes, ulong, 0644);
MODULE_PARM_DESC(max_file_bytes, "most memory for one file's table (default 64 MiB)");

unsigned long sframe_max_total_bytes = SZ_256M;
module_param_named(max_total_bytes, sframe_max_total_bytes, ulong, 0644);
MODULE_PARM_DESC(max_total_bytes, "most memory for all tables (default 256 MiB)");

unsigned long sframe_max_build_bytes = SZ_256M;
module_param_named(max_build_bytes, sframe_max_build_bytes, ulong, 0644);
MODULE_PARM_DESC(max_build_bytes, "most memory for building tables (default 256 MiB)");

unsigned int sframe_build_wait_ms = 30;
module_param_named(build_wait_ms, sframe_build_wait_ms, uint, 0644);
MODULE_PARM_DESC(build_wait_ms, "how long a task waits for tables to be built (default 30)");

unsigned int sframe_max_frames = 1024;
module_param_named(max_frames, sframe_max_frames, uint, 0644);
MODULE_PARM_DESC(max_frames, "most frames in a record of our own deferral (default 1024)");

bool sframe_privileged_only;
module_param_named(privileged_only, sframe_privileged_only, bool, 0644);
MODULE_PARM_DESC(privileged_only, "follow only tasks that somebody with CAP_PERFMON records (default N)");
