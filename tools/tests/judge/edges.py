# SPDX-License-Identifier: GPL-2.0
"""Can one frame have been called from another, in files without symbols?

As calls.py asks it of programs that have them; but here functions are what FDEs,
.gopclntab and the symbols that are left say, and only those are disassembled that a
call names while another function is the inner frame: it may jump there.
"""

import bisect
import shlex
import subprocess

import calls

# The answers. Only WRONG means that the chain cannot be.
RIGHT = "right"         # the call names the function, or one that jumps to it
UNTOLD = "untold"       # it goes through a pointer or a PLT, or to what has no bounds
WRONG = "wrong"

# OCaml's exceptions out of C: SP and RA are made those of the call of C, and then its
# function is jumped to that raises, which that call does not name.
RAISES = {"caml_raise_exn"}

# Functions that are looked at for one call, at most: some jump to most of their file.
REACH_MAX = 64


class Functions:
    """Where the functions of a whole.File begin and end."""

    def __init__(self, file):
        bounds = dict(file.frames.bounds())
        for function in file.elf.functions:
            bounds.setdefault(function.start, function.end)
        go = file.go.starts
        for start, end in zip(go, go[1:]):
            bounds.setdefault(start, end)
        self.bounds = sorted(bounds.items())

    def at(self, address):
        """(start, end) of the function around address, or None."""
        index = bisect.bisect_right(self.bounds, (address, 1 << 64)) - 1
        # A symbol may lie within an FDE, as those of OpenSSL's ciphers.
        for start, end in reversed(self.bounds[max(index - 3, 0):index + 1]):
            if start <= address < end:
                return start, end
        return None

    def before(self, address):
        """The same; or of the function before that: glibc's system calls that start a
        thread have no CFI from there on where the new one is, too."""
        index = bisect.bisect_right(self.bounds, (address, 1 << 64)) - 1
        return self.at(address) or (self.bounds[index] if index >= 0 else None)


class Disassembler:
    """objdump for one function after the other. command is a list of words, of which the
    last is objdump, and those before it say where it is run, which may take long to begin."""

    def __init__(self, command):
        *self.where, self.objdump = command
        self.shell = None

    def lines(self, path, start, end):
        if not self.shell:
            self.shell = subprocess.Popen([*self.where, "sh"], stdin=subprocess.PIPE,
                                          stdout=subprocess.PIPE, text=True)
        self.shell.stdin.write(
            f"{self.objdump} -D --no-show-raw-insn --start-address={start:#x} "
            f"--stop-address={end:#x} {shlex.quote(path)} && echo done || echo failed\n")
        self.shell.stdin.flush()
        while (line := self.shell.stdout.readline().rstrip("\n")) != "done":
            if line == "failed" or self.shell.poll() is not None:
                raise OSError(f"{path}: cannot be disassembled")
            yield line

    def close(self):
        if self.shell:
            self.shell.communicate()


class Edges:
    """Asks the code of any files, by a Disassembler."""

    def __init__(self, disassembler):
        self.disassembler = disassembler
        self.functions = {}
        self.jumps = {}
        self.answers = {}

    def answer(self, caller, return_address, callee, address):
        """Has the frame at address in callee (a whole.File, or None if it is not
        known) been called from before return_address in caller?"""
        key = caller.elf.path, return_address, callee and callee.elf.path, address
        if key not in self.answers:
            targets = caller.elf.calls_before(return_address)
            if None in targets or not targets:
                answers = [UNTOLD]
            else:
                answers = [self._reach(caller, target, callee, address)
                           for target in targets]
            if self._raises(callee, address):
                answers.append(UNTOLD)
            self.answers[key] = next(one for one in (RIGHT, UNTOLD, WRONG)
                                     if one in answers)
        return self.answers[key]

    @staticmethod
    def _raises(callee, address):
        if callee is None:
            return False
        function = callee.elf.function_at(address)
        names = function.names if function else callee.elf.label_before(address)
        return bool(names & RAISES)

    def _functions(self, file):
        if file.elf.path not in self.functions:
            self.functions[file.elf.path] = Functions(file)
        return self.functions[file.elf.path]

    def _reach(self, caller, target, callee, address):
        """Is address where control gets from target by jumps?"""
        functions = self._functions(caller)
        inner = functions.before(address) if caller is callee else None
        todo, seen, untold = [target], set(), False
        while todo:
            at = todo.pop()
            bounds = functions.at(at)
            if caller.elf.in_plt(at) or not bounds:
                untold = True
                continue
            if bounds == inner:
                return RIGHT
            if bounds in seen:
                continue
            if len(seen) == REACH_MAX:
                return UNTOLD
            seen.add(bounds)
            targets = self._jumps(caller, bounds)
            untold |= None in targets
            todo.extend(targets - {None})
        return UNTOLD if untold else WRONG

    def _jumps(self, file, bounds):
        """Where the function's jumps lead, out of it; None: through a pointer."""
        key = file.elf.path, bounds
        if key not in self.jumps:
            self.jumps[key] = set()
            for line in self.disassembler.lines(file.elf.path, *bounds):
                jump = calls.jump_of(line)
                if jump and (jump[1] is None or not bounds[0] <= jump[1] < bounds[1]):
                    self.jumps[key].add(jump[1])
        return self.jumps[key]
