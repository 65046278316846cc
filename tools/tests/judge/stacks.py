#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges recorded chains of the programs with known stacks.

usage: stacks.py --programs DIR --libs DIR --text DIR [--version V3]
           [--dwarf] [--verbose] [--only NAME,...] [--more FILE]

DIR of --text is what tools/tests/record left: samples.txt, in which a sample
belongs to the program its comm names, and a NAME.status for each NAME.stacks
in the programs' DIR. Every sample falls in one class:

  exact      whole and right up to main; every frame has a table
  truncated  right but ends early, though every frame has a table
  uncovered  right, and leads through code without tables (+ whole, - not)
  wrong      a frame that is not in the truth, a gap, a false order, or a
             return address that no call precedes
  outside    before main or after it, in ld.so and libc alone, or in the
             kernel that maps a new program
  kernel     no user frames, and the kernel was running; or it was just about
             to enter a signal handler
  empty      no frames at all: a deferred chain that never came

A program passes when no sample is wrong, 99.5 % of exact + truncated are
exact, there are enough of them, at most 1 % are empty and it exited with 0.
With --more, programs that only lack samples, also to say that not enough are
exact, are neither passed nor failed: they are named in FILE, to be recorded again.
"""

import argparse
import collections
import os
import sys

import elf
import perftext
import truth

EXACT_SHARE = 0.995
EMPTY_SHARE = 0.01
# Of fewer samples, one or two are more than may not be exact.
TELLING = 1000
NOT_OURS = {"_init", "_fini", "deregister_tm_clones", "register_tm_clones",
            "__do_global_dtors_aux", "frame_dummy", "call_weak_fn", "__wrap_main"}
CLASSES = ["exact", "truncated", "whole-uncovered", "part-uncovered", "wrong",
           "outside", "kernel", "empty"]


class Files(elf.Files):
    """(ELF file or None, is it in the first folder, with the programs?)."""

    MISSING = None, False

    def read(self, path, folder):
        return elf.Elf(path), folder == 0


class Namer:
    """Gives frames the names that the truth uses for them."""

    def __init__(self, program, known, files, back):
        self.truth = known
        self.back = back    # what perf took off each return address
        self.files = files
        binary, _ = files.get(program)
        self.static = binary is not None and not any(
            section[0] == ".interp" for section in binary.sections)

    def chain(self, frames):
        """Names of the frames, and the index of the first return address that
        cannot be one (or None)."""
        names = []
        exact = True        # the innermost address is not a return address
        suspect = None
        for index, frame in enumerate(frames):
            binary, own = self.files.get(frame.dso)
            vaddr = binary.vaddr(frame.offset) if binary else None
            if vaddr is not None and not exact:
                vaddr += self.back
            restorer = perftext.is_vdso_sigreturn(frame) or \
                vaddr is not None and binary.is_sigreturn(vaddr)
            if suspect is None and not exact and not restorer and \
                    not self._may_return_to(frame, binary, vaddr):
                suspect = index
            names.append(self._name(frame, binary, own, vaddr, exact or restorer))
            # What a signal interrupted is not a return address either.
            exact = restorer
        return names, suspect

    @staticmethod
    def _may_return_to(frame, binary, vaddr):
        if frame.dso == "[vdso]":
            return True
        return vaddr is not None and bool(binary.calls_before(vaddr))

    def _name(self, frame, binary, own, vaddr, exact):
        if binary is None or vaddr is None:
            return "?" if frame.dso in ("[unknown]", "//anon") else truth.FOREIGN
        if not own:
            return truth.FOREIGN
        at = vaddr if exact else vaddr - 1
        if binary.in_plt(at):
            return truth.PLT
        function = binary.function_at(at)
        names = function.names if function else binary.label_before(at)
        names = {name.removesuffix(".cold") for name in names}
        ours = names & self.truth.names
        if ours:
            return min(ours)
        if truth.START in names:
            return truth.START
        if self.static or names & NOT_OURS:
            return truth.FOREIGN
        return min(names) if names else "?"


class Verdict:
    """Counts of one program, and its chains worth showing."""

    def __init__(self):
        self.count = collections.Counter()
        self.shown = collections.Counter()

    def passed(self, floor, status):
        return not self.reasons(floor, status)

    def reasons(self, floor, status):
        count = self.count
        covered = count["exact"] + count["truncated"]
        found = []
        if status != 0:
            found.append(f"exit status {status}")
        if count["wrong"]:
            found.append(f"{count['wrong']} wrong")
        if covered < floor:
            found.append(f"{covered} covered samples, fewer than {floor}")
        elif count["exact"] < EXACT_SHARE * covered:
            found.append(f"{100 * count['exact'] / covered:.2f} % exact" +
                         (f" of {covered}, fewer than {TELLING}"
                          if covered < TELLING else ""))
        if count["empty"] > EMPTY_SHARE * sum(count.values()):
            found.append(f"{count['empty']} empty")
        return found


def only_lacks(reasons):
    """Is all that is wrong that there are too few samples?"""
    return len(reasons) == 1 and ", fewer than " in reasons[0]


def classify(known, names, suspect):
    """The class of one chain of user frames."""
    if names == ["?"]:
        # The innermost address is no unwinder's work. It is in no file when
        # execve() has taken the old ones away.
        return "outside"
    if not set(names) & known.names:
        # Nothing of the program's own: the run-time's start and end.
        own = set(names) - {truth.FOREIGN, truth.PLT, truth.START}
        return "wrong" if own or suspect is not None else "outside"
    verdict, _ = known.match(names)
    if verdict == "wrong" or suspect is not None:
        return "wrong"
    if known.covered(names):
        return verdict
    return "whole-uncovered" if verdict == "exact" else "part-uncovered"


def place(frame):
    return f"({os.path.basename(frame.dso)}+{frame.offset:#x})"


def describe(known, names, suspect, frames):
    """One line on a chain that is not exact."""
    verdict, index = known.match(names)
    if suspect is not None:
        index, note = suspect, "no call before"
    elif verdict == "wrong":
        note = "not in the truth:"
    else:
        return f"ends early: {' < '.join(names[-4:])} {place(frames[-1])}"
    near = " < ".join(names[max(index - 3, 0):index + 2])
    return f"{note} frame {index} {names[index]} {place(frames[index])} in {near}"


def judge(program, known, samples, files, back=0):
    """Judge all samples of one program."""
    namer = Namer(program, known, files, back)
    verdict = Verdict()
    binary, _ = files.get(program)
    arm64 = binary is not None and binary.machine == elf.EM_AARCH64
    judged = {}
    for sample, user in perftext.user_stacks(samples, verdict.count):
        if arm64 and perftext.between_programs(user):
            verdict.count["outside"] += 1
            continue
        if sample.kernel and user[0].symbol.removesuffix("+0x0") in known.entered:
            verdict.count["kernel"] += 1
            continue
        key = tuple(user)
        if key not in judged:
            names, suspect = namer.chain(user)
            kind = classify(known, names, suspect)
            note = describe(known, names, suspect, user) \
                if kind in ("wrong", "truncated") else None
            judged[key] = kind, note
        kind, note = judged[key]
        verdict.count[kind] += 1
        if note:
            verdict.shown[f"{kind}: {note}"] += 1
    return verdict


def row(name, verdict, result):
    count = verdict.count
    covered = count["exact"] + count["truncated"]
    share = f"{100 * count['exact'] / covered:6.2f}" if covered else "     -"
    uncovered = f"{count['whole-uncovered']}+{count['part-uncovered']}-"
    return (f"{name:16} {sum(count.values()):7} {count['exact']:7} {share} "
            f"{count['truncated']:6} {uncovered:>10} {count['wrong']:6} "
            f"{count['outside']:7} {count['kernel']:6} {count['empty']:6}  "
            f"{result}")


HEADER = (f"{'program':16} samples   exact      % trunc.  uncovered  wrong "
          f"outside kernel  empty  verdict")


def judge_program(name, options, samples, files):
    """(verdict, reasons to fail) of one program."""
    with open(os.path.join(options.programs, name + ".stacks"), encoding="utf-8") as file:
        known = truth.Truth(file.read(), options.version)
    status = perftext.read_number(os.path.join(options.text, name + ".status"))
    verdict = judge(name, known, samples, files, int(options.dwarf))
    return verdict, verdict.reasons(known.floor, status)


def by_comm(text):
    groups = collections.defaultdict(list)
    for sample in text.samples:
        groups[sample.comm].append(sample)
    return groups


def arguments():
    parser = argparse.ArgumentParser(description="Judge chains of known programs.")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--libs", required=True)
    parser.add_argument("--text", required=True)
    parser.add_argument("--version", default="V3", choices=["V1", "V2", "V3"])
    parser.add_argument("--dwarf", action="store_true",
                        help="text of perf's DWARF chains: it prints the address of calls")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--only", type=lambda names: names.split(","),
                        help="these programs")
    parser.add_argument("--more", help="file for the names of who lacks samples")
    return parser.parse_args()


def write_names(path, names):
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(name + "\n" for name in names)


def main():
    options = arguments()
    files = Files(options.programs, options.libs)
    names = sorted(name[:-len(".stacks")] for name in os.listdir(options.programs)
                   if name.endswith(".stacks"))
    if options.only:
        names = [name for name in names if name in options.only]
    text = perftext.read_text(options.text)
    groups = by_comm(text)
    failed = 0
    more = []
    print(HEADER)
    for name in names:
        verdict, reasons = judge_program(name, options, groups[name], files)
        if options.more and only_lacks(reasons):
            print(row(name, verdict, "again: " + reasons[0]))
            more.append(name)
            continue
        print(row(name, verdict, "FAIL: " + ", ".join(reasons) if reasons else "pass"))
        # Wrong ones first: "wrong" sorts after "truncated".
        worst = sorted(verdict.shown.items(), key=lambda item: (item[0][:5], item[1]))
        for note, times in worst[::-1][:None if options.verbose else 3]:
            print(f"    {times:5} x {note}")
        failed += bool(reasons)
    failed += text.tell_odd()
    if options.more:
        write_names(options.more, more)
    print(f"{len(names) - len(more) - failed} passed, {failed} failed")
    return 1 if failed or not names else 0


if __name__ == "__main__":
    sys.exit(main())
