#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Print the hottest whole stacks of what "perf script" printed.

usage: hottest.py PERF-SCRIPT-OUTPUT [COUNT]

A stack is whole when it goes up to main(). Samples without a user part, taken
in idle and in kernel threads, are not counted.
"""

import collections
import re
import sys

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")


def user_stacks(lines):
    """The user part of each sample, a list of symbols, the leaf first."""
    stack = None
    for line in lines:
        frame = FRAME.match(line)
        if frame and stack is not None:
            if not frame.group(3).startswith("["):
                stack.append(frame.group(2))
        elif not line.strip():
            if stack:
                yield stack
            stack = None
        else:
            stack = []
    if stack:
        yield stack


def main():
    with open(sys.argv[1], errors="replace") as text:
        stacks = list(user_stacks(text))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 0
    whole = collections.Counter(
        tuple(stack[: stack.index("main") + 1])
        for stack in stacks if "main" in stack)
    total = len(stacks)
    if total == 0:
        sys.exit("no sample has a user stack")
    share = 100 * sum(whole.values()) / total
    print(f"{total} samples, {share:.1f} % of the stacks whole up to main")
    for stack, number in whole.most_common(count):
        print(f"\n  {100 * number / total:5.1f} %  {stack[-1]}")
        for depth, symbol in enumerate(reversed(stack[:-1]), 1):
            print(f"           {' ' * depth}{symbol}")


if __name__ == "__main__":
    main()
