// SPDX-License-Identifier: GPL-2.0
/*
 * What sframe.ko shows to the suites. Part of sframe.ko, but only on kernels
 * that have KUnit.
 */
#include <kunit/visibility.h>

#include <sframe/abi.h>
#include <sframe/cursor.h>
#include <sframe/elf.h>
#include <sframe/env.h>
#include <sframe/sources.h>
#include <sframe/table.h>

#include "../../kernel/account.h"
#include "../../kernel/arch/native.h"
#include "../../kernel/build.h"
#include "../../kernel/cache.h"
#include "../../kernel/changes.h"
#include "../../kernel/compat/compat.h"
#include "../../kernel/core/answers_impl.h"
#include "../../kernel/core/cursor_impl.h"
#include "../../kernel/core/leave.h"
#include "../../kernel/core/table_impl.h"
#include "../../kernel/file_key.h"
#include "../../kernel/image.h"
#include "../../kernel/lesson.h"
#include "../../kernel/limits.h"
#include "../../kernel/map.h"
#include "../../kernel/map_edit.h"
#include "../../kernel/mm.h"
#include "../../kernel/placement.h"
#include "../../kernel/queue.h"
#include "../../kernel/recorded.h"
#include "../../kernel/redirect.h"
#include "../../kernel/repeated.h"
#include "../../kernel/room.h"
#include "../../kernel/slots.h"
#include "../../kernel/stats.h"
#include "../../kernel/track.h"
#include "../../kernel/trails.h"
#include "../../kernel/walk.h"

/* One list here, rather than a line in every file of the module. */
#define SHOW(symbol)	EXPORT_SYMBOL_IF_KUNIT(symbol)

SHOW(sframe_alloc);
SHOW(sframe_free);
SHOW(sframe_relax);
SHOW(sframe_reason_name);
SHOW(sframe_reason_text);
SHOW(sframe_elf_header);
SHOW(sframe_elf_phdrs);
SHOW(sframe_elf_eh_frame);
SHOW(sframe_elf_names);
SHOW(sframe_elf_eh_frame_section);
SHOW(sframe_elf_gopclntab);
SHOW(sframe_elf_go_module);
SHOW(sframe_elf_go_text);
SHOW(sframe_elf_relocations);
SHOW(sframe_elf_relocated);
SHOW(sframe_section_init);
SHOW(sframe_fde_get);
SHOW(sframe_rows_init);
SHOW(sframe_rows_next);
SHOW(sframe_code_leaves);
SHOW(sframe_find_begin);
SHOW(sframe_mark_is_likely);
SHOW(sframe_step_by_local_call);
SHOW(sframe_step_by_mark_ahead);
SHOW(sframe_step_by_entry);
SHOW(sframe_step_by_lisp_entry);
SHOW(sframe_find_mark);
SHOW(sframe_ranges_grow);
SHOW(sframe_ranges_add);
SHOW(sframe_ranges_sum);
SHOW(sframe_ranges_price);
SHOW(sframe_ranges_same);
SHOW(sframe_leave_read_code);
SHOW(sframe_leave_was_at);
SHOW(sframe_leave_remember);
SHOW(sframe_leave_begin_path);
SHOW(sframe_leave_next_path);
SHOW(sframe_leave_other_sp);
SHOW(sframe_leave_join_sure);
SHOW(sframe_leave_read_aside);
SHOW(sframe_table_build);
SHOW(sframe_table_merge);
SHOW(sframe_sources_build);
SHOW(sframe_table_lookup);
SHOW(sframe_writer_rule);
SHOW(sframe_rule_place);
SHOW(sframe_writer_put);
SHOW(sframe_writer_run);
SHOW(sframe_table_remember);
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

SHOW(sframe_recorded_allowed);
SHOW(sframe_recorded_by);
SHOW(sframe_recorded_pause);
SHOW(sframe_recorded_sample);
SHOW(sframe_build_wait_ms);
SHOW(sframe_privileged_only);

SHOW(sframe_hooks_remove_idle);
SHOW(sframe_track_request);
SHOW(sframe_track_will_know);
SHOW(sframe_track_update);

SHOW(sframe_max_build_bytes);
SHOW(sframe_payer_uid_current);
SHOW(sframe_payer_of);
SHOW(sframe_payer_put);
SHOW(sframe_payer_largest);
SHOW(sframe_account_take);
SHOW(sframe_account_give);
SHOW(sframe_account_used);
SHOW(sframe_account_most);
SHOW(sframe_file_key_get);
SHOW(sframe_file_key_same);
SHOW(sframe_cache_get);
SHOW(sframe_cache_evict);
SHOW(sframe_cache_evict_of);
SHOW(sframe_room_reserve);
SHOW(sframe_room_settle);
SHOW(sframe_queue_wants);
SHOW(sframe_queue_add);
SHOW(sframe_queue_next);
SHOW(sframe_queue_overtake);
SHOW(sframe_queue_done);
SHOW(sframe_convert);
SHOW(sframe_image_get);
SHOW(sframe_image_free);
SHOW(sframe_image_publish);
SHOW(sframe_image_of_file);
SHOW(sframe_image_bias);
SHOW(sframe_image_wait);
SHOW(sframe_image_put);
SHOW(sframe_image_alloc);
SHOW(sframe_image_no_longer_coming);

SHOW(sframe_changes_init);
SHOW(sframe_changes_add);
SHOW(sframe_changes_end);
SHOW(sframe_changes_read);
SHOW(sframe_changes_claim);
SHOW(sframe_changes_settle);
SHOW(sframe_changes_pending);
SHOW(sframe_changes_count);
SHOW(sframe_changes_seen);

SHOW(sframe_map_edit_begin);
SHOW(sframe_map_edit_cut);
SHOW(sframe_map_edit_add);
SHOW(sframe_map_edit_end);
SHOW(sframe_map_edit_abort);
SHOW(sframe_map_find);
SHOW(sframe_map_overlaps);
SHOW(sframe_map_get);
SHOW(sframe_map_put);
SHOW(sframe_map_refresh_state);
SHOW(sframe_map_retry_due);
SHOW(sframe_view_init);
SHOW(sframe_view_find_slow);
SHOW(sframe_view_home);

SHOW(sframe_trail_take);
SHOW(sframe_trail_put);
SHOW(sframe_answers_take);
SHOW(sframe_answers_put);

SHOW(sframe_mm_find);
SHOW(sframe_view_begin);
SHOW(sframe_mm_may_have_code);
SHOW(sframe_mm_may_have_tables);
SHOW(sframe_mm_is_up_to_date);
SHOW(sframe_mm_update);
SHOW(sframe_mm_put);
SHOW(sframe_mm_changed);
SHOW(sframe_mm_fork);
SHOW(sframe_mm_forget);
SHOW(sframe_mm_count);
SHOW(sframe_mm_open);
SHOW(sframe_mm_close);
SHOW(sframe_mm_forget_all);

SHOW(sframe_slot_request);
SHOW(sframe_slot_release);
SHOW(sframe_slots_flush);
SHOW(sframe_slots_close);
SHOW(sframe_slots_drain);
SHOW(sframe_slots_open);
SHOW(sframe_slots_requested);

SHOW(sframe_lesson_want);
SHOW(sframe_walk);
SHOW(sframe_arch_reg);
SHOW(sframe_redirect_on);
SHOW(sframe_redirect_off);
SHOW(sframe_redirect_done);
SHOW(sframe_repeated_count);
SHOW(sframe_repeated_is_paused);
