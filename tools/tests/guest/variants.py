#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes broken variants of programs with SFrame tables.

usage: variants.py DIR PROGRAM... [--seed N] [--random N] [--attack]

Of the first PROGRAM, everything is broken that there is; of the others (the
same with tables of other versions), only functions and rows. Each variant is
DIR/NAME, and a line of DIR/list:

    NAME LENGTH MODE EXPECTED

LENGTH is that of the file, to be extended to it with zeros: some are sparse.
MODE is "run" for those that the kernel and ld.so start (the table plays no
part in that), "map" for those that can only be mapped. EXPECTED are the names
of the counters, comma-separated, of which at least one must rise when the file
is seen; "-" if the variant may also be accepted. The random ones differ from
PROGRAM in a few bytes of the table. With --attack, there are only the files
that attack.sh and share.sh need.
"""

import argparse
import os
import random
import struct

PT_LOAD = 1
PT_GNU_SFRAME = 0x6474e554
PHDR = "IIQQQQQQ"
PHDR_SIZE = 56
PF_X, PF_R = 1, 4
PCREL = 4
MIB = 1024 * 1024
EM_X86_64, EM_S390, EM_AARCH64 = 62, 22, 183
ABI_OF = {EM_AARCH64: 2, EM_X86_64: 3, EM_S390: 4}


class Program:
    """A program's bytes, with its table at hand."""

    def __init__(self, data):
        self.data = bytearray(data)
        self.order = "<" if data[5] == 1 else ">"
        self.machine, = self.unpack("H", 18)
        self.phoff, = self.unpack("Q", 32)
        self.phnum, = self.unpack("H", 56)
        self.sframe_phdr = self._phdr(PT_GNU_SFRAME)
        phdr = self.phdr(self.sframe_phdr)
        self.table, self.length = phdr[2], phdr[5]
        self.version = self.data[self.table + 2]
        self.fde_size = {1: 17, 2: 20, 3: 16}[self.version]
        self.num_fdes, = self.get(8, "I")
        self.fdes = 28 + self.get(20, "I")[0]
        self.rows = 28 + self.get(24, "I")[0]

    def unpack(self, code, offset):
        return struct.unpack_from(self.order + code, self.data, offset)

    def pack(self, code, offset, *values):
        struct.pack_into(self.order + code, self.data, offset, *values)

    def _phdr(self, kind):
        for index in range(self.phnum):
            if self.phdr(index)[0] == kind:
                return index
        raise ValueError("no such program header")

    def phdr(self, index):
        return self.unpack(PHDR, self.phoff + index * PHDR_SIZE)

    def set_phdr(self, index, **fields):
        names = ["type", "flags", "offset", "vaddr", "paddr", "filesz", "memsz", "align"]
        values = dict(zip(names, self.phdr(index)))
        values.update(fields)
        self.pack(PHDR, self.phoff + index * PHDR_SIZE, *(values[name] for name in names))

    def get(self, offset, code):
        return self.unpack(code, self.table + offset)

    def put(self, offset, code, *values):
        """Overwrite something in the table."""
        self.pack(code, self.table + offset, *values)

    def fde(self, index):
        return self.fdes + index * self.fde_size

    def attribute(self, index):
        """Where a function's row count and type are: (offset, count's code)."""
        if self.version < 3:
            return self.fde(index) + 12, "I"
        return self.rows + self.get(self.fde(index) + 12, "I")[0], "H"

    def info(self, index):
        offset, _ = self.attribute(index)
        return offset + (4 if self.version < 3 else 2)

    def repeat(self, index):
        return self.info(index) + (1 if self.version == 2 else 2)

    def size_at(self, index):
        return self.fde(index) + (4 if self.version < 3 else 8)

    def rows_at(self, index):
        """Where the position of a function's rows is."""
        return self.fde(index) + (8 if self.version < 3 else 12)

    def start_code(self):
        return "i" if self.version < 3 else "q"

    def moved(self, places):
        """What a start changes by when its entry moves so many places up."""
        return places * self.fde_size if self.data[self.table + 3] & PCREL else 0

    def set_start(self, index, start):
        self.put(self.fde(index), self.start_code(), start)

    def start(self, index):
        return self.get(self.fde(index), self.start_code())[0]

    def first_row(self, index):
        if self.version < 3:
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
    yield "abi_other", "refused_HDR_ABI", \
        lambda p: p.put(4, "B", 3 if p.machine != EM_X86_64 else 2)
    yield "abi_unknown", "refused_HDR_ABI", put(4, "B", 5)
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


