"""The matrix instructions of PTX: statements, the registers of 32 lanes, and what "PTX ISA" says of them, in NumPy.

Where an element is comes from CUTLASS's MMA_Traits: lane and register -> element is a shape with strides, which is not the
formula of musa_ptx_matrix.h. Four warps run each case: two with moderate numbers, one with special ones, one with tiny
ones; sums of integers begin at edges.
"""

# ruff: noqa: E501  # a case is a line of a table

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

PROGRAMS = Path(__file__).with_name("programs")

WARPS, LANES = 4, 32
THREADS = WARPS * LANES
#: 64-bit words of a lane: registers that are read and written, and its 16 bytes of shared memory.
READ, WRITTEN, MEMORY = 16, 8, 2

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Input:
    """The initial state of the four warps: registers as bits, [warp, lane, register], and shared memory, [warp, row, 8 halves]."""

    registers: Array
    memory: Array


@dataclass(frozen=True)
class Case:
    """One statement. Letters of operands are constraints; A is an address in shared memory of 32 bits, G the generic one.

    `differences` gives what is wrong of (registers, memory), laid out as in `Input`. `arch`: the oldest GPU that has it.
    """

    template: str
    outputs: str
    inputs: str
    data: Input
    differences: Callable[[Array, Array], list[str]]
    arch: int = 80


@dataclass(frozen=True)
class Element:
    """A type of elements: its bits, how many a register has, and the numbers of bits (in float64 or int64)."""

    bits: int
    per_register: int
    numbers: Callable[[Array], Array]


def _half(bits: Array) -> Array:
    return bits.astype(np.uint16).view(np.float16).astype(np.float64)


def _float(bits: Array) -> Array:
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def _e4m3(bits: Array) -> Array:
    exponent, fraction = bits >> 3 & 15, bits & 7
    size = np.where(exponent == 0, fraction * 2.0**-9, (8.0 + fraction) * 2.0 ** (exponent.astype(np.float64) - 10))
    return np.where(bits & 0x7F == 0x7F, np.nan, np.where(bits & 0x80, -size, size))


def _signed(width: int, bits: Array) -> Array:
    return (bits.astype(np.int64) ^ 1 << width - 1) - (1 << width - 1)


