// SPDX-License-Identifier: GPL-2.0
/*
 * Names and texts of the reasons, from the one list in <sframe/reason.h>.
 */
#include <sframe/reason.h>

/* In the order of enum sframe_reason, which is that of the lists. */
static const struct {
	const char *name;
	const char *text;
} reasons[] = {
	{ "OK", "no error" },
#define X(name, text)	{ #name, text },
	SFRAME_WALK_REASONS(X)
	SFRAME_FILE_REASONS(X)
	SFRAME_SKIP_REASONS(X)
#undef X
};

/**
 * sframe_reason_name() - a reason's identifier
 * @reason: any value
 *
 * Context: Any.
 * Return: its name as in the list ("NO_FDE"), for counters and tests;
 *	"UNKNOWN" outside the list. Never NULL.
 */
const char *sframe_reason_name(enum sframe_reason reason)
{
	return (unsigned int)reason < SFRAME_NR_REASONS ?
	       reasons[reason].name : "UNKNOWN";
}

/**
 * sframe_reason_text() - a reason in words
 * @reason: any value
 *
 * Context: Any.
 * Return: a phrase for people ("no function covers the PC"). Never NULL.
 */
const char *sframe_reason_text(enum sframe_reason reason)
{
	return (unsigned int)reason < SFRAME_NR_REASONS ?
	       reasons[reason].text : "unknown reason";
}