def function_variants(version):
    """The same of functions and rows."""
    def all_fdes(change):
        def apply(p):
            for index in range(p.num_fdes):
                change(p, index)
        return apply

    def reverse(p):
        entries = [p.get(p.fde(i), f"{p.fde_size}s")[0] for i in range(p.num_fdes)]
        for i, entry in enumerate(reversed(entries)):
            p.put(p.fde(i), f"{p.fde_size}s", entry)
            p.set_start(i, p.start(i) + p.moved(p.num_fdes - 1 - 2 * i))

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
        all_fdes(lambda p, i: p.set_start(i, p.start(0) + p.moved(-i)))
    yield "start_far", "refused_FDE_RANGE", all_fdes(lambda p, i: p.set_start(i, -2 ** 31))
    yield "rows_max", "refused_FDE_BOUNDS,refused_ROW_BOUNDS,refused_ROW_ORDER,"\
        "refused_FDE_BUDGET", all_fdes(rows(0xffffffff))
    yield "rows_past", "refused_FDE_BOUNDS,refused_ROW_BOUNDS", \
        all_fdes(lambda p, i: p.put(p.rows_at(i), "I", 0xfffffff0))
    yield "row_type", "refused_FDE_TYPE", \
        all_fdes(lambda p, i: p.put(p.info(i), "B", 0x0f))
    if version > 1:
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
        return lambda p: p.pack(code, offset, value)

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
    yield "map", "elf_order", "refused_ELF_ORDER", \
        lambda p: p.pack("B", 5, 3 - p.data[5])
    yield "map", "machine", "refused_ELF_MACHINE", entry(18, "H", 40)
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


