#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare what the core makes of SFrame tables with what binutils says.

usage: compare.py --dump DUMPER [FILE | FOLDER]...

For every ELF file with a table: each function and each row that the dumper
prints must be what the objdump of the binutils release for that version
prints, and every lookup in the converted table must equal a naive scan.
Works inside the "trixie" tree of scripts/roots.
Known differences are named in QUIRKS and counted, file by file.  Two verdicts
a file; the last line is "N passed, N failed".
"""

import argparse
import collections
import os
import re
import subprocess
import sys

import objdump

REPO = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../.."))
MAX_SHOWN = 5

# Where we and objdump may differ, and why; anything else is a failure.
QUIRKS = {
    "fixed-RA-shown-as-u":
        "2.40 prints u for amd64's RA, which is always at CFA-8",
    "flex-pad-shown-as-U":
        "amd64 flexible row without an RA pair: U is printed, RA is at CFA-8",
    "plt-got-row":
        "ld says sp+16 for .plt.got stubs, which push nothing: we use sp+8",
    "v1-plt-functions":
        "ld 2.40's data for IBT PLTs is wrong: decoded the same, never used",
    "zero-size-function":
        "covers no address: we drop it, with its rows",
    "lost-register":
        "gas lost a register's number: no such register, we refuse the row",
}
MAX_REGISTER = {"x86-64": 15, "arm64": 31, "s390x": 31}


class Table:
    """The dumper's output for one file."""

    def __init__(self, text):
        self.functions = []
        self.refused = None
        self.scan = {}
        self.version = self.flags = self.size = 0
        self.abi = None
        for line in text.splitlines():
            kind, _, rest = line.partition(" ")
            getattr(self, "read_" + kind)(rest)

    def read_file(self, rest):
        if " refused:" in rest:
            self.refused = rest.rsplit("refused:")[1]
            return
        values = dict(re.findall(r"(\w+)=(\S+)", rest))
        self.version = int(values["version"])
        self.abi = values["abi"]
        self.flags = int(values["flags"], 0)
        self.size = int(values["bytes"])

    def read_fde(self, rest):
        values = dict(re.findall(r"(\w+)=(\S+)", rest))
        skipped = re.search(r"skipped:(\S+)", rest)
        func = objdump.Function(int(values["start"], 0), int(values["size"]),
                                "repeat" in values, " flex" in rest,
                                " signal" in rest)
        func.skipped = skipped[1].lower() if skipped else None
        self.functions.append(func)

    def read_row(self, rest):
        start, _, rule = rest.partition(" ")
        if start.startswith("end:"):
            raise objdump.ParseError("rows end early: " + rest)
        self.functions[-1].rows.append(objdump.Row(int(start, 0),
                                                   rule.lower()))

    def read_scan(self, rest):
        self.scan = {k: int(v) for k, v in re.findall(r"(\w+)=(\d+)", rest)}


def row_quirk(table, func, ours, theirs):
    """The name of the known difference between two rows, or None."""
    if (table.abi == "x86-64" and func.repeats and len(func.rows) == 1
            and theirs.rule == ours.rule.replace("sp+8", "sp+16")):
        return "plt-got-row"
    numbers = [int(n) for n in re.findall(r"\br(\d+)", theirs.rule)]
    if (ours.rule.startswith("bad:row_register")
            and any(n > MAX_REGISTER[table.abi] for n in numbers)):
        return "lost-register"
    return None


def compare_function(table, ours, theirs, quirks):
    """Differences between one function and its twin, as lines of text."""
    where = f"function {theirs.start:#x}"
    if (ours.start, ours.size) != (theirs.start, theirs.size):
        return [f"{where}+{theirs.size}: we have {ours.start:#x}+{ours.size}"]
    if ours.skipped == "fde_empty" and not theirs.size:
        quirks["zero-size-function"] += len(theirs.rows)
        return []
    wrong = []
    if ours.skipped:
        wrong.append(f"{where}: skipped, {ours.skipped}")
    for name in ("repeats", "signal", "flex"):
        if getattr(ours, name) != getattr(theirs, name):
            wrong.append(f"{where}: {name} differs")
    if len(ours.rows) != len(theirs.rows):
        wrong.append(f"{where}: {len(theirs.rows)} rows, "
                     f"we have {len(ours.rows)}")
    for our, their in zip(ours.rows, theirs.rows):
        quirks.update(their.notes)
        if (our.start, our.rule) == (their.start, their.rule):
            continue
        quirk = row_quirk(table, theirs, our, their)
        if quirk and our.start == their.start:
            quirks[quirk] += 1
        else:
            wrong.append(f"{where} row {their.start:#x}: {their.rule}; "
                         f"we have {our.start:#x}: {our.rule}")
    return wrong


