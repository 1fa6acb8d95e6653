"""Functions of muSOLVER that exist in four types, against NumPy. Arguments: libmusolver, libmusart, a group."""

from __future__ import annotations

import ctypes
import itertools
import sys

import device_arrays
import numpy as np
from device_arrays import (
    CODES,
    LOWER,
    OPERATIONS,
    REAL,
    TOLERANCE,
    TYPES,
    UPPER,
    Device,
    close,
    library,
    random,
    wide,
)

EPSILON_SIZES = (1, 2, 6, 21)
REAL_ARGUMENT = {"S": ctypes.c_float, "D": ctypes.c_double, "C": ctypes.c_float, "Z": ctypes.c_double}
handle = ctypes.c_void_p()
device_arrays.call("musolverDnCreate", ctypes.byref(handle))


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    device_arrays.call(f"musolverDn{name}", handle, *arguments, wanted=wanted)


def created(kind: str) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    device_arrays.call(f"musolverDnCreate{kind}", ctypes.byref(made))
    return made


def symmetric_name(letter: str) -> str:
    return f"{letter}{'sy' if letter in 'SD' else 'he'}"


def orthogonal_name(letter: str) -> str:
    return f"{letter}{'or' if letter in 'SD' else 'un'}"


class Workspace:
    """Memory of the size that a function's `_bufferSize` says, and devInfo."""

    def __init__(self, letter: str, name: str, *arguments: object, last: tuple[object, ...] = ()) -> None:
        size = ctypes.c_int()
        call(f"{name}_bufferSize", *arguments, ctypes.byref(size), *last)
        self.size = size.value
        self.memory = Device(np.zeros(size.value, TYPES[letter]))
        self.info = Device(np.full(8, -7, np.int32))

    def arguments(self) -> tuple[object, ...]:
        return self.memory, self.size, self.info

    def results(self, count: int = 1) -> list[int]:
        return [int(value) for value in self.info.read()[:count]]


def symmetric(letter: str, n: int) -> np.ndarray:
    matrix = random(letter, n, n)
    return np.asfortranarray((matrix + matrix.conj().T) / np.asarray(2, REAL[letter]))


def positive(letter: str, n: int) -> np.ndarray:
    matrix = random(letter, n, n)
    return (matrix @ matrix.conj().T + np.eye(n) * n).astype(TYPES[letter])


def half(matrix: np.ndarray, uplo: int) -> np.ndarray:
    """Return the triangle that is given, and other numbers in place of the rest, which is not read."""
    there = np.tril(np.ones(matrix.shape, bool)) if uplo == LOWER else np.triu(np.ones(matrix.shape, bool))
    return np.where(there, matrix, np.asarray(77, matrix.dtype))


def check_vectors(letter: str, matrix: np.ndarray, values: np.ndarray, vectors: np.ndarray, what: object) -> None:
    size = len(matrix)
    close(letter, wide(matrix) @ vectors, vectors * values, what)
    close(letter, vectors.conj().T @ vectors, np.eye(vectors.shape[1]), (what, "orthogonal", size))


def check_jacobi_eigenvalues(letter: str) -> None:
    parameters = created("SyevjInfo")
    device_arrays.call("musolverDnXsyevjSetTolerance", parameters, ctypes.c_double(1e-7))
    device_arrays.call("musolverDnXsyevjSetMaxSweeps", parameters, 15)
    device_arrays.call("musolverDnXsyevjSetSortEig", parameters, 1)
    for n, uplo, vectors in itertools.product(EPSILON_SIZES, (LOWER, UPPER), (0, 1)):
        matrix = symmetric(letter, n)
        a, w = Device(half(matrix, uplo)), Device(np.zeros(n, REAL[letter]))
        name = f"{symmetric_name(letter)}evj"
        space = Workspace(letter, name, vectors, uplo, n, a, n, w, last=(parameters,))
        call(name, vectors, uplo, n, a, n, w, *space.arguments(), parameters)
        assert space.results() == [0]
        close(letter, w.read(), np.linalg.eigvalsh(wide(matrix)), (name, n))
        if vectors:
            check_vectors(letter, matrix, w.read(), wide(a.read()), name)
    batch = [symmetric(letter, 5) for _ in range(3)]
    a, w = Device(np.concatenate(batch, axis=1)), Device(np.zeros(15, REAL[letter]))
    name = f"{symmetric_name(letter)}evjBatched"
    space = Workspace(letter, name, 1, LOWER, 5, a, 5, w, last=(parameters, 3))
    call(name, 1, LOWER, 5, a, 5, w, *space.arguments(), parameters, 3)
    assert space.results(3) == [0, 0, 0]
    for i, matrix in enumerate(batch):
        check_vectors(letter, matrix, w.read()[5 * i : 5 * i + 5], wide(a.read())[:, 5 * i : 5 * i + 5], (name, i))
    device_arrays.call("musolverDnDestroySyevjInfo", parameters)


