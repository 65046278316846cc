#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the judges: each kind of bad chain must be seen as what it is.

usage: test_judge.py [-v]; ends with "N passed, N failed".
"""

import contextlib
import io
import os
import struct
import subprocess
import sys
import tempfile
import unittest

import calls
import cfi
import edges
import elf
import gopclntab
import perfdata
import perftext
import real
import records
import stacks
import truth
import whole

RECURSION = """
bottom (rec_c rec_b rec_a){3} main
rec_a (rec_c rec_b rec_a){0,2} main
"""


def chain(text):
    return text.split()


class TruthLanguage(unittest.TestCase):
    def match(self, known, text):
        return truth.Truth(known).match(chain(text))

    def test_whole_recursion_is_exact(self):
        self.assertEqual(self.match(RECURSION, "bottom " + "rec_c rec_b rec_a " * 3 + "main"),
                         ("exact", None))

    def test_one_cycle_too_few_is_wrong_at_main(self):
        self.assertEqual(self.match(RECURSION, "bottom " + "rec_c rec_b rec_a " * 2 + "main"),
                         ("wrong", 7))

    def test_one_cycle_too_many_is_wrong(self):
        self.assertEqual(self.match(RECURSION, "bottom " + "rec_c rec_b rec_a " * 4 + "main"),
                         ("wrong", 10))

    def test_skipped_frame_is_wrong(self):
        self.assertEqual(self.match(RECURSION, "bottom rec_c rec_a"), ("wrong", 2))

    def test_swapped_frames_are_wrong(self):
        self.assertEqual(self.match(RECURSION, "rec_c bottom"), ("wrong", 0))

    def test_beginning_is_truncated(self):
        for length in range(1, 10):
            text = ("bottom " + "rec_c rec_b rec_a " * 3).split()[:length]
            self.assertEqual(self.match(RECURSION, " ".join(text)), ("truncated", None))

    def test_leaf_alone_may_not_be_main_less(self):
        self.assertEqual(self.match("leaf? main", "leaf"), ("truncated", None))
        self.assertEqual(self.match("leaf? main", "main"), ("exact", None))

    def test_frames_above_main(self):
        known = "leaf main"
        for above in ("", "@libc", "@libc @libc", "@libc @libc _start"):
            self.assertEqual(self.match(known, "leaf main " + above), ("exact", None))
        self.assertEqual(self.match(known, "leaf main _start"), ("wrong", 2))
        self.assertEqual(self.match(known, "leaf main @libc @libc @libc"), ("wrong", 4))
        self.assertEqual(self.match(known, "leaf main main"), ("wrong", 2))

    def test_libc_frames_in_the_middle(self):
        known = "compare @libc+ sorter main"
        self.assertEqual(self.match(known, "compare @libc @libc sorter main"), ("exact", None))
        self.assertEqual(self.match(known, "compare sorter"), ("wrong", 1))
        # What following main's frame pointer out of libc gives.
        self.assertEqual(self.match(known, "compare @libc main"), ("wrong", 2))

    def test_choice_and_star(self):
        known = "(a | b c)* main"
        self.assertEqual(self.match(known, "a b c a main"), ("exact", None))
        self.assertEqual(self.match(known, "a b a"), ("wrong", 2))

    def test_coverage(self):
        known = truth.Truth("uncovered V1 V2: drap\nuncovered: asm\nleaf (drap | asm) main", "V2")
        self.assertFalse(known.covered(chain("leaf drap main")))
        self.assertFalse(known.covered(chain("leaf asm main")))
        self.assertTrue(known.covered(chain("leaf main @libc @libc")))
        known = truth.Truth("uncovered V1 V2: drap\nleaf drap main", "V3")
        self.assertTrue(known.covered(chain("leaf drap main")))

    def test_floor_and_roots(self):
        known = truth.Truth("floor 7\nroot worker\nleaf worker")
        self.assertEqual(known.floor, 7)
        self.assertTrue(known.covered(chain("leaf worker @libc")))
        self.assertEqual(known.match(chain("leaf worker @libc @libc")), ("exact", None))

    def test_nonsense_is_refused(self):
        for text in ("a (b main", "a | ", ") main", "a {2} | | b", "uncovered f", "a & b"):
            with self.assertRaises(truth.TruthError, msg=text):
                truth.Truth(text)


class PerfOutput(unittest.TestCase):
    TEXT = """\
prog with space   12/13     1.000001: cpu-clock:ppp:
\tffffffff81000010 do_thing+0x10 ([kernel.kallsyms])
\t    55550000125e bottom+0xe (/in/prog+0x125e)
\t    7fff00001000 [unknown] (/usr/lib/libc.so.6+0x27249)

swapper  0/0   1.1: PERF_RECORD_LOST lost 5

prog   12/12     1.000002: cpu-clock:
\t            1262 main (/in/prog (deleted))

prog   12/12     1.000003: cpu-clock:

prog   12/12     1.000004: cpu-clock:  ffffffff81000010 do_thing+0x10 ([kernel.kallsyms])
"""

    def test_samples(self):
        text = perftext.PerfText(self.TEXT.splitlines())
        self.assertEqual(text.odd, [])
        self.assertEqual(text.lost, 5)
        self.assertEqual(len(text.samples), 4)
        first = text.samples[0]
        self.assertEqual((first.comm, first.pid, first.tid), ("prog with space", 12, 13))
        self.assertEqual(len(first.kernel), 1)
        self.assertEqual(first.event, "cpu-clock:ppp")
        self.assertEqual([(f.dso, f.offset) for f in first.user],
                         [("/in/prog", 0x125E), ("/usr/lib/libc.so.6", 0x27249)])
        self.assertEqual(text.samples[1].user[0].offset, 0x1262)
        self.assertEqual((text.samples[2].user, text.samples[2].kernel), ([], []))
        self.assertEqual(len(text.samples[3].kernel), 1)

    def test_vdso_by_either_name(self):
        text = perftext.PerfText("""\