def compare_rows(table, functions, quirks):
    wrong = []
    if len(table.functions) != len(functions):
        wrong.append(f"{len(functions)} functions, "
                     f"we have {len(table.functions)}")
    for ours, theirs in zip(table.functions, functions):
        wrong += compare_function(table, ours, theirs, quirks)
    return wrong


def has_table(path):
    """Is it an ELF file with PT_GNU_SFRAME? (The dumper says, if unsure.)"""
    with open(path, "rb") as f:
        data = f.read(64)
        if len(data) < 64 or data[:4] != b"\x7fELF" or data[4] != 2:
            return False
        order = "little" if data[5] == 1 else "big"
        f.seek(int.from_bytes(data[32:40], order))
        count = int.from_bytes(data[56:58], order)
        headers = f.read(56 * count)
    return any(int.from_bytes(headers[i:i + 4], order) == 0x6474e554
               for i in range(0, len(headers), 56))


def inputs(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in sorted(os.walk(path)):
                found = [os.path.join(folder, n) for n in sorted(names)]
                yield from (f for f in found if not os.path.islink(f)
                            and os.path.isfile(f) and has_table(f))
        else:
            yield path


class Verdicts:
    """Counts of what passed and failed, of quirks, functions and rows."""

    def __init__(self):
        self.passed = self.failed = 0
        self.quirks = collections.Counter()
        self.totals = collections.Counter()

    def add(self, name, wrong):
        if not wrong:
            self.passed += 1
            return
        self.failed += 1
        print(f"not ok: {name}: {len(wrong)} differences")
        for line in wrong[:MAX_SHOWN]:
            print(f"    {line}")


def check_file(dumper, path, verdicts):
    done = subprocess.run([dumper, path], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, check=False)
    name = os.path.relpath(path, REPO)
    try:
        table = Table(done.stdout)
    except (AttributeError, KeyError, objdump.ParseError) as error:
        verdicts.add(name, [f"dumper: {error!r} {done.stderr}"])
        return
    if table.refused or not table.scan:
        verdicts.add(name, [f"refused: {table.refused} {done.stderr}"])
        return
    quirks = collections.Counter()
    judge = objdump.release(table.version, table.flags)
    functions = objdump.dump(table.abi, judge, path)
    verdicts.add(f"{name} (rows)", compare_rows(table, functions, quirks))
    quirks["v1-plt-functions"] += table.scan.get("FDE_PLT", 0)
    scan_wrong = done.stderr.splitlines() if table.scan["wrong"] else []
    verdicts.add(f"{name} (lookups)", scan_wrong)
    rows = sum(len(f.rows) for f in functions)
    verdicts.quirks.update(quirks)
    verdicts.totals.update(files=1, functions=len(functions), rows=rows,
                           lookups=table.scan["pcs"])
    print(f"{name}: V{table.version} {table.abi}, {len(functions)} functions, "
          f"{rows} rows, {table.scan['pcs']} lookups"
          + "".join(f", {k} {v}" for k, v in sorted(quirks.items()) if v),
          flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dump", required=True)
    parser.add_argument("path", nargs="+")
    args = parser.parse_args()
    verdicts = Verdicts()
    for path in inputs(args.path):
        check_file(args.dump, path, verdicts)
    print("in all: " + ", ".join(f"{v} {k}"
                                 for k, v in verdicts.totals.items()))
    for name, text in QUIRKS.items():
        print(f"quirk {name}: {verdicts.quirks[name]} ({text})")
    unknown = set(verdicts.quirks) - set(QUIRKS)
    verdicts.add("every quirk has a name",
                 [f"{name} is not in the table" for name in unknown])
    if not verdicts.totals["files"]:
        verdicts.add("there is something to compare", ["no file has a table"])
    print(f"{verdicts.passed} passed, {verdicts.failed} failed")
    sys.exit(verdicts.failed != 0)


if __name__ == "__main__":
    main()