def check_generalised(letter: str) -> None:
    parameters = created("SyevjInfo")
    for (suffix, last), kind, uplo, n in itertools.product(
        (("gvd", ()), ("gvj", (parameters,))), (1, 2, 3), (LOWER, UPPER), EPSILON_SIZES[:3]
    ):
        matrix, other = symmetric(letter, n), positive(letter, n)
        a, b, w = Device(half(matrix, uplo)), Device(half(other, uplo)), Device(np.zeros(n, REAL[letter]))
        name = f"{symmetric_name(letter)}{suffix}"
        space = Workspace(letter, name, kind, 1, uplo, n, a, n, b, n, w, last=last)
        call(name, kind, 1, uplo, n, a, n, b, n, w, *space.arguments(), *last)
        assert space.results() == [0]
        x, values, m, o = wide(a.read()), w.read(), wide(matrix), wide(other)
        left = {1: m @ x, 2: m @ o @ x, 3: o @ m @ x}[kind]
        close(letter, left, {1: o @ x, 2: x, 3: x}[kind] * values, (name, kind, n))
        assert np.all(np.diff(values) >= 0)
    a, b, w = (Device(np.eye(2, dtype=TYPES[letter]) * sign) for sign in (1, -1, 1))
    space = Workspace(letter, f"{symmetric_name(letter)}gvd", 1, 0, LOWER, 2, a, 2, b, 2, w)
    call(f"{symmetric_name(letter)}gvd", 1, 0, LOWER, 2, a, 2, b, 2, w, *space.arguments())
    assert space.results() == [3]  # B is not positive: n plus the order of the minor that is not


def check_ranges(letter: str) -> None:
    n, real = 9, REAL_ARGUMENT[letter]
    matrix, other = symmetric(letter, n), positive(letter, n)
    values = np.linalg.eigvalsh(wide(matrix))
    lowest, highest = float(values[2] + values[3]) / 2, float(values[6] + values[7]) / 2
    for range_kind, bounds, wanted in (
        (1001, (0, 0, 0, 0), values),
        (1002, (0, 0, 2, 5), values[1:5]),
        (1003, (lowest, highest, 0, 0), values[3:7]),
    ):
        vl, vu, il, iu = real(bounds[0]), real(bounds[1]), bounds[2], bounds[3]
        a, w, found = Device(half(matrix, UPPER)), Device(np.zeros(n, REAL[letter])), ctypes.c_int(-1)
        name = f"{symmetric_name(letter)}evdx"
        given = (1, range_kind, UPPER, n, a, n, vl, vu, il, iu, ctypes.byref(found), w)
        space = Workspace(letter, name, *given)
        call(name, *given, *space.arguments())
        assert (space.results(), found.value) == ([0], len(wanted))
        close(letter, w.read()[: len(wanted)], wanted, (name, range_kind))
        check_vectors(letter, matrix, wanted, wide(a.read())[:, : len(wanted)], name)
    name, found = f"{symmetric_name(letter)}gvdx", ctypes.c_int(-1)
    a, b, w = Device(half(matrix, LOWER)), Device(half(other, LOWER)), Device(np.zeros(n, REAL[letter]))
    given = (1, 1, 1002, LOWER, n, a, n, b, n, real(0), real(0), 3, 4, ctypes.byref(found), w)
    space = Workspace(letter, name, *given)
    call(name, *given, *space.arguments())
    assert (space.results(), found.value) == ([0], 2)
    x, two = wide(a.read())[:, :2], w.read()[:2]
    close(letter, wide(matrix) @ x, wide(other) @ x * two, name)
    wanted = np.sort(np.linalg.eigvals(np.linalg.solve(wide(other), wide(matrix))).real)
    close(letter, two, wanted[2:4], name)
    call(f"{symmetric_name(letter)}evdx", 1, 1002, UPPER, n, a, n, real(0), real(0), 5, 4, ctypes.byref(found), w,
         *space.arguments(), wanted=3)  # fmt: skip