p   1/1   1.0: e:
\t  ffff1828 __kernel_rt_sigreturn+0x0 (/tmp/perf-vdso.so-MEVCBb+0x828)
\t  ffff1820 __kernel_getrandom+0x0 ([vdso])
\t  ffff1828 __kernel_rt_sigreturn+0x0 (/usr/lib/libc.so.6+0x828)
""".splitlines())
        self.assertEqual([frame.dso for frame in text.samples[0].user],
                         ["[vdso]", "[vdso]", "/usr/lib/libc.so.6"])
        self.assertEqual([perftext.is_vdso_sigreturn(frame) for frame in text.samples[0].user],
                         [True, False, False])

    def test_copy_of_the_caller(self):
        chain_with = [frame("a", 8), frame("a", 99), frame("a", 100), frame("b", 3)]
        without = [frame("a", 8), frame("a", 100), frame("b", 3)]
        self.assertEqual(perftext.without_copy(chain_with), without)
        self.assertEqual(perftext.without_copy(without), without)
        other = [frame("a", 8), frame("b", 99), frame("a", 100)]
        self.assertEqual(perftext.without_copy(other), other)
        deeper = [frame("a", 8), frame("a", 20), frame("a", 99), frame("a", 100)]
        self.assertEqual(perftext.without_copy(deeper), deeper)

    def test_between_programs(self):
        leaf = perftext.Frame(False, "libc", 12, "execve+0xc")
        self.assertTrue(perftext.between_programs([leaf, frame("a", 99)]))
        self.assertFalse(perftext.between_programs([leaf, frame("a", 100)]))
        self.assertFalse(perftext.between_programs([frame("a", 8), frame("a", 99)]))
        self.assertFalse(perftext.between_programs([leaf]))

    def test_unreadable_line_is_kept(self):
        self.assertEqual(perftext.PerfText(["garbage"]).odd, ["garbage"])
        self.assertEqual(len(perftext.PerfText(["\t 12 f (x)"]).odd), 1)


class Calls(unittest.TestCase):
    def x86(self, code, address=0x1000):
        return list(elf._x86_call(bytes.fromhex(code), address))

    def test_x86_direct(self):
        self.assertEqual(self.x86("9090e8fbffffff"), [0xFFB])

    def test_x86_indirect(self):
        for code in ("ffd0", "41ffd4", "ff5008", "ff5424 08", "ff90 00010000",
                     "ff15 78563412", "ff14c5 78563412", "ff9424 80000000"):
            self.assertIn(None, self.x86("90909090" + code), code)

    def test_x86_no_call(self):
        for code in ("90909090909090", "ffe0", "ff7008", "e9fbffffff", "c3"):
            self.assertEqual(self.x86("90909090" + code), [], code)

    def test_arm64(self):
        call = struct.pack("<I", 0x94000002)
        self.assertEqual(list(elf._arm64_call(call, 0x1004)), [0x1008])
        self.assertEqual(list(elf._arm64_call(struct.pack("<I", 0xD63F0020), 4)), [None])
        self.assertEqual(list(elf._arm64_call(struct.pack("<I", 0x14000002), 4)), [])
        # adr x30, past the br; ldr; br x17
        self.assertTrue(elf._arm64_made_ra(struct.pack("<3I", 0x1000007E, 0xF8617AA2,
                                                       0xD61F0220)))
        for other in 0x1000009E, 0x1000007D, 0x3000007E, 0x9000007E:
            self.assertFalse(elf._arm64_made_ra(struct.pack("<3I", other, 0xF8617AA2,
                                                            0xD61F0220)))
        self.assertFalse(elf._arm64_made_ra(struct.pack("<2I", 0x1000005E, 0xD63F0220)))

    def test_s390(self):
        self.assertEqual(list(elf._s390_call(bytes.fromhex("c0e500000010"), 0x1006)), [0x1020])
        self.assertEqual(list(elf._s390_call(bytes.fromhex("0de1"), 2)), [None])
        self.assertEqual(list(elf._s390_call(bytes.fromhex("07fe0700"), 4)), [])


class Consistency(unittest.TestCase):
    """A library whose "enter" jumps through a pointer and whose "wrap" jumps
    to "work"; "main" of the program calls through stubs."""

    LIB = """\
0000000000000100 <work@plt>:
 0:	call   40 <work>
 24:	jmp    40 <work>
 34:	jmp    *0x12(%rip)        # 40 <work>
 44:	je     4c <work+0xc>
"""
    PROG = """\
