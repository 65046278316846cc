#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judge what KUnit suites printed, with the kernel tree's own parser.

usage: ktap.py PARSER-DIR LOG

LOG is a kernel log; what counts is between the lines that end in
"sframe-kunit: begin" and "sframe-kunit: end", which the guest writes around
inserting the module of suites.  Prints the results, then "N passed, N failed".
The exit status is 0 only if all is well: the end was reached, each planned
case has a result, none failed, and there is at least one.
"""

import sys


def section(log):
    """The lines between the marks, and whether the second one is there."""
    lines = []
    inside = False
    for line in log:
        line = line.rstrip("\r\n")
        if line.endswith("sframe-kunit: begin"):
            inside = True
        elif line.endswith("sframe-kunit: end"):
            return lines, inside
        elif inside:
            lines.append(line)
    return lines, False


def failed_cases(test):
    """Names of the innermost tests that did not succeed."""
    for sub in test.subtests:
        if not sub.ok_status():
            inner = list(failed_cases(sub))
            yield from inner or [sub.name]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.dont_write_bytecode = True
    sys.path.insert(0, sys.argv[1])
    import kunit_parser
    from kunit_printer import stdout

    with open(sys.argv[2], errors="backslashreplace") as log:
        lines, ended = section(log)
    result = kunit_parser.parse_run_tests(lines, stdout)
    counts = result.counts
    failed = counts.failed + counts.crashed + counts.errors
    for name in failed_cases(result):
        print(f"failed: {name}")
    if not ended:
        print("failed: the suites did not come to an end")
        failed += 1
    if counts.passed == 0:
        print("failed: no case passed")
        failed = max(failed, 1)
    if counts.skipped:
        print(f"{counts.skipped} skipped")
    print(f"{counts.passed} passed, {failed} failed")
    return failed != 0 or not result.ok_status()


if __name__ == "__main__":
    sys.exit(main())
