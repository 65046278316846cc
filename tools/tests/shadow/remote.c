// SPDX-License-Identifier: GPL-2.0
/*
 * GDB's remote protocol, as much of it as a stepper needs: "$PACKET#sum", where the sum is
 * that of PACKET's bytes, as two hexadecimal digits.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "remote.h"

/* Longer than what is ever asked for: two digits for a byte. */
#define PACKET_MAX	8192
/* Ten seconds, in steps of CONNECT_WAIT_US. */
#define CONNECT_TRIES	1000
#define CONNECT_WAIT_US	10000

struct remote {
	int fd;
	pid_t pid;
	char path[64];
	char buf[4096];
	size_t len;
	size_t next;
	char packet[PACKET_MAX];
};

static void send_packet(struct remote *remote, const char *text)
{
	char buf[128];
	uint8_t sum = 0;
	const char *c;
	int len;

	for (c = text; *c; c++)
		sum += *c;
	len = snprintf(buf, sizeof(buf), "$%s#%02x", text, sum);
	if (write(remote->fd, buf, len) != len)
		err(2, "write to QEMU");
}

/* -1: QEMU is gone. */
static int next_char(struct remote *remote)
{
	ssize_t len;

	if (remote->next == remote->len) {
		len = read(remote->fd, remote->buf, sizeof(remote->buf));
		if (len <= 0)
			return -1;
		remote->len = len;
		remote->next = 0;
	}
	return (uint8_t)remote->buf[remote->next++];
}

/* The next packet; "" if QEMU is gone. */
static const char *get_packet(struct remote *remote)
{
	size_t len = 0;
	int c;

	do
		c = next_char(remote);
	while (c >= 0 && c != '$');
	while (c >= 0 && (c = next_char(remote)) >= 0 && c != '#') {
		if (len + 1 == PACKET_MAX)
			errx(2, "QEMU says more than was asked for");
		remote->packet[len++] = c;
	}
	next_char(remote);
	next_char(remote);
	remote->packet[c < 0 ? 0 : len] = 0;
	if (c >= 0 && write(remote->fd, "+", 1) != 1)
		err(2, "write to QEMU");
	return remote->packet;
}

static const char *ask(struct remote *remote, const char *text)
{
	send_packet(remote, text);
	return get_packet(remote);
}

static unsigned int digit(char c)
{
	return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

/* Bytes from digits: how many, at most @size. */
static size_t from_hex(const char *text, uint8_t *buf, size_t size)
{
	size_t len;

	for (len = 0; len < size && text[2 * len] && text[2 * len + 1]; len++)
		buf[len] = digit(text[2 * len]) << 4 | digit(text[2 * len + 1]);
	return len;
}

static void connect_to(struct remote *remote)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int tries = 0;

	memcpy(addr.sun_path, remote->path, sizeof(remote->path));
	remote->fd = socket(AF_UNIX, SOCK_STREAM, 0);
	while (connect(remote->fd, (struct sockaddr *)&addr, sizeof(addr))) {
		if (++tries == CONNECT_TRIES || waitpid(remote->pid, NULL, WNOHANG) > 0)
			err(2, "cannot connect to QEMU");
		usleep(CONNECT_WAIT_US);
	}
}

struct remote *remote_start(const char *qemu, const char *program)
{
	struct remote *remote = calloc(1, sizeof(*remote));

	if (!remote)
		err(2, "malloc");
	snprintf(remote->path, sizeof(remote->path), "shadow.%d", getpid());
	unlink(remote->path);
	remote->pid = fork();
	if (!remote->pid) {
		/* Else it would run on, for ever, when we fail. */
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* The same addresses and words each time; the environment is on the stack, too. */
		personality(ADDR_NO_RANDOMIZE);
		execle(qemu, qemu, "-seed", "1", "-g", remote->path, program, NULL,
		       (char *[]){ NULL });
		_exit(127);
	}
	if (remote->pid < 0)
		err(2, "fork");
	connect_to(remote);
	if (write(remote->fd, "+", 1) != 1 || !*ask(remote, "?"))
		errx(2, "QEMU does not answer");
	return remote;
}

void remote_end(struct remote *remote)
{
	kill(remote->pid, SIGKILL);
	waitpid(remote->pid, NULL, 0);
	unlink(remote->path);
	close(remote->fd);
	free(remote);
}

bool remote_step(struct remote *remote)
{
	/* "T05..." or "S05": it has stopped. */
	const char *reply = ask(remote, "s");

	return *reply == 'T' || *reply == 'S';
}

void remote_run_to(struct remote *remote, uint64_t addr)
{
	char text[64];

	snprintf(text, sizeof(text), "Z0,%lx,1", (unsigned long)addr);
	ask(remote, text);
	ask(remote, "c");
	*text = 'z';
	ask(remote, text);
}

size_t remote_registers(struct remote *remote, uint8_t *buf, size_t size)
{
	return from_hex(ask(remote, "g"), buf, size);
}

uint64_t remote_register(struct remote *remote, unsigned int number)
{
	uint64_t value = 0;
	const char *reply;
	char text[32];

	snprintf(text, sizeof(text), "p%x", number);
	reply = ask(remote, text);
	if (*reply != 'E')
		from_hex(reply, (uint8_t *)&value, sizeof(value));
	return value;
}

bool remote_read(struct remote *remote, uint64_t addr, uint8_t *buf, size_t len)
{
	char text[64];
	const char *reply;

	snprintf(text, sizeof(text), "m%lx,%zx", (unsigned long)addr, len);
	reply = ask(remote, text);
	return *reply != 'E' && from_hex(reply, buf, len) == len;
}