def check_three_diagonals(letter: str) -> None:
    for n, uplo in itertools.product((2, 7), (LOWER, UPPER)):
        matrix = symmetric(letter, n)
        a, d, e = Device(half(matrix, uplo)), Device(np.zeros(n, REAL[letter])), Device(np.zeros(n - 1, REAL[letter]))
        tau = Device(np.zeros(n - 1, TYPES[letter]))
        name, orthogonal = f"{symmetric_name(letter)}trd", orthogonal_name(letter)
        space = Workspace(letter, name, uplo, n, a, n, d, e, tau)
        call(name, uplo, n, a, n, d, e, tau, *space.arguments())
        reflectors = a.read()
        three = np.diag(d.read()) + np.diag(e.read(), 1) + np.diag(e.read(), -1)
        c = Device(np.eye(n, dtype=TYPES[letter]))
        fixed = (0, uplo, 0, n, n, a, n, tau, c, n)
        space = Workspace(letter, f"{orthogonal}mtr", *fixed)
        call(f"{orthogonal}mtr", *fixed, *space.arguments())
        space = Workspace(letter, f"{orthogonal}gtr", uplo, n, a, n, tau)
        call(f"{orthogonal}gtr", uplo, n, a, n, tau, *space.arguments())
        q = wide(a.read())
        assert not np.array_equal(reflectors, a.read())
        close(letter, q @ three @ q.conj().T, wide(matrix), (name, n, uplo))
        close(letter, wide(c.read()), q, "mtr")


def check_jacobi_singular_values(letter: str) -> None:
    parameters = created("GesvdjInfo")
    device_arrays.call("musolverDnXgesvdjSetTolerance", parameters, ctypes.c_double(1e-7))
    device_arrays.call("musolverDnXgesvdjSetMaxSweeps", parameters, 15)
    device_arrays.call("musolverDnXgesvdjSetSortEig", parameters, 1)
    name = f"{letter}gesvdj"
    for (m, n), economic, vectors in itertools.product([(1, 1), (6, 4), (4, 6), (40, 40)], (0, 1), (0, 1)):
        matrix, k = random(letter, m, n), min(m, n)
        a, s = Device(matrix), Device(np.zeros(k, REAL[letter]))
        u = Device(np.zeros((m, k if economic else m), TYPES[letter]))
        v = Device(np.zeros((n + 1, k if economic else n), TYPES[letter]))
        fixed = (vectors, economic, m, n, a, m, s, u, m, v, n + 1)
        space = Workspace(letter, name, *fixed, last=(parameters,))
        call(name, *fixed, *space.arguments(), parameters)
        assert space.results() == [0]
        close(letter, s.read(), np.linalg.svd(wide(matrix), compute_uv=False), (name, m, n))
        if vectors:
            check_singular(letter, matrix, s.read(), wide(u.read()), wide(v.read())[:n], (name, m, n, economic))
    batch, m, n = [random(letter, 6, 4) for _ in range(3)], 6, 4
    a, s = Device(np.concatenate(batch, axis=1)), Device(np.zeros(12, REAL[letter]))
    u, v = Device(np.zeros((6, 18), TYPES[letter])), Device(np.zeros((4, 12), TYPES[letter]))
    fixed = (1, m, n, a, 6, s, u, 6, v, 4)
    space = Workspace(letter, f"{name}Batched", *fixed, last=(parameters, 3))
    call(f"{name}Batched", *fixed, *space.arguments(), parameters, 3)
    assert space.results(3) == [0, 0, 0]
    for i, matrix in enumerate(batch):
        left, right = wide(u.read())[:, 6 * i : 6 * i + 6], wide(v.read())[:, 4 * i : 4 * i + 4]
        check_singular(letter, matrix, s.read()[4 * i : 4 * i + 4], left, right, (name, i))
    call(f"{name}Batched", 1, 33, n, a, 33, s, u, 33, v, 4, *space.arguments(), parameters, 3, wanted=3)
    device_arrays.call("musolverDnDestroyGesvdjInfo", parameters)


def check_singular(
    letter: str, matrix: np.ndarray, values: np.ndarray, u: np.ndarray, v: np.ndarray, what: object
) -> None:
    k = len(values)
    close(letter, u[:, :k] * values @ v[:, :k].conj().T, wide(matrix), what)
    for side in (u, v):
        close(letter, side.conj().T @ side, np.eye(side.shape[1]), what)


