// SPDX-License-Identifier: GPL-2.0
/*
 * Children that work in functions the parent never called, and children of
 * children.
 *
 * stacks: (leaf child | child) spawn main
 * stacks: (leaf child | child) spawn grandchild spawn main
 * stacks: (leaf grandchild | grandchild) spawn main
 * stacks: (@plt | @libc+ @plt?) spawn (grandchild spawn)? main
 * stacks: spawn (grandchild spawn)? main
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

int main(int argc, char **argv)
{
	long rounds;

	limit(argc, argv);
	/* The children's time is not this process's: count rounds. */
	for (rounds = 0; rounds * 40 < limit_ms && time_left(); rounds++) {
		spawn(child);
		spawn(grandchild);
	}
	return 0;
}
