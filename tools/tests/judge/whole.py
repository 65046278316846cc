#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Judges recorded chains of unmodified programs: are they whole?

usage: whole.py --text DIR... [--beside NAME=DIR]... [--least SHARE] [--floor N]
                [--sections DIR] NAME...

The DIRs of --text are what tools/tests/record left of one recording or more, of
which the programs NAME are judged; those of --beside are of others of the same
work, which are shown beside. Every sample with user frames counts. It is

  whole      its outermost frame is where a program or the dynamic linker begins
             (the ELF entry), or one of which the tables say that nothing called it
             (_start, where a thread starts), or what goroutines of Go return to,
             or where a stack of its scheduler begins
  cut        it is not
  empty      neither user nor kernel frames: a deferred chain that never came

Not counted, but shown: kernel (no user frames, the kernel was running), and between:
the kernel was replacing the program by another, whose memory is there while the
registers are the old one's. Then there is one user address, in execve() or in no file.

What a signal, Go's scheduler or nothing interrupted aside, each caller's address must
follow a call. Code made at run time is not there to be asked: "not seen" counts the
samples that have a caller there, and none elsewhere that no call precedes.
A program passes when SHARE (0.99) of its samples are whole, no caller is without
a call, and there are N samples (300).
"""

import argparse
import collections
import os
import sys

import cfi
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
            self.frames.is_outermost(address) or self.go.is_first(address, called)


class Files(elf.Files):
    """File or None."""

    def read(self, path, folder):
        return File(path)


class Result:
    """Counts of one program in one recording."""

    def __init__(self):
        self.count = collections.Counter()
        self.uncalled = 0
        self.unseen = 0
        self.notes = collections.Counter()
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
        return found


def look(frames, files, back):
    """(is it whole?, the first caller that no call precedes or None, is there one in
    code made at run time?)"""
    exact = True        # the innermost address is no return address
    uncalled = None
    unseen = begins = False
    for frame in frames:
        file = files.get(frame.dso)
        address = file.elf.vaddr(frame.offset) if file else None
        begins = False
        if address is None:
            restorer = perftext.is_vdso_sigreturn(frame)
            image = files.image(frame.dso) if not exact else None
            if not exact and (perftext.is_run_time(frame) or
                              (image and image.is_empty(frame.offset))):
                unseen = True
            elif not exact and not frame.dso.startswith("[vdso]") and \
                    not (image and elf.calls_before(image, frame.offset)):
                uncalled = uncalled or frame
        else:
            if not exact:
                address += back
            restorer = file.elf.is_sigreturn(address)
            goexit = not exact and frame is frames[-1] and file.go.is_goexit(address)
            if not exact and not (restorer or goexit or
                                  file.elf.calls_before(address)):
                uncalled = uncalled or frame
            begins = goexit or file.begins(address - (not exact), not exact)
            restorer = restorer or file.go.is_injected(address - (not exact))
        exact = restorer
    return begins, uncalled, unseen


def between_programs(sample, user):
    """Was this taken in execve(), with nothing left to walk?"""
    return sample.kernel and len(user) == 1 and \
        (user[0].dso == "[unknown]" or user[0].symbol.split("+")[0] == "execve")


def label(frame):
    name = frame.symbol.split("+")[0]
    return f"{name} ({os.path.basename(frame.dso)}+{frame.offset:#x})"


def judge(samples, files, back=0):
    result = Result()
    judged = {}
    for sample, user in perftext.user_stacks(samples, result.count):
        if between_programs(sample, user):
            result.count["between"] += 1
            continue
        key = tuple(user)
        if key not in judged:
            judged[key] = look(user, files, back)
        whole, uncalled, unseen = judged[key]
        result.count["whole" if whole else "cut"] += 1
        if uncalled:
            result.uncalled += 1
            result.notes[f"no call before {label(uncalled)}"] += 1
            continue
        result.unseen += unseen
        if not whole:
            result.notes[f"ends in {label(user[-1])}"] += 1
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
            with open(os.path.join(folder, "samples.txt"), encoding="utf-8",
                      errors="replace") as file:
                text = perftext.PerfText(file)
            self.lost += text.lost
            for sample in text.samples:
                self.by_comm[sample.comm].append(sample)
            samples += len(text.samples)
            size += read_number(os.path.join(folder, "bytes"))
        self.per_sample = size // max(samples, 1)

    def status(self, name):
        return max((read_number(os.path.join(folder, name + ".status"))
                    for folder in self.folders
                    if os.path.exists(os.path.join(folder, name + ".status"))), default=-1)


def read_number(path):
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read().strip() or -1)
    except (OSError, ValueError):
        return -1


def cells(result):
    return f"{100 * result.share():7.2f} {result.uncalled:8} {result.unseen:9}"


def show(names, recordings, results):
    """The table: a line for each program, columns for each recording."""
    print(f"{'':12}" + "".join(f" | {name:^34}" for name in recordings))
    print(f"{'program':12}" + " | samples  whole %  no call  not seen" * len(recordings))
    for name in names:
        print(f"{name:12}" + "".join(
            f" | {results[way][name].judged():7} {cells(results[way][name])}"
            for way in recordings))
    print(f"{'bytes/sample':12}" + "".join(
        f" | {recording.per_sample:34}" for recording in recordings.values()))


def arguments():
    parser = argparse.ArgumentParser(description="Are chains of any programs whole?")
    parser.add_argument("--text", nargs="+", required=True)
    parser.add_argument("--beside", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--least", type=float, default=0.99)
    parser.add_argument("--floor", type=int, default=300)
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
    for way, recording in recordings.items():
        # perf prints the address of the call in its DWARF chains.
        back = int(way.startswith("dwarf"))
        results[way] = {name: judge(recording.by_comm[name], recording.files, back)
                        for name in options.names}
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
        for note, times in result.notes.most_common(None if options.verbose else 5):
            print(f"  {times:6} x {note}")
        failed += bool(reasons)
    print(f"{len(options.names) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
