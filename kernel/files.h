/* SPDX-License-Identifier: GPL-2.0 */
/* The images of files: cache and workers together. */
#ifndef SFRAME_FILES_H
#define SFRAME_FILES_H

struct seq_file;

int sframe_files_init(void);
void sframe_files_exit(void);
void sframe_files_show(struct seq_file *m);

#endif /* SFRAME_FILES_H */
