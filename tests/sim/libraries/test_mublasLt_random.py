"""Random products by muBLASLt against NumPy's in double precision: types, operations, orders and strides.

Every matrix has its own order, leading dimension and stride between batches. What lies between the elements is NaN
where it is read, and must be unchanged where it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pytest
from data_types import BFLOAT, BYTE, COMPLEX, DOUBLE, DOUBLE_COMPLEX, E4M3, E5M2, HALF, INTEGER, OF_TORCH, SINGLE
from library_programs import Build
from sim_programs import Program

torch = pytest.importorskip("torch")  # its conversions of 8-bit floats and bfloat16

IN_FLOAT, IN_DOUBLE, IN_INTEGERS, IN_HALF = 68, 70, 72, 64
PLAIN, ADJOINT = 0, 2
HOST, DEVICE, VECTORS, VECTOR_AND_ZERO, VECTOR_AND_HOST = range(5)
AS_IT_IS, RELU, BIAS, DRELU, BIAS_GRADIENT, GELU, DGELU, AUX, BGRADA, BGRADB = 1, 2, 4, 8, 16, 32, 64, 128, 256, 512
WITHOUT_AUX = (AS_IT_IS, RELU, BIAS, RELU | BIAS, GELU, GELU | BIAS, BGRADA, BGRADB)
WITH_AUX = tuple(
    AUX | bits
    for bits in (RELU, RELU | BIAS, DRELU, DRELU | BIAS_GRADIENT, GELU, GELU | BIAS, DGELU, DGELU | BIAS_GRADIENT)
)

# (A, B, C and D, arithmetic, type of alpha and beta)
TYPES = (
    (SINGLE, SINGLE, SINGLE, IN_FLOAT, SINGLE),
    (DOUBLE, DOUBLE, DOUBLE, IN_DOUBLE, DOUBLE),
    (COMPLEX, COMPLEX, COMPLEX, IN_FLOAT, COMPLEX),
    (DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX, IN_DOUBLE, DOUBLE_COMPLEX),
    (HALF, HALF, HALF, IN_FLOAT, SINGLE),
    (HALF, HALF, HALF, IN_HALF, HALF),
    (HALF, HALF, SINGLE, IN_FLOAT, SINGLE),
    (BFLOAT, BFLOAT, BFLOAT, IN_FLOAT, SINGLE),
    (BFLOAT, BFLOAT, SINGLE, IN_FLOAT, SINGLE),
    (BYTE, BYTE, INTEGER, IN_INTEGERS, INTEGER),
    (BYTE, BYTE, BYTE, IN_INTEGERS, SINGLE),
    (E4M3, E4M3, BFLOAT, IN_FLOAT, SINGLE),
    (E4M3, E5M2, HALF, IN_FLOAT, SINGLE),
    (E5M2, E4M3, SINGLE, IN_FLOAT, SINGLE),
)
COMPLEX_TYPES = (COMPLEX, DOUBLE_COMPLEX)
INTEGERS = (BYTE, INTEGER)
# Half the distance between a number and the next one, as a part of it.
ROUNDING = {
    SINGLE: 6e-8,
    DOUBLE: 1.2e-16,
    HALF: 4.9e-4,
    BFLOAT: 4e-3,
    COMPLEX: 6e-8,
    DOUBLE_COMPLEX: 1.2e-16,
    INTEGER: 0,
    BYTE: 0,
}

Array = npt.NDArray[np.generic]


@pytest.fixture(scope="module")
def lt(build: Build) -> Program:
    return build("mublasLt_random.cpp", libraries=["mublasLt", "mublas"])


def size_of(kind: int) -> int:
    return int(torch.empty(0, dtype=OF_TORCH[kind]).element_size())


def encoded(values: Array, kind: int) -> bytes:
    if values.size == 0:
        return b""
    stored = torch.from_numpy(np.ascontiguousarray(values)).to(OF_TORCH[kind]).flatten()
    return bytes(stored.view(torch.uint8).numpy().tobytes())


def decoded(data: bytes, kind: int) -> Array:
    if not data:
        return np.zeros(0)
    wide = torch.complex128 if kind in COMPLEX_TYPES else torch.float64
    values: Array = torch.frombuffer(bytearray(data), dtype=torch.uint8).view(OF_TORCH[kind]).to(wide).numpy()
    return values


def random(rng: np.random.Generator, kind: int, count: int) -> Array:
    """Draw numbers that the type has."""
    if kind in INTEGERS:
        return rng.integers(-100, 100, count).astype(np.float64)
    values = rng.standard_normal(count)
    drawn = values + 1j * rng.standard_normal(count) if kind in COMPLEX_TYPES else values
    return decoded(encoded(drawn, kind), kind)


Tile = list[tuple[int, list[int]]]


def in_memory(tile: Tile) -> list[tuple[int, int]]:
    """Return the rows and columns of a tile's elements as they follow each other."""
    return [(row, column) for row, columns in tile for column in columns]


