// SPDX-License-Identifier: GPL-2.0
/*
 * Has abi.leave read the code of a file at every instruction, and compares
 * where it finds the caller's SP, RA and FP with what .eh_frame says.
 *
 * usage: leave FILE <RANGES
 *
 * A range of PCs is a line of START END BASE CFA RA FP SP NEXT-RA NEXT-FP ENTRY: link-
 * time addresses, in hex; 0 if the CFA is CFA bytes above SP, 1 if above FP; the
 * places of RA, FP and the caller's SP in bytes below the CFA, 0 if they are in
 * their registers; and those of RA and FP in the range that follows, as
 * .eh_frame may notice a store some instructions late; and where the function begins,
 * as it was called, or 0.
 *
 * Prints two lines, of frames that are the topmost and of those above, with the
 * numbers of PCs, of those where a way out was found; and where it was wrong
 * though sure, wrong and unsure. On arm64 a third one, of frames above of which SP is
 * not known. And where abi.enter is known a third one, of frames above, with the
 * numbers of PCs, of those where the way from there was found; and where it led to
 * another SP, or FP elsewhere. Likewise where abi.prologue is known: of those behind a
 * beginning where RA is signed, or saved; and where SP, RA or FP was somewhere else.
 */
#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sframe/abi.h>

#include "branches.h"

/* Somewhere else, for a FP that holds data. */
#define NO_FRAME	(STACK + 0x100000)
#define MAX_SHOWN	10
#define MAX_INSN	SFRAME_CALL_LEN_MAX

static u8 *image;
static size_t image_len;
static const Elf64_Phdr *phdr;
static unsigned int nr_phdr;
static bool swap;
static const struct sframe_abi *abi;

struct result {
	unsigned long pcs;
	unsigned long found;
	unsigned long sure_wrong;
	unsigned long unsure_wrong;
};

struct range {
	u64 start;
	u64 end;
	unsigned int by_fp;
	long cfa;
	long ra;
	long fp;
	long sp;
	long next_ra;
	long next_fp;
	u64 entry;
};

static u64 get64(const u64 *p)
{
	return swap ? __builtin_bswap64(*p) : *p;
}

static u32 get32(const u32 *p)
{
	return swap ? __builtin_bswap32(*p) : *p;
}

static u16 get16(const u16 *p)
{
	return swap ? __builtin_bswap16(*p) : *p;
}

/* The address of the saved register; 0 if it was not saved. */
static u64 place(u64 cfa, long below)
{
	return below ? cfa - below : 0;
}

/*
 * Of the file, as far as it is loaded; of the stack of the struct range @ctx,
 * the caller's SP, in this machine's byte order.
 */
static int read_image(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct range *r = ctx;
	unsigned int i;
	u64 at, off;

	if (r && r->sp && addr == STACK + r->cfa - r->sp && len == 8) {
		at = STACK + r->cfa + abi->sp_bias;
		memcpy(buf, &at, len);
		return 0;
	}
	for (i = 0; i < nr_phdr; i++) {
		at = get64(&phdr[i].p_vaddr);
		if (get32(&phdr[i].p_type) != PT_LOAD || addr < at ||
		    addr - at + len > get64(&phdr[i].p_filesz))
			continue;
		off = addr - at + get64(&phdr[i].p_offset);
		if (off + len > image_len)
			return -1;
		memcpy(buf, image + off, len);
		return 0;
	}
	return -1;
}

static int load(const char *path)
{
	const Elf64_Ehdr *eh;
	FILE *f = fopen(path, "rb");

	if (!f || fseek(f, 0, SEEK_END))
		return 1;
	image_len = ftell(f);
	image = malloc(image_len);
	rewind(f);
	if (!image || fread(image, 1, image_len, f) != image_len)
		return 1;
	fclose(f);
	eh = (const Elf64_Ehdr *)image;
	swap = (eh->e_ident[EI_DATA] == ELFDATA2MSB) != SFRAME_MACHINE_BE;
	phdr = (const Elf64_Phdr *)(image + get64(&eh->e_phoff));
	nr_phdr = get16(&eh->e_phnum);
	abi = get16(&eh->e_machine) == EM_AARCH64 ? &sframe_abi_arm64 :
	      get16(&eh->e_machine) == EM_X86_64  ? &sframe_abi_x86 :
						    &sframe_abi_s390;
	return abi->e_machine != get16(&eh->e_machine);
}

