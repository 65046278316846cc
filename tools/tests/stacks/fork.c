// SPDX-License-Identifier: GPL-2.0
/*
 * Children that work in functions the parent never called, and children of
 * children; and those of a deep stack, of whose pages a child touches the lowest only.
 *
 * stacks: (leaf child | child) spawn main
 * stacks: (leaf child | child) spawn grandchild spawn main
 * stacks: (leaf grandchild | grandchild) spawn main
 * stacks: (leaf child | child) spawn deep{16} main
 * stacks: (@plt | @libc+ @plt?) spawn ((grandchild spawn)? | deep{16}) main
 * stacks: spawn ((grandchild spawn)? | deep{16}) main
 * stacks: deep{1,16} main
 * stacks: main
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stacks.h"

void spawn(void (*work)(void));
void grandchild(void);
void child(void);
void leaf(void);
void deep(int n);

FN void leaf(void)
{
	burn();
}

FN void child(void)
{
	volatile char room[900];
	int i;

	room[1] = 1;
	for (i = 0; i < 150; i++) {
		leaf();
		burn();
	}
	room[2] = 2;
}

FN void grandchild(void)
{
	int i;

	for (i = 0; i < 60; i++) {
		leaf();
		burn();
	}
	spawn(child);
}

FN void spawn(void (*work)(void))
{
	int status;
	pid_t pid = fork();

	if (pid < 0)
		exit(3);
	if (pid == 0) {
		work();
		_exit(0);
	}
	if (waitpid(pid, &status, 0) != pid || status)
		exit(4);
	burn();
}

FN void deep(int n)
{
	volatile char room[700];

	room[1] = 1;
	if (n > 1)
		deep(n - 1);
	else
		spawn(child);
	room[2] = 2;
}

int main(int argc, char **argv)
{
	long rounds;

	limit(argc, argv);
	/* The children's time is not this process's: count rounds. */
	for (rounds = 0; rounds * 60 < limit_ms && time_left(); rounds++) {
		spawn(child);
		spawn(grandchild);
		deep(16);
	}
	return 0;
}