0000000000000100 <wrap@plt>:
0000000000000108 <enter@plt>:
"""

    def setUp(self):
        self.lib = calls.Code(FakeElf("caller", "lone", "wrap", "enter", "work",
                                      calls={8: [32], 16: [64], 24: [16], 72: [48]}),
                              self.LIB.splitlines())
        self.prog = calls.Code(FakeElf("main", "other",
                                       calls={8: [0x100], 12: [0x108], 16: [None]}),
                               self.PROG.splitlines())

    def answer(self, code, address, callee_code, callee_at):
        return calls.answer(code, address, callee_code, callee_at, [self.prog, self.lib])

    def test_direct(self):
        self.assertEqual(self.answer(self.lib, 16, self.lib, 70), calls.DIRECT)

    def test_tail_call(self):
        self.assertEqual(self.answer(self.lib, 8, self.lib, 70), calls.TAIL)

    def test_skipped_frame(self):
        self.assertEqual(self.answer(self.lib, 24, self.lib, 70), calls.BAD)
        self.assertEqual(self.answer(self.lib, 16, self.lib, 3), calls.BAD)

    def test_no_call(self):
        self.assertEqual(self.answer(self.lib, 9, self.lib, 70), calls.BAD)

    def test_pointers(self):
        self.assertEqual(self.answer(self.prog, 16, self.lib, 70), calls.INDIRECT)
        self.assertEqual(self.answer(self.lib, 72, self.lib, 3), calls.MAYBE_TAIL)

    def test_through_a_stub(self):
        self.assertEqual(self.answer(self.prog, 8, self.lib, 35), calls.DIRECT)
        self.assertEqual(self.answer(self.prog, 8, self.lib, 70), calls.DIRECT)
        self.assertEqual(self.answer(self.prog, 8, self.lib, 3), calls.BAD)
        self.assertEqual(self.answer(self.prog, 12, self.lib, 3), calls.MAYBE_TAIL)

    def test_stub_as_callee(self):
        self.assertEqual(self.answer(self.prog, 8, self.prog, 0x104), calls.DIRECT)
        self.assertEqual(self.answer(self.lib, 16, self.prog, 0x104), calls.BAD)

    def test_jump_into_a_stub(self):
        stub, jump = "0000000000000100 <free@plt>:", " 14:\tjmp    100 <free@plt>"
        pointer = " 14:\tjmp    *%rax"
        for lines, expected in (([stub, jump], calls.TAIL), ([stub], calls.BAD),
                                ([stub, pointer], calls.MAYBE_TAIL)):
            code = calls.Code(FakeElf("main", "wrap", calls={8: [16]}), lines)
            self.assertEqual(calls.answer(code, 8, code, 0x104, [code]), expected)

    def test_into_code_without_symbols(self):
        self.assertEqual(self.answer(self.lib, 16, None, None), calls.BAD)
        outside = calls.Code(FakeElf("main", calls={8: [0x100]}),
                             ["0000000000000100 <malloc@plt>:"])
        self.assertEqual(self.answer(outside, 8, None, None), calls.FOREIGN)

    def test_first_call_through_a_stub(self):
        def answer(code, address, linker):
            return calls.answer(code, address, None, None, [self.prog, self.lib], linker)
        self.assertEqual(answer(self.prog, 8, True), calls.FOREIGN)
        self.assertEqual(answer(self.prog, 8, False), calls.BAD)
        self.assertEqual(answer(self.lib, 16, True), calls.BAD)


class FakeFile:
    """Where nothing begins, but at the addresses given."""

    def __init__(self, binary, *begins):
        self.elf = binary
        self.begins = lambda address, called=True: address in begins
        self.go = self
        self.frames = self
        self.starts = []
        self.injected = None
        self.goexit = None

    def bounds(self):
        return [(function.start, function.end) for function in self.elf.functions]

    def is_goexit(self, address):
        return address == self.goexit

    def is_injected(self, address):
        return address == self.injected


class RealFiles(real.Files):
    def __init__(self):
        super().__init__("", "", [])
        self.code = calls.Code(FakeElf("leaf", "mid", "main", "_start", "worker", "asm",
                                       calls={24: [0], 40: [16], 56: [None], 72: [16]}), [])
        self.libc = FakeElf("a", "b")

    def get(self, path):
        libc = FakeFile(self.libc, 23)
        return {"prog": (self.code, FakeFile(self.code.elf)), "libc.so.6": (None, libc),
                "ld-linux.so": (None, libc)}.get(path, (None, None))

    def codes(self):
        return [self.code]


class RealPrograms(unittest.TestCase):
    def judge(self, *frames):
        samples = [perftext.Sample("prog", 1, 1, "e", list(frames), [])]
        return real.judge(samples, {"main", "worker"}, RealFiles())

    def kind(self, *frames):
        result = self.judge(*frames)
        self.assertEqual(result.inconsistent, 0)
        return next(iter(result.count))

    def test_whole(self):
        chain = [frame("prog", 3), frame("prog", 24), frame("prog", 40)]
        self.assertEqual(self.kind(*chain), "whole")
        self.assertEqual(self.kind(*chain, frame("libc.so.6", 8), frame("prog", 56)), "whole")
        self.assertEqual(self.kind(frame("prog", 3 + 16), frame("prog", 72)), "whole")

    def test_truncated(self):
        self.assertEqual(self.kind(frame("prog", 3), frame("prog", 24)), "truncated-covered")
        self.assertEqual(self.kind(frame("prog", 83)), "truncated-uncovered")
        self.assertEqual(self.kind(frame("prog", 3), frame("libc.so.6", 8)),
                         "truncated-uncovered")

    def test_where_a_thread_begins(self):
        self.assertEqual(self.kind(frame("libc.so.6", 3), frame("libc.so.6", 24)), "whole")
        self.assertEqual(self.kind(frame("libc.so.6", 3), frame("libc.so.6", 8)), "libc")

    def test_none_of_its_own(self):
        self.assertEqual(self.kind(frame("libc.so.6", 3)), "libc")
        self.assertEqual(self.kind(frame("ld-linux.so", 3)), "startup")
        self.assertEqual(self.kind(frame("[unknown]", 3)), "startup")
        self.assertEqual(self.kind(frame("prog", 51)), "startup")
        self.assertEqual(self.kind(), "empty")

    def test_inconsistent(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 40)).inconsistent, 1)
        self.assertEqual(self.judge(frame("prog", 3), frame("[unknown]", 8)).inconsistent, 1)

    def test_passing(self):
        result = real.Result()
        result.count.update({"whole": 995, "truncated-covered": 5, "libc": 500})
        self.assertEqual(result.reasons(300, 0), [])
        result.count["truncated-covered"] = 6
        self.assertTrue(result.reasons(300, 0))
        result.count["truncated-covered"] = 0
        self.assertTrue(result.reasons(996, 0))
        self.assertTrue(result.reasons(300, 2))
        result.inconsistent = 1
        self.assertTrue(result.reasons(300, 0))

    def test_every_sample_counts(self):
        result = real.Result()
        result.count.update({"whole": 990, "truncated-uncovered": 10, "kernel": 50})
        self.assertEqual(result.reasons(300, 0, 0.99), [])
        for kind in ("truncated-uncovered", "libc", "startup", "empty"):
            result.count[kind] += 1
            self.assertTrue(result.reasons(300, 0, 0.99))
            result.count[kind] -= 1

    def test_what_lacks_samples(self):
        result = real.Result()
        result.count["whole"] = 299
        self.assertTrue(real.only_lacks(result.reasons(300, 0)))
        self.assertFalse(real.only_lacks(result.reasons(300, 1)))
        self.assertFalse(real.only_lacks(result.reasons(299, 0)))


class EndOfStacks(unittest.TestCase):
    """The reader of .eh_frame, by two functions made by hand."""

    def setUp(self):
        cie = b"\0\0\0\0\1zR\0\1\x78\x10\1\x1b\x0c\7\x08\x90\1"
        cie = struct.pack("<I", len(cie)) + cie
        self.data = bytearray(cie)
        hdr = []
        # The first is undefined from its fourth byte on, the second never.
        for start, code in ((1000, b"\x43\x07\x10"), (1100, b"\x41\x0e\x10")):
            at = len(self.data)
            body = struct.pack("<IiI", at + 4, start - (at + 8), 100) + b"\0" + code
            self.data += struct.pack("<I", len(body)) + body
            hdr.append((start, at))
        self.elf = FakeElf("x")
        self.elf.order = "<"
        self.elf.loads = [(0, 1 << 20, 0)]
        self.elf.eh_frame_hdr = (len(self.data), 0)
        self.elf.frame_starts = [start for start, _ in hdr]
        self.data += bytes(12) + b"".join(struct.pack("<ii", *entry) for entry in hdr)
        self.elf.data = bytes(self.data)

    def test_undefined_return_address(self):
        frames = cfi.Frames(self.elf)
        self.assertFalse(frames.is_outermost(1002))
        self.assertTrue(frames.is_outermost(1003))
        self.assertTrue(frames.is_outermost(1099))
        self.assertFalse(frames.is_outermost(1150))
        self.assertFalse(frames.is_outermost(1200))
        self.assertFalse(frames.is_outermost(10))
        self.assertEqual(list(frames.bounds()),
                         [(start, start + 100) for start in self.elf.frame_starts])


class GoFunctions(unittest.TestCase):
    """gopclntab.py: who was called by nobody, by the table of a file."""

    @staticmethod
    def binary(magic, pie, module):
        """A file that is nothing but the table, and a relocation in front of it; or what
        says where the code is, since 1.26."""
        flags_at = 37 if magic == 0xfffffff0 else 41
        names, records, functions = b"", b"", b""
        for i, (name, flags) in enumerate((
                ("runtime.goexit", 5), ("runtime.mcall", 6), ("runtime.sigtramp", 5),
                ("runtime.asyncPreempt", 4), ("main.main", 0))):
            record = bytearray(48)
            struct.pack_into("<II", record, 0, 16 * i, len(names))
            record[flags_at] = flags
            functions += struct.pack("<II", 16 * i, 44 + len(records))
            names += name.encode() + b"\0"
            records += record
        functions += struct.pack("<I", 80)
        header = struct.pack("<IHBB8Q", magic, 0, 1, 8, 5, 0,
                             0 if pie or module else 0x1000, 72,
                             0, 0, 0, 72 + len(names))
        binary = elf.Elf.__new__(elf.Elf)
        binary.order = "<"
        where = 0x6000 + gopclntab.MODULE_TEXT if module else 0x5018
        binary.data = struct.pack("<QQQ", where if pie else 0, 8, 0x1000) + \
            header + names + functions + records
        binary.sections = [
            (".rela", 4, 2, 0, 0, 24),
            (".data.rel.ro.gopclntab" if pie else ".gopclntab", 1, 2, 0x5000, 24, 0)]
        if module:
            binary.sections.append((".go.module", 1, 3, 0x6000, len(binary.data), 184))
            binary.data += bytes(gopclntab.MODULE_TEXT) + \
                struct.pack("<Q", 0 if pie else 0x1000)
        return gopclntab.Functions(binary)

    def test_functions(self):
        for magic, pie, module in (
                (0xfffffff0, False, False), (0xfffffff1, False, False),
                (0xfffffff1, True, False), (0xfffffff1, False, True),
                (0xfffffff1, True, True)):
            go = self.binary(magic, pie, module)
            self.assertEqual([at for at in range(0xff0, 0x1060) if go.is_goexit(at)],
                             [0x1001])
            self.assertEqual([[at for at in range(0xff0, 0x1060, 8)
                               if go.is_first(at, called)] for called in (False, True)],
                             [[0x1000, 0x1008], [0x1000, 0x1008, 0x1010, 0x1018]])
            self.assertEqual([at for at in range(0xff0, 0x1060, 8) if go.is_injected(at)],
                             [0x1030, 0x1038])


class WholeStacks(unittest.TestCase):
    """whole.py: the outermost frame, and calls before all but the innermost."""

    class Files:
        def __init__(self):
            self.file = FakeFile(FakeElf("leaf", "mid", "start", calls={24: [0], 40: [16]}), 39)

        def get(self, path):
            return self.file if path == "prog" else None

        def image(self, path):
            if path != "core":
                return None
            with tempfile.NamedTemporaryFile() as file:
                # A call that ends at 64, and room from 80 on.
                file.write(b"\x90" * 58 + b"\xff\x15\0\0\0\0" + b"\x90" * 16 + bytes(64))
                file.flush()
                return elf.Image(file.name, elf.EM_X86_64)

    def judge(self, *frames):
        samples = [perftext.Sample("prog", 1, 1, "e", list(frames), [])]
        return whole.judge(samples, self.Files())

    def test_whole(self):
        result = self.judge(frame("prog", 3), frame("prog", 24), frame("prog", 40))
        self.assertEqual((result.count["whole"], result.uncalled), (1, 0))
        self.assertEqual(result.reasons(0.99, 1, 0), [])
        self.assertTrue(result.reasons(0.99, 2, 0))
        self.assertTrue(result.reasons(0.99, 1, 1))

    def test_cut(self):
        result = self.judge(frame("prog", 3), frame("prog", 24))
        self.assertEqual((result.count["cut"], result.uncalled), (1, 0))
        self.assertTrue(result.reasons(0.99, 1, 0))

    def test_no_call(self):
        for caller in (frame("prog", 20), frame("[unknown]", 40)):
            result = self.judge(frame("prog", 3), caller, frame("prog", 40))
            self.assertEqual(result.uncalled, 1)
            self.assertTrue(result.reasons(0.0, 1, 0))

    def test_run_time_code(self):
        for made in ("/tmp/perf-12.map", "/memfd:vmem (deleted)"):
            for last, uncalled, unseen in ((40, 0, 1), (20, 1, 0)):
                result = self.judge(frame("prog", 3), frame(made, 40), frame("prog", last))
                self.assertEqual((result.uncalled, result.unseen), (uncalled, unseen))

    def test_image(self):
        """SBCL's core is no ELF file; behind what it holds, code is made."""
        for at, uncalled, unseen in ((64, 0, 0), (60, 1, 0), (100, 0, 1)):
            result = self.judge(frame("prog", 3), frame("core", at), frame("prog", 40))
            self.assertEqual((result.uncalled, result.unseen), (uncalled, unseen))

    def test_goexit(self):
        files = self.Files()
        files.file.goexit = 50
        for frames, kind, uncalled in (((3, 24, 50), "whole", 0), ((50,), "cut", 0),
                                       ((3, 50, 24), "cut", 1)):
            samples = [perftext.Sample("prog", 1, 1, "e",
                                       [frame("prog", at) for at in frames], [])]
            result = whole.judge(samples, files)
            self.assertEqual((result.count[kind], result.uncalled), (1, uncalled))

    def test_injected(self):
        """Go's asyncPreempt() is not called, but entered where something was."""
        for injected, uncalled in ((23, 0), (None, 1)):
            files = self.Files()
            files.file.injected = injected
            samples = [perftext.Sample("prog", 1, 1, "e", [
                frame("prog", at) for at in (3, 24, 35, 40)], [])]
            self.assertEqual(whole.judge(samples, files).uncalled, uncalled)

    def test_between_programs(self):
        for user, kernel, kind in ((frame("[unknown]", 7), [frame("k", 0)], "between"),
                                   (frame("[unknown]", 7), [], "cut"),
                                   (frame("prog", 3), [frame("k", 0)], "cut")):
            samples = [perftext.Sample("prog", 1, 1, "e", [user], kernel)]
            self.assertEqual(dict(whole.judge(samples, self.Files()).count), {kind: 1})

    def test_nothing_recorded(self):
        self.assertEqual(whole.Result().reasons(0.99, 0, 0), ["no sample"])