def pieces(rows: Iterable[int], columns: list[int]) -> Tile:
    return [(row, columns) for row in rows]


# Tiles of 32 columns, as cuBLASLt's documentation tells them.
ALL = list(range(32))
TILES: dict[int, Tile] = {
    # rows after rows
    2: pieces([0], ALL),
    # 4 columns in 4 even or 4 odd rows, two of them side by side, four of these; then the odd rows
    3: [
        piece
        for parity in (0, 1)
        for first in range(0, 32, 4)
        for piece in pieces(range(parity, 8, 2), ALL[first : first + 4])
    ],
    # pairs of rows, each from four groups of eight rows
    4: [
        piece
        for pair in range(0, 8, 2)
        for group in range(0, 32, 8)
        for piece in pieces((group + pair, group + pair + 1), ALL)
    ],
}
ROWS_OF_TILES = {2: 1, 3: 8, 4: 32}


@dataclass
class Matrix:
    """Matrices of a batch, somewhere in memory."""

    kind: int
    rows: int
    columns: int
    ld: int
    order: int
    stride: int
    batches: int
    memory: Array = field(default_factory=lambda: np.zeros(0))

    def positions(self) -> npt.NDArray[np.intp]:
        """Return the index in memory of each element of each batch."""
        batch, row, column = np.ogrid[: self.batches, : self.rows, : self.columns]
        if self.order in TILES:
            tile = TILES[self.order]
            rows, position = (
                ROWS_OF_TILES[self.order],
                np.argsort([r * 32 + c for r, c in in_memory(tile)]).reshape(-1, 32),
            )
            within = column // 32 * self.ld + row // rows * rows * 32 + position[row % rows, column % 32]
        else:
            within = row + column * self.ld if self.order == 0 else row * self.ld + column
        return np.asarray(batch * self.stride + within)

    def values(self) -> Array:
        return self.memory[self.positions()]

    def numbers(self) -> list[int]:
        size = self.memory.size * size_of(self.kind)
        return [self.kind, self.rows, self.columns, self.ld, self.order, self.stride, size]

    def stored(self) -> bytes:
        return encoded(self.memory, self.kind)


