#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sum up what gcov tells of the module's files.

usage: coverage.py SOURCE <JSON

JSON is what "gcov -b --json-format --stdout" prints, one object a line. SOURCE
is where the files were compiled. Prints for every file of the project the
lines and branches that were executed, and which lines were not; a file passes
with 95 % of its lines in the core, 85 % elsewhere.
"""

import collections
import json
import os
import sys

CORE = ("kernel/core/", "include/")
CORE_SHARE, SHARE = 95.0, 85.0


class File:
    """Executions of each line; of each branch of a line, in any function."""

    def __init__(self):
        self.lines = collections.Counter()
        self.branches = {}

    def add(self, line):
        number = line["line_number"]
        self.lines[number] += line["count"]
        counts = [branch["count"] for branch in line.get("branches", [])]
        known = self.branches.setdefault(number, [])
        known.extend([0] * (len(counts) - len(known)))
        for index, count in enumerate(counts):
            known[index] += count

    def missed(self):
        return sorted(number for number, count in self.lines.items() if not count)


def share(done, of):
    return 100.0 * done / of if of else 100.0


def ranges(numbers):
    """"3-5 9" of 3, 4, 5, 9."""
    found = []
    for number in numbers:
        if found and found[-1][1] == number - 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in found)


def read(stream, source):
    files = collections.defaultdict(File)
    for text in stream:
        if not text.strip():
            continue
        unit = json.loads(text)
        for entry in unit["files"]:
            path = os.path.normpath(os.path.join(unit["current_working_directory"],
                                                 entry["file"]))
            name = os.path.relpath(path, source)
            if not name.startswith(("kernel/", "include/sframe/")):
                continue
            for line in entry["lines"]:
                files[name].add(line)
    return files


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    files = read(sys.stdin, sys.argv[1])
    passed = failed = 0
    totals = collections.Counter()
    print(f"{'file':34} {'lines':>6} {'%':>6} {'branches':>9} {'%':>6}  not executed")
    for name in sorted(files):
        file = files[name]
        missed = file.missed()
        branches = [count for counts in file.branches.values() for count in counts]
        lines = len(file.lines)
        percent = share(lines - len(missed), lines)
        taken = sum(1 for count in branches if count)
        group = "core" if name.startswith(CORE) else "glue"
        totals.update({(group, "lines"): lines, (group, "hit"): lines - len(missed),
                       (group, "branches"): len(branches), (group, "taken"): taken})
        good = percent >= (CORE_SHARE if group == "core" else SHARE)
        passed += good
        failed += not good
        print(f"{name:34} {lines:6} {percent:6.1f} {len(branches):9} "
              f"{share(taken, len(branches)):6.1f}  {'' if good else 'FEW: '}{ranges(missed)}")
    for group in ("core", "glue"):
        print(f"{group:34} {totals[group, 'lines']:6} "
              f"{share(totals[group, 'hit'], totals[group, 'lines']):6.1f} "
              f"{totals[group, 'branches']:9} "
              f"{share(totals[group, 'taken'], totals[group, 'branches']):6.1f}")
    print(f"{passed} passed, {failed} failed")
    return failed != 0 or not passed


if __name__ == "__main__":
    sys.exit(main())
