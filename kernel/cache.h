/* SPDX-License-Identifier: GPL-2.0 */
/* The cache of images: which image a file has. */
#ifndef SFRAME_CACHE_H
#define SFRAME_CACHE_H

#include <linux/types.h>

#include <sframe/reason.h>

/* Images evicted at a time for bytes that a table needs. */
#define SFRAME_EVICTED_FOR_TABLES	16

struct seq_file;
struct sframe_file_key;
struct sframe_image;
struct sframe_payer;

struct sframe_image *sframe_cache_get(const struct sframe_file_key *key,
				      struct sframe_payer *payer);
unsigned long sframe_cache_evict_of(struct sframe_payer *payer,
				    unsigned long looks, unsigned long want);
unsigned long sframe_cache_evict(unsigned long looks, unsigned long want,
				 bool spare_root);
unsigned long sframe_cache_make_room(struct sframe_payer *payer,
				     enum sframe_reason why, unsigned long want);
void sframe_cache_show(struct seq_file *m);
int sframe_cache_init(void);
void sframe_cache_exit(void);

#endif /* SFRAME_CACHE_H */