def check_largest_singular_values(letter: str) -> None:
    m, n, rank, name = 9, 5, 3, f"{letter}gesvdaStridedBatched"
    batch = [random(letter, m, n) for _ in range(2)]
    a = Device(np.concatenate(batch, axis=1))
    s, u, v = (
        Device(np.zeros(shape, kind))
        for shape, kind in ((2 * rank, REAL[letter]), ((m, 2 * rank), TYPES[letter]), ((n, 2 * rank), TYPES[letter]))
    )
    long, residuals = ctypes.c_longlong, np.zeros(2)
    fixed = (1, rank, m, n, a, m, long(m * n), s, long(rank), u, m, long(m * rank), v, n, long(n * rank))
    space = Workspace(letter, name, *fixed, last=(2,))
    call(name, *fixed, *space.arguments(), residuals, 2)
    assert space.results(2) == [0, 0]
    assert np.array_equal(a.read(), a.values)
    for i, matrix in enumerate(batch):
        left, values, right = np.linalg.svd(wide(matrix), full_matrices=False)
        best = left[:, :rank] * values[:rank] @ right[:rank]
        found = slice(rank * i, rank * i + rank)
        close(letter, wide(u.read())[:, found] * s.read()[found] @ wide(v.read())[:, found].conj().T, best, name)
        assert abs(residuals[i] - np.linalg.norm(wide(matrix) - best)) < 1e-4


def check_two_diagonals(letter: str) -> None:
    m, n, orthogonal = 7, 4, orthogonal_name(letter)
    matrix = random(letter, m, n)
    a, d, e = Device(matrix), Device(np.zeros(n, REAL[letter])), Device(np.zeros(n - 1, REAL[letter]))
    tau_q, tau_p = (Device(np.zeros(n, TYPES[letter])) for _ in range(2))
    space = Workspace(letter, f"{letter}gebrd", m, n)
    call(f"{letter}gebrd", m, n, a, m, d, e, tau_q, tau_p, *space.arguments())
    left, right = Device(a.read()), Device(a.read()[:n])
    for side, at, rows, k, tau in ((0, left, m, n, tau_q), (1, right, n, m, tau_p)):
        fixed = (side, rows, n, k, at, rows, tau)
        space = Workspace(letter, f"{orthogonal}gbr", *fixed)
        call(f"{orthogonal}gbr", *fixed, *space.arguments())
        assert space.results() == [0]
    two = np.diag(d.read()) + np.diag(e.read(), 1)
    close(letter, wide(left.read()) @ two @ wide(right.read()), wide(matrix), "gebrd")


def check_triangles(letter: str) -> None:
    for n, uplo in itertools.product(EPSILON_SIZES, (LOWER, UPPER)):
        matrix = positive(letter, n)
        factor = np.linalg.cholesky(wide(matrix)).astype(TYPES[letter])
        factor = factor if uplo == LOWER else factor.conj().T
        there = np.tril(np.ones((n, n), bool)) if uplo == LOWER else np.triu(np.ones((n, n), bool))
        for name, wanted in (
            ("potri", np.linalg.inv(wide(matrix))),
            ("lauum", wide(factor).conj().T @ wide(factor) if uplo == LOWER else wide(factor) @ wide(factor).conj().T),
        ):
            a = Device(half(factor, uplo))
            space = Workspace(letter, f"{letter}{name}", uplo, n, a, n)
            call(f"{letter}{name}", uplo, n, a, n, *space.arguments())
            assert space.results() == [0]
            close(letter, np.where(there, wide(a.read()), 0), np.where(there, wanted, 0), (name, n, uplo))
            assert (a.read()[~there] == 77).all()
        indefinite = random(letter, n, n)
        indefinite = (indefinite + indefinite.T).astype(TYPES[letter])  # not Hermitian
        a, pivots = Device(half(indefinite, uplo)), Device(np.zeros(n, np.int32))
        space = Workspace(letter, f"{letter}sytrf", n, a, n)
        call(f"{letter}sytrf", uplo, n, a, n, pivots, *space.arguments())
        assert space.results() == [0]
        space = Workspace(letter, f"{letter}sytri", uplo, n, a, n, pivots)
        call(f"{letter}sytri", uplo, n, a, n, pivots, *space.arguments())
        found = np.where(there, wide(a.read()), 0)
        inverse = found + found.T - np.diag(np.diag(found))
        residual = np.abs(inverse @ wide(indefinite) - np.eye(n)).max()
        assert residual < 1e2 * TOLERANCE[letter] * np.linalg.cond(wide(indefinite)), (n, residual)
    matrix, order = random(letter, 5, 3), Device(np.asarray([3, 2, 5], np.int32))
    for increment in (1, -1):
        a, rows = Device(matrix), list(range(5))
        for k in (0, 1, 2)[::increment]:
            other = (3, 2, 5)[k] - 1
            rows[k], rows[other] = rows[other], rows[k]
        call(f"{letter}laswp", 3, a, 5, 1, 3, order, increment)
        assert np.array_equal(a.read(), matrix[rows]), increment