/*
 * What was saved and is not overwritten is in its register, too; not RA if there
 * was a call since, nor FP where it is the base.
 */
static bool same_places(const struct sframe_leave *lv, const struct range *r,
			long ra, long fp)
{
	u64 cfa = STACK + r->cfa;

	/*
	 * Here .eh_frame is exact, and FP is used for anything once it is saved; only
	 * that it was popped is not said.
	 */
	if (abi == &sframe_abi_x86)
		return lv->ra_at == place(cfa, ra) &&
		       (lv->fp_lost || lv->fp_at == place(cfa, fp) ||
			(!lv->fp_at && cfa - fp < STACK));
	return (lv->ra_at  ? lv->ra_at == place(cfa, ra) :
		lv->ra_reg ? !ra : lv->topmost) &&
	       (lv->fp_at ? lv->fp_at == place(cfa, fp) : !fp || !r->by_fp);
}

static bool right(const struct sframe_leave *lv, const struct range *r)
{
	return (lv->sp_lost || lv->sp == STACK + r->cfa) &&
	       (same_places(lv, r, r->ra, r->fp) ||
		(lv->topmost && same_places(lv, r, r->next_ra, r->next_fp)));
}

/* On arm64 it points to where it was saved; on s390x it may be anything. */
static u64 fp_in(const struct range *r)
{
	if (r->by_fp)
		return STACK;
	return r->fp && abi == &sframe_abi_arm64 ? STACK + r->cfa - r->fp :
						   NO_FRAME;
}

static bool leave(struct sframe_leave *lv, struct range *r, u64 pc, bool topmost,
		  u64 sp, bool sp_lost)
{
	u64 fp = fp_in(r);
	bool found;

	*lv = (struct sframe_leave){
		.sp = sp,
		.fp = fp,
		.cost_max = ~0u,
		.topmost = topmost,
		.far = true,
		.sp_lost = sp_lost,
		.recall = recall,
	};
	found = abi->leave(lv, pc, read_image, r);
	if (found)
		keep_branch(lv, sp, fp);
	return found;
}

static void look(struct range *r, u64 pc, bool topmost, bool sp_lost,
		 struct result *res)
{
	struct sframe_leave lv, other;
	bool unknown_sp = abi == &sframe_abi_x86 && r->by_fp;
	bool found = leave(&lv, r, pc, topmost, STACK - unknown_sp * 0x1000, sp_lost);

	/* .eh_frame does not say where SP is: then it can be judged what needs only FP. */
	if (unknown_sp && found &&
	    (!leave(&other, r, pc, topmost, STACK - 0x2000, false) || other.sp != lv.sp))
		return;
	res->pcs++;
	if (!found)
		return;
	res->found++;
	if (right(&lv, r))
		return;
	if (!lv.sure) {
		res->unsure_wrong++;
		return;
	}
	if (res->sure_wrong++ < MAX_SHOWN)
		printf("# %s %llx: CFA +%lld, RA %#llx, FP %#llx; not +%ld, %ld, %ld\n",
		       topmost ? "topmost" : sp_lost ? "by FP" : "above", (unsigned long long)pc,
		       (long long)(lv.sp - STACK),
		       (unsigned long long)lv.ra_at,
		       (unsigned long long)lv.fp_at, r->cfa, r->ra, r->fp);
}

