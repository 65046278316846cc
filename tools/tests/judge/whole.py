#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges recorded chains of unmodified programs: are they whole?

usage: whole.py --text DIR... [--beside NAME=DIR]... [--least SHARE] [--floor N]
                [--objdump COMMAND] NAME...

The DIRs of --text are what tools/tests/record left of one recording or more, of
which the programs NAME are judged; those of --beside are of others of the same
work, which are shown beside. Every sample with user frames counts. It is

  whole      its outermost frame is where a program or the dynamic linker begins
             (the ELF entry), or one of which the tables say that nothing called it
             (_start, where a thread starts), or what goroutines of Go return to,
             or where a stack of its scheduler begins, or whose code ends the thread
             when it is returned to (musl's threads)
  cut        it is not
  empty      neither user nor kernel frames: a deferred chain that never came

Not counted, but shown: kernel (no user frames, the kernel was running), and between:
the kernel was replacing the program by another, whose memory is there while the
registers are the old one's. Then there is one user address, in execve() or in no file.

What a signal, Go's scheduler or nothing interrupted aside, each caller's address must
follow a call. Code made at run time is not there to be asked: "not seen" counts the
samples that have a caller there, and none elsewhere that no call precedes. With
--objdump (a command that knows the machine), a call that names its target must also
lead to the function inside it (edges.py): "wrong" counts the samples where one does
not.
A program passes when SHARE (0.99) of its samples are whole, no caller is without
a call or with a wrong one, and there are N samples (300).
"""

import argparse
import collections
import os
import sys

import cfi
import edges
import elf
import gopclntab
import perftext

# How far behind the entry its code may go: _start has no size in stripped files.
ENTRY_SIZE = 160


class File:
    """One ELF file and what its tables say."""

    def __init__(self, path):
        self.elf = elf.Elf(path)
        self.frames = cfi.Frames(self.elf)
        self.go = gopclntab.Functions(self.elf)

    def begins(self, address, called=True):
        """Is this in the code at the entry, or where the tables end stacks? called:
        it is the byte before a return address."""
        return self.elf.entry <= address < self.elf.entry + ENTRY_SIZE or \
            self.frames.is_outermost(address) or self.go.is_first(address, called) or \
            (called and self.elf.is_exit(address + 1))


class Files(elf.Files):
    """File or None."""

    def read(self, path, folder):
        return File(path)


class Result:
    """Counts of one program in one recording."""

    def __init__(self):
        self.count = collections.Counter()
        self.uncalled = 0
        self.wrong = 0
        self.unseen = 0
        self.faults = collections.Counter()
        self.ends = collections.Counter()
        self.bytes = 0

    def judged(self):
        return sum(self.count[kind] for kind in ("whole", "cut", "empty"))

    def share(self):
        return self.count["whole"] / max(self.judged(), 1)

    def reasons(self, least, floor, status):
        found = []
        if status != 0:
            found.append(f"exit status {status}")
        if not self.judged():
            found.append("no sample")
        elif self.judged() < floor:
            found.append(f"{self.judged()} samples, fewer than {floor}")
        elif self.share() < least:
            found.append(f"{100 * self.share():.2f} % whole, less than {100 * least:g}")
        if self.uncalled:
            found.append(f"{self.uncalled} with a caller that no call precedes")
        if self.wrong:
            found.append(f"{self.wrong} with a caller that calls another function")
        return found


class Place:
    """A frame in its file. exact: its address is no return address; back: what is to
    be added to one that is; last: no frame is outside it."""

    def __init__(self, frame, exact, last, files, back):
        self.frame = frame
        self.exact = exact
        self.goexit = False
        self.file = files.get(frame.dso)
        self.address = self.file.elf.vaddr(frame.offset) if self.file else None
        if self.address is None:
            self.begins = False
            self.interrupted = perftext.is_vdso_sigreturn(frame)
            return
        self.address += 0 if exact else back
        self.at = self.address - (not exact)
        self.goexit = last and not exact and self.file.go.is_goexit(self.address)
        self.begins = self.goexit or self.file.begins(self.at, not exact)
        # What is outside it was not called, and its address is exact.
        self.interrupted = self.file.elf.is_sigreturn(self.address) or \
            self.file.go.is_injected(self.at)

    def is_unseen(self, files):
        """Is it in code made at run time?"""
        image = files.image(self.frame.dso)
        return perftext.is_run_time(self.frame) or \
            bool(image and image.is_empty(self.frame.offset))

    def is_called(self, files):
        """Does a call precede it?"""
        if self.address is not None:
            return self.interrupted or self.goexit or \
                bool(self.file.elf.calls_before(self.address))
        image = files.image(self.frame.dso)
        return self.frame.dso.startswith("[vdso]") or \
            bool(image and elf.calls_before(image, self.frame.offset))


def places(frames, files, back):
    exact = True        # the innermost address is no return address
    found = []
    for index, frame in enumerate(frames):
        found.append(Place(frame, exact, index == len(frames) - 1, files, back))
        exact = found[-1].interrupted
    return found


def look(chain, files):
    """(is it whole?, the first caller that no call precedes or None, is there one in
    code made at run time?)"""
    callers = [place for place in chain if not place.exact]
    unseen = [place for place in callers
              if place.address is None and place.is_unseen(files)]
    uncalled = next((place.frame for place in callers
                     if place not in unseen and not place.is_called(files)), None)
    return chain[-1].begins, uncalled, bool(unseen)


def first_wrong(chain, asked):
    """The first (callee, caller) of which the call leads to somebody else, or None."""
    for callee, caller in zip(chain, chain[1:]):
        if None in (callee.address, caller.address) or callee.interrupted or \
                caller.interrupted:
            continue
        if asked.answer(caller.file, caller.address, callee.file, callee.at) == edges.WRONG:
            return callee.frame, caller.frame
    return None


def between_programs(sample, user):
    """Was this taken in execve(), with nothing left to walk?"""
    return sample.kernel and len(user) == 1 and \
        (user[0].dso == "[unknown]" or user[0].symbol.split("+")[0] == "execve")


def label(frame):
    name = frame.symbol.split("+")[0]
    return f"{name} ({os.path.basename(frame.dso)}+{frame.offset:#x})"


def judge(samples, files, back=0, asked=None):
    result = Result()
    judged = {}
    for sample, user in perftext.user_stacks(samples, result.count):
        if between_programs(sample, user):
            result.count["between"] += 1
            continue
        key = tuple(user)
        if key not in judged:
            chain = places(user, files, back)
            judged[key] = *look(chain, files), asked and first_wrong(chain, asked)
        whole, uncalled, unseen, wrong = judged[key]
        result.count["whole" if whole else "cut"] += 1
        if uncalled:
            result.uncalled += 1
            result.faults[f"no call before {label(uncalled)}"] += 1
            continue
        result.unseen += unseen
        if wrong:
            result.wrong += 1
            result.faults[f"{label(wrong[0])} is not what is called before "
                          f"{label(wrong[1])}"] += 1
        if not whole:
            result.ends[f"ends in {label(user[-1])}"] += 1
    return result


class Recording:
    """What one or more runs of tools/tests/record left."""

    def __init__(self, folders):
        self.folders = folders
        self.files = Files(*(os.path.join(folder, "libs") for folder in folders))
        self.by_comm = collections.defaultdict(list)
        self.lost = 0
        size = samples = 0
        for folder in folders:
            text = perftext.read_text(folder)
            self.lost += text.lost
            for sample in text.samples:
                self.by_comm[sample.comm].append(sample)
            samples += len(text.samples)
            size += perftext.read_number(os.path.join(folder, "bytes"))
        self.per_sample = size // max(samples, 1)

    def status(self, name):
        return max((perftext.read_number(os.path.join(folder, name + ".status"))
                    for folder in self.folders
                    if os.path.exists(os.path.join(folder, name + ".status"))), default=-1)


def cells(result):
    return f"{100 * result.share():7.2f} {result.uncalled:8} {result.wrong:6} {result.unseen:9}"


def show(names, recordings, results):
    """The table: a line for each program, columns for each recording."""
    print(f"{'':12}" + "".join(f" | {name:^41}" for name in recordings))
    print(f"{'program':12}" + " | samples  whole %  no call  wrong  not seen" * len(recordings))
    for name in names:
        print(f"{name:12}" + "".join(
            f" | {results[way][name].judged():7} {cells(results[way][name])}"
            for way in recordings))
    print(f"{'bytes/sample':12}" + "".join(
        f" | {recording.per_sample:41}" for recording in recordings.values()))


def arguments():
    parser = argparse.ArgumentParser(description="Are chains of any programs whole?")
    parser.add_argument("--text", nargs="+", required=True)
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--least", type=float, default=0.99)
    parser.add_argument("--floor", type=int, default=300)
    parser.add_argument("--objdump", help="command, with its arguments, that knows the "
                        "machine: are calls' targets what they say?")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("names", nargs="+")
    return parser.parse_args()


def main():
    options = arguments()
    recordings = {"sframe": Recording(options.text)}
    for beside in options.beside:
        name, _, folder = beside.partition("=")
        recordings[name] = Recording([folder])
    results = {}
    objdump = edges.Disassembler(options.objdump.split()) if options.objdump else None
    asked = edges.Edges(objdump) if objdump else None
    for way, recording in recordings.items():
        # perf prints the address of the call in its DWARF chains.
        back = int(way.startswith("dwarf"))
        results[way] = {name: judge(recording.by_comm[name], recording.files, back, asked)
                        for name in options.names}
    if objdump:
        objdump.close()
    show(options.names, recordings, results)
    failed = 0
    for name in options.names:
        result = results["sframe"][name]
        reasons = result.reasons(options.least, options.floor,
                                 recordings["sframe"].status(name))
        print(f"{name}: {'FAIL: ' + ', '.join(reasons) if reasons else 'pass'}"
              f" ({result.count['kernel']} of the kernel alone, "
              f"{result.count['between']} between programs, "
              f"{result.count['empty']} empty)")
        for notes in result.faults, result.ends:
            for note, times in notes.most_common(None if options.verbose else 5):
                print(f"  {times:6} x {note}")
        failed += bool(reasons)
    print(f"{len(options.names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