class Edges(unittest.TestCase):
    """edges.py: does the call before a caller's address lead to what is inside it?"""

    # Of the address and operands of an instruction: does it lead out of its function?
    JUMPS = {"jmp 20 <x>": edges.RIGHT, "j 20 <x>": edges.RIGHT, "b.ne 20 <x>": edges.RIGHT,
             "cbz x0, 20 <x>": edges.RIGHT, "jne 20 <x>": edges.RIGHT,
             "brctg %r1,20 <x>": edges.RIGHT, "cgije %r1,0,20 <x>": edges.RIGHT,
             "jmp 8 <x>": edges.WRONG, "call 20 <x>": edges.WRONG,
             "brasl %r14,20 <x>": edges.WRONG, "bl 20 <x>": edges.WRONG,
             "ret": edges.WRONG, "br %r14": edges.WRONG, "brk #0x3e8": edges.WRONG,
             "jmp *%rax": edges.UNTOLD, "br x16": edges.UNTOLD, "br %r1": edges.UNTOLD,
             "jmp *0x2fe2(%rip) # 20 <x>": edges.UNTOLD, "jmp 100 <x>": edges.UNTOLD}

    def setUp(self):
        binary = FakeElf("leaf", "mid", "other", "main",
                         calls={24: [0], 40: [0x100], 56: [None], 62: [16, 0]})
        binary.path = "prog"
        self.file = FakeFile(binary)

    def answer(self, caller, callee, file=None, insn="nop"):
        line = " 4:\t" + insn.replace(" ", "\t", 1)
        objdump = edges.Disassembler([f"printf '%s\\n' '{line}'; :"])
        asked = edges.Edges(objdump)
        answer = asked.answer(self.file, caller, file or self.file, callee)
        objdump.close()
        return answer

    def test_direct(self):
        for caller, callee, answer in ((24, 3, edges.RIGHT), (24, 17, edges.WRONG),
                                       (62, 3, edges.RIGHT), (62, 17, edges.RIGHT),
                                       (62, 35, edges.WRONG), (40, 3, edges.UNTOLD),
                                       (56, 3, edges.UNTOLD), (20, 3, edges.UNTOLD)):
            self.assertEqual(self.answer(caller, callee), answer, (caller, callee))

    def test_jumps(self):
        for insn, answer in self.JUMPS.items():
            self.assertEqual(self.answer(24, 35, insn=insn), answer, insn)

    def test_far(self):
        """Functions that jump on, each to the next, farther than is looked."""
        functions = edges.REACH_MAX + 2
        binary = FakeElf(*(f"f{i}" for i in range(functions)), calls={24: [0]})
        binary.path = "prog"
        binary.in_plt = lambda vaddr: False
        self.file = FakeFile(binary)

        class Next:
            @staticmethod
            def lines(_path, _start, end):
                return [f" {end - 4:x}:\tjmp\t{end:x} <x>"]

        for callee, answer in ((edges.REACH_MAX - 1, edges.RIGHT),
                               (edges.REACH_MAX + 1, edges.UNTOLD)):
            self.assertEqual(edges.Edges(Next()).answer(self.file, 24, self.file,
                                                        16 * callee + 3), answer)

    def test_no_disassembly(self):
        objdump = edges.Disassembler(["false"])
        with self.assertRaises(OSError):
            edges.Edges(objdump).answer(self.file, 24, self.file, 35)
        objdump.close()

    def test_other_file(self):
        libc = FakeFile(FakeElf("a", "b"))
        libc.elf.path = "libc"
        self.assertEqual(self.answer(24, 3, libc), edges.WRONG)
        self.assertEqual(self.answer(40, 3, libc), edges.UNTOLD)

    def test_raised(self):
        """Out of C, which another function of OCaml's called."""
        self.file.elf = FakeElf("leaf", "caml_raise_exn", "other", calls={40: [0]})
        self.file.elf.path = "prog"
        for callee, answer in ((3, edges.RIGHT), (17, edges.UNTOLD), (35, edges.WRONG)):
            self.assertEqual(self.answer(40, callee), answer)

    def test_judged(self):
        for callee, wrong in ((3, 0), (17, 1)):
            samples = [perftext.Sample("prog", 1, 1, "e",
                                       [frame("prog", at) for at in (callee, 24)], [])]
            files = FakeFiles(None)
            files.get = {"prog": self.file}.get
            objdump = edges.Disassembler(["true"])
            result = whole.judge(samples, files, asked=edges.Edges(objdump))
            objdump.close()
            self.assertEqual(result.wrong, wrong)
            self.assertEqual(len(result.reasons(0.0, 1, 0)), wrong)


