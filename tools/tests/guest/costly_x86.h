/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cases of costly.c, by whose helpers they are made, that need code of x86-64: what is made
 * at run time, and how that is left.
 */
#ifndef COSTLY_X86_H
#define COSTLY_X86_H

/* A frame of the following. */
#define LEFT_SIZE	0x400

/*
 * Code behind a call that makes no record, and has @nr times @filler on its way to its return.
 * Return where that call returns to.
 */
static unsigned long leaving(const struct code *filler, unsigned int nr)
{
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *at = p + 16;

	put_code(at - call.len, &call, 1);
	put_code(put_code(at, filler, nr), &leave, 1);
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + 16;
}

/* From @at on, frames without a record, each of code that returns to @ra. */
static void to_be_left(unsigned long at, unsigned long ra)
{
	((unsigned long *)at)[0] = 0;
	((unsigned long *)at)[1] = ra;
	for (at += 16 + LEFT_SIZE - 8; at < stack + SIZE; at += LEFT_SIZE)
		*(unsigned long *)at = ra;
}

static unsigned long left_past(const struct code *filler, unsigned int nr)
{
	among_many();
	to_be_left(stack + 64, leaving(filler, nr));
	return stack + 64;
}

static unsigned long insns(void)
{
	return left_past(&nop, NR_NOPS);
}

/* So many that none is left. */
static unsigned long branches(void)
{
	return left_past(&branch, WINDOW / branch.len);
}

/* Records first, until little is left for such code. */
static unsigned long insns_last(void)
{
	unsigned long first = dense(), at = first + 40 * 16;

	memset((char *)at, 0, stack + SIZE - at);
	to_be_left(at, leaving(&nop, NR_NOPS));
	return first;
}

/*
 * A function that makes a record and then is as @filler says, behind whose indirect
 * call something returns to, in pages of its own. Return that address.
 */
static unsigned long function(const struct code *filler)
{
	static const char record[] = { 0x55, 0x48, 0x89, 0xe5 };
	char *p = map(2 * WINDOW, PROT_READ | PROT_WRITE);

	put_code(p, filler, WINDOW / filler->len);
	put_code(p + WINDOW, filler, WINDOW / filler->len);
	memcpy(p + WINDOW, record, sizeof(record));
	put_code(p + 2 * WINDOW - 16, &call, 1);
	mprotect(p, 2 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + 2 * WINDOW - 14;
}

/* Words that follow calls, but were left over. */
static unsigned long calls_among(const struct code *filler)
{
	among_many();
	fill(function(filler), function(filler));
	return records(stack + 64, 4096, function(filler));
}

static unsigned long calls(void)
{
	return calls_among(&add);
}

static unsigned long calls_nops(void)
{
	return calls_among(&nop);
}

/* Words of which nobody can tell what they follow. */
static unsigned long absent(void)
{
	unsigned long code = (unsigned long)map(SIZE, PROT_EXEC);

	fill(code + 64, code + SIZE / 2);
	return records(stack + 64, 4096, function(&add));
}

/* In each frame one word that has the code before the PC looked at. */
static unsigned long jumps(void)
{
	unsigned long first = stack + 64, at;

	records(first, 32, function(&branch_far));
	for (at = first + 16; at < stack + SIZE - 64; at += 32)
		((unsigned long *)at)[0] = after_call;
	return first;
}

/*
 * Frames that nothing leads out of, in code of which no word is found to be called
 * from: @ra is behind a call of a long function before it, or else no call.
 */
static unsigned long never_left(bool called)
{
	static const char jump_here[] = { 0xeb, 0xfe };
	unsigned long first = stack + 64, ra;
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *end = p + 3 * WINDOW;
	int rel = p + 16 - (end + 5);

	memcpy(put_code(p + 16, &nop, NR_NOPS), jump_here, sizeof(jump_here));
	*end = 0xe8;
	memcpy(end + 1, &rel, sizeof(rel));
	put_code(end + 64, &call, 1);
	memcpy(end + 66, jump_here, sizeof(jump_here));
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	among_many();
	ra = (unsigned long)end + (called ? 5 : 32);
	fill(ra, ra);
	((unsigned long *)first)[0] = 0;
	((unsigned long *)first)[1] = (unsigned long)end + 66;
	return first;
}

static unsigned long entry(void)
{
	return never_left(false);
}

static unsigned long entries(void)
{
	return never_left(true);
}

/*
 * A function that has called, as HotSpot compiles it: the mark behind its call says where its
 * memory begins, but it makes its frame, of 72 bytes, only @made_at bytes from there on.
 */
static unsigned long marked(unsigned int made_at)
{
	/* mov %eax,-0x4000(%rsp); push %rbp; sub $64,%rsp */
	static const char makes[] = "\x89\x84\x24\x00\xc0\xff\xff\x55\x48\x83\xec\x40";
	static const char call[] = "\xff\xd0\x0f\x1f\x84\x00";
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE);
	int back = 4 * WINDOW - 64;

	memset(p, 0x90, 4 * WINDOW);
	memcpy(p + made_at, makes, sizeof(makes) - 1);
	memcpy(p + back - 2, call, sizeof(call) - 1);
	memcpy(p + back + 4, &back, sizeof(back));
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + back;
}

