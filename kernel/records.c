// SPDX-License-Identifier: GPL-2.0
/*
 * Writes the records of deferred chains, as perf does, but with all PCs of a chain
 * copied in one go. Used by deferred_kernel.c and deferred_records.c.
 */
#include <linux/perf_event.h>

#include "compat/compat.h"
#include "recorded.h"
#include "stats.h"
#include "ways.h"

#ifdef SFRAME_HAVE_RECORDS

/**
 * struct record - a record that is being written
 * @fixed: its fixed part
 * @fixed.header: perf's
 * @fixed.cookie: cookie of the samples that it completes
 * @fixed.nr: entries in @ips
 * @ips: PCs, innermost first
 */
struct record {
	struct {
		struct perf_event_header header;
		u64 cookie;
		u64 nr;
	} fixed;
	const u64 *ips;
};

static void write_deferred_record(struct perf_event *event, void *data)
{
	struct record *record = data;

	if (!event->attr.defer_output)
		return;
	sframe_recorded_by(event);
	if (sframe_perf_write(event, &record->fixed.header, sizeof(record->fixed),
			      record->ips, record->fixed.nr))
		sframe_count(SFRAME_EV_RECORDS_LOST);
	else
		sframe_count(SFRAME_EV_RECORDS);
}

void sframe_records_write(u64 cookie, const u64 *ips, u32 nr)
{
	struct record record = {
		.fixed.header = {
			.type = PERF_RECORD_CALLCHAIN_DEFERRED,
			.misc = PERF_RECORD_MISC_USER,
		},
		.fixed.cookie = cookie,
		.fixed.nr = nr,
		.ips = ips,
	};

	sframe_perf_for_each(write_deferred_record, &record);
}

#endif /* SFRAME_HAVE_RECORDS */
