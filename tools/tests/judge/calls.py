# SPDX-License-Identifier: GPL-2.0
"""Can this frame have been called from that one? Told by the code itself.

A return address follows a call instruction. When that names its target, the
frame inside it must be the target, or a function that the target jumps to
instead of returning (a tail call, or a part of it that was moved away).
"""

import collections
import re
import subprocess

# The answers. Only BAD means that the chain cannot be.
DIRECT = "direct"           # the call names the function
TAIL = "tail"               # ... or one that jumps to it
INDIRECT = "indirect"       # a call through a pointer: may be anything
MAYBE_TAIL = "maybe-tail"   # ... names one that jumps through a pointer
FOREIGN = "foreign"         # code without symbols: only the call was looked for
BAD = "bad"

_JUMP = re.compile(r"^\s*([0-9a-f]+):\s+(?:notrack |bnd )*"
                   r"(j[a-z]*|b(?:\.[a-z]+)?|cbn?z|tbn?z|br(?!asl?\b|k\b)[a-z]*|"
                   r"c[lg]*i?r?j[a-z]*)\s+(.*)$")
_TARGET = re.compile(r"([0-9a-f]+) <[^>]+>$")
# s390x returns by a jump.
_RETURN = "%r14"
_STUB = re.compile(r"^([0-9a-f]+) <([^>@]+)(?:@[^>]*)?@plt>:$")


def disassembly(objdump, path):
    """Lines of a file's disassembly; objdump is a list of words."""
    return subprocess.run([*objdump, "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout.splitlines()


def jump_of(line):
    """(address, target; None: through a pointer) of the jump in a line of disassembly,
    or None."""
    jump = _JUMP.match(line)
    if not jump or jump.group(3) == _RETURN:
        return None
    # Behind # stands what lies at an address that an operand uses.
    target = _TARGET.search(jump.group(3).split("#")[0].rstrip())
    return int(jump.group(1), 16), int(target.group(1), 16) if target else None


class Jumps:
    """What a file's functions jump to, and what its PLT stubs are for."""

    def __init__(self, binary, lines):
        self.to = collections.defaultdict(set)      # start -> starts
        self.indirect = set()                       # starts
        self.stubs = {}                             # address -> name
        for line in lines:
            stub = _STUB.match(line)
            if stub:
                self.stubs[int(stub.group(1), 16)] = stub.group(2)
                continue
            jump = jump_of(line)
            if jump:
                self._jump(binary, *jump)

    def _jump(self, binary, at, address):
        source = binary.start_of(at)
        if address is None:
            self.indirect.add(source)
            return
        start = address if binary.in_plt(address) else binary.start_of(address)
        if start != source:
            self.to[source].add(start)


class Code:
    """One file: an Elf and its jumps."""

    def __init__(self, binary, lines):
        self.elf = binary
        self.jumps = Jumps(binary, lines)
        self.names = {name: function.start for function in binary.functions
                      for name in function.names}

    def stub_name(self, address):
        """Name behind the stub at or around address, or None."""
        if not self.elf.in_plt(address):
            return None
        for at in range(address, address - 16, -1):
            if at in self.jumps.stubs:
                return self.jumps.stubs[at]
        return "?"


class Reach:
    """Where control can get by jumps alone from one place in one file."""

    def __init__(self, code, start, codes):
        self.places = set()     # (file, address of a function or stub)
        self.outside = False    # a stub for something in no file we know
        self.stub = False       # a stub
        self.pointer = False    # a jump through a pointer
        todo = [(code, start)]
        while todo:
            place = todo.pop()
            if place not in self.places:
                self.places.add(place)
                todo.extend(self._next(*place, codes))

    def _next(self, code, start, codes):
        self.pointer |= start in code.jumps.indirect
        name = code.stub_name(start)
        if name is None:
            return [(code, target) for target in code.jumps.to[start]]
        self.stub = True
        # Any file may be the one whose definition the dynamic linker took.
        found = [(other, other.names[name]) for other in codes if name in other.names]
        self.outside |= not found
        return found


def _match(code, target, callee, codes, linker):
    """One candidate target against the callee (its file and start, or None).
    The first call through a stub comes to the dynamic linker, which looks up who
    is meant.
    """
    start = target if code.elf.in_plt(target) else code.elf.start_of(target)
    reach = Reach(code, start, codes)
    if callee in reach.places:
        return DIRECT if start == callee[1] or code.elf.in_plt(start) else TAIL
    if callee is None and (reach.outside or linker and reach.stub):
        return FOREIGN
    return MAYBE_TAIL if reach.pointer else BAD


def _match_stub(code, candidates, callee_code, codes):
    """The callee is in a stub: of the PLT that is called, or jumped to."""
    if any(map(code.elf.in_plt, candidates)):
        return DIRECT
    pointer = False
    for target in candidates:
        reach = Reach(code, code.elf.start_of(target), codes)
        pointer |= reach.pointer
        for place, at in reach.places:
            if place is callee_code and place.elf.in_plt(at):
                return TAIL
    return MAYBE_TAIL if pointer else BAD


def answer(code, return_address, callee_code, callee_at, codes, linker=False):
    """Can the frame at callee_at (an address in callee_code's file; None: in a
    file without symbols) have been called by the call before return_address?
    `codes` are all files with symbols; `linker`: the callee's is the dynamic linker.
    """
    candidates = code.elf.calls_before(return_address)
    if not candidates:
        return BAD
    if None in candidates:
        return INDIRECT
    callee = None
    if callee_code is not None:
        if callee_code.elf.in_plt(callee_at):
            return _match_stub(code, candidates, callee_code, codes)
        callee = callee_code, callee_code.elf.start_of(callee_at)
    answers = [_match(code, target, callee, codes, linker) for target in candidates]
    for one in (DIRECT, TAIL, FOREIGN, MAYBE_TAIL):
        if one in answers:
            return one
    return BAD
