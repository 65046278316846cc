/* SPDX-License-Identifier: GPL-2.0 */
/* Checks prototypes of functions that no header declares against the kernel's BTF. */
#ifndef SFRAME_BTF_H
#define SFRAME_BTF_H

#include <linux/types.h>

/* How many arguments of a function are compared; it may have more. */
#define SFRAME_BTF_ARGS	3

/**
 * struct sframe_btf_args - the first arguments of a function
 * @type: of each: an asterisk for each pointer, then the name of the structure or basic
 *	type; a lone asterisk for a pointer to a function
 */
struct sframe_btf_args {
	const char *type[SFRAME_BTF_ARGS];
};

bool sframe_btf_check(const char *name, const struct sframe_btf_args *args);

#endif /* SFRAME_BTF_H */
