# SPDX-License-Identifier: GPL-2.0
"""What the judges need to know of an ELF file: which function an address is
in, which stub, and whether a call comes right before a return address."""

import bisect
import collections
import os
import struct

Function = collections.namedtuple("Function", "start end names")

PT_LOAD = 1
PT_GNU_EH_FRAME = 0x6474E550
SHT_SYMTAB, SHT_RELA, SHT_DYNSYM = 2, 4, 11
STT_FUNC, STT_IFUNC, STT_NOTYPE = 2, 10, 0
SHF_EXECINSTR = 4
EM_S390, EM_X86_64, EM_AARCH64 = 22, 62, 183

# What a signal handler returns to: the system call (rt_)sigreturn, and where its
# instructions begin and end.
_SIGRETURNS = {
    EM_X86_64: (("48c7c00f0000000f05", (0, 7, 9)), ("b80f0000000f05", (0, 5, 7))),
    EM_AARCH64: (("681180d2010000d4", (0, 4, 8)),),
    EM_S390: (("0aad", (0, 2)), ("0a77", (0, 2))),
}

# Where musl's threads return to: the system call exit(), with what was returned.
_EXITS = {
    EM_X86_64: "89c731c0b03c0f05",
    EM_AARCH64: "a80b80d2010000d4",
    EM_S390: "0a01",
}


def _x86_call(before, address):
    """The call that `before`, the bytes up to address, may end in."""
    if len(before) >= 5 and before[-5] == 0xE8:
        (rel,) = struct.unpack("<i", before[-4:])
        yield (address + rel) % 2**64
    # FF /2 with each length of its operand (ModRM says which).
    for length in range(2, 8):
        code = before[-length:]
        if len(code) == length and code[0] == 0xFF and code[1] >> 3 & 7 == 2 \
                and _x86_operand_length(code) == length - 1:
            yield None


def _x86_operand_length(code):
    """Length of ModRM, SIB and displacement at code[1]."""
    mod, rm = code[1] >> 6, code[1] & 7
    if mod == 3:
        return 1
    length = 2 if rm == 4 else 1
    base5 = rm == 5 or (rm == 4 and len(code) > 2 and code[2] & 7 == 5)
    if mod == 1:
        return length + 1
    if mod == 2 or base5:
        return length + 4
    return length


def _arm64_call(before, address):
    if len(before) >= 4:
        (word,) = struct.unpack("<I", before[-4:])
        if word >> 26 == 0x25:                          # BL
            rel = (word & 0x3FFFFFF) << 2
            yield (address - 4 + rel - ((rel & 0x8000000) << 1)) % 2**64
        elif word & 0xFEFFF800 == 0xD63F0800 or \
                word & 0xFFFFFC1F == 0xD63F0000:        # BLRA*, BLR
            yield None


def _arm64_made_ra(before):
    """Do these bytes, up to a RA, put it into x30, and end with a jump?"""
    words = struct.unpack(f"<{len(before) // 4}I", before)
    # BR, and before that ADR of what is behind it.
    return words[-1] & 0xFFFFFC1F == 0xD61F0000 and any(
        word & 0x9F00001F == 0x1000001E and not word >> 29 & 3 and
        word >> 5 & 0x7FFFF == len(words) - index
        for index, word in enumerate(words))


def _s390_call(before, address):
    if len(before) >= 6 and before[-6] == 0xC0 and before[-5] & 15 == 5:
        (rel,) = struct.unpack(">i", before[-4:])       # BRASL
        yield (address - 6 + 2 * rel) % 2**64
    if len(before) >= 4 and before[-4] == 0xA7 and before[-3] & 15 == 5:
        (rel,) = struct.unpack(">h", before[-2:])       # BRAS
        yield (address - 4 + 2 * rel) % 2**64
    if len(before) >= 2 and before[-2] == 0x0D and before[-1] & 15:
        yield None                                      # BASR


_CALLS = {EM_X86_64: _x86_call, EM_AARCH64: _arm64_call, EM_S390: _s390_call}


