"""muSPARSE's functions of matrices of blocks (BSR) against NumPy's with the same matrices, dense."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest
from library_programs import Build
from sim_programs import Program

DTYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
ERRORS = {"S": 1e-4, "C": 1e-4, "D": 1e-11, "Z": 1e-11}
BY_ROWS, BY_COLUMNS = 0, 1
PLAIN, TRANSPOSE, ADJOINT = 0, 1, 2
LOWER, UPPER = 0, 1
NON_UNIT, UNIT = 0, 1

Matrix = npt.NDArray[np.generic]


@pytest.fixture(scope="module")
def sparse(build: Build) -> Program:
    return build("musparse_blocks.cpp", libraries=["musparse"])


def random(rng: np.random.Generator, kind: str, *shape: int) -> Matrix:
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if kind in "CZ" else values).astype(DTYPES[kind])


@dataclass(frozen=True)
class Blocks:
    """A matrix of blocks: its arrays, and the same matrix, dense."""

    direction: int
    base: int
    begins: Matrix
    indices: Matrix
    values: Matrix
    dense: Matrix
    dim: int

    @property
    def numbers(self) -> tuple[int, ...]:
        columns = self.dense.shape[1] // self.dim
        return (self.direction, self.base, len(self.begins) - 1, columns, len(self.indices), self.dim)

    @property
    def arrays(self) -> tuple[Matrix, ...]:
        return (self.begins, self.indices, self.values)


def blocks(rng: np.random.Generator, kind: str, there: Matrix, dim: int, direction: int, base: int) -> Blocks:
    """Return a random matrix with blocks where `there` is true."""
    rows, columns = there.nonzero()
    begins = np.concatenate([[0], np.cumsum(there.sum(1))]) + base
    values = random(rng, kind, len(rows), dim, dim)
    dense = np.zeros((there.shape[0] * dim, there.shape[1] * dim), DTYPES[kind])
    for block, (row, column) in enumerate(zip(rows, columns)):
        dense[row * dim : (row + 1) * dim, column * dim : (column + 1) * dim] = values[block]
    stored = values if direction == BY_ROWS else values.transpose(0, 2, 1)
    return Blocks(
        direction,
        base,
        begins.astype(np.int32),
        (columns + base).astype(np.int32),
        np.ascontiguousarray(stored),
        dense,
        dim,
    )


def by_columns(matrix: Matrix) -> Matrix:
    return np.ascontiguousarray(matrix.T)


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize(("direction", "base"), [(BY_ROWS, 0), (BY_COLUMNS, 1)])
@pytest.mark.parametrize("form", [(1, PLAIN, 0), (1, PLAIN, 1), (7, PLAIN, 1), (7, TRANSPOSE, 0)])
def test_products(
    sparse: Program, rng: np.random.Generator, kind: str, direction: int, base: int, form: tuple[int, int, int]
) -> None:
    wide, op_b, on_device = form
    a = blocks(rng, kind, rng.random((6, 9)) < 0.3, 3, direction, base)
    b, c = random(rng, kind, 27, wide), random(rng, kind, 18, wide)
    scalars = random(rng, kind, 2)
    stored_b = by_columns(b if op_b == PLAIN else b.T)
    inputs = [*a.arrays, scalars, stored_b, by_columns(c)]
    got = sparse.array(DTYPES[kind], "multiply", kind, *a.numbers, wide, op_b, on_device, inputs=inputs)
    expected = scalars[0] * (a.dense @ b) + scalars[1] * c
    np.testing.assert_allclose(got.reshape(wide, 18).T, expected, rtol=0, atol=ERRORS[kind])


def test_with_beta_zero_the_result_is_not_read(sparse: Program, rng: np.random.Generator) -> None:
    a = blocks(rng, "S", rng.random((4, 4)) < 0.5, 2, BY_ROWS, 0)
    b, c = random(rng, "S", 8, 1), np.full((8, 1), np.nan, np.float32)
    inputs = [*a.arrays, np.array([2, 0], np.float32), b, c]
    got = sparse.array(np.float32, "multiply", "S", *a.numbers, 1, PLAIN, 0, inputs=inputs)
    np.testing.assert_allclose(got, 2 * (a.dense @ b)[:, 0], rtol=1e-5, atol=1e-5)


def triangle(a: Blocks, fill: int, diagonal: int) -> Matrix:
    kept = np.tril(a.dense) if fill == LOWER else np.triu(a.dense)
    if diagonal == UNIT:
        np.fill_diagonal(kept, 1)
    return kept


def op(matrix: Matrix, operation: int) -> Matrix:
    turned = matrix if operation == PLAIN else matrix.T
    return turned.conj() if operation == ADJOINT else turned


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("op_a", [PLAIN, TRANSPOSE, ADJOINT])
@pytest.mark.parametrize(("fill", "diagonal", "direction"), [(LOWER, NON_UNIT, BY_ROWS), (UPPER, UNIT, BY_COLUMNS)])
@pytest.mark.parametrize(("wide", "op_x"), [(1, PLAIN), (4, PLAIN), (4, TRANSPOSE)])
def test_triangular_systems(
    sparse: Program,
    rng: np.random.Generator,
    kind: str,
    op_a: int,
    fill: int,
    diagonal: int,
    direction: int,
    wide: int,
    op_x: int,
) -> None:
    there = (rng.random((5, 5)) < 0.4) | np.eye(5, dtype=bool)  # the other triangle is there, and not read
    a = blocks(rng, kind, there, 3, direction, base=1)
    scaled = a.values / 10
    for block in range(len(scaled)):
        scaled[block] += 2 * np.eye(3, dtype=scaled.dtype) if diagonal == NON_UNIT else 0
    dense = np.zeros_like(a.dense)
    for block, (row, column) in enumerate(zip(*there.nonzero())):
        value = scaled[block] if direction == BY_ROWS else scaled[block].T
        dense[row * 3 : row * 3 + 3, column * 3 : column * 3 + 3] = value
    a = Blocks(a.direction, a.base, a.begins, a.indices, scaled.astype(DTYPES[kind]), dense, 3)
    b, alpha = random(rng, kind, 15, wide), random(rng, kind, 1)
    numbers = (*a.numbers, wide, op_a, op_x, fill, diagonal)
    inputs = [*a.arrays, alpha, by_columns(b if op_x == PLAIN else b.T)]
    result = sparse("solve", kind, *numbers, inputs=inputs)
    assert (result.status, result.stderr) == (0, "-1 -1 MUSPARSE_STATUS_SUCCESS\n")
    found = np.frombuffer(result.stdout, DTYPES[kind])
    x = found.reshape(wide, 15).T if op_x == PLAIN else found.reshape(15, wide)
    wide_type = np.complex128 if kind in "CZ" else np.float64
    expected = np.linalg.solve(op(triangle(a, fill, diagonal), op_a).astype(wide_type), alpha * b)
    np.testing.assert_allclose(x, expected, rtol=0, atol=10 * ERRORS[kind] * max(1, np.abs(expected).max()))


@pytest.mark.parametrize("base", [0, 1])
@pytest.mark.parametrize("wide", [1, 3])
def test_missing_and_zero_pivots_are_found(sparse: Program, rng: np.random.Generator, base: int, wide: int) -> None:
    there = np.eye(4, dtype=bool)
    there[2, 2] = False
    a = blocks(rng, "D", there, 2, BY_ROWS, base)
    a.values[1, 1, 1] = 0  # of the second row of blocks: a zero comes before the missing block
    inputs = [*a.arrays, np.ones(1), np.ones(8 * wide)]
    result = sparse("solve", "D", *a.numbers, wide, PLAIN, PLAIN, LOWER, NON_UNIT, inputs=inputs)
    assert (result.status, result.stderr) == (0, f"{2 + base} {1 + base} MUSPARSE_STATUS_ZERO_PIVOT\n")


@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize(("direction", "base"), [(BY_ROWS, 0), (BY_COLUMNS, 1)])
def test_conversions(sparse: Program, rng: np.random.Generator, kind: str, direction: int, base: int) -> None:
    rows, columns, dim = 8, 10, 3  # the last blocks reach beyond the matrix
    dense = np.where(rng.random((rows, columns)) < 0.15, random(rng, kind, rows, columns), 0).astype(DTYPES[kind])
    at_rows, at_columns = dense.nonzero()
    begins = (np.concatenate([[0], np.cumsum((dense != 0).sum(1))]) + base).astype(np.int32)
    inputs = [begins, (at_columns + base).astype(np.int32), dense[at_rows, at_columns]]
    numbers = (direction, base, rows, columns, len(at_rows), dim)
    result = sparse("convert", kind, *numbers, inputs=inputs)
    assert result.status == 0
    padded = np.zeros((9, 12), DTYPES[kind])
    padded[:rows, :columns] = dense
    tiles = padded.reshape(3, dim, 4, dim).transpose(0, 2, 1, 3)
    there = (tiles != 0).any((2, 3))
    count = int(there.sum())
    assert result.stderr == f"{count}\n"
    kept = tiles[there] if direction == BY_ROWS else tiles[there].transpose(0, 2, 1)
    other = 1 - base
    entries = [(row, column) for row in range(9) for column in range(12) if there[row // dim, column // dim]]
    expected = (
        np.concatenate([[0], np.cumsum(there.sum(1))]).astype(np.int32) + np.int32(other),
        (there.nonzero()[1] + other).astype(np.int32),
        kept,
        (np.concatenate([[0], np.cumsum(np.repeat(there.sum(1), dim) * dim)]) + base).astype(np.int32),
        np.array([column + base for _, column in entries], np.int32),
        np.array([padded[at] for at in entries], DTYPES[kind]),
    )
    assert result.stdout == b"".join(np.ascontiguousarray(array).tobytes() for array in expected)


def test_refusals(sparse: Program) -> None:
    result = sparse("refused", "-")
    invalid, missing = "MUSPARSE_STATUS_INVALID_VALUE", "MUSPARSE_STATUS_NOT_SUPPORTED"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "no handle": "MUSPARSE_STATUS_NOT_INITIALIZED",
        "transposed": missing,
        "symmetric": "MUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED",
        "no description": invalid,
        "no size": invalid,
        "no such direction": invalid,
        "short lines": invalid,
        "no info": invalid,
    }
