// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer's entry: an input goes the way that a file goes in the module.
 */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct sframe_table *table = NULL;
	struct sframe_skips skips;
	enum sframe_reason reason;
	struct input in;
	size_t limit;

	if (input_open(&in, data, len)) {
		alloc_fail_at = in.knobs[KNOB_MEMORY] >> 6;
		limit = 4096ul << (in.knobs[KNOB_MEMORY] & 7);
		reason = sframe_table_build(&in.sec, in.text, in.nr_text,
					    limit, &table, &skips);
		alloc_fail_at = 0;
		MUST(reason == SFRAME_OK || reason == SFRAME_NO_FUNCTIONS ||
		     reason == SFRAME_TOO_BIG || reason == SFRAME_NO_MEMORY);
		MUST(alloc_live == (reason == SFRAME_OK));
		if (!reason) {
			check_table(&in, table, &skips);
			check_walk(&in, table);
			sframe_table_free(table);
		}
		MUST(!alloc_live);
	}
	input_close(&in);
	return 0;
}
