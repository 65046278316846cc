#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes broken variants of a program with an SFrame table.

usage: variants.py PROGRAM DIR [--seed N] [--random N]

PROGRAM is ELF64, little-endian, with a PT_GNU_SFRAME of version 2 or 3. Each
variant is DIR/NAME, and a line of DIR/list:

    NAME LENGTH MODE EXPECTED

LENGTH is that of the file, to be extended to it with zeros: some are sparse.
MODE is "run" for those that the kernel and ld.so start (the table plays no
part in that), "map" for those that can only be mapped. EXPECTED are the names
of the counters, comma-separated, of which at least one must rise when the file
is seen; "-" if the variant may also be accepted. The random ones differ from
PROGRAM in a few bytes of the table.
"""

import argparse
import os
import random
import struct

PT_LOAD = 1
PT_GNU_SFRAME = 0x6474e554
PHDR = struct.Struct("<IIQQQQQQ")
PF_X, PF_R = 1, 4
KIB = 1024
MIB = 1024 * KIB


class Program:
    """A program's bytes, with its table at hand."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.phoff, = struct.unpack_from("<Q", data, 32)
        self.phnum, = struct.unpack_from("<H", data, 56)
        self.sframe_phdr = self._phdr(PT_GNU_SFRAME)
        self.text_phdr = self._phdr(PT_LOAD, PF_X)
        phdr = self.phdr(self.sframe_phdr)
        self.table, self.vaddr, self.length = phdr[2], phdr[3], phdr[5]
        self.version = self.data[self.table + 2]
        self.fde_size = {2: 20, 3: 16}[self.version]
        self.num_fdes, = self.get(8, "I")
        self.fdes = 28 + self.get(20, "I")[0]
        self.rows = 28 + self.get(24, "I")[0]

    def _phdr(self, kind, flags=0):
        for index in range(self.phnum):
            phdr = self.phdr(index)
            if phdr[0] == kind and phdr[1] & flags == flags:
                return index
        raise ValueError("no such program header")

    def phdr(self, index):
        return PHDR.unpack_from(self.data, self.phoff + index * PHDR.size)

    def set_phdr(self, index, **fields):
        names = ["type", "flags", "offset", "vaddr", "paddr", "filesz", "memsz", "align"]
        values = dict(zip(names, self.phdr(index)))
        values.update(fields)
        PHDR.pack_into(self.data, self.phoff + index * PHDR.size,
                       *(values[name] for name in names))

    def get(self, offset, code):
        return struct.unpack_from("<" + code, self.data, self.table + offset)

    def put(self, offset, code, *values):
        """Overwrite something in the table."""
        struct.pack_into("<" + code, self.data, self.table + offset, *values)

    def fde(self, index):
        return self.fdes + index * self.fde_size

    def attribute(self, index):
        """Where a function's row count and type are: (offset, count's code)."""
        if self.version == 2:
            return self.fde(index) + 12, "I"
        return self.rows + self.get(self.fde(index) + 12, "I")[0], "H"

    def info(self, index):
        offset, _ = self.attribute(index)
        return offset + (4 if self.version == 2 else 2)

    def repeat(self, index):
        return self.info(index) + (1 if self.version == 2 else 2)

    def size_at(self, index):
        return self.fde(index) + (4 if self.version == 2 else 8)

    def rows_at(self, index):
        """Where the position of a function's rows is."""
        return self.fde(index) + (8 if self.version == 2 else 12)

    def set_start(self, index, start):
        self.put(self.fde(index), "i" if self.version == 2 else "q", start)

    def start(self, index):
        return self.get(self.fde(index), "i" if self.version == 2 else "q")[0]

    def first_row(self, index):
        if self.version == 2:
            return self.rows + self.get(self.rows_at(index), "I")[0]
        return self.attribute(index)[0] + 5

    def biggest(self):
        return max(range(self.num_fdes), key=lambda i: self.get(self.size_at(i), "I")[0])

    def rowy(self):
        """The function with the most rows."""
        def rows(index):
            offset, code = self.attribute(index)
            return self.get(offset, code)[0]
        return max(range(self.num_fdes), key=rows)


