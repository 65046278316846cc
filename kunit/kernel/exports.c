// SPDX-License-Identifier: GPL-2.0
/*
 * What sframe.ko shows to the suites. Part of sframe.ko, but only on kernels
 * that have KUnit.
 */
#include <kunit/visibility.h>

#include <sframe/abi.h>
#include <sframe/cursor.h>
#include <sframe/decode_impl.h>
#include <sframe/elf.h>
#include <sframe/table_impl.h>

#include "../../kernel/compat/compat.h"
#include "../../kernel/file.h"
#include "../../kernel/internal.h"

/* One list here, rather than a line in every file of the module. */
#define SHOW(symbol)	EXPORT_SYMBOL_IF_KUNIT(symbol)

SHOW(sframe_reason_name);
SHOW(sframe_reason_text);
SHOW(sframe_elf_header);
SHOW(sframe_elf_phdrs);
SHOW(sframe_section_init);
SHOW(sframe_fde_get);
SHOW(sframe_rows_init);
SHOW(sframe_rows_next);
SHOW(sframe_table_build);
SHOW(sframe_table_lookup);
SHOW(sframe_cursor_init);
SHOW(sframe_cursor_next);
SHOW(sframe_cursor_next_slow);

#ifdef CONFIG_X86_64
SHOW(sframe_abi_x86);
#endif
#ifdef CONFIG_ARM64
SHOW(sframe_abi_arm64);
#endif
#ifdef CONFIG_S390
SHOW(sframe_abi_s390);
#endif

SHOW(sframe_abi_native);
SHOW(sframe_max_file_bytes);
SHOW(sframe_max_total_bytes);
SHOW(sframe_refused);
SHOW(sframe_stats);
SHOW(sframe_stats_show);
SHOW(sframe_symbol);
SHOW(sframe_callchains_wanted);

SHOW(sframe_track_hold);
SHOW(sframe_track_release);
SHOW(sframe_track_rest);
SHOW(sframe_track_request);

SHOW(sframe_file_key_same);
SHOW(sframe_cache_get);
SHOW(sframe_cache_evict);
SHOW(sframe_cache_room);
SHOW(sframe_file_get);
SHOW(sframe_file_put);
SHOW(sframe_file_table);

SHOW(sframe_map_find);
SHOW(sframe_mm_find);
SHOW(sframe_mm_has_tables);
SHOW(sframe_mm_stale);
SHOW(sframe_mm_scan);
SHOW(sframe_mm_put);
SHOW(sframe_mm_mark);
SHOW(sframe_mm_fork);
SHOW(sframe_mm_exit);
SHOW(sframe_mm_none);

SHOW(sframe_slot_request);
SHOW(sframe_slot_release);
SHOW(sframe_slots_flush);
SHOW(sframe_slots_drain);

SHOW(sframe_walk);
SHOW(sframe_arch_reg);
SHOW(sframe_redirect_on);
SHOW(sframe_redirect_off);
SHOW(sframe_redirect_done);
