// SPDX-License-Identifier: GPL-2.0
/*
 * vfork: the child burns in the parent's memory, then becomes another run of
 * this program in which other functions work at the same addresses' pages.
 *
 * stacks: (in_vfork | leaf in_vfork) launch main
 * stacks: (after_exec | leaf after_exec) main
 * stacks: (@plt | @libc+ @plt?) (in_vfork)? launch main
 * stacks: launch main
 * stacks: main
 */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stacks.h"

extern char **environ;

FN void leaf(void)
{
	burn();
}

FN void after_exec(void)
{
	volatile char room[200];
	int i;

	room[1] = 1;
	for (i = 0; i < 150; i++) {
		leaf();
		burn();
	}
	room[2] = 2;
}

FN void in_vfork(char **argv)
{
	int i;

	for (i = 0; i < 150; i++) {
		leaf();
		burn();
	}
	execve(argv[0], argv, environ);
	_exit(5);
}

FN void launch(char *name)
{
	char *argv[] = { name, NULL };
	int status;
	pid_t pid = vfork();

	if (pid < 0)
		exit(3);
	if (pid == 0)
		in_vfork(argv);
	if (waitpid(pid, &status, 0) != pid || status)
		exit(4);
}

int main(int argc, char **argv)
{
	long rounds;

	if (argc == 1) {
		after_exec();
		return 0;
	}
	limit(argc, argv);
	for (rounds = 0; rounds * 60 < limit_ms; rounds++)
		launch(argv[0]);
	return 0;
}