class Large:
    """Sparse files that take much memory or time."""

    def __init__(self, model):
        self.order = model.order
        self.machine = model.machine

    def pack(self, code, *values):
        return struct.pack(self.order + code, *values)

    def head(self, segments):
        """The head of a file made from nothing: ELF header, program headers."""
        ident = b"\177ELF\2" + (b"\1" if self.order == "<" else b"\2") + b"\1" + bytes(9)
        head = ident + self.pack("HHIQQQIHHHHHH", 3, self.machine, 1, 0, 64, 0, 0, 64, 56,
                                 len(segments), 0, 0, 0)
        phdrs = [self.pack(PHDR, kind, flags, offset, at, at, size, size, 1)
                 for kind, flags, offset, at, size in segments]
        return (head + b"".join(phdrs)).ljust(4096, b"\0")

    def table_head(self, num_fdes, num_rows, rows_len, rows_at):
        fixed_ra = -8 if self.machine == EM_X86_64 else 0
        return self.pack("HBBBbbBIIIII", 0xdee2, 2, 5, ABI_OF[self.machine], 0, fixed_ra, 0,
                         num_fdes, num_rows, rows_len, 0, rows_at)

    def program(self, fdes, num_rows, rows, text):
        """A file of this table (version 2), with so much text."""
        table = self.table_head(len(fdes) // 20, num_rows, len(rows), len(fdes)) + fdes + rows
        segments = [(PT_LOAD, PF_R, 0, 0, 4096 + len(table)),
                    (PT_LOAD, PF_R | PF_X, 0, 4096 + text, text),
                    (PT_GNU_SFRAME, PF_R, 4096, 4096, len(table))]
        return self.head(segments) + table, 4096 + max(text, len(table))

    def functions(self, number):
        """Many functions of one row each, another one than their neighbours'."""
        text = 16 * MIB
        step = text // number
        fdes = b"".join(
            self.pack("iIIIBBH", text - 28 - i * 20 + i * step, step, i * 3, 1, 0, 0, 0)
            for i in range(number))
        rows = bytes((0, 0x03, 8, 0, 0x03, 16)) * (number // 2)
        return self.program(fdes, number, rows, text)

    def plt(self, repeat):
        """One function with two rows that repeat, of the size of the text."""
        text = 1024 * MIB
        fdes = self.pack("iIIIBBH", text - 28, text, 0, min(repeat, 2) or 1, 0x10, repeat, 0)
        return self.program(fdes, 2, bytes((0, 0x03, 8, 1, 0x03, 16)), text)

    def zeros(self, size):
        """A table of zeros behind its header."""
        segments = [(PT_LOAD, PF_R | PF_X, 0, 0, 2 * size),
                    (PT_GNU_SFRAME, PF_R, 4096, 4096, size)]
        return self.head(segments) + self.table_head(size // 20 - 10, 0, 0, size - 100), \
            2 * size

    def huge(self, size):
        """A table said to be of this size; it has no header."""
        return self.head([(PT_LOAD, PF_R | PF_X, 0, 0, size),
                          (PT_GNU_SFRAME, PF_R, 4096, 4096, size - 4096)]), size


def add_large(writer, model):
    large = Large(model)
    writer.add("many_functions", "map", "-", *large.functions(100000))
    for repeat in (0, 1, 2, 255):
        expected = "-" if repeat == 1 else "refused_FDE_REPEAT,refused_TOO_BIG"
        writer.add(f"plt_{repeat}_huge", "map", expected, *large.plt(repeat))
    writer.add("table_1t", "map", "refused_EMPTY", *large.huge(1 << 40))
    writer.add("zeros_60m", "map", "refused_FDE_EMPTY", *large.zeros(60 * MIB))


def add_attack(writer, model):
    large = Large(model)
    writer.add("attack_functions", "map", "-", *large.functions(1500000))
    writer.add("many_functions", "map", "-", *large.functions(100000))
    writer.add("zeros_60m", "map", "-", *large.zeros(60 * MIB))


def mutate(original, rng):
    program = Program(original)
    end = min(program.length, program.rows + program.get(16, "I")[0])
    for _ in range(rng.choice((1, 2, 4, 16))):
        at = program.table + rng.randrange(8, end)
        program.data[at] = rng.choice((0, 1, 0x7f, 0x80, 0xff, rng.randrange(256),
                                       program.data[at] ^ 1 << rng.randrange(8)))
    return program.data


def add_random(writer, original, prefix, rng, number):
    for index in range(number):
        # Running takes longer than mapping: a few will do.
        mode = "run" if index < number // 10 else "map"
        writer.add(f"{prefix}random_{index}", mode, "-", mutate(original, rng))


def add_broken(writer, original, prefix, variants):
    for mode, name, expected, change in variants:
        program = Program(original)
        change(program)
        writer.add(prefix + name, mode, expected, program.data)


def main():
    parser = argparse.ArgumentParser(description="Make broken variants of programs.")
    parser.add_argument("folder")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--random", type=int, default=100)
    parser.add_argument("--attack", action="store_true")
    options = parser.parse_args()
    writer = Writer(options.folder)
    rng = random.Random(options.seed)
    for path in options.programs:
        with open(path, "rb") as file:
            original = file.read()
        program = Program(original)
        if options.attack:
            add_attack(writer, program)
            break
        variants = [("run", *rest) for rest in function_variants(program.version)]
        prefix = f"v{program.version}_"
        if path == options.programs[0]:
            variants += [("run", *rest) for rest in header_variants()]
            variants += segment_variants()
            prefix = ""
            add_large(writer, program)
        add_broken(writer, original, prefix, variants)
        add_random(writer, original, prefix, rng, options.random)
    writer.finish()


if __name__ == "__main__":
    main()
