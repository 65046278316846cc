/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that read .gopclntab share with each other.
 */
#ifndef SFRAME_CORE_GOPCLNTAB_H
#define SFRAME_CORE_GOPCLNTAB_H

#include <sframe/gopclntab.h>

#include "cfi.h"

/* The longest name that matters, and its end. */
#define SFRAME_GO_NAME_MAX	32

/* What a function's record says of it. */
#define SFRAME_GO_TOP		1	/* nobody called it */
#define SFRAME_GO_SPWRITE	2	/* puts something else into SP */
#define SFRAME_GO_ASM		4	/* written in assembly */

/**
 * struct sframe_go_header - where things are in a section, in bytes from its
 *	first one
 * @go: the section
 * @text: link-time address from which functions' places count
 * @nr: functions
 * @names: their names
 * @rows: their rows
 * @funcs: the functions, and their records
 * @flags_at: flags in a record
 * @quantum: every instruction's length is a multiple of it
 */
struct sframe_go_header {
	const struct sframe_gopclntab *go;
	u64 text;
	u64 nr;
	u64 names;
	u64 rows;
	u64 funcs;
	u8 flags_at;
	u8 quantum;
};

/**
 * struct sframe_go_func - a function
 * @start: link-time address of its first byte
 * @size: bytes to where the next one begins
 * @rows: position of its rows; 0: it has none
 * @flags: SFRAME_GO_*
 * @name: its name, if it is one of those that can matter; cut off
 */
struct sframe_go_func {
	u64 start;
	u64 size;
	u64 rows;
	u8 flags;
	char name[SFRAME_GO_NAME_MAX];
};

/**
 * struct sframe_go_rows - position in a function's rows
 * @r: next one
 * @quantum: unit of addresses
 * @end: first byte behind the row read last, from the function's start
 * @delta: in that row, SP is so many bytes below where it was at the entry
 * @any: one was read
 */
struct sframe_go_rows {
	struct sframe_cfi_reader r;
	u8 quantum;
	u64 end;
	s64 delta;
	bool any;
};

enum sframe_reason sframe_go_header(const struct sframe_gopclntab *go,
				    struct sframe_go_header *h);
enum sframe_reason sframe_go_func(const struct sframe_go_header *h, u64 i,
				  struct sframe_go_func *f);
void sframe_go_rows_init(const struct sframe_go_header *h,
			 const struct sframe_go_func *f,
			 struct sframe_go_rows *rows);
bool sframe_go_rows_next(struct sframe_go_rows *rows,
			 enum sframe_reason *reason);

/**
 * enum sframe_go_kind - how a function treats the stack
 * @SFRAME_GO_USUAL: as its rows say
 * @SFRAME_GO_FIRST: nobody called it, or who did is no longer there
 * @SFRAME_GO_LEAVES: it goes to the scheduler's stack, for ever, and has pushed
 *	something there when it calls somebody
 * @SFRAME_GO_SWITCHES: it goes to another stack and back; if it has a frame, FP is
 *	its own meanwhile
 * @SFRAME_GO_BY_CODE: it goes to another stack and back; how, its code says
 * @SFRAME_GO_INJECTED: it was not called: its RA is where code was interrupted
 * @SFRAME_GO_SIGRETURN: what signal handlers return to
 * @SFRAME_GO_REFUSED: its rows do not tell where things are
 */
enum sframe_go_kind {
	SFRAME_GO_USUAL,
	SFRAME_GO_FIRST,
	SFRAME_GO_LEAVES,
	SFRAME_GO_SWITCHES,
	SFRAME_GO_BY_CODE,
	SFRAME_GO_INJECTED,
	SFRAME_GO_SIGRETURN,
	SFRAME_GO_REFUSED,
};

/**
 * struct sframe_go_frame - what a function's rules follow from
 * @abi: the file's ABI
 * @kind: how it treats the stack
 * @size: what SP is lowered by first of all: RA is saved there, and FP; 0: not
 *	lowered, or, if it switches stacks, not as Go does it
 * @keeps_fp: it saves FP, or leaves it alone
 */
struct sframe_go_frame {
	const struct sframe_abi *abi;
	enum sframe_go_kind kind;
	s64 size;
	bool keeps_fp;
};

enum sframe_go_kind sframe_go_kind(const struct sframe_abi *abi,
				   const struct sframe_go_func *f);
void sframe_go_frame_init(struct sframe_go_frame *frame,
			  const struct sframe_abi *abi,
			  const struct sframe_go_func *f, s64 size, u64 at);
u64 sframe_go_prologue(const struct sframe_go_frame *frame);
enum sframe_reason sframe_go_rule(const struct sframe_go_frame *frame,
				  s64 delta, bool prologue,
				  struct sframe_rule *rule);

#endif /* SFRAME_CORE_GOPCLNTAB_H */
