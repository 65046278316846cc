/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is done about bugs of the tools that write tables; each bug is described in quirks.c or
 * cfi_quirks.c.
 */
#ifndef SFRAME_QUIRKS_H
#define SFRAME_QUIRKS_H

#include <sframe/decode.h>

struct sframe_cfi_fde;
struct sframe_cfi_state;

bool sframe_quirk_empty(const u8 *data, size_t len);
bool sframe_quirk_plt_v1(const struct sframe_section *sec,
			 const struct sframe_fde *fde);
void sframe_quirk_plt_got(const struct sframe_section *sec,
			  const struct sframe_fde *fde,
			  struct sframe_rule *rule);
bool sframe_quirk_other_context(const struct sframe_abi *abi, const struct sframe_rule *rule);
bool sframe_quirk_cut_offset(const struct sframe_abi *abi, u8 ra, s32 ra_off);
bool sframe_quirk_says_less(const struct sframe_rule *rule, const struct sframe_rule *other);
void sframe_quirk_ra_above(const struct sframe_abi *abi,
			   struct sframe_rule *rule);
void sframe_quirk_not_saved(const struct sframe_abi *abi, struct sframe_rule *rule);
u64 sframe_quirk_sp(const struct sframe_abi *abi, const struct sframe_rule *rule, u64 cfa);
void sframe_quirk_saves_all(const struct sframe_abi *abi, struct sframe_rule *rule);
bool sframe_quirk_stg_run(const struct sframe_abi *abi,
			  const struct sframe_cfi_state *state);
void sframe_quirk_enters_ocaml(const struct sframe_abi *abi, struct sframe_rule *rule);
void sframe_quirk_swallowed_load(const struct sframe_abi *abi, struct sframe_rule *rule);
bool sframe_quirk_is_ocaml(const struct sframe_abi *abi, const struct sframe_cfi_fde *fde);
bool sframe_quirk_fp_restored(const struct sframe_rule *rule, u64 fp, u64 cfa);

#endif /* SFRAME_QUIRKS_H */