def check_types(letter: str) -> None:
    """Call the functions whose types are arguments."""
    n, columns, code, real = 6, 2, CODES[TYPES[letter]], CODES[REAL[letter]]
    long, params, info = ctypes.c_int64, created("Params"), Device(np.full(1, -7, np.int32))
    device_arrays.call("musolverDnSetAdvOptions", params, 0, 0)

    def run(name: str, *given: object) -> None:
        """Call a function with the workspace that its other function says."""
        on_device, on_host = ctypes.c_size_t(), ctypes.c_size_t(99)
        sized = tuple(argument for argument in given if argument is not ipiv)
        call(f"{name}_bufferSize", *sized, ctypes.byref(on_device), ctypes.byref(on_host))
        assert on_host.value == 0
        memory = Device(np.zeros(on_device.value, np.uint8))
        call(name, *given, memory, on_device, None, on_host, info)
        assert info.read()[0] == 0, name

    ipiv = Device(np.zeros(n, np.int64))
    matrix, side = random(letter, n, n), random(letter, n, columns)
    a, condition = Device(matrix), np.linalg.cond(wide(matrix))
    run("Xgetrf", params, long(n), long(n), code, a, long(n), ipiv, code)
    for operation in "NTC":
        b = Device(side)
        call(
            "Xgetrs",
            params,
            OPERATIONS[operation],
            long(n),
            long(columns),
            code,
            a,
            long(n),
            ipiv,
            code,
            b,
            long(n),
            info,
        )
        operated = {"N": wide(matrix), "T": wide(matrix).T, "C": wide(matrix).conj().T}[operation]
        residual = np.abs(operated @ wide(b.read()) - wide(side)).max()
        assert residual < 1e2 * TOLERANCE[letter] * condition, operation
    matrix = positive(letter, n)
    a, b = Device(half(matrix, LOWER)), Device(side)
    run("Xpotrf", params, LOWER, long(n), code, a, long(n), code)
    close(letter, np.tril(wide(a.read())), np.linalg.cholesky(wide(matrix)), "Xpotrf")
    call("Xpotrs", params, LOWER, long(n), long(columns), code, a, long(n), code, b, long(n), info)
    close(letter, wide(matrix) @ wide(b.read()), wide(side), "Xpotrs")
    run("Xtrtri", LOWER, 0, long(n), code, a, long(n))
    close(letter, np.tril(wide(a.read())), np.linalg.inv(np.linalg.cholesky(wide(matrix))), "Xtrtri")
    tall = random(letter, 8, n)
    a, tau = Device(tall), Device(np.zeros(n, TYPES[letter]))
    run("Xgeqrf", params, long(8), long(n), code, a, long(8), code, tau, code)
    r = np.triu(wide(a.read())[:n])
    close(letter, r.conj().T @ r, wide(tall).conj().T @ wide(tall), "Xgeqrf")
    matrix = symmetric(letter, n)
    a, w = Device(half(matrix, UPPER)), Device(np.zeros(n, REAL[letter]))
    run("Xsyevd", params, 1, UPPER, long(n), code, a, long(n), real, w, code)
    check_vectors(letter, matrix, w.read(), wide(a.read()), "Xsyevd")
    a, s = Device(tall), Device(np.zeros(n, REAL[letter]))
    u, vt = Device(np.zeros((8, 8), TYPES[letter])), Device(np.zeros((n, n), TYPES[letter]))
    job = ctypes.c_byte(ord("A"))
    run(
        "Xgesvd",
        params,
        job,
        job,
        long(8),
        long(n),
        code,
        a,
        long(8),
        real,
        s,
        code,
        u,
        long(8),
        code,
        vt,
        long(n),
        code,
    )
    check_singular(letter, tall, s.read(), wide(u.read()), wide(vt.read()).conj().T, "Xgesvd")
    call("Xgetrf", params, long(n), long(n), 2, a, long(n), ipiv, 2, a, long(1), None, long(0), info, wanted=9)  # half
    call("Xpotrf", params, 9, long(n), code, a, long(n), code, a, long(1), None, long(0), info, wanted=3)
    device_arrays.call("musolverDnDestroyParams", params)


