# SPDX-License-Identifier: GPL-2.0
"""The language in which a program declares the call chains it can show.

A NAME.stacks file has one statement a line:

    leaf (middle | other middle)? main     a chain, innermost function first
    uncovered: f g                         no table describes f and g
    uncovered V1 V2: f                     ... in these versions of the format
    covered: @libc                         the program sees to it that libc is
    root worker                            chains may also end at worker
    entered: handler                       the kernel has it run, see below
    floor 50                               fewest covered samples (40 if unsaid)

A chain is a regular expression whose letters are function names: ( ) group,
| separates alternatives, and ? * + {n} {m,n} repeat. Two names are special:
"@libc" is one frame in code that is not the program's own, "@plt" a stub of
a procedure linkage table. A chain that ends at main or another root may go on
with the frames of libc that called it, and then _start.

While the kernel makes a signal handler run, it changes the registers one after
the other: a sample of just then has the handler's first instruction for its
leaf, and what was interrupted for the caller.
"""

import re

FOREIGN = "@libc"
PLT = "@plt"
START = "_start"
SPECIAL = {FOREIGN, PLT}

_TOKEN = re.compile(r"\s*([A-Za-z_@][\w.@$]*|[()|?*+]|\{\d+(?:,\d+)?\})")
_ABOVE_ROOT = f"({FOREIGN} ({FOREIGN} {START}?)?)?"


class TruthError(Exception):
    """A statement that makes no sense."""


class _Nfa:
    """States are numbers; edges[state] lists (name or None, next state)."""

    def __init__(self):
        self.edges = []

    def state(self):
        self.edges.append([])
        return len(self.edges) - 1

    def edge(self, source, name, target):
        self.edges[source].append((name, target))


class _Parser:
    """Recursive descent over one pattern; fragments are syntax trees."""

    def __init__(self, text):
        self.tokens = []
        position = 0
        text = text.strip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match:
                raise TruthError(f"cannot read: {text[position:]}")
            self.tokens.append(match.group(1))
            position = match.end()
        self.next = 0

    def peek(self):
        return self.tokens[self.next] if self.next < len(self.tokens) else None

    def take(self):
        self.next += 1
        return self.tokens[self.next - 1]

    def parse(self):
        tree = self.choice()
        if self.peek() is not None:
            raise TruthError(f"unexpected {self.peek()}")
        return tree

    def choice(self):
        branches = [self.sequence()]
        while self.peek() == "|":
            self.take()
            branches.append(self.sequence())
        return ("choice", branches)

    def sequence(self):
        items = []
        while self.peek() not in (None, "|", ")"):
            items.append(self.repeated())
        if not items:
            raise TruthError("empty alternative")
        return ("sequence", items)

    def repeated(self):
        tree = self.atom()
        while self.peek() and self.peek()[0] in "?*+{":
            tree = ("repeat", tree, *_bounds(self.take()))
        return tree

    def atom(self):
        token = self.take()
        if token == "(":
            tree = self.choice()
            if self.peek() != ")":
                raise TruthError("missing )")
            self.take()
            return tree
        if token[0] in ")|?*+{":
            raise TruthError(f"unexpected {token}")
        return ("name", token)


def _bounds(token):
    """Fewest and most repetitions; None is no limit."""
    if token in "?*+":
        return {"?": (0, 1), "*": (0, None), "+": (1, None)}[token]
    low, _, high = token[1:-1].partition(",")
    return int(low), int(high or low)


def _compile(nfa, tree, start):
    """Add the tree's states from `start` on; return the state it ends in."""
    kind = tree[0]
    if kind == "name":
        end = nfa.state()
        nfa.edge(start, tree[1], end)
        return end
    if kind == "sequence":
        for item in tree[1]:
            start = _compile(nfa, item, start)
        return start
    if kind == "choice":
        end = nfa.state()
        for branch in tree[1]:
            nfa.edge(_compile(nfa, branch, start), None, end)
        return end
    _, item, low, high = tree
    for _ in range(low):
        start = _compile(nfa, item, start)
    if high is None:
        loop = nfa.state()
        nfa.edge(start, None, loop)
        nfa.edge(_compile(nfa, item, loop), None, loop)
        return loop
    ends = [start]
    for _ in range(high - low):
        start = _compile(nfa, item, start)
        ends.append(start)
    end = nfa.state()
    for one in ends:
        nfa.edge(one, None, end)
    return end


def _names(tree):
    if tree[0] == "name":
        return {tree[1]}
    if tree[0] == "repeat":
        return _names(tree[1])
    return set().union(*(_names(item) for item in tree[1]))


class Truth:
    """What one program may show: chains, coverage, floor."""

    def __init__(self, text, version="V3"):
        self.names = set()
        self.uncovered = {FOREIGN}
        self.floor = 40
        self.roots = {"main"}
        self.entered = set()
        self._nfa = _Nfa()
        self._start = self._nfa.state()
        self._moves = {}
        chains = []
        for line in text.splitlines():
            if line.strip():
                self._statement(line.split(), line, version, chains)
        ends = [self._add(chain) for chain in chains + ["limit main"]]
        # Ending among the frames above a root is as good as at the root.
        self._whole = self._reachable(ends)

    def _statement(self, words, line, version, chains):
        if words[0] == "covered:":
            self.uncovered.difference_update(words[1:])
        elif words[0] == "root" and len(words) > 1:
            self.roots.update(words[1:])
        elif words[0] == "entered:":
            self.entered.update(words[1:])
        elif words[0] == "floor" and len(words) == 2:
            self.floor = int(words[1])
        elif words[0].rstrip(":") == "uncovered":
            head, colon, functions = line.partition(":")
            if not colon:
                raise TruthError(f"no colon: {line}")
            versions = head.split()[1:]
            self.names.update(set(functions.split()) - SPECIAL)
            if not versions or version in versions:
                self.uncovered.update(functions.split())
        else:
            chains.append(line)

    def _add(self, chain):
        """Add a chain; return the state in which its root was reached."""
        tree = _Parser(chain).parse()
        self.names |= _names(tree) - SPECIAL
        end = _compile(self._nfa, tree, self._start)
        _compile(self._nfa, _Parser(_ABOVE_ROOT).parse(), end)
        return end

    def _reachable(self, states, follow=lambda name: True):
        seen = set(states)
        todo = list(seen)
        while todo:
            for name, target in self._nfa.edges[todo.pop()]:
                if target not in seen and follow(name):
                    seen.add(target)
                    todo.append(target)
        return frozenset(seen)

    def _closure(self, states):
        return self._reachable(states, lambda name: name is None)

    def _move(self, states, name):
        key = (states, name)
        if key not in self._moves:
            found = {target for state in states
                     for edge, target in self._nfa.edges[state] if edge == name}
            self._moves[key] = self._closure(found)
        return self._moves[key]

    def match(self, chain):
        """Compare a chain of names, innermost first, with the truth.

        Returns (verdict, index): "exact", None when it is a declared chain up
        to its root; "truncated", None when it is the beginning of one;
        "wrong", i when no declared chain has frame i there.
        """
        states = self._closure([self._start])
        for index, name in enumerate(chain):
            states = self._move(states, name)
            if not states:
                return "wrong", index
        return ("exact" if states & self._whole else "truncated"), None

    def covered(self, chain):
        """Do tables describe every frame of the chain up to its root?"""
        for name in chain:
            if name in self.roots:
                break
            if name in self.uncovered:
                return False
        return True
