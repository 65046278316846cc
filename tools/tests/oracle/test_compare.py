#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the comparator itself: it must see every kind of difference."""

import collections
import sys
import unittest

import compare
import objdump

OBJDUMP = """
x.so:     file format elf64-x86-64

Contents of the SFrame section .sframe:
  Header :

    Version: SFRAME_VERSION_3
    Flags: SFRAME_F_FDE_SORTED,
           SFRAME_F_FDE_FUNC_START_PCREL
    CFA fixed RA offset: -8
    Num FDEs: 4
    Num FREs: 7

  Function Index :

    func idx [0]: pc = 0x1000, size = 16 bytes
    STARTPC         CFA       FP        RA
    0000000000001000  sp+8      u         f
    0000000000001006  sp+1048584c-1048584 f

    func idx [1]: pc = 0x1010, size = 32 bytes
    STARTPC[m]      CFA       FP        RA
    0000000000000000  sp+16     u         f

    func idx [2]: pc = 0x1030, size = 8 bytes, attr = "F"
    STARTPC         CFA       FP        RA
    0000000000001030  (fp-16)   (fp+0)    U
    0000000000001034  r10+0     (r536870911+0)U

    func idx [3]: pc = 0x1038, size = 0 bytes
    STARTPC         CFA       FP        RA
    0000000000001038  RA undefined
"""

DUMP = """file x.so version=3 abi=x86-64 flags=0x5 fdes=4 bytes=100
fde 0 start=0x1000 size=16 rows=2
row 0 cfa=sp+8 ra=*(c-8) fp=u
row 0x6 cfa=sp+1048584 ra=*(c-8) fp=*(c-1048584)
fde 1 start=0x1010 size=32 rows=1 repeat=8
row 0 cfa=sp+8 ra=*(c-8) fp=u
fde 2 start=0x1030 size=8 rows=2 flex
row 0 cfa=*(fp-16) ra=*(c-8) fp=*(fp+0)
row 0x4 bad:ROW_REGISTER
fde 3 start=0x1038 size=0 skipped:FDE_EMPTY
scan functions=3 pcs=60 wrong=0
"""


def differences(dump, text=OBJDUMP):
    table = compare.Table(dump)
    quirks = collections.Counter()
    functions = objdump.parse(table.abi, text)
    return compare.compare_rows(table, functions, quirks), quirks


class Agreement(unittest.TestCase):
    def test_same(self):
        wrong, quirks = differences(DUMP)
        self.assertEqual(wrong, [])
        self.assertEqual(quirks, {"plt-got-row": 1, "lost-register": 1,
                                  "flex-pad-shown-as-U": 2,
                                  "zero-size-function": 1})

    def test_every_quirk_is_listed(self):
        _, quirks = differences(DUMP)
        self.assertLessEqual(set(quirks), set(compare.QUIRKS))

    def test_other_spellings(self):
        text = OBJDUMP.replace("sp+8      u         f", "sp+8      u         u")
        wrong, quirks = differences(DUMP, text)
        self.assertEqual(wrong, [])
        self.assertEqual(quirks["fixed-RA-shown-as-u"], 1)

    def test_arm64_and_s390x(self):
        text = OBJDUMP.split("    func")[0] + """
    func idx [0]: pc = 0x20, size = 8 bytes, pauth = B key, attr = "S"
    STARTPC         CFA       FP        RA
    0000000000000020  sp+0      u         u[s]
    0000000000000024  sp+16     c-16      c-8[s]
    0000000000000026  sp+160    r17       r16
"""
        func, = objdump.parse("arm64", text)
        self.assertEqual([row.rule for row in func.rows],
                         ["cfa=sp+0 ra=u fp=u mangled signal",
                          "cfa=sp+16 ra=*(c-8) fp=*(c-16) mangled signal",
                          "cfa=sp+160 ra=r16+0 fp=r17+0 signal"])
        self.assertEqual([row.start for row in func.rows], [0, 4, 6])


class Difference(unittest.TestCase):
    """Each change of what we print must be found, and no other."""

    def changed(self, old, new, count=1):
        self.assertIn(old, DUMP)
        wrong, _ = differences(DUMP.replace(old, new, 1))
        self.assertEqual(len(wrong), count, wrong)

    def test_rules(self):
        self.changed("cfa=sp+8 ra", "cfa=sp+16 ra")
        self.changed("cfa=sp+8 ra", "cfa=fp+8 ra")
        self.changed("fp=*(c-1048584)", "fp=c-1048584")
        self.changed("fp=*(c-1048584)", "fp=u")
        self.changed("ra=*(c-8)", "ra=u")
        self.changed("cfa=*(fp-16)", "cfa=fp-16")
        self.changed("fp=u\n", "fp=u signal\n")
        self.changed("fp=u\n", "fp=u mangled\n")

    def test_starts_and_sizes(self):
        self.changed("row 0x6", "row 0x7")
        self.changed("start=0x1010", "start=0x1011")
        self.changed("size=32", "size=31")

    def test_kinds(self):
        self.changed(" repeat=8", "")
        self.changed(" flex", "")
        self.changed("rows=2\n", "rows=2 signal\n")

    def test_missing(self):
        self.changed("row 0x6 cfa=sp+1048584 ra=*(c-8) fp=*(c-1048584)\n", "")
        self.changed("fde 3 start=0x1038 size=0 skipped:FDE_EMPTY\n", "")

    def test_refused(self):
        self.changed("cfa=sp+8 ra=*(c-8) fp=u", "bad:ROW_REGISTER")
        self.changed("cfa=*(fp-16) ra=*(c-8) fp=*(fp+0)", "bad:ROW_REGISTER")
        self.changed("bad:ROW_REGISTER", "bad:ROW_WORDS")
        self.changed("size=16 rows=2", "size=16 skipped:FDE_BOUNDS")

    def test_not_understood(self):
        with self.assertRaises(objdump.ParseError):
            differences(DUMP, OBJDUMP.replace("(fp-16)", "[fp-16]"))
        with self.assertRaises(objdump.ParseError):
            differences(DUMP.replace("row 0x4 bad:", "row end:"))


if __name__ == "__main__":
    result = unittest.TextTestRunner(verbosity=0).run(
        unittest.defaultTestLoader.loadTestsFromModule(sys.modules[__name__]))
    bad = len(result.failures) + len(result.errors)
    print(f"{result.testsRun - bad} passed, {bad} failed")
    sys.exit(bad != 0)
