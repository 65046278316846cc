/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The two halves of the comparison: what we say, and what libdw says.
 */
#ifndef CFI_ORACLE_H
#define CFI_ORACLE_H

#include <elfutils/libdw.h>

#include <sframe/cfi.h>
#include <sframe/gopclntab.h>

/* A file being compared. */
struct file {
	const char *path;
	const u8 *data;
	size_t len;
	struct sframe_elf elf;
	size_t section_len;
	struct sframe_table *table;
	struct sframe_skips skips;
	u64 rows;
	u64 pcs;
	u64 different;
	u64 uncovered;
	u64 special;
	unsigned int mutated;
	unsigned int noticed;
};

struct libdw {
	int fd;
	Elf *elf;
	Dwarf *dwarf;	/* NULL: the CFI is .eh_frame's */
	Dwarf_CFI *cfi;
};

/* What libdw says of one row: a frame, and where it begins and ends. */
struct theirs {
	Dwarf_Frame *frame;
	u64 start;
	u64 end;
	int ra_reg;
	bool signal;
};

bool libdw_open(struct libdw *dw, const char *path, bool debug_frame);
void libdw_close(struct libdw *dw);
bool libdw_row(struct libdw *dw, u64 pc, struct theirs *their);
void libdw_row_free(struct theirs *their);

/* What differs at @pc ("CFA", ...), or NULL. */
const char *differs(const struct sframe_abi *abi,
		    const struct sframe_rule *rule, struct theirs *their,
		    u64 pc);

/*
 * The same for what Go writes into .debug_frame, which tells the caller's SP and RA
 * alone, and of a CFA that is that SP.
 */
const char *go_differs(const struct sframe_abi *abi,
		       const struct sframe_rule *rule, struct theirs *their,
		       u64 pc);

/* Is more known of the place than Go's CFI says? */
bool go_is_special(const struct sframe_abi *abi, const struct sframe_rule *rule,
		   struct theirs *their);

/* Is the caller's SP not where a step looks for it? */
bool their_sp_is_odd(const struct sframe_abi *abi, struct theirs *their);

#endif /* CFI_ORACLE_H */