class Exits(unittest.TestCase):
    """elf.py: code that ends a thread."""

    def test_exit(self):
        for machine, code in (
                (elf.EM_X86_64, "89c7 31c0 b03c 0f05"),     # exit(result)
                (elf.EM_AARCH64, "a80b80d2 010000d4"),
                (elf.EM_S390, "0a01")):
            binary = elf.Elf.__new__(elf.Elf)
            binary.machine, binary.data = machine, b"xx" + bytes.fromhex(code)
            binary.loads = [(0, len(binary.data), 0x1000)]
            self.assertTrue(binary.is_exit(0x1002))
            self.assertFalse(binary.is_exit(0x1001))
            self.assertFalse(binary.is_exit(0x1003))
            self.assertFalse(binary.is_exit(0x2000))


class FakeElf:
    """A program of 16-byte functions; a call ends at byte 8 and at the end of
    each, so a call that never returns comes back to the next function. Or
    `calls` says what is called before an address. Stubs are at 0x100 on, and
    the last function has no unwind information."""

    machine = elf.EM_AARCH64

    def __init__(self, *names, section=".interp", sigreturn=None, calls=None):
        self.sections = [(section,)]
        self.names = names
        self.sigreturn = sigreturn
        self.calls = calls
        self.functions = [elf.Function(16 * i, 16 * i + 16, {name})
                          for i, name in enumerate(names)]
        self.frame_starts = [function.start for function in self.functions[:-1]]

    def vaddr(self, offset):
        return offset if offset < 16 * len(self.names) + 16 else None

    def function_at(self, vaddr):
        index = vaddr // 16
        return self.functions[index] if index < len(self.functions) else None

    def start_of(self, vaddr):
        return vaddr - vaddr % 16

    def label_before(self, _vaddr):
        return set()

    def in_plt(self, vaddr):
        return 0x100 <= vaddr < 0x110

    def calls_before(self, vaddr):
        if self.calls is not None:
            return self.calls.get(vaddr, [])
        return [None] if vaddr % 8 == 0 else []

    def is_sigreturn(self, vaddr):
        return vaddr == self.sigreturn


