#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Work for python3: recursion, generators, classes, sorting, patterns, exceptions.

usage: work.py N
"""

import re
import sys


class Tree:
    """A binary tree without balance."""

    def __init__(self, key):
        self.key = key
        self.left = self.right = None

    def add(self, key):
        side = "left" if key < self.key else "right"
        below = getattr(self, side)
        if below is None:
            setattr(self, side, Tree(key))
        else:
            below.add(key)

    def __iter__(self):
        if self.left:
            yield from self.left
        yield self.key
        if self.right:
            yield from self.right


def fib(number):
    return number if number < 2 else fib(number - 1) + fib(number - 2)


def main():
    size = int(sys.argv[1])
    print(sum(fib(14) for _ in range(size)))
    tree = Tree(500)
    for i in range(size * 60):
        tree.add(i * 7919 % 9973)
    print(sum(tree), sorted(tree, key=lambda key: str(key)[::-1])[0])
    text = " ".join(f"word{i * 7919 % 9973:x}" for i in range(size * 300))
    print(len(re.sub(r"\b(w\w*?)([0-9a-f]+)\b", lambda m: m[2] + m[1].upper(), text)))
    died = 0
    for i in range(size * 100):
        try:
            [][i]
        except IndexError:
            died += 1
    print(died, sum(3 ** i % 1000007 for i in range(size * 20)))


main()
