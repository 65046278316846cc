// SPDX-License-Identifier: GPL-2.0
/*
 * Writes perf records from a module, with functions that kernel/events/ does not
 * export. All of them must be found, so that no callchain promises a record which
 * nobody can write.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "btf.h"
#include "compat.h"

#ifdef SFRAME_HAVE_RECORDS

typedef void (*output_fn)(struct perf_event *event, void *data);

void k_perf_iterate_sb(output_fn output, void *data,
		       struct perf_event_context *task_ctx);
int k_perf_output_begin(struct perf_output_handle *handle,
			struct perf_sample_data *data,
			struct perf_event *event, unsigned int size);
unsigned int k_perf_output_copy(struct perf_output_handle *handle,
				const void *buf, unsigned int len);
void k_perf_output_end(struct perf_output_handle *handle);
void k_perf_event_header__init(struct perf_event_header *header,
			       struct perf_sample_data *data, u32 type,
			       u16 misc, u16 size, struct perf_event *event);
void k_perf_event__output_id_sample(struct perf_event *event,
				    struct perf_output_handle *handle,
				    struct perf_sample_data *sample);
struct perf_callchain_entry *
k_get_perf_callchain(struct pt_regs *regs, bool kernel, bool user,
		     u32 max_stack, bool crosstask, bool add_mark,
		     u64 defer_cookie);

static_assert(__same_type(perf_output_begin, k_perf_output_begin));
static_assert(__same_type(perf_output_copy, k_perf_output_copy));
static_assert(__same_type(perf_output_end, k_perf_output_end));
static_assert(__same_type(perf_event_header__init, k_perf_event_header__init));
static_assert(__same_type(perf_event__output_id_sample,
			  k_perf_event__output_id_sample));
static_assert(__same_type(get_perf_callchain, k_get_perf_callchain));

/* perf_iterate_sb(), which no header declares. */
static const struct sframe_btf_args iterate_args = {
	{ "*", "*void", "*perf_event_context" }
};

#define FUNCTIONS(X)			\
	X(perf_iterate_sb)		\
	X(perf_output_begin)		\
	X(perf_output_copy)		\
	X(perf_output_end)		\
	X(perf_event_header__init)	\
	X(perf_event__output_id_sample)	\
	X(get_perf_callchain)

#define X(name)	DEFINE_STATIC_CALL_NULL(sframe_##name, k_##name);
FUNCTIONS(X)
#undef X

/*
 * With CFI the caller checks the type of what it calls by a pointer, as static calls do unless
 * the architecture patches them. Nobody has the address of perf_iterate_sb(), which is static,
 * so it bears no type, and to call it would be taken for an attack.
 */
#if !defined(CONFIG_HAVE_STATIC_CALL) && \
	(defined(CONFIG_CFI) || defined(CONFIG_CFI_CLANG))
#define MAY_CALL_STATIC	false
#else
#define MAY_CALL_STATIC	true
#endif

/* PCs that perf's callchain buffers hold. It does not change while anybody has one. */
static const int *max_stack;

bool sframe_have_perf_output(void)
{
	unsigned long addr;

	if (!MAY_CALL_STATIC)
		return false;
#define X(name)								\
	addr = sframe_symbol(#name);					\
	if (!addr)							\
		return false;						\
	static_call_update(sframe_##name, (typeof(&k_##name))addr);
	FUNCTIONS(X)
#undef X
	max_stack = (const int *)sframe_symbol("sysctl_perf_event_max_stack");
	return max_stack && sframe_btf_check("perf_iterate_sb", &iterate_args);
}

struct perf_callchain_entry *
sframe_get_perf_callchain(struct perf_event *event, struct pt_regs *regs,
			  u64 cookie)
{
	return static_call(sframe_get_perf_callchain)(regs,
			!event->attr.exclude_callchain_kernel, true,
			event->attr.sample_max_stack, false, true, cookie);
}

/* The buffer is this CPU's, and exists as long as an event wants callchains. */
u32 sframe_perf_walk(u64 *ips, u32 max)
{
	struct perf_callchain_entry *entry;
	u32 nr = 0;

	guard(rcu)();
	guard(preempt)();
	max = min_t(u32, max, READ_ONCE(*max_stack));
	entry = static_call(sframe_get_perf_callchain)(task_pt_regs(current),
						       false, true, max, false,
						       false, 0);
	if (entry) {
		nr = min_t(u64, entry->nr, max);
		memcpy(ips, entry->ip, nr * sizeof(*ips));
	}
	return nr;
}

void sframe_perf_for_each(output_fn output, void *data)
{
	static_call(sframe_perf_iterate_sb)(output, data, NULL);
}

int sframe_perf_write(struct perf_event *event,
		      struct perf_event_header *header, unsigned int len,
		      const u64 *ips, unsigned int nr)
{
	struct perf_output_handle handle __uninitialized;
	struct perf_sample_data sample __uninitialized;
	u16 size = len + nr * sizeof(*ips);
	int ret;

	static_call(sframe_perf_event_header__init)(header, &sample,
						    header->type, header->misc,
						    size, event);
	ret = static_call(sframe_perf_output_begin)(&handle, &sample, event,
						    header->size);
	if (ret)
		return ret;
	static_call(sframe_perf_output_copy)(&handle, header, len);
	if (nr)
		static_call(sframe_perf_output_copy)(&handle, ips,
						     nr * sizeof(*ips));
	static_call(sframe_perf_event__output_id_sample)(event, &handle,
							 &sample);
	static_call(sframe_perf_output_end)(&handle);
	return 0;
}

#endif /* SFRAME_HAVE_RECORDS */
