/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program under QEMU's user-mode emulation, held by its server for debuggers (GDB's
 * remote protocol), whatever machine it is for. What fails ends this program, with words.
 */
#ifndef SHADOW_REMOTE_H
#define SHADOW_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct remote;

/* It has not begun: its PC is where it starts. */
struct remote *remote_start(const char *qemu, const char *program);
void remote_end(struct remote *remote);

/* One instruction; false: the program has ended. */
bool remote_step(struct remote *remote);
/* Until the PC is at @addr, for the first time. */
void remote_run_to(struct remote *remote, uint64_t addr);
/* The registers of its first set, as it orders them: bytes got. */
size_t remote_registers(struct remote *remote, uint8_t *buf, size_t size);
/* The register with this number of the protocol; 0 if it is not known. */
uint64_t remote_register(struct remote *remote, unsigned int number);
/* false: not all of these bytes are mapped. */
bool remote_read(struct remote *remote, uint64_t addr, uint8_t *buf, size_t len);

#endif /* SHADOW_REMOTE_H */
