#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""judge.py DIR: print what tools/bench/run counted, beside the targets."""

import glob
import os
import re
import sys

# What must not be exceeded, by the kind of result.
LIMITS = {
    # "recall", and every frame, makes use of what a table remembers.
    "lookup-cold": (75, "instructions"),
    "recall-cold": (75, "instructions"),
    "frame-cold": (125, "instructions"),
    "frame-hot": (90, "instructions"),
    "build": (40, "instructions per byte"),
    "size": (0.75, "of the .sframe bytes"),
    # Some 11 ms a megabyte; 15 are allowed.
    "eh_frame": (165, "instructions per byte"),
    "transient": (1.2, "of the .eh_frame bytes"),
    # The kernel's tests of users who want to slow others down have a third
    # more time than a walk's budget.
    "follow": (1.3, "of what is charged"),
}
# Tables from .eh_frame, in bytes of that and .eh_frame_hdr: all of an
# architecture's together.
EH_FRAME_TABLES = {"x86_64": 0.6, "aarch64": 0.45, "s390x": 0.45}


def read_counts(directory):
    """{(phase, program): instructions per unit}"""
    counts = {}
    for path in glob.glob(os.path.join(directory, "counts.*")):
        with open(path, encoding="ascii") as dump:
            text = dump.read()
        title = re.search(r"Client Request: (\S+) (\S+) (\d+)", text)
        total = re.search(r"^totals: (\d+)", text, re.M)
        if title and total:
            phase, program, units = title.groups()
            counts[phase, program] = int(total[1]) / int(units)
    return counts


def read_sizes(directory):
    """{program: table bytes per section byte}"""
    sizes = {}
    with open(os.path.join(directory, "sizes"), encoding="ascii") as lines:
        for line in lines:
            kind, program, table, *section = line.split()
            if kind == "size":
                sizes[program] = int(table) / int(section[0])
    return sizes


def read_eh_frame(directory):
    """{program: (table, peak, section, hdr) in bytes}"""
    found = {}
    with open(os.path.join(directory, "sizes"), encoding="ascii") as lines:
        for line in lines:
            kind, program, *sizes = line.split()
            if kind == "eh_frame":
                found[program] = tuple(int(size) for size in sizes)
    return found


class Report:
    """Lines of results; counts those that meet and miss a target."""

    def __init__(self):
        self.passed = 0
        self.failed = 0

    def line(self, name, value, limit=None, unit=""):
        if limit is None:
            print(f"      {name:34}{value:8.2f}          {unit}")
            return
        good = value <= limit
        self.passed += good
        self.failed += not good
        verdict = "ok  " if good else "MISS"
        print(f"{verdict}  {name:34}{value:8.2f} <= {limit:<6g}{unit}")

    def growth(self, name, small, large):
        self.line(name, 100 * (large / small - 1), 5, "% more")


def report_eh_frame(report, counts, files):
    """What a table from .eh_frame takes: time, memory meanwhile, itself."""
    for program in files:
        report.line(f"eh_frame {program}", counts["eh_frame", program],
                    *LIMITS["eh_frame"])
    for program, (_, peak, section, _) in files.items():
        report.line(f"transient {program}", peak / section,
                    *LIMITS["transient"])
    for cpu, limit in EH_FRAME_TABLES.items():
        mine = [f for program, f in files.items() if program.startswith(cpu)]
        if mine:
            report.line(f"size of tables from .eh_frame, {cpu}",
                        sum(f[0] for f in mine) /
                        sum(f[2] + f[3] for f in mine),
                        limit, "of .eh_frame and .eh_frame_hdr")


def order(program):
    """Small before large, synthetic before real."""
    size = {"1k": 1, "30k": 2, "1M": 3}.get(program.split("-")[-1], 0)
    return (size == 0, program.split("-")[0] if size else program, size)


def main():
    directory = sys.argv[1]
    counts, sizes = read_counts(directory), read_sizes(directory)
    loop = counts.pop(("loop", "-"))
    programs = sorted(sizes, key=order)
    report = Report()

    for phase in ("lookup-cold", "recall-cold", "recall-hot",
                  "frame-cold", "frame-hot"):
        for program in programs:
            if (phase, program) not in counts:
                continue
            value = counts[phase, program]
            if not phase.startswith("frame"):
                value -= loop
            report.line(f"{phase} {program}", value,
                        *LIMITS.get(phase, (None, "instructions")))
    for program in programs:
        report.line(f"build {program}", counts["build", program],
                    *LIMITS["build"])
    for program in programs:
        report.line(f"size {program}", sizes[program], *LIMITS["size"])
    report.growth("lookup-cold 1k to 1M",
                  counts["lookup-cold", "V2-1k"] - loop,
                  counts["lookup-cold", "V2-1M"] - loop)
    report.growth("build per byte 1k to 1M",
                  counts["build", "V2-1k"], counts["build", "V2-1M"])
    report_eh_frame(report, counts, read_eh_frame(directory))
    for phase, program in sorted(counts):
        if phase == "follow":
            report.line(f"follow {program}", counts[phase, program],
                        *LIMITS[phase])
    print("For comparison, per frame:")
    for name, text in (("libunwind-step", "libunwind (unw_step, cached)"),
                       ("libunwind-backtrace", "libunwind (unw_backtrace)"),
                       ("frame-pointers", "frame pointers (bare loop)")):
        report.line(text, counts[name, "-"], unit="instructions")
    print(f"{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
