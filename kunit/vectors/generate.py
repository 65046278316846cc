#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Turn ELF files with SFrame tables into test vectors; see scripts/gen-vectors.

usage: generate.py OUT RELEASES FILE...

RELEASES says which binutils the names 2.40, 2.44 and sid stand for, as in
"sid=2.47.50".  Works inside the "trixie" tree of scripts/roots.
"""

import hashlib
import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, "../../tools/tests/oracle"))

import objdump  # noqa: E402 (its folder is known only now)

ABI = {62: "x86-64", 183: "arm64", 22: "s390x"}
DESCRIPTOR = {"x86-64": "x86", "arm64": "arm64", "s390x": "s390"}
MAX_REGISTER = {"x86-64": 15, "arm64": 31, "s390x": 31}
PLT_BLOCK = {"x86-64": 16, "s390x": 32}
FLAGS = {"mangled": "SFRAME_RULE_MANGLED", "signal": "SFRAME_RULE_SIGNAL"}


class Elf:
    """The SFrame section and the executable segments of an ELF file."""

    def __init__(self, path):
        with open(path, "rb") as f:
            self.data = f.read()
        self.order = "<" if self.data[5] == 1 else ">"
        self.abi = ABI[self.get("H", 18)[0]]
        self.text = []
        phoff, shoff = self.get("QQ", 32)
        phnum, _, shnum, shstr = self.get("HHHH", 56)
        for i in range(phnum):
            kind, flags, offset, va, _, size = self.get("IIQQQQ",
                                                        phoff + 56 * i)
            if kind == 1 and flags & 1:
                self.text.append((va, offset, size))
        sections = [self.get("IIQQQQ", shoff + 64 * i) for i in range(shnum)]
        names = sections[shstr][4]
        for name, _, _, va, offset, size in sections:
            at = names + name
            if self.data[at:at + 8] == b".sframe\0":
                self.va, self.section = va, self.data[offset:offset + size]
        self.version, self.flags = self.section[2], self.section[3]

    def get(self, form, at):
        return struct.unpack_from(self.order + form, self.data, at)

    def repeat_size(self, index):
        """The block size an FDE records (version 1 has none)."""
        rows_at = 28 + struct.unpack_from(self.order + "I", self.section, 24)[0]
        if self.version == 1:
            return PLT_BLOCK[self.abi]
        if self.version == 2:
            return self.section[28 + 20 * index + 17]
        attr = struct.unpack_from(self.order + "I", self.section,
                                  28 + 16 * index + 12)[0]
        return self.section[rows_at + attr + 4]


def location(text):
    """"*(sp+8)" as VECTOR_ROW's two arguments."""
    if text == "u":
        return "SAME, 0"
    load, base, number, offset = re.fullmatch(
        r"(\*\()?([a-z]+)(\d*)([+-]\d+)\)?", text).groups()
    name = {"c": "CFA", "sp": "SP", "fp": "FP", "r": "REG"}[base]
    if number:
        name += " + " + number
    return f"{'AT_' if load else ''}{name}, {int(offset)}"


def row_text(abi, func, row):
    """One row in C. What the core makes of quirks is applied here."""
    rule = row.rule
    if (abi == "x86-64" and func.repeats and len(func.rows) == 1
            and "cfa=sp+16 " in rule):
        # ld's .plt.got row is wrong; see the format notes.
        rule = rule.replace("cfa=sp+16 ", "cfa=sp+8 ")
    numbers = [int(n) for n in re.findall(r"\br(\d+)", rule)]
    if any(n > MAX_REGISTER[abi] for n in numbers):
        return f"\tVECTOR_NO_RULE({row.start:#x}, SFRAME_RULE_BAD),"
    words = rule.split()
    if words[0] == "outermost":
        return f"\tVECTOR_NO_RULE({row.start:#x}, SFRAME_RULE_OUTERMOST),"
    values = dict(word.split("=") for word in words[:3])
    flags = " | ".join(FLAGS[word] for word in words[3:]) or "0"
    where = ", ".join(location(values[name]) for name in ("cfa", "ra", "fp"))
    return f"\tVECTOR_ROW({row.start:#x}, {where}, {flags}),"


def is_plt0(abi, func):
    """Is it described as the first entry of an amd64 PLT?"""
    return (abi == "x86-64" and not func.repeats and func.size == 16
            and [(row.start, row.rule.split()[0]) for row in func.rows]
            == [(0, "cfa=sp+16"), (6, "cfa=sp+24")])