def check_other_types(letter: str) -> None:
    """Call more functions whose types are arguments, and those by the older names, with one workspace."""
    n, code, real, long = 6, CODES[TYPES[letter]], CODES[REAL[letter]], ctypes.c_int64
    params, info = created("Params"), Device(np.full(1, -7, np.int32))

    def run(name: str, *given: object, unsized: int = 0, last: tuple[object, ...] = (), two: bool = True) -> None:
        """Call a function with its workspace, or its two; `unsized` arguments at the end are not for its size."""
        size, other = ctypes.c_size_t(), ctypes.c_size_t(99)
        sizes = (ctypes.byref(size), ctypes.byref(other)) if two else (ctypes.byref(size),)
        call(f"{name}_bufferSize", *given[: len(given) - unsized], *sizes)
        memory = (Device(np.zeros(size.value, np.uint8)), size)
        call(name, *given, *memory, *((None, other) if two else ()), info, *last)
        assert info.read()[0] == 0, name

    matrix = symmetric(letter, n)
    values = np.linalg.eigvalsh(wide(matrix))
    limits = np.array([(values[0] + values[1]) / 2, (values[3] + values[4]) / 2], REAL[letter])
    for (kind, first, last), name in itertools.product(
        ((1001, 0, n), (1002, 1, 4), (1003, 1, 4)), ("Xsyevdx", "Syevdx")
    ):
        a, w, count = Device(half(matrix, LOWER)), Device(np.zeros(n, REAL[letter])), np.full(1, -7, np.int64)
        ends = (limits[:1], limits[1:]) if kind == 1003 else (None, None)
        which = (*ends, long(first + 1), long(last), count)
        run(name, params, 1, kind, LOWER, long(n), code, a, long(n), *which, real, w, code, two=name[0] == "X")
        assert count[0] == last - first
        close(letter, w.read()[: last - first], values[first:last], name)
        vectors = wide(a.read())[:, : last - first]
        close(letter, wide(matrix) @ vectors, vectors * values[first:last], name)
    for econ, (m, k) in itertools.product((0, 1), ((9, 6), (6, 6))):
        tall = random(letter, m, k)
        a, s = Device(tall), Device(np.zeros(k, REAL[letter]))
        u, v = Device(np.zeros((m, k if econ else m), TYPES[letter])), Device(np.zeros((k, k), TYPES[letter]))
        error = np.full(1, np.nan)
        given = (params, 1, econ, long(m), long(k), code, a, long(m), real, s, code, u, long(m), code, v, long(k), code)
        run("Xgesvdp", *given, last=(error,))
        found = (wide(u.read())[:, :k] * s.read()) @ wide(v.read()).conj().T
        close(letter, found, wide(tall), "Xgesvdp")
        assert error[0] == 0
        rank = 3
        a, s = Device(tall), Device(np.zeros(rank, REAL[letter]))
        u, v = Device(np.zeros((m, rank), TYPES[letter])), Device(np.zeros((k, rank), TYPES[letter]))
        numbers = tuple(map(long, (m, k, rank, 2, 2)))
        for jobs in ("SS", "SN", "NN"):
            job = tuple(ctypes.c_byte(ord(one)) for one in jobs)
            u, v = (Device(np.zeros(one.values.shape, TYPES[letter])) for one in (u, v))
            given = (params, *job, *numbers, code, a, long(m), real, s, code, u, long(m), code, v, long(k), code)
            run("Xgesvdr", *given)
            left, exact, right = np.linalg.svd(wide(tall))
            close(letter, s.read(), exact[:rank], ("Xgesvdr", jobs))
            if jobs == "SS":
                best = (left[:, :rank] * exact[:rank]) @ right[:rank]
                close(letter, (wide(u.read()) * s.read()) @ wide(v.read()).conj().T, best, "Xgesvdr")
            else:
                assert (v.read() == 0).all()
    matrix = random(letter, n, n)
    matrix = (matrix + matrix.T) / np.asarray(2, TYPES[letter])  # symmetric, also where it is complex
    for fill in (LOWER, UPPER):
        a, b, pivots = Device(half(matrix, fill)), Device(random(letter, n, 2)), Device(np.zeros(n, np.int32))
        space = Workspace(letter, f"{letter}sytrf", n, a, n)
        call(f"{letter}sytrf", fill, n, a, n, pivots, *space.arguments())
        wider = Device(pivots.read().astype(np.int64))
        run("Xsytrs", fill, long(n), long(2), code, a, long(n), wider, code, b, long(n))
        condition = np.linalg.cond(wide(matrix))
        residual = np.abs(wide(matrix) @ wide(b.read()) - wide(b.values)).max()
        assert residual < 1e2 * TOLERANCE[letter] * condition, ("Xsytrs", fill)
    # the older names
    matrix, side = random(letter, n, n), random(letter, n, 2)
    a, b, ipiv = Device(matrix), Device(side), Device(np.zeros(n, np.int64))
    size = ctypes.c_size_t()
    call("Getrf_bufferSize", params, long(n), long(n), code, a, long(n), code, ctypes.byref(size))
    memory = (Device(np.zeros(size.value, np.uint8)), size)
    call("Getrf", params, long(n), long(n), code, a, long(n), ipiv, code, *memory, info)
    call("Getrs", params, 0, long(n), long(2), code, a, long(n), ipiv, code, b, long(n), info)
    assert np.abs(wide(matrix) @ wide(b.read()) - wide(side)).max() < 1e2 * TOLERANCE[letter] * np.linalg.cond(
        wide(matrix)
    )
    matrix = positive(letter, n)
    a, b = Device(half(matrix, LOWER)), Device(side)
    run("Potrf", params, LOWER, long(n), code, a, long(n), code, two=False)
    call("Potrs", params, LOWER, long(n), long(2), code, a, long(n), code, b, long(n), info)
    close(letter, wide(matrix) @ wide(b.read()), wide(side), "Potrs")
    tall = random(letter, 8, n)
    a, tau = Device(tall), Device(np.zeros(n, TYPES[letter]))
    run("Geqrf", params, long(8), long(n), code, a, long(8), code, tau, code, two=False)
    r = np.triu(wide(a.read())[:n])
    close(letter, r.conj().T @ r, wide(tall).conj().T @ wide(tall), "Geqrf")
    matrix = symmetric(letter, n)
    a, w = Device(half(matrix, UPPER)), Device(np.zeros(n, REAL[letter]))
    run("Syevd", params, 1, UPPER, long(n), code, a, long(n), real, w, code, two=False)
    check_vectors(letter, matrix, w.read(), wide(a.read()), "Syevd")
    a, s, job = Device(tall), Device(np.zeros(n, REAL[letter])), ctypes.c_byte(ord("A"))
    u, vt = Device(np.zeros((8, 8), TYPES[letter])), Device(np.zeros((n, n), TYPES[letter]))
    outputs = (real, s, code, u, long(8), code, vt, long(n), code)
    run("Gesvd", params, job, job, long(8), long(n), code, a, long(8), *outputs, two=False)
    check_singular(letter, tall, s.read(), wide(u.read()), wide(vt.read()).conj().T, "Gesvd")