def header_variants():
    """(name, expected, function that breaks) of the header."""
    def put(offset, code, value):
        return lambda p: p.put(offset, code, value)

    def swap(p):
        for offset, size in ((0, 2), (8, 4), (12, 4), (16, 4), (20, 4), (24, 4)):
            at = p.table + offset
            p.data[at:at + size] = p.data[at:at + size][::-1]

    yield "foreign_order", "refused_HDR_ORDER", swap
    yield "magic", "refused_HDR_MAGIC", put(0, "H", 0xbeef)
    yield "zeros", "refused_EMPTY", lambda p: p.put(0, "28s", bytes(28))
    yield "version0", "refused_HDR_VERSION", put(2, "B", 0)
    yield "version4", "refused_HDR_VERSION", put(2, "B", 4)
    yield "flags", "refused_HDR_FLAGS", put(3, "B", 0xf1)
    yield "abi_arm64", "refused_HDR_ABI", put(4, "B", 2)
    yield "abi_s390x", "refused_HDR_ABI", put(4, "B", 4)
    yield "abi_none", "refused_HDR_ABI", put(4, "B", 0)
    yield "fixed_ra", "refused_HDR_FIXED", put(6, "b", -16)
    yield "aux_len", "refused_HDR_BOUNDS,refused_NO_FUNCTIONS,refused_FDE_RANGE", \
        put(7, "B", 255)
    yield "fdes_max", "refused_HDR_BOUNDS", put(8, "I", 0xffffffff)
    yield "fdes_wrap", "refused_HDR_BOUNDS", put(8, "I", 0x10000001)
    yield "fdes_none", "refused_NO_FUNCTIONS", put(8, "I", 0)
    yield "rows_len_max", "refused_HDR_BOUNDS", put(16, "I", 0xffffffff)
    yield "rows_len_none", "refused_FDE_BOUNDS,refused_ROW_BOUNDS", put(16, "I", 0)
    yield "fde_off_max", "refused_HDR_BOUNDS", put(20, "I", 0xffffffff)
    yield "row_off_max", "refused_HDR_BOUNDS", put(24, "I", 0xffffffff)
    yield "row_off_fdes", "refused_HDR_BOUNDS", put(24, "I", 0)


def function_variants():
    """The same of functions and rows."""
    def all_fdes(change):
        def apply(p):
            for index in range(p.num_fdes):
                change(p, index)
        return apply

    def reverse(p):
        entries = [p.get(p.fde(i), f"{p.fde_size}s")[0] for i in range(p.num_fdes)]
        code = "<i" if p.version == 2 else "<q"
        for i, entry in enumerate(reversed(entries)):
            # Starts count from where they are stored.
            moved = (p.num_fdes - 1 - 2 * i) * p.fde_size
            start, = struct.unpack_from(code, entry)
            entry = struct.pack(code, start + moved) + entry[struct.calcsize(code):]
            p.put(p.fde(i), f"{p.fde_size}s", entry)

    def pcmask(repeat, size):
        def apply(p):
            index = p.biggest()
            p.put(p.info(index), "B", p.get(p.info(index), "B")[0] | 0x10)
            p.put(p.repeat(index), "B", repeat)
            if size:
                p.put(p.size_at(index), "I", size)
        return apply

    def rows(value):
        def change(p, index):
            offset, code = p.attribute(index)
            p.put(offset, code, min(value, 0xffff if code == "H" else value))
        return change

    def row_byte(offset, value):
        return lambda p: p.put(p.first_row(p.rowy()) + offset, "B", value)

    yield "unsorted", "-", reverse
    yield "size_max", "refused_FDE_RANGE", \
        all_fdes(lambda p, i: p.put(p.size_at(i), "I", 0xffffffff))
    yield "size_zero", "refused_FDE_EMPTY", \
        all_fdes(lambda p, i: p.put(p.size_at(i), "I", 0))
    yield "overlap", "refused_FDE_OVERLAP", \
        all_fdes(lambda p, i: p.put(p.size_at(i), "I", p.get(p.size_at(i), "I")[0] + 64))
    yield "same_start", "refused_FDE_OVERLAP,refused_FDE_RANGE", \
        all_fdes(lambda p, i: p.set_start(i, p.start(0) - i * p.fde_size))
    yield "start_far", "refused_FDE_RANGE", all_fdes(lambda p, i: p.set_start(i, -2 ** 31))
    yield "rows_max", "refused_FDE_BOUNDS,refused_ROW_BOUNDS,refused_ROW_ORDER,"\
        "refused_FDE_BUDGET", all_fdes(rows(0xffffffff))
    yield "rows_past", "refused_FDE_BOUNDS,refused_ROW_BOUNDS", \
        all_fdes(lambda p, i: p.put(p.rows_at(i), "I", 0xfffffff0))
    yield "row_type", "refused_FDE_TYPE", \
        all_fdes(lambda p, i: p.put(p.info(i), "B", 0x0f))
    yield "repeat_0", "refused_FDE_REPEAT", pcmask(0, 0)
    yield "repeat_1", "-", pcmask(1, 0)
    yield "repeat_1_far", "refused_FDE_RANGE,refused_FDE_REPEAT", pcmask(1, 0xfffffff0)
    yield "row_words", "refused_ROW_WORDS", row_byte(1, 0x7e)
    yield "row_order", "refused_ROW_ORDER,refused_ROW_PAST_END,refused_ROW_WORDS,"\
        "refused_ROW_BOUNDS", row_byte(0, 0xff)


