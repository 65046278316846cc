/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the administrator may set; the parameters are described in limits.c.
 */
#ifndef SFRAME_LIMITS_H
#define SFRAME_LIMITS_H

#include <linux/types.h>

extern bool sframe_eh_frame;
extern unsigned long sframe_max_file_bytes;
extern unsigned long sframe_max_total_bytes;
extern unsigned long sframe_max_build_bytes;
extern unsigned int sframe_build_wait_ms;
extern unsigned int sframe_max_frames;
extern bool sframe_privileged_only;

#endif /* SFRAME_LIMITS_H */
