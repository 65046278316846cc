#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a small s390x ELF file with an SFrame version 2 table.

No assembler in Debian makes version 2 for s390x, so this does: with function
starts relative to their field, with RA and FP in registers (odd words), with
RA not saved (0), CFA words of each size, rows without words, a PLT with
32-byte blocks that begins at an address that is no multiple of 32, and a
function of size zero.

usage: s390x_v2.py OUTPUT
"""

import struct
import sys

TEXT_VA = 0x10000
TEXT_SIZE = 0x11000
TABLE_VA = 0x30000

SORTED, PCREL = 1, 4
S390X = 4
PCMASK = 0x10
SP, FP = 1, 0
NOT_SAVED = 0


def register(number):
    """A word that says a register holds the value."""
    return number << 1 | 1


def cfa(offset):
    """A word for CFA = base + offset."""
    return (offset - 160) // 8


def row(start_size, word_size, start, base, *words):
    """One row; start_size and word_size are bytes."""
    info = base | len(words) << 1 | {1: 0, 2: 1, 4: 2}[word_size] << 5
    return (start.to_bytes(start_size, "big") + bytes([info])
            + b"".join(w.to_bytes(word_size, "big", signed=True)
                       for w in words))


# (start, size, start size, repeat size, rows)
FUNCTIONS = [
    (0x10010, 0x20, 1, 0, [(1, 0, SP, cfa(160))]),
    (0x10030, 0x60, 1, 32, [(1, 0, SP, cfa(160))]),
    # A frame with FP, its CFA word in each size.
    (0x100a0, 0x30, 1, 0, [
        (1, 0x00, SP, cfa(160)),
        (1, 0x06, SP, cfa(160), -48, -72),
        (1, 0x0c, SP, cfa(328), -48, -72),
        (1, 0x10, FP, cfa(328), -48, -72),
        (2, 0x16, SP, cfa(1184), -48, -72),
        (4, 0x1c, SP, cfa(262304), -48, -72),
        (1, 0x22, SP, cfa(160)),
    ]),
    # Where RA stays in its register, and FP only is saved.
    (0x100d0, 0x10, 1, 0, [
        (1, 0, SP, cfa(160)),
        (1, 6, SP, cfa(160), NOT_SAVED, -72),
        (1, 12, SP, cfa(160), -48),
    ]),
    # RA in f0, FP in f2, in either order; FP in a general register.
    (0x100e0, 0x20, 1, 0, [
        (1, 0, SP, cfa(160)),
        (1, 4, SP, cfa(160), register(16)),
        (1, 8, SP, cfa(160), register(16), register(17)),
        (1, 12, SP, cfa(160), NOT_SAVED, register(17)),
        (1, 16, SP, cfa(160), -48, register(12)),
    ]),
    # No bytes at all.
    (0x10100, 0, 1, 0, [(1, 0, SP, cfa(160))]),
    # The outermost frame, from the start and later.
    (0x10100, 0x10, 1, 0, [(1, 0, FP)]),
    (0x10110, 0x10, 1, 0, [(1, 0, SP, cfa(160)), (1, 4, FP)]),
    # Longer functions.
    (0x10120, 0x200, 2, 0, [
        (1, 0, SP, cfa(160)),
        (1, 0xfe, SP, cfa(320)),
        (1, 0x1fe, SP, cfa(160)),
    ]),
    (0x10320, 0x10004, 4, 0, [
        (1, 0, SP, cfa(160)),
        (1, 2, SP, cfa(320)),
        (1, 0x10002, SP, cfa(160)),
    ]),
]


def table():
    """The section."""
    fdes, rows = b"", b""
    count = 0
    for i, (start, size, start_size, repeat, entries) in enumerate(FUNCTIONS):
        field = TABLE_VA + 28 + 20 * i
        info = {1: 0, 2: 1, 4: 2}[start_size] | (PCMASK if repeat else 0)
        fdes += struct.pack(">iIIIBBH", start - field, size, len(rows),
                            len(entries), info, repeat, 0)
        for words, at, base, *values in entries:
            rows += row(start_size, words, at, base, *values)
        count += len(entries)
    return struct.pack(">HBBBbbBIIIII", 0xdee2, 2, SORTED | PCREL, S390X, 0, 0,
                       0, len(FUNCTIONS), count, len(rows), 0,
                       len(fdes)) + fdes + rows


def elf(section):
    """A shared object with empty text and the table, nothing else."""
    names = b"\0.text\0.sframe\0.shstrtab\0"
    ehdr, phdr, shdr = 64, 56, 64
    table_at = ehdr + 3 * phdr
    names_at = table_at + len(section)
    text_at = 0x1000
    shdrs_at = (names_at + len(names) + 7) & ~7
    # type, flags, offset, vaddr, paddr, filesz, memsz, align
    phdrs = [
        (1, 5, text_at, TEXT_VA, TEXT_VA, TEXT_SIZE, TEXT_SIZE, 0x1000),
        (1, 4, table_at, TABLE_VA, TABLE_VA, len(section), len(section), 8),
        (0x6474e554, 4, table_at, TABLE_VA, TABLE_VA, len(section),
         len(section), 8),
    ]
    # name, type, flags, addr, offset, size, link, info, align, entsize
    shdrs = [
        (0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
        (1, 1, 6, TEXT_VA, text_at, TEXT_SIZE, 0, 0, 16, 0),
        (7, 0x6ffffff4, 2, TABLE_VA, table_at, len(section), 0, 0, 8, 0),
        (15, 3, 0, 0, names_at, len(names), 0, 0, 1, 0),
    ]
    head = b"\x7fELF\2\2\1" + bytes(9) + struct.pack(
        ">HHIQQQIHHHHHH", 3, 22, 1, 0, ehdr, shdrs_at, 0, ehdr, phdr,
        len(phdrs), shdr, len(shdrs), 3)
    head += b"".join(struct.pack(">IIQQQQQQ", *p) for p in phdrs)
    head += section + names
    head = head.ljust(shdrs_at, b"\0")
    head += b"".join(struct.pack(">IIQQQQIIQQ", *s) for s in shdrs)
    return head.ljust(text_at + TEXT_SIZE, b"\0")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "wb") as out:
        out.write(elf(table()))
