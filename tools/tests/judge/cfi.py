# SPDX-License-Identifier: GPL-2.0
"""Does .eh_frame say that a stack ends here?

Of the outermost function (_start, a thread's start) the tables say that its return
address is undefined. That is all that is read here, for single addresses.
"""

import bisect
import struct

DW_CFA_UNDEFINED = 0x07
# Operands of the instructions without one in their low bits: b a byte, h two, w
# four, q eight bytes, u and s numbers of any length, x a block, a an address.
_OPERANDS = {0x00: "", 0x01: "a", 0x02: "b", 0x03: "h", 0x04: "w", 0x05: "uu", 0x06: "u",
             0x07: "u", 0x08: "u", 0x09: "uu", 0x0A: "", 0x0B: "", 0x0C: "uu", 0x0D: "u",
             0x0E: "u", 0x0F: "x", 0x10: "ux", 0x11: "us", 0x12: "us", 0x13: "s",
             0x14: "uu", 0x15: "us", 0x16: "ux", 0x2D: "", 0x2E: "u", 0x2F: "uu"}
_SIZES = {"b": 1, "h": 2, "w": 4, "q": 8}


class Reader:
    """Reads forward through bytes."""

    def __init__(self, data, at, end, order):
        self.data, self.at, self.end, self.order = data, at, end, order

    def get(self, code):
        size = struct.calcsize(code)
        (value,) = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += size
        return value

    def number(self):
        """ULEB128; signed ones are only stepped over."""
        value = shift = 0
        while True:
            byte = self.get("B")
            value |= (byte & 127) << shift
            shift += 7
            if not byte & 128:
                return value

    def string(self):
        end = self.data.index(b"\0", self.at)
        text = self.data[self.at:end]
        self.at = end + 1
        return text


class Cie:
    """What a CIE says that matters here."""

    def __init__(self, reader):
        reader.get("B")
        augmentation = reader.string()
        self.code_align = reader.number()
        reader.number()
        self.ra = reader.number()
        self.address = "q"
        self.augmented = augmentation.startswith(b"z")
        if self.augmented:
            end = reader.number()
            end += reader.at
            for letter in augmentation[1:]:
                if letter == ord("R"):
                    self.address = "w" if reader.get("B") & 15 in (3, 11) else "q"
                elif letter == ord("L"):
                    reader.get("B")
                elif letter == ord("P"):
                    reader.at += 4 if reader.get("B") & 15 in (3, 11) else 8
            reader.at = end
        self.begin, self.end = reader.at, reader.end


class Frames:
    """The .eh_frame of an elf.Elf, by its .eh_frame_hdr."""

    def __init__(self, binary):
        self.elf = binary
        self.entries = []
        if binary.frame_starts:
            offset, vaddr = binary.eh_frame_hdr
            for i in range(len(binary.frame_starts)):
                start, fde = struct.unpack_from(binary.order + "ii", binary.data,
                                                offset + 12 + 8 * i)
                self.entries.append((vaddr + start, vaddr + fde))

    def _reader(self, vaddr):
        for start, size, base in self.elf.loads:
            if base <= vaddr < base + size:
                at = vaddr - base + start
                length, = struct.unpack_from(self.elf.order + "I", self.elf.data, at)
                return Reader(self.elf.data, at + 4, at + 4 + length, self.elf.order)
        return None

    def bounds(self):
        """(start, end) of what each FDE describes."""
        for start, vaddr in self.entries:
            reader = self._reader(vaddr)
            cie_reader = self._reader(vaddr + 4 - reader.get("I"))
            cie_reader.get("I")
            size = _SIZES[Cie(cie_reader).address]
            reader.at += size
            yield start, start + reader.get("I" if size == 4 else "Q")

    def is_outermost(self, pc):
        """Is the return address undefined at pc?"""
        index = bisect.bisect_right(self.entries, (pc, 1 << 64)) - 1
        if index < 0:
            return False
        start, vaddr = self.entries[index]
        reader = self._reader(vaddr)
        back = reader.get("I")
        cie_reader = self._reader(vaddr + 4 - back)
        cie_reader.get("I")
        cie = Cie(cie_reader)
        size = _SIZES[cie.address]
        code = "i" if size == 4 else "q"
        reader.get(code)
        if pc >= start + reader.get(code.upper()):
            return False
        if cie.augmented:
            length = reader.number()
            reader.at += length
        undefined = self._run(Reader(self.elf.data, cie.begin, cie.end, self.elf.order),
                              cie, start, pc, False)
        return self._run(reader, cie, start, pc, undefined)

    @staticmethod
    def _run(reader, cie, at, pc, undefined):
        """Execute until pc: is the return address undefined then?"""
        stack = []
        while reader.at < reader.end:
            byte = reader.get("B")
            kind, low = byte >> 6, byte & 63
            if kind == 1:
                at += low * cie.code_align
            elif kind == 2:
                undefined &= low != cie.ra
                reader.number()
            elif kind == 0:
                values = []
                for operand in _OPERANDS[low]:
                    if operand in "us":
                        values.append(reader.number())
                    elif operand == "x":
                        length = reader.number()
                        reader.at += length
                    else:
                        size = _SIZES.get(operand) or _SIZES[cie.address]
                        values.append(int.from_bytes(
                            reader.data[reader.at:reader.at + size],
                            "little" if reader.order == "<" else "big"))
                        reader.at += size
                if low in (2, 3, 4):
                    at += values[0] * cie.code_align
                elif low == DW_CFA_UNDEFINED and values[0] == cie.ra:
                    undefined = True
                elif low == 0x0A:
                    stack.append(undefined)
                elif low == 0x0B and stack:
                    undefined = stack.pop()
            if at > pc:
                break
        return undefined
