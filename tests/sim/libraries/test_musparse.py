"""muSPARSE's products against NumPy's with the same matrices, dense."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from library_programs import Build
from products import (
    ADJOINT,
    COMPLEX,
    DOUBLE,
    DOUBLE_COMPLEX,
    DTYPES,
    HALF,
    PLAIN,
    SINGLE,
    TRANSPOSE,
    Matrix,
    Product,
    in_memory,
    multiplied,
    random,
)
from sim_programs import Program

CSR, CSC, COO = 1, 2, 3
COLUMNS, ROWS = 1, 2


@pytest.fixture(scope="module")
def sparse(build: Build) -> Program:
    return build("musparse.cpp", libraries=["musparse"])


@dataclass(frozen=True)
class SparseProduct(Product):
    format: int
    base: int = 0
    index_bytes: int = 4
    op_a: int = PLAIN
    op_b: int = PLAIN
    rows: int = 13
    columns: int = 9
    nnz: int = 0
    c_columns: int = 1
    order: int = COLUMNS
    batches: int = 1
    on_device: int = 0
    vector: int = 0


def op(matrix: Matrix, operation: int) -> Matrix:
    return {PLAIN: matrix, TRANSPOSE: matrix.T, ADJOINT: matrix.conj().T}[operation]


def indices(product: SparseProduct, positions: Matrix) -> tuple[Matrix, Matrix]:
    """Both arrays of indices; the entries are sorted by rows, in CSC by columns."""
    dtype = np.int32 if product.index_bytes == 4 else np.int64
    rows, columns = positions
    lines, others = (columns, rows) if product.format == CSC else (rows, columns)
    if product.format != COO:
        count = product.columns if product.format == CSC else product.rows
        lines = np.searchsorted(lines, np.arange(count + 1))
    return (lines + product.base).astype(dtype), np.tile(others + product.base, product.batches).astype(dtype)


def agrees(sparse: Program, rng: np.random.Generator, product: SparseProduct) -> None:
    pattern = rng.random((product.rows, product.columns)) < 0.3
    positions = np.array(np.nonzero(pattern.T)[::-1] if product.format == CSC else np.nonzero(pattern))
    product = replace(product, nnz=positions.shape[1])
    values = random(rng, product.type, product.batches, product.nnz)
    inner, outer = (product.columns, product.rows) if product.op_a == PLAIN else (product.rows, product.columns)
    b_shape = (inner, product.c_columns) if product.op_b == PLAIN else (product.c_columns, inner)
    b = random(rng, product.type, product.batches, *b_shape)
    c = random(rng, product.type_out, product.batches, outer, product.c_columns)
    scalars = random(rng, product.compute, 2)
    by_columns = product.order == COLUMNS
    inputs = (scalars, *indices(product, positions), values, in_memory(b, by_columns), in_memory(c, by_columns))
    found = multiplied(sparse, product, inputs, c, by_columns)
    wide = np.result_type(DTYPES[product.compute], np.float64)
    for batch in range(product.batches):
        a = np.zeros((product.rows, product.columns), wide)
        a[tuple(positions)] = values[batch]
        expected = scalars[0] * (op(a, product.op_a) @ op(b[batch].astype(wide), product.op_b)) + scalars[1] * c[batch]
        error = {HALF: 2e-3, DOUBLE: 1e-13, DOUBLE_COMPLEX: 1e-13}.get(product.type_out, 2e-6)
        np.testing.assert_allclose(found[batch], expected, rtol=0, atol=error * np.abs(expected).max())


TYPES = [
    (SINGLE, SINGLE, SINGLE),
    (DOUBLE, DOUBLE, DOUBLE),
    (COMPLEX, COMPLEX, COMPLEX),
    (DOUBLE_COMPLEX, DOUBLE_COMPLEX, DOUBLE_COMPLEX),
    (HALF, HALF, SINGLE),
    (HALF, SINGLE, SINGLE),
]


@pytest.mark.parametrize("types", TYPES, ids=str)
@pytest.mark.parametrize("how", [(CSR, 0, 4, PLAIN), (COO, 1, 8, TRANSPOSE), (CSC, 1, 4, ADJOINT)], ids=str)
def test_vectors(
    sparse: Program, rng: np.random.Generator, types: tuple[int, int, int], how: tuple[int, int, int, int]
) -> None:
    agrees(sparse, rng, SparseProduct(*types, *how, vector=1, on_device=how[1]))


@pytest.mark.parametrize("types", TYPES, ids=str)
@pytest.mark.parametrize(
    ("how", "order"),
    [
        ((CSR, 0, 4, PLAIN, PLAIN), COLUMNS),
        ((CSR, 1, 8, ADJOINT, TRANSPOSE), ROWS),
        ((COO, 0, 8, TRANSPOSE, ADJOINT), COLUMNS),
        ((CSC, 0, 8, PLAIN, TRANSPOSE), ROWS),
    ],
    ids=str,
)
def test_matrices(
    sparse: Program,
    rng: np.random.Generator,
    types: tuple[int, int, int],
    how: tuple[int, int, int, int, int],
    order: int,
) -> None:
    agrees(sparse, rng, SparseProduct(*types, *how, c_columns=5, order=order))


@pytest.mark.parametrize(("rows", "columns", "width"), [(1, 1, 1), (200, 150, 33), (64, 300, 7)])
def test_sizes(sparse: Program, rng: np.random.Generator, rows: int, columns: int, width: int) -> None:
    agrees(sparse, rng, SparseProduct(*TYPES[0], CSR, rows=rows, columns=columns, c_columns=width))


def test_batches(sparse: Program, rng: np.random.Generator) -> None:
    agrees(sparse, rng, SparseProduct(*TYPES[1], CSR, c_columns=4, batches=3))


@pytest.mark.parametrize("base", [0, 1])
def test_conversions(sparse: Program, rng: np.random.Generator, base: int) -> None:
    rows = np.sort(rng.integers(0, 9, 20)).astype(np.int32)
    result = sparse("conversions", 9, 20, base, inputs=[rows + np.int32(base)])
    found = np.frombuffer(result.stdout, np.int32)
    np.testing.assert_array_equal(found[:10], np.searchsorted(rows, np.arange(10)) + base)
    np.testing.assert_array_equal(found[10:], rows + base)


def test_graphs_and_errors(sparse: Program) -> None:
    result = sparse("others")
    invalid, unsupported = "MUSPARSE_STATUS_INVALID_VALUE", "MUSPARSE_STATUS_NOT_SUPPORTED"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "1": "12, 10",
        "10": "66, 100",
        "matrix": "2 2 2, 1, 0, 1",
        "no handle": "MUSPARSE_STATUS_NOT_INITIALIZED",
        "another size": invalid,
        "another type": unsupported,
        "another arithmetic": unsupported,
        "no vector": invalid,
        "indices of 16 bits": unsupported,
        "no coordinates": invalid,
        "no size": invalid,
        "leading dimension": invalid,
    }


def test_sorting_coordinates(sparse: Program, rng: np.random.Generator) -> None:
    m, columns, n = 7, 5, 60
    rows, cols = (rng.integers(0, most, n).astype(np.int32) for most in (m, columns))
    got = sparse.array(np.int32, "sorting", m, columns, n, inputs=[rows, cols]).reshape(5, n)
    order = np.lexsort((np.arange(n), cols, rows))
    np.testing.assert_array_equal(got[:3], [rows[order], cols[order], order])
    order = np.lexsort((rows, cols))
    np.testing.assert_array_equal(got[3:], [rows[order], cols[order]])