ELEMENTS = {
    "f16": Element(16, 2, _half),
    "bf16": Element(16, 2, lambda bits: _float(bits.astype(np.uint32) << 16)),
    "tf32": Element(32, 1, _float),
    "f32": Element(32, 1, _float),
    "e5m2": Element(8, 4, lambda bits: _half(bits.astype(np.uint16) << 8)),
    "e4m3": Element(8, 4, _e4m3),
    "f64": Element(64, 1, lambda bits: bits.astype(np.uint64).view(np.float64).astype(np.longdouble)),
    **{f"u{width}": Element(width, 32 // width, lambda bits: bits.astype(np.int64)) for width in (4, 8)},
    **{f"s{width}": Element(width, 32 // width, partial(_signed, width)) for width in (4, 8, 32)},
    "b1": Element(1, 32, lambda bits: bits.astype(np.int64)),
}

# Bits of special numbers: NaN, infinity, subnormals, zeros, the largest.
_SPECIAL = {
    "f16": [0x7E01, 0x7C00, 0xFC00, 1, 0x83FF, 0, 0x8000, 0x3C00, 0x7BFF],
    "bf16": [0x7FC1, 0x7F80, 0xFF80, 1, 0x807F, 0, 0x8000, 0x3F80],
    "tf32": [0x7FC02000, 0x7F800000, 0xFF800000, 0x2000, 0x807FE000, 0, 0x80000000, 0x3F800000],
    "f32": [0x7FC00001, 0x7F800000, 0xFF800000, 1, 0x807FFFFF, 0, 0x80000000, 0x3F800000],
    "e5m2": [0x7D, 0x7C, 0xFC, 1, 0x83, 0, 0x80, 0x3C],
    "e4m3": [0x7F, 0xFF, 1, 0x87, 0, 0x80, 0x38, 0x7E],
    "f64": [0x7FF8000000000001, 0x7FF0000000000000, 0xFFF0000000000000, 1, 0, 1 << 63, 0x3FF0000000000000],
}
# Bits of a subnormal number, the numbers below it are others.
_TINY = {"f16": 0x3FF, "bf16": 0x7F, "e5m2": 3, "e4m3": 7, "tf32": 0, "f32": 0x7FFFFF, "f64": 0xFFFFFFFFFFFFF}
_EDGES = {"s32": [0x80000000, 0x7FFFFFFF, 0, 0xFFFFFFFF]}


def _moderate(name: str, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Bits of random numbers that no sum of products rounds to infinity."""
    if name in ("f32", "tf32", "bf16", "f16", "f64"):
        numbers = rng.standard_normal(shape)
        if name == "f64":
            return numbers.view(np.uint64)
        if name == "f16":
            return numbers.astype(np.float16).view(np.uint16)
        bits = numbers.astype(np.float32).view(np.uint32)
        return bits >> 16 if name == "bf16" else bits & 0xFFFFE000 if name == "tf32" else bits
    if name in ("e5m2", "e4m3"):
        return rng.integers(0, 0x48, shape) | rng.integers(0, 2, shape) << 7
    return rng.integers(0, 1 << ELEMENTS[name].bits, shape, dtype=np.uint64)


def _matrices(name: str, rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Bits of a matrix for each warp."""
    found = np.stack([_moderate(name, rng, (rows, columns)).astype(np.uint64) for _ in range(WARPS)])
    if name in _SPECIAL:
        chosen = rng.random((rows, columns)) < 0.05
        found[1][chosen] = rng.choice(np.array(_SPECIAL[name], np.uint64), chosen.sum())
        if name != "tf32":
            found[2] = rng.integers(0, _TINY[name] + 1, (rows, columns)).astype(np.uint64)
    if name in _EDGES:
        found[3] = rng.choice(np.array(_EDGES[name], np.uint64), (rows, columns))
    return found


def _indices(shape: tuple[int, ...], strides: tuple[int, ...]) -> Array:
    """Where a CuTe layout puts element (lane, value): [lane, value]; the first two modes are the lane's."""
    index = np.zeros(1, np.int64)
    for size, stride in zip(reversed(shape), reversed(strides)):
        index = np.add.outer(index, np.arange(size) * stride).reshape(-1)
    return index.reshape(-1, LANES).T


def a_layout(m: int, k: int, e: int) -> Array:
    """[lane, value] -> row + m * k of A."""
    return _indices((4, 8, e, m // 8, k // (4 * e)), (m * e, 1, m, 8, 4 * e * m))


def b_layout(k: int, e: int) -> Array:
    """[lane, value] -> column + 8 * k of B."""
    return _indices((4, 8, e, k // (4 * e)), (8 * e, 1, 8, 32 * e))


def c_layout(m: int) -> Array:
    """[lane, value] -> row + m * column of C."""
    return _indices((4, 8, 2, m // 8), (2 * m, 1, m, 8))


def _packed(values: Array, e: int, bits: int) -> Array:
    """Put `e` neighbours into each register: [..., value] -> [..., register]."""
    parts = values.reshape(*values.shape[:-1], -1, e).astype(np.uint64)
    shifts = np.arange(e, dtype=np.uint64) * np.uint64(bits)
    return np.bitwise_or.reduce(parts << shifts, axis=-1)


def _unpacked(registers: Array, e: int, bits: int) -> Array:
    shifts = np.arange(e, dtype=np.uint64) * np.uint64(bits)
    mask = np.uint64((1 << bits) - 1)
    return (registers[..., None] >> shifts & mask).reshape(*registers.shape[:-1], -1)


def _registers(matrix: Array, layout: Array, element: Element) -> Array:
    """The registers of all lanes with a matrix for each warp, stored by columns: [warp, lane, register]."""
    flat = matrix.transpose(0, 2, 1).reshape(WARPS, -1)
    return _packed(flat[:, layout], element.per_register, element.bits)


def _matrix(values: Array, layout: Array, rows: int) -> Array:
    flat = np.zeros((WARPS, layout.size), np.uint64)
    flat[:, layout] = values
    return flat.reshape(WARPS, -1, rows).transpose(0, 2, 1)


def _operands(names: str, counts: tuple[int, ...]) -> str:
    """`{%0, %1}, %2, ...`: lists of so many operands."""
    lists, first = [], 0
    for name, count in zip(names, counts):
        inside = ", ".join(f"%{first + i}" for i in range(count))
        lists.append(f"{{{inside}}}" if count > 1 or name == "{" else inside)
        first += count
    return ", ".join(lists)


def _wrong(found: Array, expected: Array, allowed: Array) -> list[str]:
    """Say where numbers differ by more than `allowed`; NaN is NaN."""
    with np.errstate(invalid="ignore"):
        right = (found == expected) | (np.isnan(found) & np.isnan(expected)) | (abs(found - expected) <= allowed)
    return [
        f"warp {w}, row {r}, column {c}: {found[w, r, c]!r}, not {expected[w, r, c]!r}"
        for w, r, c in np.argwhere(~right)[:3]
    ]


def _sums(a: Array, b: Array, c: Array, name: str) -> tuple[Array, Array]:
    """The results in higher precision, and how far rounded ones may be away."""
    with np.errstate(invalid="ignore", over="ignore"):
        exact = (a[..., None] * b[:, None]).sum(2) + c
        sizes = (abs(a)[..., None] * abs(b)[:, None]).sum(2) + abs(c)
    if name in ("s32",):
        return exact, np.zeros_like(exact)
    step = {"f32": 2.0**-23, "f16": 2.0**-23, "f64": 2.0**-52}[name]
    allowed = step * (a.shape[2] + 1) * sizes + (2.0**-149 if name != "f64" else 0)
    return exact, allowed


def _product(
    name: str,
    m: int,
    k: int,
    types: tuple[str, str, str],
    arch: int,
    seed: int,
    limited: bool = False,
    operation: str = "",
) -> Case:
    rng = np.random.default_rng(seed)
    type_a, type_b, type_c = types
    one, other, sums = ELEMENTS[type_a], ELEMENTS[type_b], ELEMENTS[type_c]
    a, b, c = _matrices(type_a, rng, m, k), _matrices(type_b, rng, k, 8), _matrices(type_c, rng, m, 8)
    # B's layout counts columns first, so B by columns is its transpose by rows
    parts = [
        _registers(a, a_layout(m, k, one.per_register), one),
        _registers(b.transpose(0, 2, 1), b_layout(k, other.per_register), other),
        _registers(c, c_layout(m), sums),
    ]
    counts = tuple(part.shape[-1] for part in parts)
    letter = {"f32": "f", "f16": "r", "f64": "d", "s32": "r"}[type_c]
    register = "d" if type_a == "f64" else "r"

    def differences(found: Array, _: Array) -> list[str]:
        values = _unpacked(found[..., : counts[2]], sums.per_register, sums.bits)
        numbers = sums.numbers(_matrix(values, c_layout(m), m))
        exact, allowed = _expected(a, b, c)
        return _wrong(numbers, exact, allowed)

    def _expected(a: Array, b: Array, c: Array) -> tuple[Array, Array]:
        if operation:
            joined = np.bitwise_and if operation == "and" else np.bitwise_xor
            exact = joined(a[..., None], b[:, None]).sum(2).astype(np.int64) + sums.numbers(c)
            return _signed(32, exact & 0xFFFFFFFF), np.zeros_like(exact)
        exact, allowed = _sums(one.numbers(a), other.numbers(b), sums.numbers(c), type_c)
        if type_c == "s32":
            exact = np.clip(exact, -(2**31), 2**31 - 1) if limited else _signed(32, exact & 0xFFFFFFFF)
        elif type_c == "f16":
            with np.errstate(over="ignore", invalid="ignore"):
                allowed = allowed + abs(exact) * 2.0**-11 + 2.0**-25
                exact = exact.astype(np.float16).astype(np.float64)
        return exact, allowed

    return Case(
        f"{name} {_operands('{{{{', (counts[2], *counts))};",
        letter * counts[2],
        register * (counts[0] + counts[1]) + letter * counts[2],
        Input(np.concatenate(parts, -1), np.zeros((WARPS, LANES, 8), np.uint16)),
        differences,
        arch,
    )


def _four(name: str, by: tuple[str, str], type_c: str, seed: int) -> Case:
    """m8n8k4 of halves: each quarter of a warp has its own product. The layouts are those of CUTLASS's SM70 traits."""
    rng = np.random.default_rng(seed)
    half, sums = ELEMENTS["f16"], ELEMENTS[type_c]
    matrices = [
        [_matrices(t, rng, r, c) for t, r, c in (("f16", 8, 4), ("f16", 4, 8), (type_c, 8, 8))] for _ in range(4)
    ]
    a_elements = _volta_a(by[0] == "row")
    b_elements = _volta_a(by[1] == "col")
    c_elements = _volta_c(type_c)
    counts = (2, 2, 8 // sums.per_register)
    registers = np.zeros((WARPS, LANES, sum(counts)), np.uint64)
    lanes = [[4 * q + i + 16 * h for h in (0, 1) for i in range(4)] for q in range(4)]
    for quarter, (a, b, c) in zip(lanes, matrices):
        for i, lane in enumerate(quarter):
            first = 0
            for matrix, elements, element in (
                (a, a_elements, half),
                (b.transpose(0, 2, 1), b_elements, half),
                (c, c_elements, sums),
            ):
                rows, columns = zip(*elements[i])
                values = _packed(matrix[:, rows, columns], element.per_register, element.bits)
                registers[:, lane, first : first + values.shape[1]] = values
                first += values.shape[1]

    def differences(found: Array, _: Array) -> list[str]:
        wrong = []
        for quarter, (a, b, c) in zip(lanes, matrices):
            result = np.zeros((WARPS, 8, 8), np.uint64)
            for i, lane in enumerate(quarter):
                rows, columns = zip(*c_elements[i])
                result[:, rows, columns] = _unpacked(found[:, lane, : counts[2]], sums.per_register, sums.bits)
            exact, allowed = _sums(half.numbers(a), half.numbers(b), sums.numbers(c), type_c)
            if type_c == "f16":
                with np.errstate(over="ignore", invalid="ignore"):
                    allowed = allowed + abs(exact) * 2.0**-11 + 2.0**-25
                    exact = exact.astype(np.float16).astype(np.float64)
            wrong += _wrong(sums.numbers(result), exact, allowed)
        return wrong

    letter = "f" if type_c == "f32" else "r"
    return Case(
        f"{name} {_operands('{{{{', (counts[2], *counts))};",
        letter * counts[2],
        "rrrr" + letter * counts[2],
        Input(registers, np.zeros((WARPS, LANES, 8), np.uint16)),
        differences,
    )


def _volta_a(by_rows: bool) -> list[list[tuple[int, int]]]:
    """For each of eight lanes, the (row, k) of its four elements: SM70_8x4_Row and SM70_8x4_Col."""
    if by_rows:
        return [[(lane, k) for k in range(4)] for lane in range(8)]
    return [[(4 * (lane // 4) + i, lane % 4) for i in range(4)] for lane in range(8)]


def _volta_c(type_c: str) -> list[list[tuple[int, int]]]:
    """SM70_8x8_16b, and SM70_8x8_32b: shape (2,2,2),(2,2,2) with strides (1,16,4),(8,2,32)."""
    if type_c == "f16":
        return [[(lane, column) for column in range(8)] for lane in range(8)]

    def at(lane: int, i: int) -> int:
        return (lane & 1) + 16 * (lane >> 1 & 1) + 4 * (lane >> 2) + 8 * (i & 1) + 2 * (i >> 1 & 1) + 32 * (i >> 2)

    return [[(at(lane, i) % 8, at(lane, i) // 8) for i in range(8)] for lane in range(8)]


def _loaded(memory: Array, rows: Array, count: int, transposed: bool) -> Array:
    """The result of ldmatrix: [warp, lane, register], from the row that each lane names."""
    matrices = memory[np.arange(WARPS)[:, None], rows].reshape(WARPS, 4, 8, 8)[:, :count]
    if transposed:
        matrices = matrices.transpose(0, 1, 3, 2)
    return _packed(matrices.reshape(WARPS, count, LANES, 2), 2, 16)[..., 0].transpose(0, 2, 1)


def _moves(seed: int) -> Iterator[Case]:
    rng = np.random.default_rng(seed)
    memory = rng.integers(0, 1 << 16, (WARPS, LANES, 8)).astype(np.uint16)
    rows = np.stack([rng.permutation(LANES) for _ in range(WARPS)])
    addresses = (rows * 16)[..., None].astype(np.uint64)
    for count, trans, space in product((1, 2, 4), ("", ".trans"), (".shared", "", ".shared::cta")):
        middle = f"m8n8.x{count}{trans}" if space != ".shared::cta" else f"x{count}{trans}.m8n8"
        expected = _loaded(memory, rows, count, bool(trans))
        lists = _operands("{", (count,))

        def loads(found: Array, after: Array, expected: Array = expected, count: int = count) -> list[str]:
            return _unequal(found[..., :count], expected) + _unequal(after, memory)

        letter = "A" if space else "G"
        yield Case(
            f"ldmatrix.sync.aligned.{middle}{space}.b16 {lists}, [%{count}];",
            "r" * count,
            letter,
            Input(addresses, memory),
            loads,
        )
        values = rng.integers(0, 1 << 32, (WARPS, LANES, count)).astype(np.uint64)

        def stores(_: Array, after: Array, count: int = count, trans: str = trans, values: Array = values) -> list[str]:
            untouched = after.copy()
            for warp in range(WARPS):
                untouched[warp, rows[warp, : 8 * count]] = memory[warp, rows[warp, : 8 * count]]
            return _unequal(_loaded(after, rows, count, bool(trans)), values) + _unequal(untouched, memory)

        inside = ", ".join(f"%{i + 1}" for i in range(count))
        yield Case(
            f"stmatrix.sync.aligned.{middle}{space}.b16 [%0], {{{inside}}};",
            "",
            letter + "r" * count,
            Input(np.concatenate([addresses, values], -1), memory),
            stores,
            arch=90,
        )
    words = rng.integers(0, 1 << 32, (WARPS, LANES, 1)).astype(np.uint64)
    halves = _unpacked(words, 2, 16).reshape(WARPS, 8, 8).transpose(0, 2, 1)
    turned = _packed(halves.reshape(WARPS, LANES, 2), 2, 16)
    yield Case(
        "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;",
        "r",
        "r",
        Input(words, memory),
        lambda found, _: _unequal(found[..., :1], turned),
    )


def _unequal(found: Array, expected: Array) -> list[str]:
    return [
        f"{tuple(at)}: {found[tuple(at)]:#x}, not {expected[tuple(at)]:#x}" for at in np.argwhere(found != expected)[:3]
    ]


def _names() -> Iterator[tuple[str, int, int, tuple[str, str, str], int, bool, str]]:
    """Yield (instruction, m, k, types of A, B and C, architecture, satfinite, operation of bits)."""
    floats = [
        ("f16", "f32", (8, 16), 80),
        ("bf16", "f32", (8, 16), 80),
        ("f16", "f16", (8, 16), 80),
        ("tf32", "f32", (4, 8), 80),
    ]
    for t, c, shapes, arch in floats:
        for k in shapes:
            yield f"mma.sync.aligned.m16n8k{k}.row.col.{c}.{t}.{t}.{c}", 16, k, (t, t, c), arch, False, ""
    for s, t, c, k in product(("e4m3", "e5m2"), ("e4m3", "e5m2"), ("f32", "f16"), (16, 32)):
        yield f"mma.sync.aligned.m16n8k{k}.row.col.{c}.{s}.{t}.{c}", 16, k, (s, t, c), 100, False, ""
    for m, k, rounding in ((8, 4, ""), (16, 4, ".rn"), (16, 8, ""), (16, 16, "")):
        name = f"mma.sync.aligned.m{m}n8k{k}.row.col.f64.f64.f64.f64{rounding}"
        yield name, m, k, ("f64", "f64", "f64"), 80 if m == 8 else 90, False, ""
    for bits, pairs in ((8, ((8, 16), (16, 16), (16, 32))), (4, ((8, 32), (16, 32), (16, 64)))):
        for s, t, (m, k) in product((f"s{bits}", f"u{bits}"), (f"s{bits}", f"u{bits}"), pairs):
            head, tail = f"mma.sync.aligned.m{m}n8k{k}.row.col", f"s32.{s}.{t}.s32"
            yield f"{head}.{tail}", m, k, (s, t, "s32"), 80, False, ""
            yield f"{head}.satfinite.{tail}", m, k, (s, t, "s32"), 80, True, ""
    for t in ("s8", "u4"):
        yield (
            f"mma.sync.aligned.m16n8k{256 // int(t[1])}.row.col.s32.{t}.{t}.s32.satfinite",
            16,
            256 // int(t[1]),
            (t, t, "s32"),
            80,
            True,
            "",
        )
    for (m, k), op in product(((8, 128), (16, 128), (16, 256)), ("and", "xor")):
        yield f"mma.sync.aligned.m{m}n8k{k}.row.col.s32.b1.b1.s32.{op}.popc", m, k, ("b1", "b1", "s32"), 80, False, op


def cases() -> list[Case]:
    """All of them."""
    found = list(_moves(1))
    for seed, (name, m, k, types, arch, limited, operation) in enumerate(_names(), 2):
        found.append(_product(name, m, k, types, arch, seed, limited, operation))
    for seed, (a, b, c) in enumerate(product(("row", "col"), ("row", "col"), ("f32", "f16")), 1000):
        found.append(_four(f"mma.sync.aligned.m8n8k4.{a}.{b}.{c}.f16.f16.{c}", (a, b), c, seed))
    return found


_REGISTERS = {
    "r": ("unsigned", "(unsigned)in[{i}]", "{v}"),
    "f": ("float", "__uint_as_float((unsigned)in[{i}])", "__float_as_uint({v})"),
    "d": ("double", "__longlong_as_double((long long)in[{i}])", "(unsigned long long)__double_as_longlong({v})"),
    "A": ("unsigned", "(unsigned)__cvta_generic_to_shared(memory + in[{i}])", ""),
    "G": ("unsigned long long", "(unsigned long long)(memory + in[{i}])", ""),
}


def source(chosen: list[Case]) -> str:
    """A CUDA program, `program inputs outputs`, with a kernel for each case."""
    kernels = "\n".join(_kernel(number, case) for number, case in enumerate(chosen))
    calls = "\n".join(f"    case_{number}<<<1, {THREADS}>>>(in, out); step();" for number in range(len(chosen)))
    text = _PROGRAM.replace("@KERNELS@", kernels).replace("@CALLS@", calls)
    return (
        text.replace("@IN@", str(READ + MEMORY))
        .replace("@OUT@", str(WRITTEN + MEMORY))
        .replace("@THREADS@", str(THREADS))
    )


def _kernel(number: int, case: Case) -> str:
    lines = [f"    {_REGISTERS[letter][0]} o{i};" for i, letter in enumerate(case.outputs)]
    lines += [f"    {_REGISTERS[x][0]} i{i} = {_REGISTERS[x][1].format(i=i)};" for i, x in enumerate(case.inputs)]
    constraint = {"A": "r", "G": "l"}
    results = ", ".join(f'"={letter}"(o{i})' for i, letter in enumerate(case.outputs))
    operands = ", ".join(f'"{constraint.get(letter, letter)}"(i{i})' for i, letter in enumerate(case.inputs))
    lines.append(f'    asm volatile("{case.template}\\n" : {results} : {operands} : "memory");')
    lines += [f"    out[{i}] = {_REGISTERS[letter][2].format(v=f'o{i}')};" for i, letter in enumerate(case.outputs)]
    body = "\n".join(lines)
    return f"KERNEL(case_{number}) {{\n    BEGIN\n{body}\n    END\n}}"


_PROGRAM = (PROGRAMS / "ptx_matrices.cu.in").read_text(encoding="utf-8")


def input_bytes(case: Case) -> bytes:
    """Return the program's input for a case."""
    words = np.zeros((WARPS, LANES, READ + MEMORY), np.uint64)
    words[..., : case.data.registers.shape[-1]] = case.data.registers
    words[..., READ:] = np.ascontiguousarray(case.data.memory).view(np.uint64)
    return words.tobytes()


def output_size() -> int:
    """How many bytes the program writes for a case."""
    return THREADS * (WRITTEN + MEMORY) * 8


def of_output(content: bytes) -> tuple[Array, Array]:
    """Registers and memory in what the program wrote."""
    words = np.frombuffer(content, np.uint64).reshape(WARPS, LANES, WRITTEN + MEMORY)
    return words[..., :WRITTEN], np.ascontiguousarray(words[..., WRITTEN:]).view(np.uint16)
