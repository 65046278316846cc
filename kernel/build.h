/* SPDX-License-Identifier: GPL-2.0 */
/* The workers that build tables, at the request of files.c; and what a worker does. */
#ifndef SFRAME_BUILD_H
#define SFRAME_BUILD_H

#include <sframe/reason.h>

struct file;
struct sframe_image;
struct sframe_payer;

void sframe_build_request(struct sframe_image *image, struct file *file,
			  struct sframe_payer *payer);
int sframe_build_init(void);
void sframe_build_exit(void);

enum sframe_reason sframe_convert(struct sframe_image *image, struct file *file,
				  struct sframe_payer *payer);

#endif /* SFRAME_BUILD_H */
