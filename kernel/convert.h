/* SPDX-License-Identifier: GPL-2.0 */
/* From a file to its table, in a worker. */
#ifndef SFRAME_CONVERT_H
#define SFRAME_CONVERT_H

#include <sframe/reason.h>

struct file;
struct sframe_image;
struct sframe_payer;

enum sframe_reason sframe_convert(struct sframe_image *image, struct file *file,
				  struct sframe_payer *payer);

#endif /* SFRAME_CONVERT_H */
