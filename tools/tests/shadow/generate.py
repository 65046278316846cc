#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Write a random program in C whose functions call one another.

usage: generate.py SEED

What compilers do with it is what makes code hard to walk without tables: frames of
variable size, realigned stacks, early returns, calls that never return at a function's
end, cold parts elsewhere, tail calls, callbacks from libc, switches, calls by pointers,
with frame pointers in some functions only.  The program runs for ever, with no input but
what lies on its stack.
"""

import random
import sys

HEAD = """\
#include <alloca.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#define SPOIL_FEW    asm volatile("" ::: "rbx", "r12")
#define SPOIL_MANY    asm volatile("" ::: "rbx", "r12", "r13", "r14", "r15")
#elif defined(__aarch64__)
#define SPOIL_FEW    asm volatile("" ::: "x19", "x20")
#define SPOIL_MANY    asm volatile("" ::: "x19", "x20", "x21", "x22", "x23", "x24", "x25", \\
                 "x26", "x27", "x28")
#else
#define SPOIL_FEW    asm volatile("" ::: "r6", "r7")
#define SPOIL_MANY    asm volatile("" ::: "r6", "r7", "r8", "r9", "r10")
#endif

volatile int v;
int depth;
jmp_buf again;
static void *volatile sink;
extern int (*const table[])(int, int);
static int numbers[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

__attribute__((noreturn, noinline)) void give_up(int k)
{
    v = k;
    longjmp(again, (k & 7) + 1);
}

__attribute__((noreturn, noinline, cold)) void give_up_slowly(int k)
{
    char b[40];

    memset(b, k, sizeof(b));
    v += b[k & 31];
    sink = b;
    longjmp(again, (k & 7) + 1);
}

int compare(const void *x, const void *y)
{
    v++;
    return *(int *)x - *(int *)y;
}
"""

MAIN = """
int main(void)
{
    for (volatile int i = 0;; i++) {
        _setjmp(again);
        depth = 0;
        i++;
        v = i * 7;
        table[i & 15](i, v);
        f%d(i, i * 3);
    }
}
"""

# What a function's body is made of: NUMBER, CALL, VALUE, GIVE_UP are replaced.
STATEMENTS = (
    "{ char x[SIZE]; x[(a & 0x7fffffff) % 7] = b; sink = x; "
    "v += x[(b & 0x7fffffff) % 5]; }",
    "{ char *x = alloca((b & MASK) + 16); x[0] = a; sink = x; a += CALL; v += x[0]; }",
    "for (int q = 0; q < (b & 3); q++) a += CALL;",
    "if (__builtin_expect((a & MASK) == NUMBER, 0)) { v++; GIVE_UP(a); }",
    "switch (a & 7) { case 0: a += CALL; break; case 1: b += 3; case 2: a ^= b; break; "
    "case 3: a += CALL; break; case 4: depth--; return VALUE; case 5: b *= a; break; "
    "default: v++; }",
    "if ((b & 3) == 1) { depth--; return CALL; }",
    "a += CALL;",
    "if (a > b) a += CALL; else b -= CALL;",
    "{ int r[4] __attribute__((aligned(ALIGN))); r[a & 3] = b; sink = r; a += CALL; "
    "v += r[b & 3]; }",
    "{ int r[9]; for (int q = 0; q < 9; q++) r[q] = a * q ^ b; "
    "qsort(r, 9, 4, compare); a += r[3]; }",
    '{ char s[30]; snprintf(s, 30, "%d-%x", a, b); a += s[2]; }',
    "{ struct { long x[SIZE]; } s; memset(&s, a, sizeof(s)); sink = &s; b += s.x[1]; "
    "a += CALL; }",
    "{ SPOIL_FEW; a += CALL; }",
    "{ SPOIL_MANY; a ^= v; if (v & 1) a += CALL; }",
)


class Program:
    """The functions of one seed."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.count = self.random.randint(14, 26)

    def value(self):
        """An expression without a call."""
        return self.random.choice(
            ("a", "b", "a + b", "a ^ b", "v", "a * 3", "b - 1", "17")
        )

    def call(self):
        """One of a function, by its name mostly, or by libc."""
        kind = self.random.randrange(5)
        if kind < 3:
            callee = f"f{self.random.randrange(self.count)}"
        elif kind == 3:
            callee = f"table[({self.value()}) & 15]"
        else:
            return "(int)(long)bsearch((void *)&v, numbers, 8, 4, compare)"
        return f"{callee}({self.value()}, {self.value()})"

    def give_up(self):
        """A function that does not return."""
        return self.random.choice(("give_up", "give_up_slowly"))

    def statement(self):
        """One of STATEMENTS, filled in."""
        text = self.random.choice(STATEMENTS)
        for word, choose in (
            ("CALL", self.call),
            ("VALUE", self.value),
            ("GIVE_UP", self.give_up),
            ("NUMBER", lambda: str(self.random.randrange(16))),
            ("MASK", lambda: self.random.choice(("15", "31", "63", "255"))),
            ("SIZE", lambda: self.random.choice(("8", "40", "72", "200", "1000"))),
            ("ALIGN", lambda: self.random.choice(("32", "64"))),
        ):
            while word in text:
                text = text.replace(word, choose(), 1)
        return text

    def attributes(self):
        """Of one function."""
        chosen = ["noinline"]
        for name, odds in (
            ('optimize("no-omit-frame-pointer")', 0.25),
            ("cold", 0.2),
            ("noclone", 0.5),
            ("aligned(1)", 0.05),
        ):
            if self.random.random() < odds:
                chosen.append(name)
        return ", ".join(chosen)

    def body(self):
        """All statements of a function."""
        lines = ["if (++depth > 12) { depth--; return a + v; }"]
        lines += [self.statement() for _ in range(self.random.randint(1, 6))]
        how = self.random.random()
        if how < 0.12:
            lines.append(f"depth--; {self.give_up()}(b);")
        elif how < 0.5:
            lines.append(f"depth--; return {self.call()};")
        else:
            lines.append("depth--; return a + b;")
        return "\n\t".join(lines)

    def text(self):
        """The program."""
        names = range(self.count)
        where = [self.random.choice(("", "", "static ")) for _ in names]
        parts = [HEAD]
        for i in names:
            parts.append(
                f"{where[i]}__attribute__(({self.attributes()})) int f{i}(int a, int b);"
            )
        for i in names:
            parts.append(f"\n{where[i]}int f{i}(int a, int b)\n{{\n\t{self.body()}\n}}")
        chosen = ", ".join(f"f{self.random.randrange(self.count)}" for _ in range(16))
        parts.append(f"\nint (*const table[16])(int, int) = {{ {chosen} }};")
        parts.append(MAIN % self.random.randrange(self.count))
        return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    print(Program(int(sys.argv[1])).text())