def drawn(
    rng: np.random.Generator, kind: int, rows: int, columns: int, batches: int, order: int | None, shared: bool
) -> Matrix:
    """Draw a matrix; with `shared`, all batches may be one matrix."""
    order = int(rng.integers(5)) if order is None else order
    line, lines = (rows, columns) if order == 0 else (columns, rows)
    if order in TILES:
        tile = ROWS_OF_TILES[order]
        line, lines = -(-rows // tile) * tile * 32, -(-columns // 32)
    ld = line + int(rng.choice([0, 0, 1, 7]))
    stride = 0 if shared and rng.integers(4) == 0 else ld * lines + int(rng.choice([0, 0, 3]))
    matrix = Matrix(kind, rows, columns, ld, order, stride, batches)
    count = int(matrix.positions().max()) + 1 + int(rng.integers(3))
    matrix.memory = np.full(count, 77.0 if kind in INTEGERS else np.nan)
    if kind in COMPLEX_TYPES:
        matrix.memory = matrix.memory.astype(np.complex128)
    matrix.memory[matrix.positions()] = random(rng, kind, matrix.positions().size).reshape(matrix.positions().shape)
    return matrix


@dataclass
class Product:
    """A product, and what NumPy makes of it."""

    a: Matrix
    b: Matrix
    c: Matrix
    d: Matrix
    compute: int
    scale: int
    op_a: int
    op_b: int
    epilogue: int
    mode: int
    alpha: Array
    beta: Array
    alpha_stride: int
    bias: Array
    bias_stride: int
    aux: bytes
    aux_ld: int
    aux_stride: int
    in_place: bool

    def __str__(self) -> str:
        matrices = ", ".join(str(matrix.numbers()) for matrix in (self.a, self.b, self.c, self.d))
        named = ("compute", "op_a", "op_b", "epilogue", "mode", "alpha_stride", "bias_stride", "aux_ld", "in_place")
        return f"{matrices}; " + ", ".join(f"{name} {getattr(self, name)}" for name in named)

    def input(self) -> bytes:
        factors = [encoded(self.alpha, self.scale), encoded(self.beta, self.scale)]
        bias = encoded(self.bias, self.d.kind)
        numbers = [number for matrix in (self.a, self.b, self.c, self.d) for number in matrix.numbers()]
        numbers += [self.compute, self.scale, self.op_a, self.op_b, self.epilogue, self.mode, self.d.batches]
        numbers += [len(factors[0]), len(factors[1]), self.alpha_stride, len(bias), self.bias_stride, self.d.kind]
        numbers += [len(self.aux), self.aux_ld, self.aux_stride, int(self.in_place)]
        matrices = [matrix.stored() for matrix in (self.a, self.b, self.c, self.d)]
        return b"".join([np.array(numbers, np.int64).tobytes(), *factors, *matrices, bias, self.aux])

    def per_row(self, factor: Array) -> Array:
        """Return alpha or beta of each row of each batch."""
        batches = range(self.d.batches)
        rows = [factor[b * self.alpha_stride : b * self.alpha_stride + self.d.rows] for b in batches]
        return np.stack(rows)[:, :, None]


def draw(rng: np.random.Generator) -> Product:
    kind_a, kind_b, kind, compute, scale = TYPES[rng.integers(len(TYPES))]
    rows, columns, depth = (int(rng.choice([1, 2, 5, 16, 33, 70])) for _ in range(3))
    batches = int(rng.choice([1, 1, 2, 3]))
    op_a, op_b = (int(op) for op in rng.integers(3, size=2))
    real = kind not in (*COMPLEX_TYPES, *INTEGERS)
    choices = (*WITHOUT_AUX, *WITH_AUX) if real else (AS_IT_IS,)
    epilogue = int(rng.choice(choices))
    order = 0 if epilogue & AUX else None
    a = drawn(rng, kind_a, *((rows, depth) if op_a == PLAIN else (depth, rows)), batches, None, True)
    b = drawn(rng, kind_b, *((depth, columns) if op_b == PLAIN else (columns, depth)), batches, None, True)
    in_place = bool(rng.integers(3) == 0)
    c = drawn(rng, kind, rows, columns, batches, order, not in_place)
    d = c if in_place else drawn(rng, kind, rows, columns, batches, order, False)
    mode = int(rng.integers(5))
    alpha_stride = rows + int(rng.integers(3)) if rng.integers(2) else 0
    in_vectors = (batches - 1) * alpha_stride + rows
    alpha = random(rng, scale, in_vectors if mode >= VECTORS else 1)
    beta = random(rng, scale, in_vectors if mode == VECTORS else 1)
    if kind == BYTE:  # factors that leave some results in the range
        alpha = alpha / 256
    if rng.integers(4) == 0 and mode not in (VECTORS, VECTOR_AND_ZERO):
        beta[:] = 0
        c_is_read = False
    else:
        c_is_read = mode != VECTOR_AND_ZERO
    if not c_is_read and real and not in_place:
        c.memory[:] = np.nan
    length = columns if epilogue == BGRADB else rows
    bias_stride = length + int(rng.integers(3))
    bias = random(rng, kind, (batches - 1) * bias_stride + length) if real else np.zeros(0)
    aux, aux_ld, aux_stride = b"", 0, 0
    if epilogue & AUX:
        bits = bool(epilogue & (RELU | DRELU))
        aux_ld = -(-rows // (128 if bits else 8)) * (128 if bits else 8)
        aux_stride = aux_ld * columns
        size = aux_stride * batches // 8 if bits else aux_stride * batches
        aux = rng.bytes(size) if bits else encoded(random(rng, kind, size), kind)
    return Product(
        a, b, c, d, compute, scale, op_a, op_b, epilogue, mode, alpha, beta, alpha_stride, bias, bias_stride, aux,
        aux_ld, aux_stride, in_place,
    )  # fmt: skip


def op(values: Array, operation: int) -> Array:
    turned = values if operation == PLAIN else values.transpose(0, 2, 1)
    return turned.conj() if operation == ADJOINT else turned


def gelu(x: Array) -> Array:
    return np.asarray(0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def gelu_slope(x: Array) -> Array:
    leaf = torch.from_numpy(np.array(x)).requires_grad_()
    torch.nn.functional.gelu(leaf, approximate="tanh").sum().backward()
    return np.asarray(leaf.grad.numpy())


class Results:
    """The results of a process, one after the other."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def take(self, count: int) -> bytes:
        taken, self.raw = self.raw[:count], self.raw[count:]
        return taken


def judge(p: Product, results: Results) -> None:
    d_memory = decoded(results.take(p.d.memory.size * size_of(p.d.kind)), p.d.kind)
    bias = decoded(results.take(p.bias.size * size_of(p.d.kind)), p.d.kind)
    aux = results.take(len(p.aux))
    a, b = op(p.a.values(), p.op_a), op(p.b.values(), p.op_b)
    single = p.mode in (HOST, DEVICE)
    alpha = p.alpha[0] if single else p.per_row(p.alpha)
    beta = 0 if p.mode == VECTOR_AND_ZERO else p.per_row(p.beta) if p.mode == VECTORS else p.beta[0]
    c_counts = np.any(beta != 0)
    values = alpha * (a @ b)
    sums = {IN_FLOAT: 1.2e-7, IN_HALF: 1.2e-7, IN_DOUBLE: 2.3e-16, IN_INTEGERS: 0}[p.compute]
    bound = np.abs(alpha) * (np.abs(a) @ np.abs(b)) * sums * (a.shape[2] + 8)
    if c_counts:
        values = values + beta * p.c.values()
        bound = bound + np.abs(beta * p.c.values()) * 4 * sums
    starts = np.arange(p.d.batches)[:, None] * p.bias_stride
    if p.epilogue & BIAS:
        values = values + p.bias[starts + np.arange(p.d.rows)][:, :, None]
        bound = bound + np.abs(values) * 4 * sums
    values, bound = shaped(p, values, bound, aux)
    if p.d.kind == BYTE:  # rounded to even, and saturated
        values, bound = np.clip(values.real, -128, 127), np.full(values.shape, 0.25001)
    rounding = ROUNDING[p.d.kind]
    found = d_memory[p.d.positions()]
    assert np.all(np.abs(found - values) <= 2 * bound + 1.01 * rounding * np.abs(values) + 1e-7 * (rounding > 1e-4))
    untouched = np.ones(d_memory.size, bool)
    untouched[p.d.positions()] = False
    np.testing.assert_array_equal(d_memory[untouched], p.d.memory[untouched])
    expected, error = gradients(p, a, b, values, bound)
    if expected is None:
        np.testing.assert_array_equal(bias, p.bias)
    else:
        at = starts + np.arange(expected.shape[1])
        assert np.all(np.abs(bias[at] - expected) <= 2 * error + 1.01 * rounding * np.abs(expected))


def shaped(p: Product, values: Array, bound: Array, aux: bytes) -> tuple[Array, Array]:
    """Apply the activation or its gradient; check what is kept in the auxiliary matrix."""
    if not p.epilogue & (RELU | GELU | DRELU | DGELU):
        return values, bound
    if not p.epilogue & AUX:
        return (
            (np.maximum(values, 0), bound) if p.epilogue & RELU else (gelu(values), 1.2 * bound + 1e-7 * np.abs(values))
        )
    kept = slice(0, p.d.rows)
    if p.epilogue & (RELU | DRELU):
        raw = np.unpackbits(np.frombuffer(aux, np.uint8), bitorder="little")
        bits = raw.reshape(p.d.batches, -1, p.aux_ld).transpose(0, 2, 1)[:, kept]
        if p.epilogue & DRELU:
            return np.where(bits == 1, values, 0), np.where(bits == 1, bound, 0)
        sure = np.abs(values) > bound
        np.testing.assert_array_equal(bits[sure], (values > 0)[sure])
        return np.maximum(values, 0), bound
    numbers = decoded(aux, p.d.kind).reshape(p.d.batches, -1, p.aux_ld).transpose(0, 2, 1)[:, kept]
    if p.epilogue & DGELU:
        slope = gelu_slope(numbers)
        return values * slope, bound * np.abs(slope) + np.abs(values) * (1e-14 if p.compute == IN_DOUBLE else 2e-6)
    assert np.all(np.abs(numbers - values) <= 2 * bound + 1.01 * ROUNDING[p.d.kind] * np.abs(values) + 1e-7)
    return gelu(values), 1.2 * bound + 1e-7 * np.abs(values) * (p.compute != IN_DOUBLE) + 1e-15


def gradients(p: Product, a: Array, b: Array, values: Array, bound: Array) -> tuple[Array | None, Array]:
    """Return the gradient of the bias that the epilogue writes, and its error."""
    sums = {IN_DOUBLE: 2.3e-16}.get(p.compute, 1.2e-7)
    if p.epilogue & BIAS_GRADIENT:
        return values.sum(2), bound.sum(2) + np.abs(values).sum(2) * sums * values.shape[2]
    if p.epilogue == BGRADA:
        return a.sum(2), np.abs(a).sum(2) * sums * a.shape[2]
    if p.epilogue == BGRADB:
        return b.sum(1), np.abs(b).sum(1) * sums * b.shape[1]
    return None, np.zeros(0)


@pytest.mark.parametrize("seed", range(8))
def test_random_products(lt: Program, seed: int) -> None:
    rng = np.random.default_rng([20261127, seed])
    products = [draw(rng) for _ in range(40)]
    given = [np.frombuffer(product.input(), np.uint8) for product in products]
    result = lt(inputs=given)
    assert (result.status, result.stderr) == (0, "")
    results = Results(result.stdout)
    wrong = []
    for product in products:
        try:
            judge(product, results)
        except AssertionError as error:
            wrong.append(f"{product}: {error}")
    assert not wrong, "\n".join(wrong)
    assert not results.raw
