"""Write kernels at random whose warps diverge, and exchange values while they do.

Every operation names in its mask exactly the lanes that come to it, or lanes that have exited: what CUDA asks for. So
each kernel has one result, however its threads are run.
"""

from __future__ import annotations

import random
from pathlib import Path

PROGRAMS = Path(__file__).with_name("programs")

MAIN = (PROGRAMS / "random_warps_main.h").read_text(encoding="utf-8")


class _Writer:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.count = 0

    def name(self, what: str) -> str:
        self.count += 1
        return f"{what}{self.count}"

    def kernel(self, number: int) -> str:
        body = "".join(self.top(4) for _ in range(self.random.randint(2, 5)))
        return (
            f"__global__ void kernel_{number}(unsigned* out) {{\n"
            "    __shared__ unsigned tile[256];\n"
            "    const unsigned tid = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);\n"
            "    const unsigned threads = blockDim.x * blockDim.y * blockDim.z, lane = tid & 31;\n"
            "    unsigned* const mine = out + blockIdx.x * threads + tid;\n"
            "    unsigned v = tid * 2654435761u + blockIdx.x * 40503u, w = v >> 7;\n"
            "    tile[tid] = w; __syncthreads();\n"
            f"{body}    *mine = v ^ w;\n}}\n"
        )

    def top(self, depth: int) -> str:
        """Write what all threads of the block come to that have not exited."""
        kind = self.random.randrange(6)
        if kind == 0:
            return (
                "    tile[tid] = v; __syncthreads();\n"
                f"    w += tile[(tid + {self.random.randint(1, 40)}) % threads] & 0xffff; __syncthreads();\n"
            )
        if kind == 1:
            function = self.random.choice(["__syncthreads_count", "__syncthreads_and", "__syncthreads_or"])
            return f"    v += {function}({self.condition()});\n"
        if kind == 2:
            return f"    if ({self.condition()} && {self.condition()}) {{ *mine = v + w; return; }}\n"
        mask = self.name("all")
        # lanes that have exited may stand in a mask; those that never were do too
        return f"    const unsigned {mask} = 0xffffffffu;\n{self.statements(mask, depth, '    ')}"

    def statements(self, mask: str, depth: int, indent: str) -> str:
        return "".join(self.statement(mask, depth, indent) for _ in range(self.random.randint(1, 3)))

    def statement(self, mask: str, depth: int, indent: str) -> str:
        kind = self.random.randrange(8)
        if kind == 0 and depth > 0:
            yes, condition = self.name("yes"), self.name("is")
            deeper = indent + "    "
            return (
                f"{indent}const bool {condition} = {self.condition()};\n"
                f"{indent}const unsigned {yes} = __ballot_sync({mask}, {condition});\n"
                f"{indent}if ({condition}) {{\n{self.statements(yes, depth - 1, deeper)}{indent}}} else {{\n"
                f"{deeper}const unsigned no{yes} = {mask} & ~{yes};\n"
                f"{self.statements('no' + yes, depth - 1, deeper)}{indent}}}\n"
            )
        if kind == 1 and depth > 0:
            live, turn = self.name("live"), self.name("turn")
            deeper = indent + "    "
            return (
                f"{indent}unsigned {live} = {mask};\n"
                f"{indent}for (unsigned {turn} = 0;; ++{turn}) {{\n"
                f"{deeper}const bool more = {turn} < ({self.value()}) % {self.random.randint(2, 5)};\n"
                f"{deeper}{live} = __ballot_sync({live}, more);\n{deeper}if (!more) break;\n"
                f"{self.statements(live, depth - 2, deeper)}{indent}}}\n"
            )
        if kind == 2 and depth > 0:
            turn = self.name("turn")
            return (
                f"{indent}for (int {turn} = 0; {turn} < {self.random.choice(['3', '(int)gridDim.x'])}; ++{turn}) {{\n"
                f"{self.statements(mask, depth - 2, indent + '    ')}{indent}}}\n"
            )
        return f"{indent}{self.operation(mask)}\n"

    def operation(self, mask: str) -> str:
        pick = self.random.choice
        kind = self.random.randrange(10)
        if kind < 5:
            function = pick(["__shfl_sync", "__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync"])
            value = pick(["v", "w", "(unsigned long long)v * w", "(float)(v & 1023)", "(double)(w & 4095)", "(int)v"])
            argument = pick([str(self.random.randint(0, 31)), f"({self.value()}) & 31", "blockIdx.x", "lane + 1"])
            width = pick(["", "", ", 32", ", 16", ", 8", ", 1"])
            return f"v += (unsigned){function}({mask}, {value}, {argument}{width}) * {self.random.randint(1, 9)}u;"
        if kind == 5:
            return f"w ^= __ballot_sync({mask}, {self.condition()});"
        if kind == 6:
            return f"v += {pick(['__all_sync', '__any_sync'])}({mask}, {self.condition()});"
        if kind == 7:
            return f"w += __match_any_sync({mask}, ({self.value()}) & 3);"
        if kind == 8:
            return f"{{ int same; v ^= __match_all_sync({mask}, ({self.value()}) & 1, &same) + same; }}"
        return f"tile[tid] = v; __syncwarp({mask}); w += tile[tid] ^ lane; __syncwarp({mask});"

    def value(self) -> str:
        return self.random.choice(["v", "w", "lane", "v >> 5", "w + lane", "tid * 7", "tid / 32"])

    def condition(self) -> str:
        limit = self.random.randint(1, 6)
        return self.random.choice(
            [f"lane < {limit * 5}", f"({self.value()}) % {limit + 1} == 0", f"tid / 32 < {limit}", "(v & 4) != 0"]
        )


def program(seed: int, kernels: int) -> str:
    """Return a program that runs so many kernels and prints a digest of what each of them writes."""
    writer = _Writer(seed)
    text = "".join(writer.kernel(number) for number in range(kernels))
    names = ", ".join(f"kernel_{number}" for number in range(kernels))
    table = f"void (*const kernels[])(unsigned*) = {{{names}}};\n#define KERNELS {kernels}\n"
    return f"#include <stdio.h>\n{text}{table}{MAIN}"
