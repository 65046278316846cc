// SPDX-License-Identifier: GPL-2.0
/* The plug-in of lazy.c: calls some of libc's functions once each. */
#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "stacks.h"

void call_all(void);

FN void call_all(void)
{
	getpid();
	getppid();
	getuid();
	geteuid();
	getgid();
	getegid();
	getpgrp();
	getdtablesize();
	rand();
	random();
	lrand48();
	mrand48();
	drand48();
	sched_yield();
	localeconv();
	toupper('a');
	tolower('A');
	(void)errno;
}
