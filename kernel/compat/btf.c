// SPDX-License-Identifier: GPL-2.0
/*
 * Compares a function's prototype with the kernel's BTF, for functions that no header
 * declares (hooks.c, perf_output.c).
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "btf.h"
#include "compat.h"

#if IS_ENABLED(CONFIG_DEBUG_INFO_BTF)

struct btf *k_bpf_get_btf_vmlinux(void);
s32 k_btf_find_by_name_kind(const struct btf *btf, const char *name, u8 kind);
const char *k_btf_name_by_offset(const struct btf *btf, u32 offset);

static_assert(__same_type(bpf_get_btf_vmlinux, k_bpf_get_btf_vmlinux));
static_assert(__same_type(btf_find_by_name_kind, k_btf_find_by_name_kind));
static_assert(__same_type(btf_name_by_offset, k_btf_name_by_offset));

DEFINE_STATIC_CALL_NULL(sframe_btf_get, k_bpf_get_btf_vmlinux);
DEFINE_STATIC_CALL_NULL(sframe_btf_find, k_btf_find_by_name_kind);
DEFINE_STATIC_CALL_NULL(sframe_btf_name, k_btf_name_by_offset);

/* Get the kernel's BTF; NULL if it has none that can be read. */
static struct btf *btf_open(void)
{
	unsigned long get = sframe_symbol("bpf_get_btf_vmlinux");
	unsigned long find = sframe_symbol("btf_find_by_name_kind");
	unsigned long name = sframe_symbol("btf_name_by_offset");
	struct btf *btf;

	if (!get || !find || !name)
		return NULL;
	static_call_update(sframe_btf_get, (typeof(&k_bpf_get_btf_vmlinux))get);
	static_call_update(sframe_btf_find,
			   (typeof(&k_btf_find_by_name_kind))find);
	static_call_update(sframe_btf_name, (typeof(&k_btf_name_by_offset))name);
	btf = static_call(sframe_btf_get)();
	return IS_ERR(btf) ? NULL : btf;
}

static bool btf_is_modifier(const struct btf_type *t)
{
	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
		return true;
	default:
		return false;
	}
}

/* Is the type with this identifier the one that @type describes? See struct sframe_btf_args. */
static bool btf_type_is(const struct btf *btf, u32 id, const char *type)
{
	const struct btf_type *t = btf_type_by_id(btf, id);
	const char *name;

	for (; t; t = btf_type_by_id(btf, t->type)) {
		if (btf_is_modifier(t))
			continue;
		if (!btf_type_is_ptr(t))
			break;
		if (*type++ != '*')
			return false;
	}
	if (!t || !*type)
		return t && btf_type_is_func_proto(t);
	if (BTF_INFO_KIND(t->info) == BTF_KIND_UNKN)
		return !strcmp("void", type);
	name = static_call(sframe_btf_name)(btf, t->name_off);
	return name && !strcmp(name, type);
}

/**
 * sframe_btf_check() - has a kernel function these arguments?
 * @name: the function's name
 * @args: its first arguments
 *
 * Context: process context, may sleep; after sframe_symbols_init().
 * Return: false if it has others. True also where the kernel has no BTF, or none
 * of this function: then nobody can tell.
 */
bool sframe_btf_check(const char *name, const struct sframe_btf_args *args)
{
	struct btf *btf = btf_open();
	const struct btf_type *t;
	unsigned int i;
	s32 id;

	if (!btf)
		return true;
	id = static_call(sframe_btf_find)(btf, name, BTF_KIND_FUNC);
	if (id < 0)
		return true;
	t = btf_type_by_id(btf, id);
	t = t ? btf_type_by_id(btf, t->type) : NULL;
	if (!t || !btf_type_is_func_proto(t) || btf_type_vlen(t) < SFRAME_BTF_ARGS)
		return false;
	for (i = 0; i < SFRAME_BTF_ARGS; i++) {
		if (!btf_type_is(btf, btf_params(t)[i].type, args->type[i]))
			return false;
	}
	return true;
}

#else

bool sframe_btf_check(const char *name, const struct sframe_btf_args *args)
{
	return true;
}

#endif /* CONFIG_DEBUG_INFO_BTF */