static unsigned int insn_len(u64 pc)
{
	u8 first;

	if (abi == &sframe_abi_arm64)
		return 4;
	if (read_image(NULL, pc, &first, 1))
		return 2;
	return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/*
 * The instruction at @pc, and the bytes of it: false if it is never executed, as it
 * fills the gap behind one that is never passed, perhaps a call (x86-64).
 */
static bool is_code(u64 pc, unsigned int *len)
{
	static bool stopped;
	u8 code[SFRAME_CODE_AFTER];
	struct sframe_insn insn;

	*len = 1;
	if (abi != &sframe_abi_x86) {
		*len = insn_len(pc);
		return true;
	}
	if (read_image(NULL, pc, code, sizeof(code)) || !abi->insn(code, pc, &insn))
		return false;
	*len = insn.len;
	if (insn.flags & (SFRAME_INSN_STOPS | SFRAME_INSN_CALLS))
		stopped = true;
	else if (!(insn.flags & SFRAME_INSN_FILLS))
		stopped = false;
	return !stopped || !(insn.flags & SFRAME_INSN_FILLS);
}

static bool after_call(u64 pc)
{
	u8 code[MAX_INSN];

	return !read_image(NULL, pc - abi->call_len, code, abi->call_len) &&
	       abi->after_call(code);
}

static bool enter(struct sframe_leave *lv, struct range *r, u64 pc, u64 sp)
{
	*lv = (struct sframe_leave){
		.sp = STACK + r->cfa - 8,
		.cost_max = ~0u,
	};
	return abi->enter(lv, r->entry, pc, sp, read_image, r);
}

/* From where the function begins, with SP where .eh_frame says, and with others. */
static void look_from_entry(struct range *r, u64 pc, struct result *res)
{
	struct sframe_leave lv;
	long off;

	/* Where a row begins behind a call, that never returns: the row is not of it. */
	if (!abi->enter || !r->entry || r->by_fp || pc == r->start)
		return;
	res->pcs++;
	if (enter(&lv, r, pc, STACK)) {
		res->found++;
		if (lv.fp_at && lv.fp_at != place(STACK + r->cfa, r->fp))
			res->sure_wrong++;
	}
	for (off = -16; off <= 16; off += 8) {
		if (!off || !enter(&lv, r, pc, STACK + off))
			continue;
		if (res->sure_wrong++ < MAX_SHOWN)
			printf("# entered %llx: SP %+ld\n", (unsigned long long)pc, off);
	}
}

/* The last mark before the PC, in its function; 0: none. */
static u64 last_mark(const struct range *r, u64 pc)
{
	u8 code[SFRAME_ENTER_MARK_LEN];

	while (r->entry && pc > r->entry) {
		pc -= abi->insn_align;
		if (!read_image(NULL, pc, code, sizeof(code)) &&
		    code[0] == abi->mark && abi->is_mark(code))
			return pc;
	}
	return 0;
}

/* From where RA is signed, or saved. */
static void look_from_prologue(struct range *r, u64 pc, struct result *res)
{
	struct sframe_leave lv = { .sp = STACK + r->cfa + abi->sp_bias, .cost_max = ~0u };
	u64 mark = last_mark(r, pc), cfa = STACK + r->cfa;

	if (!mark)
		return;
	res->pcs++;
	if (!abi->prologue(&lv, mark, pc, read_image, r))
		return;
	res->found++;
	if (lv.ra_at == place(cfa, r->ra) && (r->by_fp || lv.sp == STACK) &&
	    (!lv.fp_at || lv.fp_at == place(cfa, r->fp)))
		return;
	if (res->sure_wrong++ < MAX_SHOWN)
		printf("# prologue %llx: frame of %lld, RA %#llx, FP %#llx; not %ld, %ld, %ld\n",
		       (unsigned long long)pc, (long long)(cfa - lv.sp),
		       (unsigned long long)lv.ra_at, (unsigned long long)lv.fp_at, r->cfa,
		       r->ra, r->fp);
}

static void print(const char *name, const struct result *r)
{
	printf("%s %lu %lu %lu %lu\n", name, r->pcs, r->found, r->sure_wrong,
	       r->unsure_wrong);
}

int main(int argc, char **argv)
{
	struct result topmost = {}, above = {}, by_fp = {}, entered = {}, prologue = {};
	unsigned long long start, end, entry;
	struct range r;
	unsigned int len;
	u64 pc;

	if (argc != 2 || load(argv[1]))
		return 2;
	while (scanf("%llx %llx %u %ld %ld %ld %ld %ld %ld %llx", &start, &end,
		     &r.by_fp, &r.cfa, &r.ra, &r.fp, &r.sp, &r.next_ra,
		     &r.next_fp, &entry) == 10) {
		r.start = start;
		r.entry = entry;
		for (pc = start; pc < end; pc += len) {
			if (!is_code(pc, &len))
				continue;
			look(&r, pc, true, false, &topmost);
			if (!r.ra || !after_call(pc))
				continue;
			look(&r, pc, false, false, &above);
			if (abi == &sframe_abi_arm64)
				look(&r, pc, false, true, &by_fp);
			look_from_entry(&r, pc, &entered);
			if (abi->prologue)
				look_from_prologue(&r, pc, &prologue);
		}
	}
	print("topmost", &topmost);
	print("above", &above);
	if (abi == &sframe_abi_arm64)
		print("by-FP", &by_fp);
	if (abi->prologue)
		print("prologue", &prologue);
	if (abi->enter)
		print("entered", &entered);
	return 0;
}