class FakeFiles:
    def __init__(self, program, libc=None):
        self.files = {"prog": (program, True),
                      "libc": (libc or FakeElf("a", "b", "c"), False)}

    def get(self, path):
        return self.files.get(path, (None, False))


def frame(dso, offset):
    return perftext.Frame(False, dso, offset, "")


class Classes(unittest.TestCase):
    KNOWN = "leaf last main\nleaf @libc last main\nlast main"
    NAMES = ("leaf", "last", "next", "main", "other")

    def judge(self, *frames, known=KNOWN, libc=None):
        verdict = stacks.judge("prog", truth.Truth(known), self.samples(frames),
                               FakeFiles(FakeElf(*self.NAMES), libc))
        self.assertEqual(sum(verdict.count.values()), 1)
        return next(iter(verdict.count))

    @staticmethod
    def samples(frames, kernel=()):
        return [perftext.Sample("prog", 1, 1, "e", list(frames), list(kernel))]

    def test_exact(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 24), frame("prog", 56)),
                         "exact")

    def test_return_address_at_the_next_function(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 32), frame("prog", 56)),
                         "exact")

    def test_truncated(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 24)), "truncated")
        self.assertEqual(self.judge(frame("prog", 3)), "truncated")

    def test_gap(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 56)), "wrong")

    def test_frame_not_in_the_truth(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 72)), "wrong")

    def test_only_foreign_functions_of_the_program(self):
        self.assertEqual(self.judge(frame("prog", 66)), "wrong")

    def test_no_call_before(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("prog", 25), frame("prog", 56)),
                         "wrong")

    def test_outside_every_file(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("[unknown]", 24)), "wrong")

    def test_through_libc(self):
        self.assertEqual(self.judge(frame("prog", 3), frame("libc", 8), frame("prog", 24),
                                    frame("prog", 56)), "whole-uncovered")
        self.assertEqual(self.judge(frame("prog", 3), frame("libc", 8)), "part-uncovered")
        self.assertEqual(self.judge(frame("prog", 3), frame("libc", 8), frame("prog", 56)),
                         "wrong")

    def test_outside(self):
        self.assertEqual(self.judge(frame("libc", 1), frame("libc", 8)), "outside")
        self.assertEqual(self.judge(frame("libc", 1), frame("libc", 9)), "wrong")
        self.assertEqual(self.judge(frame("[unknown]", 1)), "outside")
        self.assertEqual(self.judge(frame("[unknown]", 1), frame("prog", 24)), "wrong")

    def test_above_a_signal_frame_addresses_are_exact(self):
        libc = FakeElf("a", "b", "c", sigreturn=5)
        self.assertEqual(self.judge(frame("prog", 3), frame("libc", 5), frame("prog", 16),
                                    frame("prog", 56), libc=libc), "whole-uncovered")

    def test_above_a_signal_frame_of_the_vdso(self):
        restorer = perftext.Frame(False, "[vdso]", 0x828, "__kernel_rt_sigreturn+0x0")
        self.assertEqual(self.judge(frame("prog", 3), restorer, frame("prog", 16),
                                    frame("prog", 56)), "whole-uncovered")
        other = restorer._replace(symbol="__kernel_getrandom+0x0")
        self.assertEqual(self.judge(frame("prog", 3), other, frame("prog", 16),
                                    frame("prog", 56)), "wrong")

    def test_empty_and_kernel(self):
        self.assertEqual(self.judge(), "empty")
        samples = self.samples([], [frame("[kernel.kallsyms]", 1)])
        verdict = stacks.judge("prog", truth.Truth(self.KNOWN), samples,
                               FakeFiles(FakeElf("main")))
        self.assertEqual(verdict.count["kernel"], 1)

    def entering(self, offset, kernel, entered="leaf"):
        leaf = perftext.Frame(False, "prog", 3, f"leaf+{offset:#x}")
        verdict = stacks.judge("prog", truth.Truth(f"{self.KNOWN}\nentered: {entered}"),
                               self.samples([leaf, frame("prog", 99)], kernel),
                               FakeFiles(FakeElf("main")))
        return verdict.count

    def test_the_kernel_enters_a_handler(self):
        kernel = [frame("[kernel.kallsyms]", 1)]
        self.assertEqual(self.entering(0, kernel)["kernel"], 1)
        self.assertEqual(self.entering(0, [])["wrong"], 1)
        self.assertEqual(self.entering(4, kernel)["wrong"], 1)
        self.assertEqual(self.entering(0, kernel, "other")["wrong"], 1)

    def test_between_programs_is_not_ours(self):
        leaf = perftext.Frame(False, "libc", 12, "execve+0xc")
        verdict = stacks.judge("prog", truth.Truth(self.KNOWN),
                               self.samples([leaf, frame("prog", 23)]),
                               FakeFiles(FakeElf("main")))
        self.assertEqual(verdict.count["outside"], 1)


