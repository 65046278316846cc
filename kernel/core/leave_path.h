/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known along one path through code that leads out of a function.
 */
#ifndef SFRAME_LEAVE_PATH_H
#define SFRAME_LEAVE_PATH_H

#include <sframe/abi.h>

/* Stores to the stack that are remembered. */
#define LEAVE_STORES_MAX	4

/*
 * What a register holds: what was in memory at the PC, at an address that is this or more,
 */
#define LEAVE_LOADED_MIN	4096
/* nothing that is known, */
#define LEAVE_LOST		0
/* what it held at the PC, */
#define LEAVE_KEPT		1
/* or what another register held there. */
#define LEAVE_MOVED(reg)	(2 + (reg))

/**
 * struct leave_value - FP or RA along a path
 * @is: what it holds
 * @saved: where the path has stored it, or 0
 * @was: what it held then
 */
struct leave_value {
	u64 is;
	u64 saved;
	u64 was;
};

/**
 * struct leave_link - what paths know besides where calls leave RA in a register
 * @ra: that register
 * @sp_saved_at: address the path has stored SP at, or 0 (s390x)
 * @sp_saved: what it was then
 * @changed: registers that may hold something else than at the PC, a bit each (arm64)
 * @copied: another register that has what was in RA's at the PC, 0 for none
 * @makes_record: FP was pointed to the stack while both it and RA's register were what
 *	they were at the PC
 * @sp_was_saved: SP was loaded from where it was saved (s390x)
 * @sp_moved: and is not that any more
 * @loaded_from: if not 0, @copied has what was in memory there, at the PC or when RA was saved
 *	there (arm64)
 */
struct leave_link {
	struct leave_value ra;
	u64 sp_saved_at;
	u64 sp_saved;
	u32 changed;
	u8 copied;
	bool makes_record;
	bool sp_was_saved;
	bool sp_moved;
	u64 loaded_from;
};

/**
 * struct leave_stores - and where calls push it
 * @new_to: below, the path has pushed what was not there at the PC
 * @from: the lowest of the words it has stored to that there is no room for in @at
 * @to: where the highest of them ends: it may have stored to any in between
 * @at: addresses of words it has stored to
 */
struct leave_stores {
	u64 new_to;
	u64 from;
	u64 to;
	u64 at[LEAVE_STORES_MAX];
};

static_assert(sizeof(struct leave_stores) == sizeof(struct leave_link), "compared as a whole");

/**
 * struct leave_path - where one path has got to
 * @pc: the next instruction
 * @sp: SP, if @sp_known
 * @fp_value: FP, if @fp_known
 * @fp: where that comes from
 * @link: where calls leave RA in a register
 * @stores: where they push it
 * @sp_known: is SP known as a number?
 * @fp_known: likewise
 * @sure: no call was passed by, but of what returns; or the path is at QEMU's epilogue
 * @returns: it has come to a return
 * @nr_stores: how many are in @stores.at
 * @fp_stored: FP was put where it is saved by a store, not pushed
 * @unused: zeroes: what paths know is compared as a whole, so it has no holes
 */
struct leave_path {
	u64 pc;
	u64 sp;
	u64 fp_value;
	struct leave_value fp;
	union {
		struct leave_link link;
		struct leave_stores stores;
	};
	bool sp_known;
	bool fp_known;
	bool sure;
	bool returns;
	u8 nr_stores;
	bool fp_stored;
	u16 unused;
};

/**
 * enum leave_step - how a path goes on
 * @GO_ON: with the next instruction
 * @GIVE_UP: something is not known, or not understood
 * @ARRIVED: the function is left
 * @UNWINDS: it throws an exception: its frame will be left for another one's caller
 */
enum leave_step { GO_ON, GIVE_UP, ARRIVED, UNWINDS };

/*
 * A register is stored to @at. If that is not known (0) it is somewhere else than where
 * values are saved. Data does not take the place of what was saved.
 */
static inline void leave_save(struct leave_value *v, u64 at)
{
	if (!at || (v->is == LEAVE_LOST && v->saved && v->saved != at))
		return;
	v->saved = at;
	v->was = v->is;
}

/*
 * The same of RA's register. Nobody saves what a call has left there: another function
 * begins, behind a call of one that never returns.
 */
static inline enum leave_step leave_save_ra(struct leave_path *p, u64 at)
{
	if (p->link.ra.is == LEAVE_LOST)
		return GIVE_UP;
	leave_save(&p->link.ra, at);
	return GO_ON;
}

/* It is loaded from @at, 0 for who knows where. */
static inline void leave_load(struct leave_value *v, u64 at)
{
	if (at && at == v->saved)
		v->is = v->was;
	else
		v->is = at >= LEAVE_LOADED_MIN ? at : LEAVE_LOST;
}

/* The address that it was loaded from, or 0. */
static inline u64 leave_loaded_from(const struct leave_value *v)
{
	return v->is >= LEAVE_LOADED_MIN ? v->is : 0;
}

/* FP holds something that is not the caller's, but perhaps a known number. */
static inline void leave_set_fp(struct leave_path *p, bool known, u64 value)
{
	p->fp.is = LEAVE_LOST;
	p->fp_known = known;
	p->fp_value = value;
}

/* FP is loaded from @at, as leave_load(); what it was at the PC may be known. */
static inline void leave_load_fp(const struct sframe_leave *lv, struct leave_path *p, u64 at)
{
	leave_load(&p->fp, at);
	p->fp_known = p->fp.is == LEAVE_KEPT && !lv->fp_lost;
	p->fp_value = lv->fp;
}

/* Some place is found from FP on: true, and @value, if it is known. */
static inline bool leave_by_fp(struct sframe_leave *lv, const struct leave_path *p, u64 *value)
{
	if (p->fp_known && p->fp.is == LEAVE_KEPT) {
		lv->by_fp = true;
		lv->from_fp = true;
	}
	*value = p->fp_value;
	return p->fp_known;
}

/* A call is passed by, that leaves RA in a register. */
static inline void leave_call(struct leave_path *p)
{
	p->link.ra.is = LEAVE_LOST;
	p->sure = false;
}

/* What is known where a path has left the function; RA, where calls leave it in a register. */
static inline void leave_say(struct sframe_leave *lv, const struct leave_path *p)
{
	lv->sp = p->sp;
	lv->sure = p->sure;
	lv->fp_at = leave_loaded_from(&p->fp);
	lv->fp_lost = p->fp.is == LEAVE_LOST || (p->fp.is == LEAVE_KEPT && lv->fp_lost);
}

static inline void leave_say_ra(struct sframe_leave *lv, const struct leave_value *ra)
{
	lv->ra_at = leave_loaded_from(ra);
	lv->ra_reg = !lv->ra_at && ra->is > LEAVE_MOVED(0) ? ra->is - LEAVE_MOVED(0) : 0;
}

#endif /* SFRAME_LEAVE_PATH_H */