def segment_variants():
    """The same of the program headers."""
    def sframe(**fields):
        return lambda p: p.set_phdr(p.sframe_phdr, **fields)

    def entry(offset, code, value):
        return lambda p: struct.pack_into("<" + code, p.data, offset, value)

    yield "run", "pt_outside", "refused_ELF_PHDRS", \
        sframe(offset=1 << 40, vaddr=1 << 40)
    yield "run", "pt_mismatch", "refused_ELF_PHDRS", \
        lambda p: p.set_phdr(p.sframe_phdr, offset=p.table + 8)
    yield "run", "pt_wraps", "refused_ELF_PHDRS", \
        sframe(filesz=0xffffffffffffffff)
    yield "run", "pt_empty", "refused_EMPTY,refused_HDR_TRUNCATED,refused_ELF_PHDRS", \
        sframe(filesz=0, memsz=0)
    yield "run", "pt_short", "refused_HDR_TRUNCATED", sframe(filesz=27, memsz=27)
    yield "run", "pt_cut", "refused_HDR_BOUNDS", \
        lambda p: p.set_phdr(p.sframe_phdr, filesz=p.length // 2, memsz=p.length // 2)
    yield "map", "phnum_max", "refused_ELF_PHDRS", entry(56, "H", 0xffff)
    yield "map", "phnum_0", "refused_ELF_PHDRS", entry(56, "H", 0)
    yield "map", "phentsize", "refused_ELF_PHDRS", entry(54, "H", 32)
    yield "map", "phoff_max", "refused_ELF_PHDRS", entry(32, "Q", 0x7fffffffffffffff)
    yield "map", "phoff_wrap", "refused_ELF_PHDRS", entry(32, "Q", 0xffffffffffffffc0)
    yield "map", "class32", "refused_ELF_CLASS", entry(4, "B", 1)
    yield "map", "big_endian", "refused_ELF_ORDER", entry(5, "B", 2)
    yield "map", "machine", "refused_ELF_MACHINE", entry(18, "H", 183)
    yield "map", "not_elf", "refused_NOT_ELF", entry(0, "I", 0)
    yield "map", "cut_1", "refused_NOT_ELF", lambda p: p.data.__delitem__(slice(1, None))
    yield "map", "cut_100", "refused_ELF_PHDRS", \
        lambda p: p.data.__delitem__(slice(100, None))
    yield "map", "cut_table", "refused_FILE_SHORT", \
        lambda p: p.data.__delitem__(slice(p.table + 40, None))


class Writer:
    """Puts variants into a folder, with their list."""

    def __init__(self, folder):
        self.folder = folder
        self.lines = []

    def add(self, name, mode, expected, data, length=None):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(data)
        os.chmod(path, 0o755)
        self.lines.append(f"{name} {length or len(data)} {mode} {expected}\n")

    def finish(self):
        with open(os.path.join(self.folder, "list"), "w", encoding="ascii") as file:
            file.writelines(self.lines)


def header(machine, segments):
    """The head of a file made from nothing: ELF header, program headers."""
    ident = b"\177ELF\2\1\1" + bytes(9)
    head = ident + struct.pack("<HHIQQQIHHHHHH", 3, machine, 1, 0, 64, 0, 0, 64, 56,
                               len(segments), 0, 0, 0)
    return head + b"".join(PHDR.pack(kind, flags, offset, at, at, size, size, 1)
                           for kind, flags, offset, at, size in segments)


def large(functions, repeat=None, text=16 * MIB):
    """A program with many functions, or one PLT of the size of the text."""
    base = 4 * KIB
    rows = bytes((0, 0x03, 8))
    if repeat is not None:
        rows = bytes((0, 0x03, 8, 1, 0x03, 16))
        fdes = struct.pack("<iIIIBBH", text - 28, text, 0, min(repeat, 2) or 1, 0x10,
                           repeat, 0)
        functions = 1
    else:
        step = text // functions
        fdes = b"".join(
            struct.pack("<iIIIBBH", text - 28 - i * 20 + i * step, step, i * 3, 1, 0, 0, 0)
            for i in range(functions))
        rows *= functions
    table = struct.pack("<HBBBbbBIIIII", 0xdee2, 2, 5, 3, 0, -8, 0, functions,
                        functions * 2, len(rows), 0, len(fdes)) + fdes + rows
    segments = [(PT_LOAD, PF_R, 0, 0, base + len(table)),
                (PT_LOAD, PF_R | PF_X, 0, base + text, text),
                (PT_GNU_SFRAME, PF_R, base, base, len(table))]
    return header(62, segments).ljust(base, b"\0") + table, base + max(text, len(table))


def add_large(writer):
    """What needs much memory or time, as sparse files."""
    writer.add("many_functions", "map", "-", *large(100000))
    # Blocks of one row are the same all over, however many there are.
    for repeat in (0, 1, 2, 255):
        expected = "-" if repeat == 1 else "refused_FDE_REPEAT,refused_TOO_BIG"
        writer.add(f"plt_{repeat}_huge", "map", expected, *large(0, repeat, 1 << 30))
    size = 1 << 40
    writer.add("table_1t", "map", "refused_TOO_BIG",
               header(62, [(PT_LOAD, PF_R | PF_X, 0, 0, size),
                           (PT_GNU_SFRAME, PF_R, 4096, 4096, size - 4096)]), size)
    size = 60 * MIB
    zeros = struct.pack("<HBBBbbBIIIII", 0xdee2, 2, 5, 3, 0, -8, 0, size // 20 - 10,
                        0, 0, 0, size - 100)
    head = header(62, [(PT_LOAD, PF_R | PF_X, 0, 0, 2 * size),
                       (PT_GNU_SFRAME, PF_R, 4096, 4096, size)])
    writer.add("zeros_60m", "map", "refused_FDE_EMPTY",
               head.ljust(4096, b"\0") + zeros, 2 * size)


def mutate(original, rng):
    program = Program(original)
    end = min(program.length, program.rows + program.get(16, "I")[0])
    for _ in range(rng.choice((1, 2, 4, 16))):
        at = program.table + rng.randrange(8, end)
        program.data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256),
                                       program.data[at] ^ 1 << rng.randrange(8)))
    return program.data


def main():
    parser = argparse.ArgumentParser(description="Make broken variants of a program.")
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=200)
    options = parser.parse_args()
    with open(options.program, "rb") as file:
        original = file.read()
    writer = Writer(options.folder)
    plain = [("run", *rest) for rest in (*header_variants(), *function_variants())]
    for mode, name, expected, change in (*plain, *segment_variants()):
        program = Program(original)
        change(program)
        writer.add(name, mode, expected, program.data)
    add_large(writer)
    rng = random.Random(options.seed)
    for index in range(options.random):
        # Running takes longer than mapping: a few will do.
        mode = "run" if index < options.random // 10 else "map"
        writer.add(f"random_{index}", mode, "-", mutate(original, rng))
    writer.finish()


if __name__ == "__main__":
    main()
