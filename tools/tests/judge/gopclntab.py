# SPDX-License-Identifier: GPL-2.0
"""What the judges need to know of Go's functions: which of them nobody called. It is
read from .gopclntab, which stripped programs have too."""

import bisect

ASM_TOP = 1                     # a flag: nobody called it
# Where a stack begins that the scheduler runs on: who called these has been left.
LEFT = ("runtime.mcall", "runtime.morestack")
# The runtime puts the address that was interrupted where RA would be.
INJECTED = ("runtime.asyncPreempt", "runtime.sigpanic")
# Go's own walks end at a handler; ours need not.
HANDLERS = ("runtime.sigtramp", "runtime.sigprofNonGoWrapper")
RELA = 4
MODULE_TEXT = 176


class Functions:
    """The functions of an elf.Elf, none if it is not Go's."""

    def __init__(self, binary):
        self.starts = []
        self.notable = []       # (name, flags) of each
        self.quantum = 0        # of instructions' addresses
        for section in binary.sections:
            if section[0] in (".gopclntab", ".data.rel.ro.gopclntab"):
                self._read(binary, section)

    def _read(self, binary, section):
        base = section[4]

        def get(code, at):
            return binary.numbers(code, base + at)

        magic, count = get("I", 0)[0], get("Q", 8)[0]
        self.quantum = get("B", 6)[0]
        text, names, funcs = get("Q", 24)[0], get("Q", 32)[0], get("Q", 64)[0]
        text = _module_text(binary) or _relocated(binary, section[3] + 24) or text
        flags_at = 37 if magic == 0xfffffff0 else 41
        for i in range(count):
            start, record = get("II", funcs + 8 * i)
            at = funcs + record
            begin = base + names + get("I", at + 4)[0]
            name = binary.data[begin:binary.data.index(b"\0", begin)].decode()
            self.starts.append(text + start)
            self.notable.append((name, get("B", at + flags_at)[0]))

    def is_goexit(self, address):
        """Is this where goroutines return to, which nobody called? It is behind the
        first instruction, which does nothing."""
        index = bisect.bisect_right(self.starts, address) - 1
        return index >= 0 and address == self.starts[index] + self.quantum and \
            self.notable[index][0] == "runtime.goexit"

    def _at(self, address):
        index = bisect.bisect_right(self.starts, address) - 1
        return self.notable[index] if index >= 0 else ("", 0)

    def is_first(self, address, called):
        """Did nobody call the function at address, who is still there? called: it
        was going to call somebody itself."""
        name, flags = self._at(address)
        return bool(flags & ASM_TOP and name not in HANDLERS or called and name in LEFT)

    def is_injected(self, address):
        """Is it no call that this function was entered by?"""
        return self._at(address)[0] in INJECTED


def _module_text(binary):
    """Where Go's code is, as what the runtime knows of the program says since 1.26."""
    for section in binary.sections:
        if section[0] == ".go.module":
            return _relocated(binary, section[3] + MODULE_TEXT) or \
                binary.numbers("Q", section[4] + MODULE_TEXT)[0]
    return None


def _relocated(binary, at):
    """What the file is told to be at an address, or None."""
    for section in binary.sections:
        if section[1] != RELA:
            continue
        for offset in range(section[4], section[4] + section[5], 24):
            where, info, addend = binary.numbers("QQQ", offset)
            if where == at and not info >> 32:
                return addend
    return None