class Elf:
    """One ELF64 file, read whole."""

    def __init__(self, path):
        with open(path, "rb") as file:
            self.data = file.read()
        if self.data[:5] != b"\x7fELF\x02":
            raise ValueError(f"{path}: not an ELF64 file")
        self.path = path
        self.order = "<" if self.data[5] == 1 else ">"
        (self.machine,) = self.numbers("H", 18)
        (self.entry,) = self.numbers("Q", 24)
        self._read_segments()
        self._read_sections()
        self._read_symbols()
        self._read_frame_index()

    def numbers(self, fmt, offset):
        """Numbers at an offset in the file, in its byte order."""
        return struct.unpack_from(self.order + fmt, self.data, offset)

    def _read_segments(self):
        (phoff,) = self.numbers("Q", 32)
        size, count = self.numbers("HH", 54)
        self.loads = []
        self.eh_frame_hdr = None
        for i in range(count):
            kind, _, offset, vaddr, _, filesz = \
                self.numbers("IIQQQQ", phoff + i * size)
            if kind == PT_LOAD:
                self.loads.append((offset, filesz, vaddr))
            elif kind == PT_GNU_EH_FRAME:
                self.eh_frame_hdr = (offset, vaddr)

    def _read_sections(self):
        (shoff,) = self.numbers("Q", 40)
        size, count, strndx = self.numbers("HHH", 58)
        self.sections = []
        raw = [self.numbers("IIQQQQIIQQ", shoff + i * size)
               for i in range(count)] if shoff else []
        for section in raw:
            name = self._string(raw[strndx][4] + section[0])
            self.sections.append((name,) + section[1:])
        self.plts = [(s[3], s[3] + s[5]) for s in self.sections
                     if s[0].startswith((".plt", ".iplt"))]
        self.text = [(s[3], s[3] + s[5]) for s in self.sections
                     if s[2] & SHF_EXECINSTR]

    def _string(self, offset):
        return self.data[offset:self.data.index(b"\0", offset)].decode()

    def _read_symbols(self):
        sized = collections.defaultdict(set)
        labels = collections.defaultdict(set)
        for section in self.sections:
            if section[1] not in (SHT_SYMTAB, SHT_DYNSYM):
                continue
            strings = self.sections[section[6]][4]
            for at in range(section[4], section[4] + section[5], 24):
                name, info, _, shndx, value, size = self.numbers("IBBHQQ", at)
                if not shndx or not name or \
                        not any(a <= value < b for a, b in self.text):
                    continue
                if self.data[strings + name] == ord("$"):
                    continue    # AArch64: here begins code, or data
                if info & 15 in (STT_FUNC, STT_IFUNC) and size:
                    sized[value, value + size].add(self._string(strings + name))
                elif info & 15 in (STT_FUNC, STT_NOTYPE):
                    labels[value].add(self._string(strings + name))
        self.functions = [Function(start, end, names)
                          for (start, end), names in sized.items()]
        self.functions.sort(key=lambda f: (f.start, -f.end))
        self._starts = [f.start for f in self.functions]
        self.labels = dict(labels)
        self._label_starts = sorted(self.labels)

    def _read_frame_index(self):
        """Function starts out of .eh_frame_hdr: there when symbols are not."""
        self.frame_starts = []
        if not self.eh_frame_hdr:
            return
        offset, vaddr = self.eh_frame_hdr
        # Version 1, count as udata4, table as sdata4 relative to this header.
        if self.data[offset] != 1 or self.data[offset + 2:offset + 4] != b"\x03\x3b":
            return
        (count,) = self.numbers("I", offset + 8)
        for i in range(count):
            (start,) = self.numbers("i", offset + 12 + 8 * i)
            self.frame_starts.append(vaddr + start)

    def vaddr(self, offset):
        """The address at which the file says offset is loaded, or None."""
        for start, size, vaddr in self.loads:
            if start <= offset < start + size:
                return offset - start + vaddr
        # The kernel maps whole pages around a segment.
        for start, size, vaddr in self.loads:
            if start & ~4095 <= offset < (start + size + 4095) & ~4095:
                return offset - start + vaddr
        return None

    def bytes_at(self, vaddr, size):
        for start, filesz, base in self.loads:
            if base <= vaddr < base + filesz:
                return self.data[start + vaddr - base:start + vaddr - base + size]
        return b""

    def function_at(self, vaddr):
        """The function with a size that covers vaddr, or None."""
        index = bisect.bisect_right(self._starts, vaddr) - 1
        for function in reversed(self.functions[max(index - 8, 0):index + 1]):
            if function.start <= vaddr < function.end:
                return function
        return None

    def start_of(self, vaddr):
        """Where the function around vaddr begins, as well as can be said."""
        function = self.function_at(vaddr)
        if function:
            return function.start
        index = bisect.bisect_right(self.frame_starts, vaddr) - 1
        return self.frame_starts[index] if index >= 0 else None

    def label_before(self, vaddr):
        """Names of the last symbol without a size at or before vaddr."""
        index = bisect.bisect_right(self._label_starts, vaddr) - 1
        return self.labels[self._label_starts[index]] if index >= 0 else set()

    def in_plt(self, vaddr):
        return any(start <= vaddr < end for start, end in self.plts)

    def calls_before(self, vaddr):
        """Targets of the calls that may come right before vaddr, None for an
        indirect one. Empty: there is no call."""
        return calls_before(self, vaddr)

    def is_sigreturn(self, vaddr):
        """Is this in the code a signal handler returns to?"""
        return any(self.bytes_at(vaddr - at, len(code) // 2) == bytes.fromhex(code)
                   for code, places in _SIGRETURNS.get(self.machine, ())
                   for at in places)

    def is_exit(self, vaddr):
        """Does code end the thread there?"""
        code = bytes.fromhex(_EXITS.get(self.machine, ""))
        return bool(code) and self.bytes_at(vaddr, len(code)) == code


def calls_before(code, at):
    """The same in any code that has bytes_at() and says for which machine it is."""
    before = code.bytes_at(at - 7, 7) or code.bytes_at(at - 6, 6)
    calls = list(_CALLS[code.machine](before, at))
    if not calls and code.machine == EM_AARCH64:
        before = code.bytes_at(at - 24, 24)
        calls = [None] * bool(before and _arm64_made_ra(before))
    return calls


class Image:
    """Code in a file that is no ELF file, as SBCL's core, by its place there."""

    def __init__(self, path, machine):
        self.machine = machine
        with open(path, "rb") as file:
            self.data = file.read()

    def bytes_at(self, offset, size):
        return self.data[offset:offset + size] if offset >= 0 else b""

    def is_empty(self, offset):
        """Is nothing there but room, where code may be made at run time?"""
        return not any(self.data[max(offset - 16, 0):offset + 16])


def is_elf64(path):
    with open(path, "rb") as file:
        return file.read(5) == b"\x7fELF\x02"


class Files:
    """What is known of files by the last part of their name, as the guest's paths
    differ: what read() makes of the first of that name in the folders."""

    MISSING = None      # of what is in none of them

    def __init__(self, *folders):
        self.folders = folders
        self.known = {}
        self.images = {}

    def get(self, path):
        name = os.path.basename(path)
        if name not in self.known:
            self.known[name] = self._find(name)
        return self.known[name]

    def _find(self, name):
        for index, folder in enumerate(self.folders):
            path = os.path.join(folder, name)
            # What is mapped besides, as SBCL's core, says little of its code.
            if os.path.isfile(path) and is_elf64(path):
                return self.read(path, index)
        return self.MISSING

    def image(self, path):
        """An Image, if there is a file of that name that is no ELF file, or None."""
        name = os.path.basename(path)
        if name not in self.images:
            found = [os.path.join(folder, name) for folder in self.folders]
            found = [path for path in found if os.path.isfile(path) and not is_elf64(path)]
            self.images[name] = Image(found[0], self._machine()) if found else None
        return self.images[name]

    def _machine(self):
        """That of whatever ELF file there is: programs have libraries."""
        return next(Elf(os.path.join(folder, name)).machine
                    for folder in self.folders for name in os.listdir(folder)
                    if is_elf64(os.path.join(folder, name)))

    def read(self, path, folder):
        """What is to be known of the file, which is in that folder (a number)."""
        raise NotImplementedError
