"""Write kernels that keep values over waits in branches and loops, each beside the same as a plain function.

All threads of a block come to each wait, and nothing is exchanged: a thread's result depends on its index and the
arguments alone. So the host computes it by calling the same code, in which a wait does nothing.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")

#: Some have names that LLVM gives values of its own.
PARAMETERS = (
    "unsigned long long* out, const int* table, int n, int index, unsigned char c, short s, long long frame, float f, "
    "double d, bool is, Pair pair, unsigned x10"
)
ARGUMENTS = "out, table, n, 5, 200, -7, 1ll << 40, 1.5f, -0.25, true, Pair{3, 2.5f}, 77"

HEAD = (PROGRAMS / "kernels_with_spills_head.h").read_text(encoding="utf-8")

MAIN = (PROGRAMS / "kernels_with_spills_main.h").read_text(encoding="utf-8")

#: Bodies that were compiled wrongly, and similar ones; the others are written at random.
KNOWN = (
    "a = table[1]; WAIT(0); if (n > 1) { a = tid; WAIT(1); }",
    "a = table[1]; WAIT(0); b = a; if (n > 100) { b = tid; WAIT(0); }",
    "a = table[1]; WAIT(0); if (n > 1) { a = index; WAIT(0); } else { a = s; WAIT(2); }",
    "a = table[1]; WAIT(0); if (n > 1) { WAIT(0); } else { b = n; WAIT(2); }",
    "a = table[1]; WAIT(0); for (int i = 0; i < n - 2; ++i) { a = tid; WAIT(0); }",
    "a = table[1]; WAIT(0); while (a < n) { a = x10; WAIT(0); WAIT(1); }",
    "b = table[1]; WAIT(0); if (is && n == 2) { b = frame; WAIT(0); b += 1; WAIT(0); }",
    "e = table[1]; WAIT(0); if (n) { e = d; WAIT(0); } WAIT(0);",
    "p = table; WAIT(0); if (n) { p = table + tid % 8; WAIT(0); } a = *p;",
    "a = table[2]; WAIT(0); if (n) { a = tid; WAIT(0); if (n > 1) { a = index; WAIT(0); } }",
    "a = table[2]; WAIT(0); switch (n) { case 0: a = tid; WAIT(0); break; case 1: a = n; WAIT(0); break; default:; }",
    "if (tid > 40) { a = tid; END; } WAIT(0); a = table[3]; if (n > 2) { a = tid; WAIT(0); }",
    "a = table[1]; WAIT(0); if (n > 100) { a = pair.x; WAIT(0); } if (n < 100) { b = tid; WAIT(0); } else { b = c; }",
)


class _Writer:
    def __init__(self, seed: int, most_waits: int) -> None:
        self.random = random.Random(seed)
        self.waits = most_waits
        self.count = 0

    def wait(self) -> str:
        self.waits -= 1
        return f"WAIT({self.random.choice([0, 0, 1, 2])});" if self.waits >= 0 else ""

    def value(self) -> str:
        given = (
            "(int)tid",
            "(int)bid",
            "n",
            "index",
            "(int)c",
            "(int)s",
            "(int)frame",
            "(int)x10",
            "pair.x",
            "(int)is",
        )
        kept = ("a", "(int)b", "(int)e", "*p", "table[(tid + a) & 63]", "(int)(f * tid)", "(int)d", "7")
        return self.random.choice((*given, *kept))

    def condition(self) -> str:
        """Write what is the same for all threads."""
        limit = self.random.randint(0, 3)
        return self.random.choice(
            [f"n > {limit}", f"n == {limit}", "bid == 0", "is", f"index + n > {limit + 4}", "!is"]
        )

    def assignment(self) -> str:
        return self.random.choice(
            (
                f"a = {self.value()};",
                f"a = {self.value()} {self.random.choice('+-^')} {self.value()};",
                f"if (tid & {self.random.choice((1, 4, 16))}) a = {self.value()};",
                f"b = {self.value()};",
                f"b = b * 3 + {self.value()};",
                "b += frame;",
                f"e = {self.value()};",
                "e += d;",
                f"p = table + ({self.value()} & 63);",
            )
        )

    def statement(self, depth: int) -> str:
        kind = self.random.randrange(10)
        if kind < 3:
            return self.assignment()
        if kind < 5 or depth == 0:
            return f"{self.assignment()} {self.wait()}"
        inner = "".join(self.statement(depth - 1) for _ in range(self.random.randint(1, 2)))
        if kind < 8:
            other = f" else {{ {self.statement(depth - 1)} }}" if self.random.random() < 0.5 else ""
            return f"if ({self.condition()}) {{ {inner} {self.wait()} }}{other}"
        if kind == 8:
            self.count += 1
            turn = f"i{self.count}"
            leave = f"if ({self.condition()}) break;" if self.random.random() < 0.4 else ""
            limit = self.random.choice(("n", "2", "n - 1"))
            return f"for (int {turn} = 0; {turn} < {limit}; ++{turn}) {{ {inner} {leave} }}"
        return f"if ({self.random.choice([self.condition(), 'tid > 40', 'tid == 3'])}) {{ {self.assignment()} END; }}"

    def body(self) -> str:
        return " ".join(self.statement(3) for _ in range(self.random.randint(3, 6)))


def _pair(number: int, body: str) -> str:
    start = "int a = 1; long long b = 2; double e = 3; const int* p = table;"
    end = "out[bid * threads + tid] = mixed(mixed(mixed(mixed(9, a), b), (long long)(e * 16)), *p);"
    code = f"{start} {body} {end}".replace("END;", f"{{ {end} return; }}")
    return (
        "#undef WAIT\n#define WAIT(kind) WAIT_##kind\n"
        f"__global__ void kernel_{number}({PARAMETERS}) {{\n"
        f"    const unsigned tid = threadIdx.x, bid = blockIdx.x, threads = blockDim.x;\n    {code}\n}}\n"
        "#undef WAIT\n#define WAIT(kind)\n"
        f"PLAIN void plain_{number}(unsigned bid, unsigned tid, unsigned threads, {PARAMETERS}) {{\n    {code}\n}}\n"
        f"PLAIN void launch_{number}(int threads, unsigned long long* out, int* table, int n) {{\n"
        f"    kernel_{number}<<<2, threads>>>({ARGUMENTS});\n}}\n"
    )


def program(seed: int, kernels: int, known: Sequence[str] = KNOWN) -> str:
    """Return a program that runs the known kernels and so many others, and says which results are wrong."""
    # every fourth waits nowhere: it becomes a plain loop
    bodies = [*known, *(_Writer(seed * 1000 + at, 8 if at % 4 else 0).body() for at in range(kernels))]
    text = "".join(_pair(number, body) for number, body in enumerate(bodies))
    launches, plain = (", ".join(f"{what}_{at}" for at in range(len(bodies))) for what in ("launch", "plain"))
    tables = (
        f"void (*const launches[])(int, unsigned long long*, int*, int) = {{{launches}}};\n"
        f"void (*const plain[])(unsigned, unsigned, unsigned, {PARAMETERS}) = {{{plain}}};\n"
    )
    constants = f"#define KERNELS {len(bodies)}\n#define ARGUMENTS {ARGUMENTS.replace('out', 'wanted', 1)}\n"
    return f"{HEAD}{text}{tables}{constants}{MAIN}"
