// SPDX-License-Identifier: GPL-2.0
/*
 * Four threads that burn at different depths; main waits for them.
 *
 * stacks: root worker
 * stacks: (deep | even deep | odd even deep) worker
 * stacks: worker
 * stacks: main
 * stacks: (@plt | @libc+ @plt?) main
 */
#include <pthread.h>
#include <stdint.h>

#include "stacks.h"

#define THREADS 4

FN int odd(int n)
{
	burn();
	return n + 1;
}

FN int even(int n)
{
	volatile char room[64];

	room[n & 63] = 1;
	if (n & 1)
		return odd(n) + room[n & 63];
	burn();
	return n + room[n & 63];
}

FN int deep(int n)
{
	burn();
	return even(n) + even(n + 1);
}

FN void *worker(void *arg)
{
	int n = (int)(intptr_t)arg;

	while (time_left())
		deep(n);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	intptr_t i;

	limit(argc, argv);
	limit_ms /= 2;
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, worker, (void *)i))
			return 3;
	for (i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
