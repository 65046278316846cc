/* SPDX-License-Identifier: GPL-2.0 */
/* Checks prototypes of functions that no header declares against the kernel's BTF. */
#ifndef SFRAME_BTF_H
#define SFRAME_BTF_H

#include <linux/types.h>

#define SFRAME_BTF_ARGS_MAX	3

/**
 * struct sframe_btf_args - the first arguments of a function
 * @nr: how many there must be, at least
 * @type: of each: an asterisk for each pointer, then the name of the structure or basic
 *	type; a lone asterisk for a pointer to a function
 */
struct sframe_btf_args {
	unsigned int nr;
	const char *type[SFRAME_BTF_ARGS_MAX];
};

bool sframe_btf_check(const char *name, const struct sframe_btf_args *args);

#endif /* SFRAME_BTF_H */
