#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges recorded chains of real programs, whose stacks nobody wrote down.

usage: real.py --programs DIR --libs DIR --text DIR --roots FILE [--floor N]
               [--least SHARE] [--objdump COMMAND] [--verbose] [--only NAME,...]
               [--more FILE]

DIR of --text is what tools/tests/record left. FILE says for each program in
which functions its chains end: main, and where its threads start. Classes:

  whole      the outermost frame of the program's own files is such a root
  truncated  own frames, but none is a root; counted by whether some frame is
             in code without tables (libc, assembly without CFI)
  libc       no own frame: libc was running (a leaf without a table)
  startup    no own frame, and the dynamic linker was running, or the kernel
             mapping a new program
  kernel     no user frames, and the kernel was running
  empty      no frames at all: a deferred chain that never came

Each pair of adjacent frames must agree with the code (see calls.py); a chain
with one that does not is inconsistent. A program passes when none is, when
99.5 % of the whole and of those truncated in covered code are whole, and SHARE
(0.99) of all samples but the kernel's own, and there are enough samples. With
--more, programs that only lack samples are neither passed nor failed: they are
named in FILE, to be recorded again.
"""

import argparse
import collections
import os
import sys

import calls
import elf
import perftext
import whole
from stacks import only_lacks, write_names

WHOLE_SHARE = 0.995
CLASSES = ["whole", "truncated-covered", "truncated-uncovered", "libc", "startup",
           "kernel", "empty"]


class Files(elf.Files):
    """(Code of a program or None, whole.File or None)."""

    MISSING = None, None

    def __init__(self, programs, libs, objdump):
        super().__init__(programs, libs)
        self.objdump = objdump
        self.places = {}
        self.answers = {}

    def read(self, path, folder):
        # Another file may define what somebody calls.
        self.answers = {}
        file = whole.File(path)
        code = None
        if folder == 0:
            code = calls.Code(file.elf, calls.disassembly(self.objdump, path))
        return code, file

    def codes(self):
        return [code for code, _ in self.known.values() if code]

    def place(self, frame, returned):
        """The Place of a frame; made once, as most occur in many chains."""
        key = frame, returned
        if key not in self.places:
            self.places[key] = Place(frame, self, returned)
        return self.places[key]


class Place:
    """A frame with its file and address; returned: the address follows a call."""

    def __init__(self, frame, files, returned):
        self.frame = frame
        self.code, self.file = files.get(frame.dso)
        self.elf = self.file.elf if self.file else None
        self.address = self.elf.vaddr(frame.offset) if self.elf else None
        self.sigreturn = perftext.is_vdso_sigreturn(frame) or \
            self.address is not None and self.elf.is_sigreturn(self.address)
        self.at = None if self.address is None else self.address - int(returned)
        self.function = self.elf.function_at(self.at) \
            if self.code and self.at is not None else None
        self.begins = self.at is not None and self.file.begins(self.at)

    def names(self):
        if self.function is None:
            return set()
        return {name.removesuffix(".cold").split(".")[0] for name in self.function.names}

    def covered(self):
        """Is there a table for it? Code without unwind information of any
        kind got none, nor do linkers describe PLTs on s390x."""
        if self.code is None:
            return False
        if self.code.elf.in_plt(self.at):
            return self.code.elf.machine != elf.EM_S390
        return self.function is not None and \
            self.function.start in self.code.elf.frame_starts

    def label(self):
        names = self.function.names if self.function else {self.frame.symbol.split("+")[0]}
        return f"{min(names)} ({os.path.basename(self.frame.dso)})"


def is_linker(place):
    """Is it in the dynamic linker?"""
    return os.path.basename(place.frame.dso).startswith(("ld-linux", "ld64.so"))


def pair(inner, outer, codes):
    """Can outer have called inner?"""
    if outer.address is None:
        return calls.FOREIGN if outer.frame.dso == "[vdso]" else calls.BAD
    if outer.code is None:
        return calls.FOREIGN if outer.elf.calls_before(outer.address) else calls.BAD
    return calls.answer(outer.code, outer.address, inner.code, inner.at, codes,
                        is_linker(inner))


def places(frames, files):
    """The frames as places; what a signal interrupted is no return address."""
    found = []
    returned = False
    for frame in frames:
        place = files.place(frame, returned)
        found.append(place)
        returned = not place.sigreturn
    return found


def pairs(chain, files):
    """The answer for each pair, innermost first."""
    answers = []
    for inner, outer in zip(chain, chain[1:]):
        if inner.sigreturn or outer.sigreturn:
            answers.append(calls.FOREIGN)
            continue
        key = inner, outer
        if key not in files.answers:
            files.answers[key] = pair(inner, outer, files.codes())
        answers.append(files.answers[key])
    return answers


def classify(chain, roots):
    """(class, label of the outermost frame)"""
    if chain[-1].begins:
        return "whole", ""
    own = [place for place in chain if place.code and "_start" not in place.names()]
    if not own:
        leaf = chain[0]
        outside = is_linker(leaf) or leaf.code or leaf.address is None
        return ("startup" if outside else "libc"), leaf.label()
    if own[-1].names() & roots:
        return "whole", ""
    last = chain[-1]
    # Once it went through code without a table, it may have lost SP there.
    covered = all(place.covered() for place in chain)
    return ("truncated-covered" if covered else "truncated-uncovered"), last.label()


class Result:
    def __init__(self):
        self.count = collections.Counter()
        self.pairs = collections.Counter()
        self.ends = collections.Counter()
        self.bad = collections.Counter()
        self.inconsistent = 0

    def total(self):
        """All samples but those of the kernel alone."""
        return sum(self.count.values()) - self.count["kernel"]

    def reasons(self, floor, status, least=0.0):
        good = self.count["whole"]
        covered = good + self.count["truncated-covered"]
        found = []
        if status != 0:
            found.append(f"exit status {status}")
        if self.inconsistent:
            found.append(f"{self.inconsistent} inconsistent")
        if covered < floor:
            found.append(f"{covered} samples, fewer than {floor}")
        elif good < WHOLE_SHARE * covered:
            found.append(f"only {100 * good / covered:.2f} % whole where tables are")
        elif good < least * self.total():
            found.append(f"only {100 * good / self.total():.2f} % of all whole")
        if self.count["empty"] > 0.01 * sum(self.count.values()):
            found.append(f"{self.count['empty']} empty")
        return found


def judge(samples, roots, files):
    result = Result()
    judged = {}
    for _, user in perftext.user_stacks(samples, result.count):
        key = tuple(user)
        if key not in judged:
            chain = places(user, files)
            judged[key] = classify(chain, roots), pairs(chain, files), chain
        (kind, end), answers, chain = judged[key]
        result.count[kind] += 1
        if kind != "whole":
            result.ends[f"{kind} in {end}"] += 1
        result.pairs.update(answers)
        if calls.BAD in answers:
            index = answers.index(calls.BAD)
            result.inconsistent += 1
            outer = chain[index + 1]
            result.bad[f"{chain[index].label()} < {outer.label()} "
                       f"+{outer.frame.offset:#x}"] += 1
    return result


def show(name, result, reasons, limit):
    count = result.count
    total = sum(count.values())
    covered = count["whole"] + count["truncated-covered"]
    print(f"{name}: {'FAIL: ' + ', '.join(reasons) if reasons else 'pass'}")
    print(f"  {total} samples; whole: {count['whole']} = "
          f"{100 * count['whole'] / max(result.total(), 1):.2f} % of {result.total()}, "
          f"{100 * count['whole'] / max(covered, 1):.2f} % of {covered} in its own code")
    print("  " + ", ".join(f"{kind} {count[kind]}" for kind in CLASSES))
    print("  pairs: " + ", ".join(f"{kind} {times}"
                                  for kind, times in result.pairs.most_common()))
    for note, times in result.bad.most_common(limit):
        print(f"  {times:6} x INCONSISTENT {note}")
    for note, times in result.ends.most_common(limit):
        print(f"  {times:6} x {note}")


def read_roots(path):
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and line[0] != "#"]
    return {words[0]: set(words[1:]) for words in lines}


def main():
    parser = argparse.ArgumentParser(description="Judge chains of real programs.")
    for option in ("programs", "libs", "text", "roots"):
        parser.add_argument("--" + option, required=True)
    parser.add_argument("--objdump", default="objdump",
                        help="command, with its arguments, that knows the machine")
    parser.add_argument("--floor", type=int, default=300)
    parser.add_argument("--least", type=float, default=0.99)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", type=lambda names: names.split(","))
    parser.add_argument("--more")
    options = parser.parse_args()
    files = Files(options.programs, options.libs, options.objdump.split())
    text = perftext.read_text(options.text)
    passed = failed = 0
    more = []
    for name, roots in read_roots(options.roots).items():
        if options.only and name not in options.only:
            continue
        samples = [sample for sample in text.samples if sample.comm == name]
        result = judge(samples, roots, files)
        status = perftext.read_number(os.path.join(options.text, name + ".status"))
        reasons = result.reasons(options.floor, status, options.least)
        if options.more and only_lacks(reasons):
            print(f"{name}: again: {reasons[0]}")
            more.append(name)
            continue
        show(name, result, reasons, None if options.verbose else 6)
        passed += not reasons
        failed += bool(reasons)
    failed += text.tell_odd()
    if options.more:
        write_names(options.more, more)
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