class Passing(unittest.TestCase):
    @staticmethod
    def verdict(**counts):
        verdict = stacks.Verdict()
        verdict.count.update(counts)
        return verdict

    def test_pass(self):
        self.assertEqual(self.verdict(exact=199, truncated=1).reasons(150, 0), [])

    def test_each_reason(self):
        self.assertTrue(self.verdict(exact=1000, wrong=1).reasons(150, 0))
        self.assertTrue(self.verdict(exact=198, truncated=2).reasons(150, 0))
        self.assertTrue(self.verdict(exact=149).reasons(150, 0))
        self.assertTrue(self.verdict(exact=200, empty=5).reasons(150, 0))
        self.assertTrue(self.verdict(exact=200).reasons(150, 1))
        self.assertTrue(self.verdict().reasons(0, -1))

    def test_a_share_of_few_samples_is_recorded_again(self):
        few = self.verdict(exact=191, truncated=1).reasons(150, 0)
        self.assertTrue(few)
        self.assertTrue(stacks.only_lacks(few))
        enough = self.verdict(exact=994, truncated=6).reasons(150, 0)
        self.assertTrue(enough)
        self.assertFalse(stacks.only_lacks(enough))


def perf_file(*content, order="<"):
    """A perf.data with one event, whose samples have tid, time, ID and chain."""
    kind = perfdata.SAMPLE_TID | perfdata.SAMPLE_TIME | perfdata.SAMPLE_CALLCHAIN | \
        perfdata.SAMPLE_IDENTIFIER
    attr = struct.pack(order + "24xQ96x", kind)
    attrs = 104
    ids = attrs + len(attr) + 16
    attr += struct.pack(order + "QQ", ids, 8)
    data = b"".join(struct.pack(order + "IHH", number, 0, 8 + len(body)) + body
                    for number, body in content)
    magic = b"PERFILE2" if order == "<" else b"2ELIFREP"
    head = magic + struct.pack(order + "QQQQQQ", 104, len(attr), attrs, len(attr),
                               ids + 8, len(data))
    return head.ljust(attrs, b"\0") + attr + struct.pack(order + "Q", 7) + data


class Hottest(unittest.TestCase):
    """scripts/hottest.py, which says of users' stacks whether they are whole."""

    def said(self, stack, *arguments):
        script = os.path.join(os.path.dirname(__file__), "../../../scripts/hottest.py")
        with tempfile.NamedTemporaryFile("w") as text:
            text.write("prog 1 1.0: cpu-clock:\n")
            for number, frame in enumerate(stack):
                name, path = frame.split(" ") if " " in frame else (frame, "/bin/prog")
                address = 0xffffffff81000000 if name.startswith("k_") else 0x401000
                text.write(f"\t{address + 16 * number:16x} {name} ({path})\n")
            text.flush()
            return subprocess.run([sys.executable, "-B", script, text.name, *arguments],
                                  check=False, capture_output=True, text=True).stdout

    def whole(self, *stack):
        return "\nwhole 1\n" in self.said(stack)

    def test_programs_threads_and_goroutines(self):
        for base in ("main", "_start", "__libc_start_main@@GLIBC_2.34", "start_thread",
                     "clone3", "__clone3", "thread_start", "runtime.goexit.abi0",
                     "runtime.goexit", "runtime.mstart.abi0", "runtime.rt0_go.abi0"):
            self.assertTrue(self.whole("leaf+0x1", "caller+0x8", f"{base}+0x2"), base)
            self.assertTrue(self.whole(base), base)

    def test_what_is_called_so_is_no_base(self):
        for name in ("do_main", "runtime.goexit1", "runtime.goexit0", "runtime.mstart1",
                     "start_threads", "clone_tree"):
            self.assertFalse(self.whole("leaf", name), name)

    def test_who_starts_a_thread(self):
        self.assertFalse(self.whole("clone3", "pthread_create", "caller"))
        self.assertEqual(self.said(["__clone3", "work", "main"], "--stacks", "1").split(),
                         ["100.0", "%", "main", "work", "__clone3"])

    def test_frames_outside_files(self):
        told = self.said(["k_irq [kernel.kallsyms]", "k_lost [unknown]", "k_walk [sframe]",
                          "clock_gettime [vdso]", "[unknown] [unknown]", "main"],
                         "--stacks", "1")
        self.assertEqual(told.split(), ["100.0", "%", "main", "[unknown]", "clock_gettime"])
        self.assertIn("ends 1 [unknown]", self.said(["leaf", "[unknown] [unknown]"]))

    def test_the_kernel_alone_is_no_users_stack(self):
        self.assertEqual(self.said(["k_idle [kernel.kallsyms]", "k_lost [unknown]"]), "")


