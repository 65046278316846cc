/* SPDX-License-Identifier: GPL-2.0 */
/* When the hooks are placed and removed. */
#ifndef SFRAME_PLACEMENT_H
#define SFRAME_PLACEMENT_H

#include <linux/types.h>

struct ftrace_ops;
struct seq_file;

int sframe_hooks_init(struct ftrace_ops *ops);
void sframe_hooks_stop(void);
void sframe_hooks_exit(void);

bool sframe_hooks_wait(void);
bool sframe_hooks_failed(void);
bool sframe_hooks_remove_idle(void);
void sframe_hooks_show(struct seq_file *m);

#endif /* SFRAME_PLACEMENT_H */
