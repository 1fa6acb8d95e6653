"""Uses of the standard library, one function body each, and the programs made of them.

A body reads `n` (6) and `x` (0.75) and writes numbers to `out`. It is compiled twice, as a kernel and as a host
function: the host's numbers are what the kernel's must be.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent / "features"
STANDARDS = ("17", "20", "23")
PAGES = ("containers", "values", "algorithms", "numbers")

#: how many numbers a body may write, and how many threads run it
RESULTS, THREADS = 64, 3

_HEADERS = (
    *("algorithm", "any", "array", "atomic", "bit", "bitset", "charconv", "chrono", "cmath", "compare", "complex"),
    *("cstdint", "cstdio", "cstdlib", "cstring", "expected", "functional", "initializer_list", "iterator", "limits"),
    *("memory", "new", "numbers", "numeric", "optional", "ranges", "ratio", "source_location", "span", "string"),
    *("string_view", "tuple", "type_traits", "utility", "variant", "vector"),
)


class Feature(NamedTuple):
    name: str
    body: str


def read(page: str) -> list[Feature]:
    """The features of one file: a line `== name`, then the body."""
    pieces = re.split(r"^== (.*)\n", (FOLDER / f"{page}.txt").read_text(), flags=re.M)[1:]
    return [Feature(name, body) for name, body in zip(pieces[::2], pieces[1::2])]


def every() -> list[Feature]:
    return [feature for page in PAGES for feature in read(page)]


def _includes() -> str:
    return "".join(f"#if __has_include(<{header}>)\n#include <{header}>\n#endif\n" for header in _HEADERS)


def kernels(features: Iterable[tuple[int, Feature]]) -> str:
    """A source of kernels alone; the compiler's messages name `feature_<number>` as the file."""
    bodies = (
        f'#line 1 "feature_{number}"\n'
        f"__global__ void device_{number}(double* out, int n, double x) {{\n{feature.body}}}\n"
        for number, feature in features
    )
    return _includes() + "".join(bodies)


def host_functions(features: Iterable[tuple[int, Feature]]) -> str:
    """The same bodies as functions of the host."""
    bodies = (
        f'#line 1 "feature_{number}"\nvoid host_{number}(double* out, int n, double x) {{\n{feature.body}}}\n'
        for number, feature in features
    )
    return _includes() + "".join(bodies)


def program(features: Sequence[tuple[int, Feature]]) -> str:
    """A program that runs every feature on both sides and prints `number device|host value ...`."""
    hosts = host_functions(features).removeprefix(_includes())
    cases = "".join(f"    run({number}, device_{number}, host_{number});\n" for number, _ in features)
    return f"""{kernels(features)}{hosts}#line 1 "program"
using Body = void (*)(double*, int, double);
void print(int number, const char* side, const double* values) {{
    std::printf("%d %s", number, side);
    for (int i = 0; i < {RESULTS}; ++i) std::printf(" %a", values[i]);
    std::printf("\\n");
}}
void run(int number, Body device, Body host) {{
    double* values;
    musaMalloc(&values, {RESULTS} * sizeof(double));
    double copy[{RESULTS}] = {{}};
    musaMemcpy(values, copy, sizeof copy, musaMemcpyHostToDevice);
    device<<<1, {THREADS}>>>(values, 6, 0.75);
    const musaError_t status = musaMemcpy(copy, values, sizeof copy, musaMemcpyDeviceToHost);
    musaFree(values);
    if (status != musaSuccess) std::printf("%d failed %s\\n", number, musaGetErrorName(status));
    print(number, "device", copy);
    double expected[{RESULTS}] = {{}};
    host(expected, 6, 0.75);
    print(number, "host", expected);
}}
int main() {{
{cases}}}
"""
