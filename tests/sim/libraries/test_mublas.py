"""muBLAS against NumPy, in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from library_programs import Build
from results import Reader
from sim_programs import Program

DTYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128, "H": np.float16}
TOLERANCE = {"S": 2e-5, "D": 1e-13, "C": 2e-5, "Z": 1e-13, "H": 4e-3}


@pytest.fixture(scope="module")
def mublas(build: Build) -> Program:
    return build("mublas.mu", libraries=["mublas"])


def random(rng: np.random.Generator, letter: str, *shape: int) -> np.ndarray:
    values = rng.standard_normal(shape)
    if letter in "CZ":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(DTYPES[letter])


def wide(x: np.ndarray) -> np.ndarray:
    return x.astype(np.complex128 if x.dtype.kind == "c" else np.float64)


def run(program: Program, *arguments: object, inputs: list[np.ndarray]) -> Reader:
    result = program(*arguments, inputs=inputs)
    assert (result.status, result.stderr) == (0, "")
    return Reader(result.stdout)


def applied(operation: str, x: np.ndarray) -> np.ndarray:
    return {"N": x, "T": x.T, "C": x.conj().T}[operation]


@pytest.mark.parametrize(("m", "n", "k"), [(1, 1, 1), (17, 5, 33), (64, 70, 300), (3, 4, 0)])
@pytest.mark.parametrize("operations", ["NN", "TN", "NC", "CT"])
@pytest.mark.parametrize("letter", list("SDCZH"))
def test_gemm(mublas: Program, rng: np.random.Generator, letter: str, operations: str, m: int, n: int, k: int) -> None:
    """Memory is column-major, which to NumPy is the transpose; leading dimensions are larger than needed."""
    ta, tb = operations
    rows_a, columns_a = (m, k) if ta == "N" else (k, m)
    rows_b, columns_b = (k, n) if tb == "N" else (n, k)
    lda, ldb, ldc = rows_a + 1, rows_b + 3, m + 2
    a, b = random(rng, letter, 2, columns_a, lda), random(rng, letter, 2, columns_b, ldb)
    c, scalars = random(rng, letter, 2, n, ldc), random(rng, letter, 2)
    if k == 33:
        scalars[1] = 0
        c[:] = np.nan  # with beta zero C is not read
    out = run(mublas, "gemm", letter, ta, tb, m, n, k, lda, ldb, ldc, inputs=[scalars, a, b, c])
    alpha, beta = wide(scalars)
    expected = wide(c)
    for i in range(2):
        product = applied(ta, wide(a[i].T[:rows_a])) @ applied(tb, wide(b[i].T[:rows_b]))
        kept = 0 if beta == 0 else beta * expected[i].T[:m]
        expected[i].T[:m] = alpha * product + kept
    scale = TOLERANCE[letter] * max(k, 1) ** 0.5 * 4
    single = np.stack([expected[0], wide(c[1])])
    for wanted in (single, expected, expected):
        got = out.take(2 * n * ldc, DTYPES[letter]).reshape(2, n, ldc)
        np.testing.assert_allclose(got, wanted, rtol=scale, atol=scale)
    out.end()


@pytest.mark.parametrize(("m", "n", "incx", "incy"), [(1, 1, 1, 1), (37, 20, 1, 1), (20, 37, 2, -3)])
@pytest.mark.parametrize("operation", ["N", "T", "C"])
@pytest.mark.parametrize("letter", ["S", "Z"])
def test_gemv(
    mublas: Program, rng: np.random.Generator, letter: str, operation: str, m: int, n: int, incx: int, incy: int
) -> None:
    rows, columns = (m, n) if operation == "N" else (n, m)
    a, scalars = random(rng, letter, n, m), random(rng, letter, 2)
    x = random(rng, letter, 1 + (columns - 1) * abs(incx))
    y = random(rng, letter, 1 + (rows - 1) * abs(incy))
    out = run(mublas, "gemv", letter, operation, m, n, incx, incy, inputs=[scalars, a, x, y])
    # a negative increment starts at the end
    expected, (alpha, beta) = wide(y), wide(scalars)
    product = applied(operation, wide(a.T)) @ wide(x)[::incx]
    expected[::incy] = alpha * product + beta * expected[::incy]
    got = out.take(y.size, DTYPES[letter])
    np.testing.assert_allclose(got, expected, rtol=TOLERANCE[letter] * 10, atol=TOLERANCE[letter] * 10)


@pytest.mark.parametrize("letter", list("SDCZ"))
def test_vectors(mublas: Program, rng: np.random.Generator, letter: str) -> None:
    n, incx, incy = 101, 2, 3
    dtype, tolerance = DTYPES[letter], TOLERANCE[letter]
    alpha, x, y = random(rng, letter, 1), random(rng, letter, n * incx), random(rng, letter, n * incy)
    out = run(mublas, "vectors", letter, n, incx, incy, inputs=[alpha, x, y])
    sizes = np.abs(x[::incx].real) + np.abs(x[::incx].imag)
    np.testing.assert_array_equal(out.take(2), [sizes.argmax() + 1, sizes.argmin() + 1])
    old_x, new_y, factor = wide(x), wide(y), wide(alpha)[0]
    new_y[::incy] += factor * old_x[::incx]
    swapped_x, swapped_y = old_x.copy(), new_y.copy()
    swapped_x[::incx], swapped_y[::incy] = factor * new_y[::incy], old_x[::incx]
    np.testing.assert_allclose(out.take(x.size, dtype), swapped_x, rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(out.take(y.size, dtype), swapped_y, rtol=tolerance, atol=tolerance)
    swapped_y[::incy] = swapped_x[::incx]
    np.testing.assert_allclose(out.take(y.size, dtype), swapped_y, rtol=tolerance, atol=tolerance)
    out.end()


def test_sums(mublas: Program, rng: np.random.Generator) -> None:
    n = 501
    x, y = random(rng, "S", n) * np.float32(1e25), random(rng, "S", n)  # squares of x overflow a float
    z, w = random(rng, "Z", n), random(rng, "Z", n)
    out = run(mublas, "sums", n, inputs=[x, y, z, w])
    xw, yw = wide(x), wide(y)
    dot, norm, total = out.take(3, np.float32)
    np.testing.assert_allclose(dot, xw @ yw, atol=1e-4 * np.linalg.norm(xw))
    np.testing.assert_allclose([norm, total], [np.linalg.norm(xw), np.abs(xw).sum()], rtol=1e-5)
    expected = [np.linalg.norm(z), np.abs(z.real).sum() + np.abs(z.imag).sum()]
    np.testing.assert_allclose(out.take(2, np.float64), expected, rtol=1e-13)
    np.testing.assert_allclose(out.take(2, np.complex128), [z @ w, z.conj() @ w], rtol=1e-12)
    out.end()


def to_bfloat16(x: np.ndarray) -> np.ndarray:
    raw = x.astype(np.float32).view(np.uint32)
    return ((raw + 0x7FFF + (raw >> 16 & 1)) >> 16).astype(np.uint16)


def from_bfloat16(x: np.ndarray) -> np.ndarray:
    return (x.astype(np.uint32) << 16).view(np.float32)


@pytest.mark.parametrize("types", ["half", "half_float", "bf16", "int8"])
def test_gemm_ex(mublas: Program, rng: np.random.Generator, types: str) -> None:
    m, n, k = 19, 23, 40
    shapes = [(m, k), (n, k), (n, m)]
    if types == "int8":
        a, b = (rng.integers(-128, 128, shape).astype(np.int8) for shape in shapes[:2])
        c = rng.integers(-1000, 1000, shapes[2]).astype(np.int32)
        got = mublas.array(np.int32, "gemm_ex", types, m, n, k, inputs=[a, b, c]).reshape(n, m)
        np.testing.assert_array_equal(got, 2 * b.astype(np.int64) @ a.T.astype(np.int64) + c)
        return
    # small multiples of 1/8: products and sums are exact, so a result is the exact one, rounded once
    a, b, c = (rng.integers(-16, 17, shape) / 8 for shape in shapes)
    exact = 2 * b @ a.T + c
    if types == "bf16":
        raw = mublas.array(np.uint16, "gemm_ex", types, m, n, k, inputs=[to_bfloat16(x) for x in (a, b, c)])
        np.testing.assert_array_equal(raw, to_bfloat16(exact).ravel())
        return
    out_type = np.float16 if types == "half" else np.float32
    inputs = [a.astype(np.float16), b.astype(np.float16), c.astype(out_type)]
    got = mublas.array(out_type, "gemm_ex", types, m, n, k, inputs=inputs).reshape(n, m)
    np.testing.assert_array_equal(got, exact.astype(out_type))


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("upper", [0, 1])
@pytest.mark.parametrize(("letter", "operation"), ["DN", "DT", "ST", "ZC", "CT", "CN"])
def test_matrices_with_a_structure(
    mublas: Program, rng: np.random.Generator, letter: str, operation: str, side: int, upper: int
) -> None:
    m, n, unit = 6, 9, side ^ upper
    order, dtype = n if side else m, DTYPES[letter]
    lda, ldb = order + 1, m + 1
    scalars = random(rng, letter, 2)
    a, b, c = random(rng, letter, 2, order, lda), random(rng, letter, 2, n, ldb), random(rng, letter, n, ldb)
    a[:, range(order), range(order)] += 4
    numbers = (side, upper, "NTC".index(operation), unit, m, n)
    out = run(mublas, "structured", letter, *numbers, inputs=[scalars, a, b, c])

    alpha, beta = wide(scalars)
    whole = [wide(x).T[:order] for x in a]
    given, other = (np.triu, np.tril) if upper else (np.tril, np.triu)
    triangles = [given(x) for x in whole]  # the other triangle must not be read
    if unit:
        for x in triangles:
            np.fill_diagonal(x, 1)
    factors = [applied(operation, x) for x in triangles]
    rights, start = [wide(x).T[:m] for x in b], wide(c).T[:m]

    def times(matrix: np.ndarray, x: np.ndarray) -> np.ndarray:
        return x @ matrix if side else matrix @ x

    def agrees(got: np.ndarray, expected: np.ndarray) -> None:
        scale = 300 * TOLERANCE[letter] * max(1.0, float(np.abs(expected).max()))
        np.testing.assert_allclose(wide(got), expected, rtol=0, atol=scale)

    def columns(rows: int, width: int) -> np.ndarray:
        return out.take(rows * width, dtype).reshape(width, rows).T

    agrees(times(factors[0], wide(out.take(2 * n * ldb, dtype).reshape(2, n, ldb)[0].T[:m])), alpha * rights[0])
    for factor, right, solved in zip(factors, rights, out.take(2 * n * ldb, dtype).reshape(2, n, ldb)):
        agrees(times(factor, wide(solved.T[:m])), alpha * right)
    agrees(out.take(2 * n * ldb, dtype).reshape(2, n, ldb)[0].T[:m], alpha * times(factors[0], rights[0]))
    symmetric = given(whole[0]) + other(given(whole[0]).T, 1 if not upper else -1)
    agrees(columns(ldb, n)[:m], alpha * times(symmetric, rights[0]) + beta * start)
    flat = rights[0] if operation == "N" else rights[0].T
    rank = len(flat)
    agrees(columns(rank, rank), given(alpha * flat @ flat.T))  # zeros stay in the other triangle
    diagonal = wide(a).ravel()[:order]
    agrees(columns(ldb, n)[:m], rights[0] * diagonal if side else diagonal[:, None] * rights[0])
    agrees(columns(n, m), alpha * rights[0].conj().T + beta * start.T)
    if letter == "C":
        adjoint = flat if operation == "N" else rights[0].conj().T
        agrees(given(columns(rank, rank)), given(2 * adjoint @ adjoint.conj().T))
        lower = given(whole[0], -1 if not upper else 1)
        hermitian = lower + lower.conj().T + np.diag(np.diag(whole[0]).real)
        agrees(columns(ldb, n)[:m], alpha * times(hermitian, rights[0]) + beta * start)
        outer = np.outer(wide(a).ravel()[:m], wide(b).ravel()[:n].conj())
        agrees(columns(ldb, n)[:m], alpha * outer + start)
    out.end()


def test_names_and_forms_that_cuda_code_calls(mublas: Program, rng: np.random.Generator) -> None:
    """Names with _v2, a data type as compute type, GemmEx for one sum, copies in a stream."""
    m, n, k = 7, 5, 11
    a, b, c = (rng.integers(-9, 10, shape).astype(np.float32) for shape in ((m, k), (n, k), (n, m)))
    bytes_ = rng.integers(-128, 128, (m + n, k)).astype(np.int8)
    out = run(mublas, "spelled", m, n, k, inputs=[a, b, c, bytes_])
    for _ in range(5):
        np.testing.assert_array_equal(out.take(m * n, np.float32).reshape(n, m), 2 * b @ a.T + c)
    product = 2 * bytes_[m:].astype(np.int64) @ bytes_[:m].astype(np.int64).T
    np.testing.assert_array_equal(out.take(m * n, np.float32).reshape(n, m), product + c)
    np.testing.assert_array_equal(out.take(m * n, np.int32).reshape(n, m), product)
    np.testing.assert_array_equal(out.take(m * n, np.float32), np.arange(m * n))
    out.end()


def test_work_of_the_library_is_the_devices(mublas: Program, rng: np.random.Generator) -> None:
    """Under the check for host code that touches device memory the library must not be found."""
    inputs = [random(rng, letter, 64) for letter in "SSZZ"]
    result = mublas("sums", 64, inputs=inputs, env={"MUSA_SIM_CHECK": "host"})
    assert (result.status, result.stderr) == (0, "")


def test_refusals(mublas: Program) -> None:
    facts = {key: value.removeprefix("MUBLAS_STATUS_") for key, value in mublas("refusals").facts.items()}
    assert facts == {
        "no_handle": "INVALID_HANDLE",
        "negative": "INVALID_SIZE",
        "leading": "INVALID_SIZE",
        "null": "INVALID_POINTER",
        "operation": "INVALID_VALUE",
        "types": "NOT_IMPLEMENTED",
        "destroyed": "INVALID_HANDLE",
    }
