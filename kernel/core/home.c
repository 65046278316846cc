// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of code that is the same wherever it is mapped: of a program, or a library. They are
 * kept under a name of that code, and with addresses that count from its beginning: so they are
 * there for the next process that runs it, and after something else is mapped. Only code that
 * lies together with what is asked about may have a part in them.
 */
#include "answers_impl.h"

/* Price of asking for it. */
#define HOME_COST	128

static bool is_at_home(const struct sframe_home *home, u64 addr)
{
	return addr - home->start < home->end - home->start;
}

/**
 * sframe_home_answer() - an answer as it is kept at home
 * @cur: the walk, which has answers
 * @a: what is asked, or the answer
 * @at_home: filled in: the same, with the key and the addresses of its home
 *
 * Context: as sframe_cursor_next().
 * Return: false if it has none, or what is asked leads elsewhere.
 */
bool sframe_home_answer(struct sframe_cursor *cur, const struct sframe_answer *a,
			struct sframe_answer *at_home)
{
	struct sframe_home *home = &cur->home;

	if (!cur->ops->home)
		return false;
	if (!is_at_home(home, a->from)) {
		sframe_cursor_charge(cur, HOME_COST);
		cur->ops->home(cur->ctx, a->from, home);
	}
	if (!home->key || (a->to && !is_at_home(home, a->to)))
		return false;
	*at_home = *a;
	at_home->key = home->key;
	at_home->from -= home->place;
	if (a->to)
		at_home->to -= home->place;
	return true;
}

/**
 * sframe_home_reaches() - is all code at home that is within some bytes around a place?
 * @cur: the walk; sframe_home_answer() was true of @from
 * @from: the place
 * @reach: bytes
 *
 * Where less of a file is mapped, something else may be there.
 *
 * Context: any.
 * Return: true if so.
 */
bool sframe_home_reaches(const struct sframe_cursor *cur, u64 from, u32 reach)
{
	return from - cur->home.start >= reach && cur->home.end - from >= reach;
}

/**
 * sframe_home_reads_as() - an answer comes from all that another one does
 * @asking: the answer
 * @from: what that other one counts from
 * @reach: how far that reaches from there, bytes
 *
 * Context: any.
 */
void sframe_home_reads_as(struct sframe_asking *asking, u64 from, u32 reach)
{
	struct sframe_answer *a = &asking->answer;
	u64 all = (from < a->from ? a->from - from : from - a->from) + reach;

	if (all != (u32)all)
		asking->away = true;
	else if (all > a->reach)
		a->reach = all;
}

/**
 * sframe_home_reads() - is code that is read for an answer at home? Then it stays as it is.
 * @cur: the walk
 * @addr: where
 * @len: bytes, which the answer reaches from now on
 *
 * Context: any.
 * Return: true if so.
 */
bool sframe_home_reads(const struct sframe_cursor *cur, u64 addr, unsigned int len)
{
	const struct sframe_home *home = &cur->home;

	if (!home->key || !is_at_home(home, cur->asking->answer.from) || !is_at_home(home, addr) ||
	    len > home->end - addr) {
		cur->asking->away = true;
		return false;
	}
	sframe_home_reads_as(cur->asking, addr, 0);
	sframe_home_reads_as(cur->asking, addr + len, 0);
	return true;
}