def plt_is_wrong(elf, functions):
    """ld 2.40 describes .plt.sec as another .plt; see the format notes."""
    return (elf.version == 1
            and sum(is_plt0(elf.abi, func) for func in functions) > 1)


def c_bool(value):
    return "true" if value else "false"


def bytes_text(data):
    for i in range(0, len(data), 12):
        yield "\t" + " ".join(f"{b:#04x}," for b in data[i:i + 12])


def rows_name(lines, known):
    """The name of a function's rows; many have the same, so content names them."""
    name = "rows_" + hashlib.sha256("\n".join(lines).encode()).hexdigest()[:8]
    if known.setdefault(name, lines) != lines:
        sys.exit(f"{name} are two")
    return name


def rows_text(known):
    """The header with all rows, as lines."""
    yield "/* SPDX-License-Identifier: GPL-2.0 */"
    yield "/* Rows of functions: made by scripts/gen-vectors, do not edit. */"
    for name in sorted(known):
        yield f"static const struct vector_row {name}[] = {{"
        yield from known[name]
        yield "};"


def vector_text(name, ident, elf, functions, rows):
    """The header for one file, as lines."""
    yield "/* SPDX-License-Identifier: GPL-2.0 */"
    yield f"/* {name}: made by scripts/gen-vectors, do not edit. */"
    yield f"static const u8 {ident}_bytes[] = {{"
    yield from bytes_text(elf.section)
    yield "};"
    yield ""
    yield f"static const struct vector_fde {ident}_fdes[] = {{"
    for i, func in enumerate(functions):
        own = rows_name([row_text(elf.abi, func, row) for row in func.rows], rows)
        repeat = elf.repeat_size(i) if func.repeats else 0
        plt = func.repeats or is_plt0(elf.abi, func)
        yield (f"\tVECTOR_FDE({func.start:#x}, {func.size}, {own}, {repeat}, "
               f"{c_bool(func.flex)}, {c_bool(func.signal)}, "
               f"{c_bool(plt)}),")
    yield "};"


def entry_text(name, ident, elf, functions):
    """Its entry in the list of all vectors."""
    yield "\t{"
    yield f"\t\t.name = \"{name}\","
    yield f"\t\t.abi = &sframe_abi_{DESCRIPTOR[elf.abi]},"
    yield f"\t\t.version = {elf.version},"
    yield f"\t\t.big_endian = {c_bool(elf.order == '>')},"
    yield f"\t\t.va = {elf.va:#x},"
    yield "\t\t.text = {"
    for va, offset, size in elf.text:
        yield f"\t\t\t{{ {va:#x}, {offset:#x}, {size:#x} }},"
    yield "\t\t},"
    yield f"\t\t.nr_text = {len(elf.text)},"
    yield f"\t\t.bytes = {ident}_bytes,"
    yield f"\t\t.len = sizeof({ident}_bytes),"
    yield f"\t\t.fdes = {ident}_fdes,"
    yield f"\t\t.nr_fdes = ARRAY_SIZE({ident}_fdes),"
    yield f"\t\t.plt_unused = {c_bool(plt_is_wrong(elf, functions))},"
    yield "\t},"


def write(path, lines):
    with open(path, "w", encoding="ascii") as out:
        out.write("\n".join(lines) + "\n")


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    out = sys.argv[1]
    releases = dict(pair.split("=") for pair in sys.argv[2].split())
    includes, entries, rows = ['#include "rows.h"'], [], {}
    for path in sorted(sys.argv[3:]):
        stem = os.path.splitext(os.path.basename(path))[0]
        name = "-".join(releases.get(part, part) for part in stem.split("-"))
        ident = re.sub(r"\W", "_", name)
        elf = Elf(path)
        judge = objdump.release(elf.version, elf.flags)
        functions = objdump.dump(elf.abi, judge, path)
        write(f"{out}/{name}.h", vector_text(name, ident, elf, functions, rows))
        includes.append(f'#include "{name}.h"')
        entries += entry_text(name, ident, elf, functions)
    write(f"{out}/rows.h", rows_text(rows))
    write(f"{out}/all.h", [
        "/* SPDX-License-Identifier: GPL-2.0 */",
        "/* Every vector: made by scripts/gen-vectors, do not edit. */",
        '#include "vectors.h"', ""] + includes + [
            "", "static const struct vector vectors[] = {"] + entries + ["};"])


if __name__ == "__main__":
    main()
