"""muBLASLt's products and epilogues against NumPy's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
from library_programs import Build
from products import (
    ADJOINT,
    BFLOAT,
    BYTE,
    COMPLEX,
    DOUBLE,
    DOUBLE_COMPLEX,
    HALF,
    INTEGER,
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

IN_FLOAT, IN_DOUBLE, IN_INTEGERS, IN_HALF = 68, 70, 72, 64
COLUMNS, ROWS = 0, 1
AS_IT_IS, RELU, BIAS, RELU_BIAS, GELU, GELU_BIAS = 1, 2, 4, 6, 32, 36


@pytest.fixture(scope="module")
def lt(build: Build) -> Program:
    return build("mublasLt.cpp", libraries=["mublasLt", "mublas"])


@dataclass(frozen=True)
class DenseProduct(Product):
    scale: int
    op_a: int = PLAIN
    op_b: int = PLAIN
    epilogue: int = AS_IT_IS
    rows: int = 7
    columns: int = 5
    depth: int = 9
    order: int = COLUMNS
    batches: int = 1
    in_place: int = 0
    on_device: int = 0


def wide(values: Matrix, kind: int) -> Matrix:
    if kind == BFLOAT:
        return (values.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def op(matrices: Matrix, operation: int) -> Matrix:
    turned = matrices if operation == PLAIN else matrices.transpose(0, 2, 1)
    return turned.conj() if operation == ADJOINT else turned


def shaped(values: Matrix, epilogue: int) -> Matrix:
    if epilogue & RELU:
        return np.maximum(values, 0)
    if epilogue & GELU:
        return 0.5 * values * (1 + np.tanh(np.sqrt(2 / np.pi) * (values + 0.044715 * values**3)))
    return values


def agrees(lt: Program, rng: np.random.Generator, p: DenseProduct) -> None:
    a_shape = (p.rows, p.depth) if p.op_a == PLAIN else (p.depth, p.rows)
    b_shape = (p.depth, p.columns) if p.op_b == PLAIN else (p.columns, p.depth)
    a, b = random(rng, p.type, p.batches, *a_shape), random(rng, p.type, p.batches, *b_shape)
    c = random(rng, p.type_out, p.batches, p.rows, p.columns)
    bias, scalars = random(rng, p.type_out, p.rows), random(rng, p.scale, 2)
    by_columns = p.order == COLUMNS
    found = multiplied(lt, p, (scalars, *(in_memory(each, by_columns) for each in (a, b, c)), bias), c, by_columns)
    alpha, beta = wide(scalars, p.scale)
    expected = alpha * (op(wide(a, p.type), p.op_a) @ op(wide(b, p.type), p.op_b)) + beta * wide(c, p.type_out)
    if p.epilogue & BIAS:
        expected = expected + wide(bias, p.type_out)[:, None]
    expected = shaped(expected, p.epilogue)
    error = {HALF: 1e-3, BFLOAT: 8e-3, DOUBLE: 1e-14, DOUBLE_COMPLEX: 1e-14, INTEGER: 0}.get(p.type_out, 1e-6)
    np.testing.assert_allclose(wide(found, p.type_out), expected, rtol=0, atol=error * np.abs(expected).max())


TYPES = {
    "float": (SINGLE, SINGLE, IN_FLOAT, SINGLE),
    "double": (DOUBLE, DOUBLE, IN_DOUBLE, DOUBLE),
    "complex": (COMPLEX, COMPLEX, IN_FLOAT, COMPLEX),
    "double complex": (DOUBLE_COMPLEX, DOUBLE_COMPLEX, IN_DOUBLE, DOUBLE_COMPLEX),
    "half": (HALF, HALF, IN_FLOAT, SINGLE),
    "half in half": (HALF, HALF, IN_HALF, HALF),
    "half to float": (HALF, SINGLE, IN_FLOAT, SINGLE),
    "bfloat16": (BFLOAT, BFLOAT, IN_FLOAT, SINGLE),
    "bytes": (BYTE, INTEGER, IN_INTEGERS, INTEGER),
}


@pytest.mark.parametrize(
    ("op_a", "op_b", "order"), [(PLAIN, TRANSPOSE, COLUMNS), (ADJOINT, PLAIN, ROWS)], ids=["columns", "rows"]
)
@pytest.mark.parametrize("types", TYPES)
def test_types(lt: Program, rng: np.random.Generator, types: str, op_a: int, op_b: int, order: int) -> None:
    agrees(lt, rng, DenseProduct(*TYPES[types], op_a, op_b, order=order, on_device=order))


@pytest.mark.parametrize("epilogue", [RELU, BIAS, RELU_BIAS, GELU, GELU_BIAS])
@pytest.mark.parametrize("types", ["float", "half", "double"])
def test_epilogues(lt: Program, rng: np.random.Generator, types: str, epilogue: int) -> None:
    agrees(lt, rng, DenseProduct(*TYPES[types], TRANSPOSE, PLAIN, epilogue))


@pytest.mark.parametrize(("rows", "columns", "depth"), [(1, 1, 1), (130, 40, 300), (64, 200, 17)])
def test_sizes(lt: Program, rng: np.random.Generator, rows: int, columns: int, depth: int) -> None:
    agrees(lt, rng, DenseProduct(*TYPES["float"], rows=rows, columns=columns, depth=depth))


def test_batches_in_place(lt: Program, rng: np.random.Generator) -> None:
    agrees(lt, rng, DenseProduct(*TYPES["float"], PLAIN, TRANSPOSE, BIAS, batches=3, in_place=1))


@pytest.mark.parametrize("mode", [2, 3, 4], ids=["both", "beta is zero", "beta of the host"])
def test_alpha_for_each_row(lt: Program, rng: np.random.Generator, mode: int) -> None:
    m, n, k = 6, 4, 5
    alpha, beta = (rng.standard_normal(m).astype(np.float32) for _ in range(2))
    a, b, c = (rng.standard_normal(shape).astype(np.float32) for shape in ((k, m), (n, k), (n, m)))
    if mode == 3:
        c[:] = np.nan  # with beta zero C is not read
    kept = {2: beta * c, 3: 0, 4: beta[0] * c}[mode]
    got = lt.array(np.float32, "vectors", m, n, k, mode, inputs=[alpha, beta, a, b, c])
    np.testing.assert_allclose(got.reshape(n, m), alpha * (b @ a) + kept, rtol=1e-5, atol=1e-5)


def test_graphs_and_errors(lt: Program) -> None:
    result = lt("others")
    invalid, missing = "MUBLAS_STATUS_INVALID_VALUE", "MUBLAS_STATUS_NOT_IMPLEMENTED"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "1": "4",
        "5": "20",
        "no handle": "MUBLAS_STATUS_INVALID_HANDLE",
        "no matrix": invalid,
        "another size": invalid,
        "another type": missing,
        "told": "MUBLAS_STATUS_SUCCESS",
        "told is": "1, 4",
        "wrong size": invalid,
        "no such attribute": missing,
        "no bias": invalid,
        "another epilogue": missing,
        "layout": invalid,
    }


def test_algorithms(build: Build) -> None:
    """Capabilities of the one algorithm; another configuration is kept, and refused when it is used."""
    result = build("mublasLt_algorithms.cpp", libraries=["mublasLt", "mublas"])()
    missing, invalid = "MUBLAS_STATUS_NOT_IMPLEMENTED", "MUBLAS_STATUS_INVALID_VALUE"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "splits": "0 in 4, 4",
        "reductions": "0 in 4, 4",
        "batches": "1 in 4, 4",
        "tiles": "0 in 4, 4",
        "stages": "0 in 4, 4",
        "orders": "1 in 4, 4",
        "modes": "31 in 4, 4",
        "numbers": f"{1 + ((2 + 4 + 8) << 8)} in 8, 8",
        "epilogues": "1",
        "parts": "1",
        "checked": "MUBLAS_STATUS_SUCCESS",
        "same": "1",
        "parts then": "3",
        "in parts": missing,
        "product in parts": missing,
        "id": invalid,
        "short": invalid,
        "none": missing,
        "version": "1",
    }