class Records(unittest.TestCase):
    """Cookie N is asked for by task N // 100 at time N."""

    order = "<"

    def sample(self, cookie, time=None):
        return perfdata.RECORD_SAMPLE, struct.pack(
            self.order + "QiiQQQQ", 7, 1, cookie // 100, time or cookie, 2,
            perfdata.CONTEXT_USER_DEFERRED, cookie)

    def record(self, cookie, time=None):
        return perfdata.RECORD_CALLCHAIN_DEFERRED, struct.pack(
            self.order + "QQQiiQQ", cookie, 1, 0x1234, 1, cookie // 100,
            time or cookie + 1, 7)

    def pair(self, cookie):
        return [self.sample(cookie), self.record(cookie)]

    def many(self):
        return sum((self.pair(cookie) for cookie in range(100, 160)), [])

    def judge(self, *sessions, name="", **options):
        with tempfile.TemporaryDirectory() as folder, \
                contextlib.redirect_stdout(io.StringIO()) as out:
            paths = [os.path.join(folder, f"{number}{name}.data")
                     for number in range(len(sessions))]
            for path, content in zip(paths, sessions):
                with open(path, "wb") as file:
                    file.write(perf_file(*content, order=self.order))
            good = records.judge_group(paths, **options)
        return good, out.getvalue()

    def test_all_answered(self):
        self.assertTrue(self.judge(self.many())[0])

    def test_too_few(self):
        self.assertFalse(self.judge(self.pair(100))[0])

    def test_last_of_its_task_may_be_open(self):
        self.assertTrue(self.judge(self.many() + [self.sample(200)])[0])

    def test_but_not_an_earlier_one(self):
        good, text = self.judge(self.many() + [self.sample(200), *self.pair(201)])
        self.assertFalse(good)
        self.assertIn("1 missing", text)

    def exited(self, ms_before=101):
        return self.many() + [self.sample(200), (perfdata.RECORD_EXIT, struct.pack(
            self.order + "iiiiQiiQQ", 2, 1, 2, 1, 300, 2, 2, 300, 7)),
            self.sample(400, 300 + 1_000_000 * ms_before)]

    def test_nor_when_the_task_exited(self):
        self.assertFalse(self.judge(self.exited(), name=".task")[0])
        self.assertFalse(self.judge(self.exited(), task_exit_loses=True)[0])

    def test_but_at_the_recordings_end(self):
        self.assertTrue(self.judge(self.exited(ms_before=99))[0])

    def test_but_of_a_tasks_own_events_where_the_kernel_loses_it(self):
        self.assertTrue(self.judge(self.exited(), name=".task", task_exit_loses=True)[0])

    def test_duplicates(self):
        for count, good in ((3, True), (4, False)):
            passed, text = self.judge(self.many() + [
                self.record(100 + i, 999) for i in range(count)])
            self.assertEqual(passed, good)
            self.assertRegex(text, rf" {count}  +0  +0  +0  +0  {'pass' if good else 'FAIL'}")

    def test_late(self):
        """A sample, its record, another sample of the same stay in the kernel."""
        late = [*self.pair(200), self.sample(200, 210)]
        good, text = self.judge(self.many() + late + self.pair(220))
        self.assertFalse(good)
        self.assertRegex(text, r"1 late")
        # Its task had not returned to user space when the recording ended.
        self.assertTrue(self.judge(self.many() + late)[0])

    def test_a_late_one_has_a_record_of_its_own(self):
        self.assertTrue(self.judge(self.many() + [
            *self.pair(200), self.sample(200, 210), self.record(200, 211),
            *self.pair(220)])[0])

    def test_overtaken(self):
        good, text = self.judge(self.many() + [
            self.sample(200), self.sample(201), self.record(200, 202),
            self.record(201, 203)])
        self.assertFalse(good)
        self.assertRegex(text, r" 1 overtaken")

    def test_several_samples_of_one_cookie_are_not_overtaken(self):
        self.assertTrue(self.judge(self.many() + [
            self.sample(200), self.sample(200), self.record(200, 202),
            *self.pair(203)])[0])

    def test_written_twice_is_no_duplicate(self):
        self.assertTrue(self.judge(self.many() + self.pair(100))[0])

    def test_orphan(self):
        self.assertFalse(self.judge(self.many() + [self.record(999)])[0])

    def test_no_orphan_where_samples_were_lost(self):
        lost = perfdata.RECORD_LOST_SAMPLES, struct.pack(
            self.order + "QiiQQ", 1, 1, 1, 1, 7)
        self.assertTrue(self.judge(self.many() + [self.record(999), lost])[0])

    def test_another_sessions_cookie(self):
        other = sum((self.pair(cookie) for cookie in range(300, 360)), [])
        self.assertTrue(self.judge(self.many() + [self.record(300)], other)[0])


class RecordsBigEndian(Records):
    order = ">"


def main():
    loaded = unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__])
    runner = unittest.TextTestRunner(verbosity=2 if "-v" in sys.argv else 1)
    result = runner.run(loaded)
    failed = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - failed} passed, {failed} failed")
    return 1 if failed or not result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main())
