/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files that read .gopclntab share: the format (gopclntab.c), the rules that
 * follow from it (gopclntab_rules.c) and the table (gopclntab_table.c).
 */
#ifndef SFRAME_CORE_GOPCLNTAB_H
#define SFRAME_CORE_GOPCLNTAB_H

#include <sframe/gopclntab.h>

#include "cfi.h"

/* Bytes of the longest name that matters, the terminating one included. */
#define SFRAME_GO_NAME_MAX	32

/* Flags in a function's record. */
#define SFRAME_GO_TOP		1	/* nobody has called it */
#define SFRAME_GO_SPWRITE	2	/* puts something else into SP */
#define SFRAME_GO_ASM		4	/* written in assembly */

/**
 * struct sframe_go_header - a checked section: positions of its parts, in bytes
 * @go: the section
 * @text: link-time address that functions' addresses count from
 * @nr: functions
 * @names: position of the functions' names
 * @rows: position of the functions' rows
 * @funcs: position of the list of functions, and of their records
 * @flags_at: position of the flags in a record
 * @quantum: all instructions' lengths are multiples of it
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
 * @rows: position of its rows; 0: there are none
 * @flags: SFRAME_GO_*
 * @name: its name, cut off; empty if it is a function like any other
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
 * @r: next row
 * @quantum: unit of addresses, bytes
 * @end: of the row read last: first byte behind it, from the function's start
 * @delta: of that row: bytes that SP is below where it was at the entry
 * @any: a row was read
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
 * @SFRAME_GO_FIRST: nobody called it, or whoever did is no longer there
 * @SFRAME_GO_LEAVES: it goes to the scheduler's stack for good; when it calls, it has
 *	pushed something there
 * @SFRAME_GO_SWITCHES: it goes to another stack and back; if it has a frame, FP stays
 *	its own
 * @SFRAME_GO_BY_CODE: it goes to another stack and back; only its code says how
 * @SFRAME_GO_INJECTED: it was not called: its RA is a PC that was interrupted
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
 * struct sframe_go_frame - all that a function's rules follow from
 * @abi: the file's ABI
 * @kind: how it treats the stack
 * @size: bytes that SP is lowered by first of all, to where RA and FP are saved; 0: it
 *	is not lowered, or, if the function switches stacks, not as Go does it
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
