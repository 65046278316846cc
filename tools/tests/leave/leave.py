#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Are frames without a row left as .eh_frame says?

usage: leave.py --program LEAVE FILE...

For each FILE LEAVE (leave.c) reads the code at every
instruction; what it finds is compared with the rows that readelf prints of
.eh_frame. Where it is sure it must be right, and it must find a way out of more
than half of all places, where SP is known. Among topmost frames on s390x two sure answers in ten
thousand may be wrong: instructions that only exrl executes stand between
functions, where no PC ever is. Works inside the "trixie" tree of scripts/roots.
The last line is "N passed, N failed".
"""

import argparse
import os
import re
import subprocess
import sys

MACHINES = {
    62: {"readelf": "x86_64-linux-gnu-readelf", "sp": "rsp", "fp": "rbp", "wrong": 0,
         "called": "rsp+8"},
    183: {"readelf": "aarch64-linux-gnu-readelf", "sp": "sp", "fp": "x29",
          "wrong": 0, "called": "sp+0"},
    22: {"readelf": "s390x-linux-gnu-readelf", "sp": "r15", "fp": "r11",
         "wrong": 2e-4, "called": "r15+160"},
}
# In its code for AVX-IFMA no row says that SP goes down for local variables.
KNOWN = {"libcrypto.so.3": 3e-4}
# Its function for TLS, by hand, has put words on the stack before it signs RA.
SIGNED_LATE = {"ld-linux-aarch64.so.1": 1}
_FDE = re.compile(r" FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)")
_ADDRESS = re.compile(r"[0-9a-f]{16}$")


def below_cfa(text):
    """Bytes below the CFA, 0 for "in its register", None for anything else."""
    if text in ("u", "s"):
        return 0
    match = re.match(r"c-(\d+)$", text)
    return int(match.group(1)) if match else None


def ranges_of(lines, machine):
    """Yield (start, end, by FP, CFA, RA, FP, SP, next RA, next FP, hex entry) of what
    readelf prints."""
    rows, end, columns = [], 0, None

    def places(row, *names):
        return [below_cfa(row.get(name, "u")) for name in names]

    def finish():
        # As a call leaves it: not so where a function's cold part is.
        called = rows and rows[0][1]["CFA"] == machine.get("called")
        for index, (start, row) in enumerate(rows):
            stop, following = rows[index + 1] if index + 1 < len(rows) else (end, row)
            base = re.match(r"(\w+)\+(\d+)$", row["CFA"])
            found = places(row, "ra", machine["fp"], machine["sp"]) + \
                places(following, "ra", machine["fp"])
            if base and base.group(1) in (machine["sp"], machine["fp"]) and \
                    None not in found:
                yield (start, stop, int(base.group(1) == machine["fp"]),
                       int(base.group(2)), *found, f"{rows[0][0] if called else 0:x}")

    for line in lines:
        match = _FDE.search(line)
        if match or " CIE " in line:
            yield from finish()
            rows, columns = [], None
            end = int(match.group(2), 16) if match else 0
            continue
        words = line.split()
        if words[:1] == ["LOC"]:
            columns = words
        elif columns and end and words and _ADDRESS.match(words[0]):
            # A register in another is two words: such a row only ends the one before.
            row = dict(zip(columns, words)) if len(words) == len(columns) else {"CFA": ""}
            rows.append((int(words[0], 16), row))
    yield from finish()


def machine_of(path):
    with open(path, "rb") as file:
        head = file.read(20)
    return MACHINES[int.from_bytes(head[18:20], "little" if head[5] == 1 else "big")]


def look(program, path):
    """Print what was found in a file; is it good?"""
    machine = machine_of(path)
    # It fails where it cannot find a file with more.
    text = subprocess.run([machine["readelf"], "--debug-dump=frames-interp", path],
                          check=False, capture_output=True, text=True).stdout
    ranges = "".join(f"{start:x} {end:x} {' '.join(map(str, rest))}\n"
                     for start, end, *rest in ranges_of(text.splitlines(), machine))
    output = subprocess.run([program, path], check=True, capture_output=True,
                            input=ranges, text=True).stdout
    good = True
    for line in output.splitlines():
        if line.startswith("#"):
            print(line)
            continue
        frame, *numbers = line.split()
        pcs, found, wrong, unsure = map(int, numbers)
        print(f"{path}: {frame}: {pcs} PCs, out of {100 * found / max(pcs, 1):.1f} %; "
              f"wrong though sure {wrong}, unsure {unsure}")
        allowed = KNOWN.get(os.path.basename(path), machine["wrong"]) * pcs \
            if frame == "topmost" else 0
        if frame == "prologue":
            allowed = SIGNED_LATE.get(os.path.basename(path), 0)
        # What compilers make needs SP, mostly.
        rare = frame == "by-FP"
        if not 0 < pcs < 2 * found and not rare or wrong > allowed:
            print(f"FAILED: {path}, {frame}")
            good = False
    return good


def main():
    parser = argparse.ArgumentParser(description="Compare abi.leave with .eh_frame.")
    parser.add_argument("--program", required=True)
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    results = [look(options.program, path) for path in options.files if os.path.exists(path)]
    print(f"{results.count(True)} passed, {results.count(False)} failed")
    return not results or not all(results)


if __name__ == "__main__":
    sys.exit(main())