/*
 * Frames of code made at run time that are left by their records: after the first walk that has
 * seen it is known that these are their own. Of @nr functions, by turns.
 */
static unsigned long owned_by(unsigned int nr)
{
	/* mov %rax, -8(%rbp); jmp *%rax */
	static const char goes_on[] = { 0x48, 0x89, 0x45, 0xf8, 0xff, 0xe0 };
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *ra = p;
	unsigned long at = stack + 64;
	unsigned int i;

	memset(p, 0x90, 4 * WINDOW);
	for (i = 0; at <= stack + SIZE - 64; at += 32, i++) {
		ra = p + 128 * (1 + i % nr);
		put_code(ra - call.len, &call, 1);
		memcpy(ra + 32, goes_on, sizeof(goes_on));
		((unsigned long *)at)[0] = at + 32;
		((unsigned long *)at)[1] = (unsigned long)ra;
	}
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	among_many();
	return stack + 64;
}

/*
 * The same, but they call a function that is looked at for where it has SP, which it does not say,
 * as one word in each frame might be a RA; and of so many nothing is known the next time.
 */
static unsigned long levels(void)
{
	static const char record[] = { 0x55, 0x48, 0x89, 0xe5 };
	unsigned long first = stack + 64, at;
	char *p = map(2 * WINDOW + 200 * 128, PROT_READ | PROT_WRITE), *ra;
	unsigned int i = 0;
	int rel;

	memset(p, 0x90, 2 * WINDOW + 200 * 128);
	memcpy(p, record, sizeof(record));
	for (at = first; at <= stack + SIZE - 64; at += 32, i++) {
		ra = p + WINDOW + 128 * (i % 200);
		rel = p - ra;
		ra[-5] = 0xe8;
		memcpy(ra - 4, &rel, sizeof(rel));
		((unsigned long *)at)[0] = at + 32;
		((unsigned long *)at)[1] = (unsigned long)ra;
		((unsigned long *)at)[3] = after_call;
	}
	mprotect(p, 2 * WINDOW + 200 * 128, PROT_READ | PROT_EXEC);
	among_many();
	return first;
}

static unsigned long owned(void)
{
	return owned_by(1);
}

static unsigned long owned_by_many(void)
{
	return owned_by(60);
}

/* Two of them by turns, so that neither is where the last one was. */
static unsigned long marks(void)
{
	unsigned long first = stack + 64, at = first + 8;
	const unsigned long ra[] = { marked(3 * WINDOW), marked(3 * WINDOW + 512) };
	unsigned int i;

	among_many();
	((unsigned long *)first)[0] = 0;
	for (i = 0; at < stack + SIZE; at += 80, i++)
		*(unsigned long *)at = ra[i % 2];
	return first;
}

#endif /* COSTLY_X86_H */
