#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Say of what "perf script" printed how many stacks are whole, and show them.

Prints the number of samples, of user stacks, of those that are whole, and in
which files the others end. With --stacks, the hottest whole stacks instead;
with --flames, all stacks are drawn as a flame graph.

A stack is whole when it goes up to main(), or to what calls that: the names of
a program without symbols are only those that it exports. That of a thread goes up to
start_thread() or clone3(), which are named where libc's symbols are, and that of a
goroutine to where Go has begun it. Before there is a
main(), it goes up to the entry of the dynamic linker, which has no name: that is
where the file of the samples has it, if it is on this machine, or --linker FILE.
Samples without a user part, taken in idle and in
kernel threads, have no user stack.
"""

import argparse
import collections
import functools
import html
import re
import struct
import sys
import zlib

FRAME = re.compile(r"^\s+([0-9a-f]+) (.*?)(?:\+0x[0-9a-f]+)? \((.*)\)$")
BASE = re.compile(r"^(main|_start|__libc_start_(call_)?main(@.*)?|start_thread|_rt0_.*|"
                  r"runtime\.(goexit|mstart|rt0_go)(\.abi0)?)$")
# Where threads begin; with callers, it is what somebody calls to start one.
OUTERMOST = re.compile(r"^((__GI_)?(__)?clone3?|thread_start)$")
# Those of the kernel and its modules are in brackets, too.
USER = re.compile(r"^([^[].*|\[(vdso|vsyscall|uprobes|heap|stack|unknown)\])?$")
KERNEL_HALF = 1 << 63
LINKER = re.compile(r"^ld(64)?(-linux.*)?\.so\.\d$")
PAGE = 4096
WIDTH, ROW, NARROWEST = 1200, 17, 0.3


@functools.cache
def entry_of(path):
    """Where the entry of an ELF file is in its page; None if it cannot be read."""
    try:
        with open(path, "rb") as elf:
            header = elf.read(32)
        order = ">" if header[5] == 2 else "<"
        return struct.unpack(order + "Q", header[24:32])[0] % PAGE
    except (OSError, IndexError, struct.error):
        return None


def name_of(address, name, path, linker):
    """A frame's name; that of the dynamic linker's entry, it has none itself."""
    if LINKER.match(path.rsplit("/", 1)[-1]):
        entry = entry_of(linker or path)
        # What the entry calls returns to a few bytes behind it.
        if entry is not None and 0 <= int(address, 16) % PAGE - entry <= 16:
            return "_start"
    return name


def is_users(address, path):
    """Is a frame of the program, and not of the kernel?"""
    if path == "[unknown]":
        return int(address, 16) < KERNEL_HALF
    return USER.match(path) is not None


def samples(lines, linker):
    """The user part of each sample: pairs of symbol and file, the leaf first."""
    stack = None
    for line in lines:
        frame = FRAME.match(line)
        if frame and stack is not None:
            address, name, path = frame.groups()
            if is_users(address, path):
                name = name_of(address, name, path, linker)
                stack.append((name, path.rsplit("/", 1)[-1]))
        elif not line.strip():
            if stack is not None:
                yield stack
            stack = None
        else:
            stack = []
    if stack is not None:
        yield stack


def up_to_main(stack):
    """The names up to main(), or where a thread begins; None if that is missing."""
    for depth, (name, _) in enumerate(stack):
        last = depth == len(stack) - 1
        if BASE.match(name) or last and OUTERMOST.match(name):
            return tuple(shown(frame) for frame in stack[: depth + 1])
    return None


def shown(frame):
    """A frame's name, or the file of one that has none."""
    name, file = frame
    return f"[{file.strip('[]')}]" if name == "[unknown]" else name


def tell(stacks):
    """How many are whole, and where the others end, for programs and people."""
    users = [stack for stack in stacks if stack]
    others = [stack for stack in users if up_to_main(stack) is None]
    print(f"samples {len(stacks)}\nstacks {len(users)}")
    print(f"whole {len(users) - len(others)}")
    ends = collections.Counter(stack[-1][1] for stack in others)
    for file, number in ends.most_common(8):
        print(f"ends {number} {file}")


def show_hottest(stacks, count):
    """The hottest whole stacks, as shares of all that have a user part."""
    total = sum(1 for stack in stacks if stack)
    whole = collections.Counter(filter(None, map(up_to_main, stacks)))
    for stack, number in whole.most_common(count):
        print(f"\n  {100 * number / total:5.1f} %  {stack[-1]}")
        for depth, symbol in enumerate(reversed(stack[:-1]), 1):
            print(f"           {' ' * min(depth, 40)}{symbol}")


class Flame:
    """A frame of the graph: how often it was there, and what it called."""

    def __init__(self):
        self.samples = 0
        self.calls = {}

    def add(self, names):
        """One stack, the outermost name first."""
        flame = self
        flame.samples += 1
        for name in names:
            flame = flame.calls.setdefault(name, Flame())
            flame.samples += 1

    def depth(self):
        """Rows above and with this one."""
        return 1 + max((f.depth() for f in self.calls.values()), default=0)

    def draw(self, name, left, row, total):
        """SVG of this frame and of those above it; row 0 is the lowest."""
        width = WIDTH * self.samples / total
        if width < NARROWEST:
            return
        share = 100 * self.samples / total
        hue = 15 + zlib.crc32(name.encode()) % 40
        text = html.escape(name)
        fits = int(width / 7) - 1
        label = text if len(name) <= fits else html.escape(name[:fits])
        yield (f'<g><title>{text}: {self.samples} samples, {share:.1f} %</title>'
               f'<rect x="{left:.1f}" y="{-ROW * (row + 1)}" width="{width:.1f}"'
               f' height="{ROW - 1}" rx="2" fill="hsl({hue},80%,65%)"/>')
        if fits > 2:
            yield (f'<text x="{left + 3:.1f}" y="{-ROW * row - 5}">'
                   f'{label}</text>')
        yield "</g>"
        for called, flame in sorted(self.calls.items()):
            yield from flame.draw(called, left, row + 1, total)
            left += WIDTH * flame.samples / total


def draw_flames(stacks, path):
    """A flame graph: main() at the bottom, who it calls above it."""
    root = Flame()
    for stack in filter(None, stacks):
        names = up_to_main(stack) or tuple(map(shown, stack))
        root.add(reversed(names))
    height = ROW * root.depth()
    with open(path, "w", encoding="utf-8") as svg:
        print(f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" '
              f'height="{height}" viewBox="0 {-height} {WIDTH} {height}" '
              'font-family="monospace" font-size="11">', file=svg)
        for line in root.draw("all", 0, 0, root.samples):
            print(line, file=svg)
        print("</svg>", file=svg)


def main():
    """See above."""
    sys.setrecursionlimit(10000)
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("file", help="what perf script printed")
    parser.add_argument("--stacks", type=int, metavar="COUNT")
    parser.add_argument("--flames", metavar="SVG")
    parser.add_argument("--linker", metavar="FILE")
    args = parser.parse_args()
    with open(args.file, encoding="utf-8", errors="replace") as text:
        stacks = list(samples(text, args.linker))
    if not any(stacks):
        sys.exit("no sample has a user stack")
    if args.stacks:
        show_hottest(stacks, args.stacks)
    elif args.flames:
        draw_flames(stacks, args.flames)
    else:
        tell(stacks)


if __name__ == "__main__":
    main()