PRECISIONS = {"S": 1204, "D": 1203, "C": 1214, "Z": 1213}


def check_refinement_by_parameters(letter: str) -> None:
    n, nrhs, m = 6, 3, 9
    params, infos, most, size = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int(), ctypes.c_size_t()
    device_arrays.call("musolverDnIRSParamsCreate", ctypes.byref(params))
    device_arrays.call("musolverDnIRSInfosCreate", ctypes.byref(infos))
    call("IRSXgesv_bufferSize", params, n, nrhs, ctypes.byref(size), wanted=14)  # no precision was chosen
    device_arrays.call("musolverDnIRSParamsSetSolverPrecisions", params, PRECISIONS[letter], 1205)
    device_arrays.call("musolverDnIRSParamsSetRefinementSolver", params, 1104)
    device_arrays.call("musolverDnIRSParamsSetTol", params, ctypes.c_double(1e-3))
    device_arrays.call("musolverDnIRSParamsSetMaxIters", params, 7)
    device_arrays.call("musolverDnIRSParamsGetMaxIters", params, ctypes.byref(most))
    assert most.value == 7
    a, b, x = Device(random(letter, n, n)), Device(random(letter, n, nrhs)), Device(random(letter, n + 1, nrhs))
    iterations, info = np.full(1, -7, np.int32), Device(np.full(1, -7, np.int32))
    call("IRSXgesv_bufferSize", params, n, nrhs, ctypes.byref(size))
    memory = (Device(np.zeros(size.value, np.uint8)), size)
    call("IRSXgesv", params, infos, n, nrhs, a, n, b, n, x, n + 1, *memory, iterations, info)
    assert info.read()[0] == 0 and iterations[0] == 0
    close(letter, wide(x.read()[:n]), np.linalg.solve(wide(a.values), wide(b.values)), "IRSXgesv")
    a, b, x = Device(random(letter, m, n)), Device(random(letter, m, nrhs)), Device(random(letter, n, nrhs))
    call("IRSXgels_bufferSize", params, m, n, nrhs, ctypes.byref(size))
    call("IRSXgels", params, infos, m, n, nrhs, a, m, b, m, x, n, *memory, iterations, info)
    close(letter, wide(x.read()), np.linalg.lstsq(wide(a.values), wide(b.values), rcond=None)[0], "IRSXgels")
    for name, wanted in (("Niters", 0), ("OuterNiters", 0), ("MaxIters", 7)):
        device_arrays.call(f"musolverDnIRSInfosGet{name}", infos, ctypes.byref(most))
        assert most.value == wanted, name
    call("IRSXgesv", None, infos, n, nrhs, a, n, b, n, x, n, *memory, iterations, info, wanted=12)
    device_arrays.call("musolverDnIRSInfosDestroy", infos)
    device_arrays.call("musolverDnIRSParamsDestroy", params)


