/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the two halves of the dumper.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <stdio.h>

#include <sframe/decode.h>
#include <sframe/elf.h>

void oracle_print_rule(FILE *out, const struct sframe_row *row);
int oracle_scan(const struct sframe_elf *elf, const struct sframe_section *sec,
		const char *path);

#endif /* ORACLE_H */
