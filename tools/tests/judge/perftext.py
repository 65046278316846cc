# SPDX-License-Identifier: GPL-2.0
"""Reads the output of

    perf script --no-inline -F comm,pid,tid,time,event,ip,sym,symoff,dso,dsoff

with --show-lost-events. Older versions of perf do not know dsoff: without it
they print, for user frames, the offset in the file in place of the address.
"""

import collections
import os
import re

Frame = collections.namedtuple("Frame", "kernel dso offset symbol")
Sample = collections.namedtuple("Sample", "comm pid tid event user kernel")

_HEADER = re.compile(r"^(\S.*?)\s+(-?\d+)/(-?\d+)\s+(?:[\d.]+:\s+)?(?:\d+\s+)?(\S+):\s*(.*)$")
_FRAME = re.compile(r"^\s+([0-9a-f]+)\s+(.*?)\s*\(([^()]*(?:\([^()]*\))?[^()]*)\)$")
_LOST = re.compile(r"PERF_RECORD_LOST(?:_SAMPLES)?\s.*?lost\s+(\d+)")
_DSOFF = re.compile(r"^(.*)\+0x([0-9a-f]+)$")
# perf names the vDSO after its own copy, but for x86.
_VDSO = re.compile(r"^(?:.*/)?perf-vdso\.so-\w+$")
# So it calls executable memory that is of no file, once something was mapped there; or, where
# that is mapped twice, to be written to and to be executed, the kernel does.
_RUN_TIME = re.compile(r"^(?:(?:.*/)?perf-\d+\.map|/memfd:.* \(deleted\))$")
# A task in the system call that they make is just past them, where no symbol is.
_VDSO_RESTORERS = ("__kernel_sigreturn", "__kernel_rt_sigreturn", "[unknown]")


def _frame(match):
    address = int(match.group(1), 16)
    dso = match.group(3)
    offset = address
    with_offset = _DSOFF.match(dso)
    if with_offset:
        dso, offset = with_offset.group(1), int(with_offset.group(2), 16)
    if _VDSO.match(dso):
        dso = "[vdso]"
    return Frame(address >> 63 == 1, dso, offset, match.group(2))


def is_vdso_sigreturn(frame):
    """Is this the code in the vDSO that a signal handler returns to?"""
    return frame.dso == "[vdso]" and frame.symbol.split("+")[0] in _VDSO_RESTORERS


def is_run_time(frame):
    """Is this code that was made at run time, which no recording keeps?"""
    return _RUN_TIME.match(frame.dso) is not None


def without_copy(frames):
    """On arm64 perf itself adds the innermost function's caller, less one byte,
    to stacks that were not deferred and have that caller already."""
    if len(frames) > 2 and frames[1].dso == frames[2].dso and \
            frames[1].offset + 1 == frames[2].offset:
        return frames[:1] + frames[2:]
    return frames


def user_stacks(samples, count):
    """(sample, its user frames) for all that have any; the others are counted."""
    for sample in samples:
        if sample.user:
            yield sample, without_copy(sample.user)
        else:
            count["kernel" if sample.kernel else "empty"] += 1


def between_programs(frames):
    """In execve(), an interrupt may find the new mm, of which nothing is known
    yet, and the old one's memory still attached. The stack is then perf's own,
    by frame pointers. On arm64 it is known by its second address: that comes
    from the link register, less one."""
    return len(frames) > 1 and frames[0].symbol.split("+")[0] == "execve" and \
        frames[1].offset % 4 == 3


class PerfText:
    """Samples, and how many perf says it lost; .odd has unreadable lines."""

    def __init__(self, lines):
        self.samples = []
        self.lost = 0
        self.odd = []
        self._current = None
        self._frames = {}       # by line: most occur many times
        for line in lines:
            self._line(line.rstrip("\n"))

    def tell_odd(self):
        """Print what is missing; true if there are lines that cannot be read."""
        if self.lost or self.odd:
            print(f"perf lost {self.lost} samples; {len(self.odd)} unreadable lines",
                  *self.odd[:1])
        return bool(self.odd)

    def _line(self, line):
        frame = self._frames.get(line)
        if frame and self._current:
            (self._current.kernel if frame.kernel else self._current.user).append(frame)
            return
        if not line.strip():
            self._current = None
            return
        lost = _LOST.search(line)
        if lost:
            self.lost += int(lost.group(1))
            return
        match = _FRAME.match(line)
        if match and self._current:
            frame = self._frames[line] = _frame(match)
            (self._current.kernel if frame.kernel else self._current.user).append(frame)
            return
        match = _HEADER.match(line)
        if not match or line[0].isspace():
            self.odd.append(line)
            return
        self._current = Sample(match.group(1), int(match.group(2)),
                               int(match.group(3)), match.group(4), [], [])
        self.samples.append(self._current)
        if match.group(5):
            # A sample without a chain shows its one address on this line.
            alone = _FRAME.match(" " + match.group(5))
            if alone and _frame(alone).kernel:
                self._current.kernel.append(_frame(alone))


def read_text(folder):
    """The samples that tools/tests/record has left there."""
    with open(os.path.join(folder, "samples.txt"), encoding="utf-8",
              errors="replace") as file:
        return PerfText(file)


def read_number(path):
    """The number in a file of its own; -1 if there is none."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read().strip() or -1)
    except (OSError, ValueError):
        return -1
