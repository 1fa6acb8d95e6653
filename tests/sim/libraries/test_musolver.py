"""muSOLVER: factorisations put together again, solutions held against their equations, eigenvalues against NumPy."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from library_programs import Build
from results import Reader
from sim_programs import Program

TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
LOWER, UPPER = 0, 1
NONE, TRANSPOSE, ADJOINT = 0, 1, 2
NO_VECTORS, VECTORS = 0, 1

Matrix = npt.NDArray[np.generic]


@pytest.fixture(scope="module")
def solver(build: Build) -> Program:
    return build("musolver.cpp", libraries=["musolver"], flags=["-O0"])


@pytest.fixture(params=["S", "Z", pytest.param("D", marks=pytest.mark.slow), pytest.param("C", marks=pytest.mark.slow)])
def letter(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def random(rng: np.random.Generator, letter: str, *shape: int) -> Matrix:
    values = rng.standard_normal(shape)
    return (values + 1j * rng.standard_normal(shape) if letter in "CZ" else values).astype(TYPES[letter])


def positive(rng: np.random.Generator, letter: str, n: int) -> Matrix:
    a = random(rng, letter, n, n)
    return np.asarray(a @ a.conj().T + n * np.eye(n), TYPES[letter])


def by_columns(matrix: Matrix) -> Matrix:
    return np.ascontiguousarray(matrix.T)


class Results:
    """The output of the program, matrix by matrix."""

    def __init__(self, raw: bytes, letter: str) -> None:
        self._reader = Reader(raw)
        self._dtype = np.dtype(TYPES[letter])

    def matrix(self, rows: int, columns: int) -> Matrix:
        return self._reader.take(rows * columns, self._dtype).reshape(columns, rows).T

    def real(self, count: int) -> Matrix:
        return self._reader.take(count, self._dtype.type(0).real.dtype)

    def integers(self, count: int) -> list[int]:
        return self._reader.take(count).tolist()

    def end(self) -> None:
        self._reader.end()


def run(solver: Program, letter: str, case: str, numbers: tuple[int, ...], *inputs: Matrix) -> Results:
    result = solver(letter, case, *numbers, inputs=[by_columns(matrix) for matrix in inputs])
    assert (result.status, result.stderr) == (0, "")
    return Results(result.stdout, letter)


def agrees(found: Matrix, expected: Matrix, letter: str) -> None:
    scale = np.abs(expected).max(initial=1)
    np.testing.assert_allclose(found, expected, rtol=0, atol=scale * (2e-4 if letter in "SC" else 1e-11))


def product_of_lu(factors: Matrix, pivots: list[int]) -> Matrix:
    """P^T L U of what getrf left."""
    n = len(factors)
    product = (np.tril(factors, -1) + np.eye(n)) @ np.triu(factors)
    for row, other in reversed(list(enumerate(pivots))):
        product[[row, other - 1]] = product[[other - 1, row]]
    return np.asarray(product)


def op(matrix: Matrix, operation: int) -> Matrix:
    return {NONE: matrix, TRANSPOSE: matrix.T, ADJOINT: matrix.conj().T}[operation]


@pytest.mark.parametrize(("n", "operation"), [(1, NONE), (7, TRANSPOSE), (40, ADJOINT), (150, NONE)])
def test_lu(solver: Program, rng: np.random.Generator, letter: str, n: int, operation: int) -> None:
    a, b = random(rng, letter, n, n), random(rng, letter, n, 3)
    found = run(solver, letter, "lu", (n, 3, operation, 1), a, b)
    factors, x, pivots = found.matrix(n, n), found.matrix(n, 3), found.integers(n)
    agrees(product_of_lu(factors, pivots), a, letter)
    agrees(op(a, operation) @ x, b, letter)
    assert found.integers(2) == [0, 0]
    found.end()


def test_lu_without_exchanges(solver: Program, rng: np.random.Generator, letter: str) -> None:
    a, b = positive(rng, letter, 9), random(rng, letter, 9, 2)
    found = run(solver, letter, "lu", (9, 2, NONE, 0), a, b)
    factors, x = found.matrix(9, 9), found.matrix(9, 2)
    agrees(product_of_lu(factors, []), a, letter)
    agrees(a @ x, b, letter)


@pytest.mark.parametrize("pivoting", [0, 1])
def test_a_singular_matrix(solver: Program, letter: str, pivoting: int) -> None:
    a = np.diag(np.array([1, 2, 0, 4], TYPES[letter]))
    found = run(solver, letter, "lu", (4, 1, NONE, pivoting), a, np.ones((4, 1), TYPES[letter]))
    found.matrix(4, 4), found.matrix(4, 1), found.integers(4)
    assert found.integers(2)[0] == 3


@pytest.mark.parametrize(("n", "uplo"), [(1, LOWER), (30, UPPER), (130, LOWER)])
def test_cholesky(solver: Program, rng: np.random.Generator, letter: str, n: int, uplo: int) -> None:
    a, b = positive(rng, letter, n), random(rng, letter, n, 2)
    found = run(solver, letter, "cholesky", (n, 2, uplo), a, b)
    factors, x = found.matrix(n, n), found.matrix(n, 2)
    lower = np.tril(factors) if uplo == LOWER else np.triu(factors).conj().T
    agrees(lower @ lower.conj().T, a, letter)
    agrees(a @ x, b, letter)
    assert found.integers(2) == [0, 0]


def test_a_matrix_that_is_not_positive(solver: Program, letter: str) -> None:
    a = np.diag(np.array([1, -1, 1], TYPES[letter]))
    found = run(solver, letter, "cholesky", (3, 1, LOWER), a, np.ones((3, 1), TYPES[letter]))
    found.matrix(3, 3), found.matrix(3, 1)
    assert found.integers(2)[0] == 2


def test_batches(solver: Program, rng: np.random.Generator, letter: str) -> None:
    n, count, bad = 6, 5, 3
    matrices = [positive(rng, letter, n) for _ in range(count)]
    matrices[bad][1, 1] = -1
    sides = random(rng, letter, count, n)
    found = run(solver, letter, "batches", (n, count), np.hstack(matrices), sides.T)
    factors = [found.matrix(n, n) for _ in range(count)]
    solutions = [found.matrix(n, 1)[:, 0] for _ in range(count)]
    for i in set(range(count)) - {bad}:
        lower = np.tril(factors[i])
        agrees(lower @ lower.conj().T, matrices[i], letter)
        agrees(matrices[i] @ solutions[i], sides[i], letter)
    assert found.integers(count + 1) == [2 if i == bad else 0 for i in range(count + 1)]


@pytest.mark.parametrize(("m", "n"), [(5, 5), (60, 20), (4, 9), (100, 70)])
def test_qr(solver: Program, rng: np.random.Generator, letter: str, m: int, n: int) -> None:
    k = min(m, n)
    a, c = random(rng, letter, m, n), random(rng, letter, m, 3)
    # orgqr forms k columns
    found = run(solver, letter, "qr", (m, n, 3), a, c)
    factors, q, product = found.matrix(m, n), found.matrix(m, n)[:, :k], found.matrix(m, 3)
    agrees(q @ np.triu(factors)[:k], a, letter)
    agrees(q.conj().T @ q, np.eye(k), letter)
    agrees(product[:k], q.conj().T @ c, letter)
    assert found.integers(3) == [0, 0, 0]


@pytest.mark.parametrize(("n", "uplo", "mode"), [(1, LOWER, VECTORS), (33, UPPER, VECTORS), (70, LOWER, NO_VECTORS)])
def test_eigenvalues(solver: Program, rng: np.random.Generator, letter: str, n: int, uplo: int, mode: int) -> None:
    a = random(rng, letter, n, n)
    a = np.asarray(a + a.conj().T, TYPES[letter])
    found = run(solver, letter, "eigen", (n, uplo, mode), np.tril(a) if uplo == LOWER else np.triu(a))
    vectors, values = found.matrix(n, n), found.real(n)
    agrees(values, np.linalg.eigvalsh(a), letter)
    if mode == VECTORS:
        agrees(vectors * values @ vectors.conj().T, a, letter)
    assert found.integers(1) == [0]


@pytest.mark.parametrize(("m", "n"), [(1, 1), (24, 24), (60, 17)])
def test_singular_values(solver: Program, rng: np.random.Generator, letter: str, m: int, n: int) -> None:
    a = random(rng, letter, m, n)
    a[:, -1] = a[:, 0]  # of lower rank
    found = run(solver, letter, "svd", (m, n), a)
    u, s, vh = found.matrix(m, m), found.real(n), found.matrix(n, n)
    agrees(s, np.linalg.svd(a, compute_uv=False), letter)
    agrees(u[:, :n] * s @ vh, a, letter)
    agrees(u.conj().T @ u, np.eye(m), letter)
    assert found.integers(1) == [0]


def test_in_a_graph(solver: Program) -> None:
    result = solver("graph")
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {"not yet": "0", "4": "2, 0", "9": "3, 0", "-1": "-1, 1"}


def test_errors(solver: Program) -> None:
    result = solver("errors")
    invalid = "3"
    assert (result.status, result.stderr) == (0, "")
    assert result.facts == {
        "no handle": "1",
        **dict.fromkeys(("negative size", "leading dimension", "no info", "no matrix", "triangle"), invalid),
        **dict.fromkeys(("workspace", "wide", "operation"), invalid),
        "empty": "0",
    }


def test_another_lapack_is_named_and_missing(solver: Program) -> None:
    result = solver("S", "lu", 1, 1, 0, 1, inputs=[np.ones(2, np.float32)], env={"MUSA_SIM_LAPACK": "/nowhere.so"})
    assert result.status == 4
    assert result.stderr == (
        "[musa-sim] MUSA_SIM_LAPACK=/nowhere.so is no shared library with LAPACKE\ngetrf_bufferSize: status 9\n"
    )
