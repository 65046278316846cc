/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task work without allocation where it is asked for.
 */
#ifndef SFRAME_SLOTS_H
#define SFRAME_SLOTS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct task_struct;

/* Chains in a set, as a power of two, and slots in a link of one. */
#define SFRAME_CHAIN_BITS	9
#define SFRAME_LINK_SLOTS	4
/* Links that a chain can grow to. A request in NMI looks at all of them. */
#define SFRAME_LINKS_MAX	8

struct sframe_slots;

/**
 * struct sframe_slot - one task's request
 * @work: in the task's list while queued
 * @task: whose; a reference is held. Written by the task itself only (and by
 *	unload), so it may be compared with current at any time
 * @uid: the task's user. Written by the task that claims the slot; others only
 *	count it, and may see the one before
 * @state: changed by cmpxchg
 * @cookie: number of the request, unique in its set. The task's own
 * @set: where the slot belongs. The task's own, and of unload
 */
struct sframe_slot {
	struct callback_head work;
	struct task_struct *task;
	uid_t uid;
	int state;
	u64 cookie;
	struct sframe_slots *set;
};

/**
 * struct sframe_link - some slots of a chain
 * @slot: the slots
 * @next: published with release when it is zeroed; never taken away again
 *	before sframe_slots_drain()
 */
struct sframe_link {
	struct sframe_slot slot[SFRAME_LINK_SLOTS];
	struct sframe_link *next;
};

/**
 * struct sframe_slots - requests of one kind
 * @open: requests are taken; written when the module is loaded and unloaded, read
 *	without a lock where slots are taken, see sframe_slots_close()
 * @run: called in the task before it returns to user mode, or from
 *	sframe_slots_flush(); calls sframe_slot_release() once
 * @queued: counts requests
 * @full: counts requests that found no slot
 * @cookies: last one given out
 * @running: requests that are neither finished nor cancelled
 * @crowded: a chain that should grow, by number + 1; 0 for none. A hint,
 *	written by requests, taken by the next task work
 * @chain: by hash of the task; the first link of each is always there
 */
struct sframe_slots {
	bool open;
	void (*run)(struct sframe_slot *slot);
	unsigned int queued;
	unsigned int full;
	atomic64_t cookies;
	atomic_t running;
	unsigned int crowded;
	struct sframe_link chain[1 << SFRAME_CHAIN_BITS];
};

struct sframe_slot *sframe_slot_request(struct sframe_slots *set);
void sframe_slot_release(struct sframe_slot *slot);
bool sframe_slots_flush(struct sframe_slots *set);
bool sframe_slots_requested(struct sframe_slots *set);
void sframe_slots_open(struct sframe_slots *set);
void sframe_slots_close(struct sframe_slots *set);
void sframe_slots_drain(struct sframe_slots *set);

#endif /* SFRAME_SLOTS_H */
