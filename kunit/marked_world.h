/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world in which HotSpot has compiled a function, which loops. Only the mark behind a call that
 * it makes later says where it begins.
 */
#ifndef SFRAME_KUNIT_MARKED_WORLD_H
#define SFRAME_KUNIT_MARKED_WORLD_H

#include <sframe/cursor.h>

#include "bare_world.h"

/* What holds the function; where it begins, loops, calls, and is returned to; who has called. */
#define HELD		BARE
#define ENTRY		(HELD + 0x270)
#define LOOP		(ENTRY + 0x40)
#define MARKED		(HELD + 0x300)
#define RA		(CODE + 1792)
/* An interpreter, which has jumped; and another function. */
#define RESUMES		(HELD + 0x420)
#define OTHER		(HELD + 0x460)
/* SP in the function, and its frame. */
#define SP		4
#define SIZE		9
#define RA_AT		(SP + SIZE)
#define OLD_FP		0x1234567812345678ull
#define NOT_FP		0x77

#define BACK		(MARKED - HELD)

static inline void put_code(struct bare_world *w, u64 at, const char *code, unsigned int len)
{
	memcpy(w->code + (at - CODE), code, len);
}

#define put_insns(w, at, code)	put_code((w), (at), (code), sizeof(code) - 1)

static inline void put_u32(struct bare_world *w, u64 at, u32 value)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		w->code[at - CODE + i] = value >> 8 * i;
}

/* The function loops at LOOP; behind that it calls what leaves @back as a mark. */
static inline void put_function(struct bare_world *w, u64 mark, u32 back)
{
	memset(w, 0, sizeof(*w));
	memset(w->code, 0x90, sizeof(w->code));
	put_insns(w, ENTRY, "\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x40");
	/* Nobody can follow how code gets to the loop, nor out of it. */
	put_insns(w, LOOP - 8, "\xff\xe0");
	put_insns(w, LOOP, "\xeb\xfe");
	put_insns(w, mark - 5, "\xe8\1\2\3\4\x0f\x1f\x84\x00");
	put_u32(w, mark + 4, back | 0x5000000);
	put_insns(w, mark + 8, "\xeb\xfe");
}

static inline void put_call(struct bare_world *w, u64 target)
{
	put_insns(w, RA - 2, "\xff\xd0");
	if (!target)
		return;
	put_insns(w, RA - 5, "\xe8");
	put_u32(w, RA - 4, target - RA);
}

static inline enum sframe_reason first_step(struct bare_world *w, struct sframe_cursor *cur,
					    u64 pc, unsigned int sp, u64 fp)
{
	struct sframe_regs regs = { .pc = pc, .sp = S(sp), .fp = fp };

	sframe_cursor_init(cur, &sframe_abi_x86, &regs, 16, &made_ops, w);
	return sframe_cursor_next(cur);
}

#endif /* SFRAME_KUNIT_MARKED_WORLD_H */
