/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task work that can be requested where nothing can be allocated. Used for deferred
 * walks (deferred_records.c) and updates of maps (track.c).
 */
#ifndef SFRAME_SLOTS_H
#define SFRAME_SLOTS_H

#include <linux/atomic.h>
#include <linux/types.h>

struct task_struct;

/* Chains in a set (a power of two), and slots in each link of one. */
#define SFRAME_CHAIN_BITS	9
#define SFRAME_LINK_SLOTS	4
/* Links in a chain, at most. A request in NMI may look at all of them. */
#define SFRAME_LINKS_MAX	8

struct sframe_slots;

/**
 * struct sframe_slot - one task's request
 * @work: in the task's list while queued
 * @task: the task; a reference is held. Written by the task itself only (and by
 *	unload), so it may be compared with current at any time
 * @uid: the task's user, see sframe_payer_uid_current(). Written by the task that claims
 *	the slot; others only count it, and may see an old one
 * @state: enum slot_state; taken by cmpxchg, then stored by who has taken it, with release
 *	where others may take it next
 * @sampled: a sample has made the request, too. Only the task uses it, in any context
 * @cookie: number of the request, unique in its set. Only the task uses it
 * @set: the set. Only the task and unload use it
 */
struct sframe_slot {
	struct callback_head work;
	struct task_struct *task;
	uid_t uid;
	int state;
	bool sampled;
	u64 cookie;
	struct sframe_slots *set;
};

/**
 * struct sframe_link - some slots of a chain
 * @slot: the slots
 * @next: published with release, zeroed; freed only by sframe_slots_drain()
 */
struct sframe_link {
	struct sframe_slot slot[SFRAME_LINK_SLOTS];
	struct sframe_link *next;
};

/**
 * struct sframe_slots - requests of one kind
 * @open: requests are accepted (deferred_records.c's from the start); written at load and
 *	unload, read without a lock by requests, see sframe_slots_close()
 * @run: called in the task before it returns to user mode, or from
 *	sframe_slots_flush(); must call sframe_slot_release() once
 * @queued: enum sframe_event that counts requests
 * @full: enum sframe_event that counts requests that found no slot
 * @cookies: last cookie given out
 * @running: requests that are neither finished nor cancelled
 * @crowded: number of a chain that should grow, plus 1; 0: none. A hint, written by
 *	requests, taken by the next task work
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
