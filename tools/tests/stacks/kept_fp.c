// SPDX-License-Identifier: GPL-2.0
/*
 * dso_bare.c, with a large library of which one function has a row, and all others keep frame
 * pointers.
 *
 * stacks: (leaf | back | leaf back) kept_inner bare_call user main
 * stacks: (kept_deep{1,4} bare_call | kept_inner bare_call | bare_call) user main
 * stacks: (leaf user | user) main
 * stacks: (@plt | @libc+ @plt?) user main
 * stacks: main
 */
#include "dso_bare.c"
