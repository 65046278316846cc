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
                   r"(j[a-z]+|b(?:\.[a-z]+)?|br|cbn?z|tbn?z|jg[a-z]*)\s+(.*)$")
_TARGET = re.compile(r"([0-9a-f]+) <([^>]+)>$")
_STUB = re.compile(r"^([0-9a-f]+) <([^>@]+)(?:@[^>]*)?@plt>:$")


def disassembly(path):
    """Lines of objdump's disassembly of a file."""
    return subprocess.run(["objdump", "-d", "--no-show-raw-insn", path], check=True,
                          capture_output=True, text=True).stdout.splitlines()


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
            jump = _JUMP.match(line)
            if jump:
                self._jump(binary, int(jump.group(1), 16), jump.group(3))

    def _jump(self, binary, at, operands):
        source = binary.start_of(at)
        target = _TARGET.search(operands)
        if not target:
            if "*" in operands or not re.search(r"\d", operands.split("<")[0]) \
                    or operands.startswith("x"):
                self.indirect.add(source)
            return
        address = int(target.group(1), 16)
        start = address if binary.in_plt(address) else binary.start_of(address)
        if start != source:
            self.to[source].add(start)


class Code:
    """One file: an Elf and its jumps."""

    def __init__(self, binary, lines):
        self.elf = binary
        self.jumps = Jumps(binary, lines)

    def reachable(self, start):
        """Functions and stubs that control can jump to from a function, and
        whether one of them jumps through a pointer."""
        seen = {start}
        todo = [start]
        while todo:
            for target in self.jumps.to[todo.pop()]:
                if target not in seen:
                    seen.add(target)
                    todo.append(target)
        return seen, bool(seen & self.jumps.indirect)

    def stub_name(self, address):
        """Name behind the stub at or around address, or None."""
        if not self.elf.in_plt(address):
            return None
        for at in range(address, address - 16, -1):
            if at in self.jumps.stubs:
                return self.jumps.stubs[at]
        return "?"


def _match(code, target, callee, callee_at, same_file):
    """One candidate target against the callee: an answer."""
    seen, pointer = code.reachable(
        target if code.elf.in_plt(target) else code.elf.start_of(target))
    if same_file and callee_at in seen:
        return DIRECT if callee_at == target else TAIL
    names = {code.stub_name(address) for address in seen} - {None}
    if callee is None and names:
        return FOREIGN
    if callee is not None and names & (callee.names | {"?"}):
        return DIRECT if code.elf.in_plt(target) else TAIL
    return MAYBE_TAIL if pointer else BAD


def answer(code, return_address, callee_code, callee_at):
    """Can the frame at callee_at (an address in callee_code's file; None: in a
    file without symbols) have been called by the call before return_address?
    """
    calls = code.elf.calls_before(return_address)
    if not calls:
        return BAD
    if None in calls:
        return INDIRECT
    callee = at = None
    if callee_code is not None:
        if callee_code.elf.in_plt(callee_at):
            at = callee_at - callee_at % 8
            return DIRECT if any(code.elf.in_plt(target) for target in calls) else BAD
        callee = callee_code.elf.function_at(callee_at)
        at = callee.start if callee else callee_code.elf.start_of(callee_at)
    answers = [_match(code, target, callee, at, callee_code is code) for target in calls]
    for one in (DIRECT, TAIL, FOREIGN, MAYBE_TAIL):
        if one in answers:
            return one
    return BAD
