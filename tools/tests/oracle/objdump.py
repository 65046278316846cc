# SPDX-License-Identifier: GPL-2.0
"""What "objdump --sframe" of binutils 2.40 to 2.47 prints, as functions and
rows in the canonical text that the dumper beside this file prints too.

A rule is written "cfa=sp+16 ra=*(c-8) fp=u": a base (sp, fp, c for the CFA, or
rN) and an offset in bytes, *(...) where the value is loaded from there, u where
nothing was saved.  "outermost" stands for a row that says RA is undefined;
"mangled" and "signal" may follow.
"""

import re
import subprocess
from dataclasses import dataclass, field

# The release that dumps a version; 2.44 does not know PC-relative starts.
RELEASE = {1: "2.40", 2: "2.44", 3: "sid"}
FLAG_PCREL = 4
CPU = {"x86-64": "x86_64", "arm64": "aarch64", "s390x": "s390x"}
# What "RA: default" means: at a fixed place, or still in its register.
DEFAULT_RA = {"x86-64": "*(c-8)", "arm64": "u", "s390x": "u"}

FDE_LINE = re.compile(
    r"func idx \[(\d+)\]: pc = 0x([0-9a-f]+), size = (\d+) bytes(.*)")
VALUE = r"\(?(?:c|sp|fp|r\d+)[+-]\d+\)?|r\d+|[uUf]"
ROW_LINE = re.compile(
    rf"([0-9a-f]{{16}})\s+(?:(RA undefined)|"
    rf"({VALUE})\s*({VALUE})\s*({VALUE})(\[s\])?)\s*$")


@dataclass
class Row:
    """One row: where it begins in its function, its rule, how it was told."""
    start: int
    rule: str
    notes: list = field(default_factory=list)


@dataclass
class Function:
    start: int
    size: int
    repeats: bool = False
    flex: bool = False
    signal: bool = False
    rows: list = field(default_factory=list)


class ParseError(Exception):
    """The dump holds something that is not understood."""


def value(text):
    """A location as objdump writes it, in canonical form."""
    if text[0] == "(":
        return "*" + text
    if text[0] == "c":
        # Loads relative to the CFA are written without parentheses.
        return f"*({text})"
    if text[0] == "r" and "+" not in text and "-" not in text:
        # A register of a version 2 row for s390x.
        return text + "+0"
    return text


def rule(abi, func, match):
    """The canonical rule of a row, and the names of notation quirks met."""
    notes = []
    if match[2]:
        text = "outermost"
    else:
        cfa, fp, ra = match[3], match[4], match[5]
        if ra in "uUf":
            if ra == "U" and abi == "x86-64":
                notes.append("flex-pad-shown-as-U")
            if ra == "u" and abi == "x86-64":
                notes.append("fixed-RA-shown-as-u")
            ra = DEFAULT_RA[abi]
        else:
            ra = value(ra)
        text = f"cfa={value(cfa)} ra={ra} fp={value(fp)}"
        if match[6]:
            text += " mangled"
    if func.signal:
        text += " signal"
    return text, notes


def parse(abi, text):
    """All functions in the output of objdump --sframe."""
    functions = []
    for line in text.splitlines():
        line = line.strip()
        match = FDE_LINE.search(line)
        if match:
            attr = re.search(r'attr = "([^"]*)"', match[4])
            letters = attr[1] if attr else ""
            functions.append(Function(int(match[2], 16), int(match[3]),
                                      flex="F" in letters,
                                      signal="S" in letters))
        elif line.startswith("STARTPC"):
            functions[-1].repeats = line.startswith("STARTPC[m]")
        elif functions and line:
            match = ROW_LINE.match(line)
            if not match:
                raise ParseError(f"not understood: {line!r}")
            func = functions[-1]
            start = int(match[1], 16)
            if not func.repeats:
                start = (start - func.start) & 0xffffffff
            text, notes = rule(abi, func, match)
            func.rows.append(Row(start, text, notes))
    return functions


def release(version, flags):
    """The binutils release whose objdump is the judge of such a table."""
    return RELEASE[3 if flags & FLAG_PCREL else version]


def dump(abi, judge, path):
    """The functions of an ELF file as the objdump of release judge sees them.

    Works inside the "trixie" tree of scripts/roots, where all releases are.
    """
    tool = f"/opt/binutils-{judge}/{CPU[abi]}/bin/objdump"
    done = subprocess.run([tool, "--sframe", path], stdout=subprocess.PIPE,
                          text=True, check=True)
    return parse(abi, done.stdout)
