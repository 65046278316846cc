// SPDX-License-Identifier: GPL-2.0
/*
 * What a user without any rights can try against others, and what these see of it.
 *
 * usage: attack victim COUNT FILE
 *	map COUNT fresh copies of FILE, executable: prints the longest time that
 *	took, in microseconds
 *        attack idle FILE SECONDS
 *	as nobody: keep a processor busy, map FILE there, and then have whoever
 *	does that run only when nobody else wants to; prints a line when so
 *        attack crowd TASKS FILE BYTES
 *	as nobody: so many tasks each map a file of BYTES that begins like FILE;
 *	prints by how many KiB the kernel's memory grew at most
 *        attack hold SECONDS FILE...
 *	as nobody: map all these and keep them so long
 *        attack run COMMAND...
 *	as nobody: this
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NOBODY	65534
#define HOGS	10
#define CROWD_FILE	"/tmp/huge.%d"

static void fail(const char *what)
{
	perror(what);
	_exit(3);
}

static void become_nobody(void)
{
	if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
		fail("nobody");
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static long now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000l + t.tv_nsec / 1000;
}

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

/* A new file at @path with what is in @from; its descriptor, for reading. */
static int copy(const char *from, const char *path, long length)
{
	int in = open(from, O_RDONLY), out;
	char buf[65536];
	ssize_t n;

	unlink(path);
	out = open(path, O_CREAT | O_EXCL | O_WRONLY, 0755);
	if (in < 0 || out < 0)
		fail(path);
	while ((n = read(in, buf, sizeof(buf))) > 0)
		if (write(out, buf, n) != n)
			fail("write");
	if (length && ftruncate(out, length))
		fail("ftruncate");
	close(out);
	close(in);
	return open(path, O_RDONLY);
}

static void *map(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		fail("fstat");
	return mmap(NULL, st.st_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
}

static int victim(int count, const char *file)
{
	long longest = 0, begin, took;
	char path[64];
	int i, fd;

	for (i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "/tmp/fresh.%d.%d", getpid(), i);
		fd = copy(file, path, 0);
		begin = now_us();
		if (map(fd) == MAP_FAILED)
			fail("mmap");
		took = now_us() - begin;
		longest = took > longest ? took : longest;
		close(fd);
		unlink(path);
	}
	printf("%ld\n", longest);
	return 0;
}

static void hog(int cpu)
{
	if (fork())
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	stay_on(cpu);
	for (;;)
		;
}

static long cpu_us(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		fail("clock_gettime");
	return t.tv_sec * 1000000l + t.tv_nsec / 1000;
}

/* CPU time that mapping a file takes who does it. */
static long time_to_map(int fd)
{
	long begin = cpu_us(CLOCK_PROCESS_CPUTIME_ID);

	if (map(fd) == MAP_FAILED)
		fail("mmap");
	return cpu_us(CLOCK_PROCESS_CPUTIME_ID) - begin;
}

/*
 * The first copy of the file tells how long it takes; who maps the second one is
 * demoted when he is a little behind the middle.
 */
static int idle(const char *file, int seconds)
{
	int first = copy(file, "/tmp/attack.1", 0), fd = copy(file, "/tmp/attack.2", 0);
	int cpu = sysconf(_SC_NPROCESSORS_ONLN) - 1, i;
	struct sched_param none = { 0 };
	clockid_t clock;
	long time, end;
	pid_t pid;

	become_nobody();
	time = time_to_map(first);
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		stay_on(cpu);
		map(fd);
		for (;;)
			pause();
	}
	if (clock_getcpuclockid(pid, &clock))
		fail("clock_getcpuclockid");
	for (end = now_us() + 5000000; now_us() < end; usleep(500))
		if (cpu_us(clock) > time * 3 / 5)
			break;
	if (sched_setscheduler(pid, SCHED_IDLE, &none))
		fail("sched_setscheduler");
	for (i = 0; i < HOGS; i++)
		hog(cpu);
	printf("demoted after %ld of %ld us\n", cpu_us(clock), time);
	fflush(stdout);
	sleep(seconds);
	return 0;
}

/* The kernel's own memory that any user can have it take. */
static long kernel_kib(void)
{
	static const char *const names[] = { "VmallocUsed:", "Slab:" };
	FILE *f = fopen("/proc/meminfo", "r");
	long sum = 0, kib;
	char line[128];
	unsigned int i;

	if (!f)
		fail("meminfo");
	while (fgets(line, sizeof(line), f))
		for (i = 0; i < 2; i++)
			if (!strncmp(line, names[i], strlen(names[i])) &&
			    sscanf(line + strlen(names[i]), "%ld", &kib) == 1)
				sum += kib;
	fclose(f);
	return sum;
}

static int crowd(int tasks, const char *file, long bytes)
{
	long before, most, kib, end;
	char path[64];
	int i, fd;

	for (i = 0; i < tasks; i++) {
		snprintf(path, sizeof(path), CROWD_FILE, i);
		close(copy(file, path, bytes));
	}
	before = kernel_kib();
	most = before;
	for (i = 0; i < tasks; i++) {
		if (fork())
			continue;
		snprintf(path, sizeof(path), CROWD_FILE, i);
		fd = open(path, O_RDONLY);
		become_nobody();
		map(fd);
		for (;;)
			pause();
	}
	for (end = now_us() + 8000000; now_us() < end; usleep(5000)) {
		kib = kernel_kib();
		most = kib > most ? kib : most;
	}
	printf("%ld\n", most - before);
	return 0;
}

static int hold(int seconds, char **files)
{
	become_nobody();
	for (; *files; files++) {
		int fd = open(*files, O_RDONLY);

		if (fd < 0 || map(fd) == MAP_FAILED)
			fail(*files);
		close(fd);
	}
	puts("held");
	fflush(stdout);
	sleep(seconds);
	return 0;
}

static int run(char **command)
{
	become_nobody();
	execvp(command[0], command);
	fail(command[0]);
	return 3;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "run"))
		return run(argv + 2);
	if (argc == 4 && !strcmp(argv[1], "victim"))
		return victim(atoi(argv[2]), argv[3]);
	if (argc == 4 && !strcmp(argv[1], "idle"))
		return idle(argv[2], atoi(argv[3]));
	if (argc == 5 && !strcmp(argv[1], "crowd"))
		return crowd(atoi(argv[2]), argv[3], atol(argv[4]));
	if (argc >= 4 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]), argv + 3);
	return 2;
}