LOWER_PRECISIONS = {"S": "SHBX", "D": "DSHBX", "C": "CKYE", "Z": "ZCKYE"}


def check_refined_solutions(letter: str) -> None:
    """Each lower precision gives the solution in full precision, and leaves A and B alone."""
    for low, (n, nrhs) in itertools.product(LOWER_PRECISIONS[letter], ((1, 1), (6, 3))):
        a, b, x = (
            Device(random(letter, n + 2, n)),
            Device(random(letter, n + 1, nrhs)),
            Device(random(letter, n + 3, nrhs)),
        )
        pivots, info = Device(np.full(n, -1, np.int32)), Device(np.full(1, -1, np.int32))
        iterations, size = np.full(1, -7, np.int32), ctypes.c_size_t()
        matrices = (a, n + 2, pivots, b, n + 1, x, n + 3, None)
        call(f"{letter}{low}gesv_bufferSize", n, nrhs, *matrices, ctypes.byref(size))
        assert size.value > 0
        call(f"{letter}{low}gesv", n, nrhs, *matrices, size, iterations, info)
        assert info.read()[0] == 0 and iterations[0] == 0
        close(letter, wide(x.read()[:n]), np.linalg.solve(wide(a.values[:n]), wide(b.values[:n])), (letter, low))
        assert np.array_equal(x.read()[n:], x.values[n:]) and np.array_equal(a.read(), a.values)
        assert pivots.read().min() >= 1 and np.array_equal(b.read(), b.values)

        m = n + 4
        a, b, x = Device(random(letter, m, n)), Device(random(letter, m + 1, nrhs)), Device(random(letter, n, nrhs))
        matrices = (a, m, b, m + 1, x, n, None)
        call(f"{letter}{low}gels_bufferSize", m, n, nrhs, *matrices, ctypes.byref(size))
        call(f"{letter}{low}gels", m, n, nrhs, *matrices, size, iterations, info)
        best = np.linalg.lstsq(wide(a.values), wide(b.values[:m]), rcond=None)[0]
        close(letter, wide(x.read()), best, (letter, low))
        assert info.read()[0] == 0 and iterations[0] == 0
        call(f"{letter}{low}gels", n, m, nrhs, *matrices, size, iterations, info, wanted=3)
    singular = Device(np.zeros((4, 4), TYPES[letter]))
    b, x = Device(random(letter, 4, 1)), Device(random(letter, 4, 1))
    call(
        f"{letter}{LOWER_PRECISIONS[letter][0]}gesv", 4, 1, singular, 4, None, b, 4, x, 4, None, size, iterations, info
    )
    assert info.read()[0] == 1 and np.array_equal(x.read(), x.values)


CHECKS = {name: check for name, check in globals().items() if name.startswith("check_")}
for one in TYPES:
    CHECKS[f"check_{sys.argv[3]}"](one)
assert library.musolverDnDestroy(handle) == 0
