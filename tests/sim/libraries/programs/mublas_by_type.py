"""Functions of muBLAS that exist in four types, against NumPy. Arguments: libmublas, libmusart, the function's group.

Matrices are random, column-major with larger leading dimensions than needed; vectors have negative increments too.
"""

from __future__ import annotations

import ctypes
import itertools
import sys
from collections.abc import Iterator, Sequence

import device_arrays
import numpy as np
from device_arrays import (
    CODES,
    LOWER,
    OPERATIONS,
    REAL,
    REAL_LETTER,
    TOLERANCE,
    TYPES,
    UPPER,
    Device,
    close,
    library,
    number,
    random,
    rng,
    wide,
)

INCREMENTS = (1, -1, 2, -3)
handle = ctypes.c_void_p()
device_arrays.call("mublasCreate", ctypes.byref(handle))


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    """Call a function of muBLAS with the handle."""
    device_arrays.call(f"mublas{name}", handle, *arguments, wanted=wanted)


class Vector:
    """Elements in device memory with an increment, and unused memory between them."""

    def __init__(self, letter: str, n: int, increment: int) -> None:
        self.n, self.increment, self.letter = n, increment, letter
        self.device = Device(random(letter, max(1, 1 + (n - 1) * abs(increment))))
        self.start = wide(self._of(self.device.values))

    def _of(self, memory: np.ndarray) -> np.ndarray:
        return memory[:: abs(self.increment)][:: 1 if self.increment > 0 else -1][: self.n]

    def check(self, wanted: np.ndarray, what: object) -> None:
        memory = self.device.read()
        close(self.letter, wide(self._of(memory)), wanted, what)
        others = np.ones(memory.shape, bool)
        self._of(others)[:] = False
        assert np.array_equal(memory[others], self.device.values[others]), what


def operated(operation: str, matrix: np.ndarray) -> np.ndarray:
    return {"N": matrix, "T": matrix.T, "C": matrix.conj().T}[operation]


def in_triangle(uplo: int, n: int, k: int) -> np.ndarray:
    """Return which elements of a triangle with k diagonals beside the main one there are."""
    i, j = np.indices((n, n))
    return ((i >= j) if uplo == LOWER else (i <= j)) & (abs(i - j) <= k)


def mirrored(stored: np.ndarray, uplo: int, k: int, hermitian: bool) -> np.ndarray:
    n = len(stored)
    half = np.where(in_triangle(uplo, n, k), stored, 0)
    other = half.conj().T if hermitian else half.T
    whole = half + other - np.diag(np.diag(other))
    return whole - 1j * np.diag(np.diag(whole).imag) if hermitian else whole


def as_band(matrix: np.ndarray, below: int, above: int, ld: int) -> np.ndarray:
    m, n = matrix.shape
    memory = random("D", ld, n).astype(matrix.dtype)
    for j in range(n):
        for i in range(max(0, j - above), min(m, j + below + 1)):
            memory[above + i - j, j] = matrix[i, j]
    return memory


def packed(matrix: np.ndarray, uplo: int) -> np.ndarray:
    n = len(matrix)
    columns = [matrix[j:, j] if uplo == LOWER else matrix[: j + 1, j] for j in range(n)]
    return np.concatenate(columns) if n else matrix.reshape(-1)


def sizes() -> Iterator[tuple[int, int, int]]:
    """Yield orders of matrices with a pair of increments."""
    for n, pair in zip((1, 2, 7, 33), itertools.product(INCREMENTS[:2], INCREMENTS[2:])):
        yield (n, *pair)


def layouts(letter: str, stored: np.ndarray, uplo: int, k: int) -> list[tuple[str, list[object], int]]:
    """Return a triangle in each layout: what it is called, its arguments behind n, and how many diagonals it has."""
    n = len(stored)
    full = np.concatenate([stored, random(letter, 2, n)])
    band = as_band(stored, k if uplo == LOWER else 0, 0 if uplo == LOWER else k, k + 3)
    return [
        ("", [Device(full), n + 2], n),
        ("b", [k, Device(band), k + 3], k),
        ("p", [Device(packed(stored, uplo))], n),
    ]


def check_symmetric_products(letter: str) -> None:
    for hermitian in (False, True) if letter in "CZ" else (False,):
        for (n, incx, incy), uplo, zero in itertools.product(sizes(), (LOWER, UPPER), (False, True)):
            stored, k = random(letter, n, n), min(2, n - 1)
            for layout, arguments, diagonals in layouts(letter, stored, uplo, k):
                if letter in "CZ" and not hermitian and layout:
                    continue  # there is only the full one
                first = {"": "he", "b": "hb", "p": "hp"} if hermitian else {"": "sy", "b": "sb", "p": "sp"}
                name = f"{letter}{first[layout]}mv"
                alpha, beta = number(letter), number(letter) * (0 if zero else 1)
                x, y = Vector(letter, n, incx), Vector(letter, n, incy)
                call(name, uplo, n, *split_k(layout, arguments, alpha), x.device, incx, beta, y.device, incy)
                matrix = mirrored(wide(stored), uplo, diagonals, hermitian)
                y.check(wide(alpha) * (matrix @ x.start) + wide(beta) * y.start, (name, n, uplo, incx, incy))


def split_k(layout: str, arguments: Sequence[object], alpha: np.ndarray) -> list[object]:
    """Put alpha where it belongs: behind k."""
    return [arguments[0], alpha, *arguments[1:]] if layout == "b" else [alpha, *arguments]


def check_bands(letter: str) -> None:
    for (m, n, kl, ku), operation in itertools.product([(1, 1, 0, 0), (7, 5, 2, 1), (4, 9, 1, 3)], "NTC"):
        matrix = np.where(np.subtract(*np.indices((m, n))) <= kl, random(letter, m, n), 0)
        matrix = np.where(np.subtract(*np.indices((m, n))) >= -ku, matrix, 0)
        a = Device(as_band(matrix, kl, ku, kl + ku + 2))
        rows, columns = (m, n) if operation == "N" else (n, m)
        x, y = Vector(letter, columns, 2), Vector(letter, rows, -1)
        alpha, beta, ld = number(letter), number(letter), kl + ku + 2
        arguments = (OPERATIONS[operation], m, n, kl, ku, alpha, a, ld, x.device, 2, beta, y.device, -1)
        call(f"{letter}gbmv", *arguments)
        wanted = wide(alpha) * (operated(operation, wide(matrix)) @ x.start) + wide(beta) * y.start
        y.check(wanted, ("gbmv", letter, m, n, operation))


def check_triangular(letter: str) -> None:
    for (n, incx, _), uplo, operation, unit in itertools.product(sizes(), (LOWER, UPPER), "NTC", (0, 1)):
        stored, k = random(letter, n, n), min(2, n - 1)
        stored[np.diag_indices(n)] += 4 * n  # so that solutions keep their digits
        if unit:
            stored /= np.asarray(8 * n, stored.dtype)
        for layout, arguments, diagonals in layouts(letter, stored, uplo, k):
            matrix = np.where(in_triangle(uplo, n, diagonals), wide(stored), 0)
            if unit:
                matrix[np.diag_indices(n)] = 1
            matrix = operated(operation, matrix)
            for verb, wanted in (
                ("mv", lambda x, by=matrix: by @ x),
                ("sv", lambda x, by=matrix: np.linalg.solve(by, x)),
            ):
                x = Vector(letter, n, incx)
                name = f"{letter}t{layout or 'r'}{verb}"
                call(name, uplo, OPERATIONS[operation], unit, n, *arguments, x.device, incx)
                x.check(wanted(x.start), (name, n, uplo, operation, unit, incx))


def check_updates(letter: str) -> None:
    for hermitian in (False, True) if letter in "CZ" else (False,):
        for (n, incx, incy), uplo in itertools.product(sizes(), (LOWER, UPPER)):
            x, y = Vector(letter, n, incx), Vector(letter, n, incy)
            v, w = x.start, y.start
            there, two = in_triangle(uplo, n, n), number(letter)
            one = number(REAL_LETTER[letter]) if hermitian else number(letter)
            turn = np.conj if hermitian else np.positive
            single = wide(one) * np.outer(v, turn(v))
            double = wide(two) * np.outer(v, turn(w)) + turn(wide(two)) * np.outer(w, turn(v))
            for name, arguments, term in (
                ("r", [one, x.device, incx], single),
                ("r2", [two, x.device, incx, y.device, incy], double),
            ):
                stored = random(letter, n + 1, n)
                square, full, line = stored[:n], Device(stored), Device(packed(stored[:n], uplo))
                wanted = np.where(there, wide(square) + term, wide(square))
                if hermitian:
                    wanted[np.diag_indices(n)] = wanted[np.diag_indices(n)].real
                first = f"{letter}{'he' if hermitian else 'sy'}{name}"
                call(first, uplo, n, *arguments, full, n + 1)
                close(letter, wide(full.read()[:n]), wanted, (first, n, uplo))
                assert np.array_equal(full.read()[n], stored[n])
                if hermitian or letter in "SD":
                    second = f"{letter}{'hp' if hermitian else 'sp'}{name}"
                    call(second, uplo, n, *arguments, line)
                    close(letter, wide(line.read()), packed(wanted, uplo), (second, n, uplo))


def check_rank_k(letter: str) -> None:
    for hermitian in (False, True) if letter in "CZ" else (False,):
        operations = "NC" if hermitian else "NT"
        for (n, k), uplo, operation in itertools.product([(1, 1), (5, 9), (18, 3)], (LOWER, UPPER), operations):
            rows, columns = (n, k) if operation == "N" else (k, n)
            a, b = Device(random(letter, rows + 1, columns)), Device(random(letter, rows + 2, columns))
            left, right = (operated(operation, wide(m.values)[:rows]) for m in (a, b))
            turn = (lambda m: m.conj().T) if hermitian else (lambda m: m.T)
            alpha = number(letter)
            beta = number(REAL_LETTER[letter]) if hermitian else number(letter)
            factor = wide(alpha)
            second = (np.conj(factor) if hermitian else factor) * right @ turn(left)
            for name, term in (("kx", factor * left @ turn(right)), ("2k", factor * left @ turn(right) + second)):
                c = Device(random(letter, n + 1, n))
                start = wide(c.values)[:n]
                wanted = np.where(in_triangle(uplo, n, n), term + wide(beta) * start, start)
                if hermitian:
                    wanted[np.diag_indices(n)] = wanted[np.diag_indices(n)].real
                whole = f"{letter}{'her' if hermitian else 'syr'}{name}"
                lds = (a, rows + 1, b, rows + 2, beta, c, n + 1)
                call(whole, uplo, OPERATIONS[operation], n, k, alpha, *lds)
                close(letter, wide(c.read()[:n]), wanted, (whole, n, k, uplo, operation))


def check_packing(letter: str) -> None:
    for n, uplo in itertools.product((1, 6), (LOWER, UPPER)):
        stored = random(letter, n + 1, n)
        full, line, back = Device(stored), Device(np.zeros(n * (n + 1) // 2, TYPES[letter])), Device(stored * 0)
        call(f"{letter}trttp", uplo, n, full, n + 1, line)
        assert np.array_equal(line.read(), packed(stored[:n], uplo))
        call(f"{letter}tpttr", uplo, n, line, back, n + 1)
        assert np.array_equal(back.read()[:n], np.where(in_triangle(uplo, n, n), stored[:n], 0))


def check_rotations(letter: str) -> None:
    for n, incx, incy in sizes():
        x, y = Vector(letter, n, incx), Vector(letter, n, incy)
        cosine = np.asarray([0.6], REAL[letter])
        sine = number(letter)
        sine *= np.asarray(0.8, REAL[letter]) / np.abs(sine)
        call(f"{letter}rot", n, x.device, incx, y.device, incy, cosine, sine)
        x.check(0.6 * x.start + wide(sine) * y.start, ("rot", letter, n))
        y.check(0.6 * y.start - np.conj(wide(sine)) * x.start, ("rot", letter, n))
    if letter in "CZ":
        x, y, name = Vector(letter, 9, 1), Vector(letter, 9, -2), {"C": "Csrot", "Z": "Zdrot"}[letter]
        sine = np.asarray([0.8], REAL[letter])
        call(name, 9, x.device, 1, y.device, -2, cosine, sine)
        x.check(wide(cosine) * x.start + wide(sine) * y.start, name)
        y.check(wide(cosine) * y.start - wide(sine) * x.start, name)
    for scale_a, scale_b in ((1, 1), (5, 0.1), (0.1, 5), (0, 1), (1, 0), (0, 0)):
        a, b = number(letter) * REAL[letter](scale_a), number(letter) * REAL[letter](scale_b)
        r, z = a.copy(), b.copy()
        c, s = np.zeros(1, REAL[letter]), np.zeros(1, TYPES[letter])
        call(f"{letter}rotg", r, z, c, s)
        close(letter, c * c + np.abs(s) ** 2, np.ones(1), ("rotg", a, b, c, s))
        close(letter, wide(c) * wide(a) + wide(s) * wide(b), r, ("rotg", a, b, r))
        close(letter, -np.conj(wide(s)) * wide(a) + wide(c) * wide(b), np.zeros(1), ("rotg", a, b))


def check_modified_rotations(letter: str) -> None:
    if letter in "CZ":
        return
    kind, forms = TYPES[letter], set()
    for d1, d2, x1, y1 in (
        *((2, 3, 1, 0.1), (2, 3, 0.1, 1), (1e-9, 1, 2, 1e-6), (1e9, 1e9, 3, 1), (1e9, 1e-9, 0.1, 7), (1, 0, 2, 3)),
        *((1, -0.1, 2, 1), (-1, 2, 3, 4), (1, -9, 1, 2)),
    ):
        numbers = [np.asarray([value], kind) for value in (d1, d2, x1)]
        parameters = np.zeros(5, kind)
        call(f"{letter}rotmg", *numbers, np.asarray([y1], kind), parameters)
        forms.add(form := int(parameters[0]))
        h = {
            -2: [[1, 0], [0, 1]],
            -1: [parameters[[1, 3]], parameters[[2, 4]]],
            0: [[1, parameters[3]], [parameters[2], 1]],
            1: [[parameters[1], 1], [-1, parameters[4]]],
        }[form]
        h = np.asarray(h, np.float64)
        vector = h @ [x1, y1]
        gave_up = form == -1 and not h.any()
        if not gave_up and form != -2:
            assert abs(vector[1]) <= TOLERANCE[letter] * max(1, abs(vector[0])), (d1, d2, x1, y1, parameters)
            close(letter, numbers[2], vector[:1], "x1")
            before = d1 * x1 * x1 + d2 * y1 * y1
            after = float(numbers[0][0]) * float(numbers[2][0]) ** 2
            assert abs(after - before) <= 1e-4 * abs(before), (d1, d2, x1, y1, numbers)
            assert all(2.0**-24 < abs(float(value[0])) < 2.0**24 for value in numbers[:2] if value[0])
        x, y = Vector(letter, 8, -2), Vector(letter, 8, 3)
        call(f"{letter}rotm", 8, x.device, -2, y.device, 3, parameters)
        x.check(h[0, 0] * x.start + h[0, 1] * y.start, ("rotm", form))
        y.check(h[1, 0] * x.start + h[1, 1] * y.start, ("rotm", form))
    assert forms == {-2, -1, 0, 1}


def check_rotations_by_type(letter: str) -> None:
    """The functions whose types are arguments: one for all, float or double."""
    kind, code = TYPES[letter], CODES[TYPES[letter]]
    a, b, c, s = (random(letter, 1) for _ in range(4))
    if letter in "CZ":
        call("RotgEx", a, b, code, c, s, code, code, wanted=2)
        return
    before = np.array([a[0], b[0]], np.float64)
    call("RotgEx", a, b, code, c, s, code, code)
    turned = np.array([[c[0], s[0]], [-s[0], c[0]]], np.float64) @ before
    close(letter, turned, np.array([a[0], 0], np.float64), "RotgEx")
    numbers, y1, parameters = (
        [np.asarray([value], kind) for value in (2, 3, 1)],
        np.asarray([0.5], kind),
        np.zeros(5, kind),
    )
    call("RotmgEx", *(x for one in numbers for x in (one, code)), y1, code, parameters, code, code)
    assert parameters[0] in (0, 1)
    h = [[1, parameters[3]], [parameters[2], 1]] if parameters[0] == 0 else [[parameters[1], 1], [-1, parameters[4]]]
    h = np.asarray(h, np.float64)
    close(letter, h @ [1, 0.5], np.array([numbers[2][0], 0], np.float64), "RotmgEx")
    x, y = Vector(letter, 8, -2), Vector(letter, 8, 3)
    call("RotmEx", 8, x.device, code, -2, y.device, code, 3, parameters, code, code)
    x.check(h[0, 0] * x.start + h[0, 1] * y.start, "RotmEx")
    y.check(h[1, 0] * x.start + h[1, 1] * y.start, "RotmEx")
    call("RotmEx", 8, x.device, code, -2, y.device, CODES[np.float16], 3, parameters, code, code, wanted=2)


def check_types(letter: str) -> None:
    """Call the functions whose types are arguments."""
    kind, code, real = TYPES[letter], CODES[TYPES[letter]], REAL[letter]
    x, y, alpha = Vector(letter, 13, 2), Vector(letter, 13, -1), number(letter)
    call("AxpyEx", 13, alpha, code, x.device, code, 2, y.device, code, -1, code)
    y.check(wide(alpha) * x.start + y.start, "AxpyEx")
    result, size, index = np.zeros(1, kind), np.zeros(1, real), np.zeros(1, np.int32)
    for name, wanted in (("DotEx", x.start), ("DotcEx", x.start.conj())):
        y = Vector(letter, 13, -1)
        call(name, 13, x.device, code, 2, y.device, code, -1, result, code, code)
        close(letter, wide(result), np.sum(wanted * y.start)[None], name)
    parts = abs(x.start.real) + abs(x.start.imag)
    call("Nrm2Ex", 13, x.device, code, 2, size, CODES[real], CODES[real])
    close(letter, size, np.linalg.norm(x.start)[None], "Nrm2Ex")
    call("AsumEx", 13, x.device, code, 2, size, CODES[real], CODES[real])
    close(letter, size, parts.sum()[None], "AsumEx")
    call("IamaxEx", 13, x.device, code, 2, index)
    assert index[0] == 1 + parts.argmax()
    call("IaminEx", 13, x.device, code, 2, index)
    assert index[0] == 1 + parts.argmin()
    y = Vector(letter, 13, 1)
    call("SwapEx", 13, x.device, code, 2, y.device, code, 1)
    x.check(y.start, "SwapEx")
    y.check(x.start, "SwapEx")
    target = Vector(letter, 13, 3)
    call("CopyEx", 13, y.device, code, 1, target.device, code, 3)
    target.check(x.start, "CopyEx")
    call("ScalEx", 13, alpha, code, y.device, code, 1, code)
    y.check(wide(alpha) * x.start, "ScalEx")
    x, y = Vector(letter, 5, 1), Vector(letter, 5, 2)
    c, s = np.asarray([0.6], real), np.asarray([-0.8], real)
    call("RotEx", 5, x.device, code, 1, y.device, code, 2, c, s, CODES[real], code)
    x.check(0.6 * x.start - 0.8 * y.start, "RotEx")
    y.check(0.6 * y.start + 0.8 * x.start, "RotEx")
    other = CODES[np.float64 if kind != np.float64 else np.float32]
    call("AxpyEx", 5, alpha, other, x.device, code, 1, y.device, code, 2, code, wanted=2)
    call("CopyEx", 5, x.device, code, 1, y.device, other, 2, wanted=2)
    if letter == "S":
        check_half()


def check_half() -> None:
    half, single = CODES[np.float16], CODES[np.float32]
    x, y = (rng.standard_normal(50).astype(np.float16) for _ in range(2))
    for alpha, code in ((np.asarray([0.7], np.float32), single), (np.asarray([0.7], np.float16), half)):
        target = Device(y)
        call("AxpyEx", 50, alpha, code, Device(x), half, 1, target, half, 1, single)
        assert np.abs(target.read() - (float(alpha[0]) * x.astype(float) + y)).max() < 2e-3
    result = np.zeros(1, np.float16)
    call("DotEx", 50, Device(x), half, 1, Device(y), half, 1, result, half, single)
    assert abs(float(result[0]) - x.astype(float) @ y.astype(float)) < 0.02
    call("Nrm2Ex", 50, Device(x), half, 1, result, half, single)
    assert abs(float(result[0]) - np.linalg.norm(x.astype(float))) < 0.01


def check_three_products(letter: str) -> None:
    if letter in "SD":
        return
    a, b, c = (Device(random(letter, *shape)) for shape in ((6, 5), (5, 4), (6, 4)))
    alpha, beta = number(letter), number(letter)
    call(f"{letter}gemm3m", 0, 0, 6, 4, 5, alpha, a, 6, b, 5, beta, c, 6)
    wanted = wide(alpha) * (wide(a.values) @ wide(b.values)) + wide(beta) * wide(c.values)
    close(letter, wide(c.read()), wanted, "gemm3m")


class Batch:
    """Matrices in device memory and the table of their pointers."""

    def __init__(self, matrices: Sequence[np.ndarray]) -> None:
        self.matrices = [Device(matrix) for matrix in matrices]
        self.table = Device(np.asarray([matrix.pointer.value for matrix in self.matrices], np.uint64))

    def read(self) -> list[np.ndarray]:
        return [wide(matrix.read()) for matrix in self.matrices]


def check_factorisations(letter: str) -> None:
    for n, count in ((1, 1), (4, 3), (17, 2)):
        start = [random(letter, n + 1, n) for _ in range(count)]
        whole = [wide(matrix[:n]) for matrix in start]
        pivots, info = (Device(np.zeros(size, np.int32)) for size in (n * count, count))
        factors = Batch(start)
        call(f"{letter}getrfBatched", n, factors.table, n + 1, pivots, info, count)
        assert not info.read().any()
        for matrix, factor, order in zip(whole, factors.read(), pivots.read().reshape(count, n)):
            rows = np.arange(n)
            for k, pivot in enumerate(order):
                rows[[k, pivot - 1]] = rows[[pivot - 1, k]]
            lower, upper = np.tril(factor[:n], -1) + np.eye(n), np.triu(factor[:n])
            close(letter, lower @ upper, matrix[rows], ("getrf", n))
            assert np.abs(lower).max() <= (1.001 if letter in "SD" else 1.5)  # pivots are the largest
        inverses = Batch([random(letter, n + 2, n) for _ in range(count)])
        call(f"{letter}getriBatched", n, factors.table, n + 1, pivots, inverses.table, n + 2, info, count)
        for matrix, inverse in zip(whole, inverses.read()):
            residual = inverse[:n] @ matrix - np.eye(n)
            assert np.abs(residual).max() < 1e2 * TOLERANCE[letter] * np.linalg.cond(matrix), ("getri", n)
        for operation in "NTC":
            sides = [random(letter, n + 1, 3) for _ in range(count)]
            x, status = Batch(sides), np.full(1, 7, np.int32)
            fixed = (n + 1, pivots, x.table, n + 1, status, count)
            call(f"{letter}getrsBatched", OPERATIONS[operation], n, 3, factors.table, *fixed)
            assert status[0] == 0
            for matrix, found, side in zip(whole, x.read(), sides):
                residual = operated(operation, matrix) @ found[:n] - wide(side)[:n]
                assert np.abs(residual).max() < 1e2 * TOLERANCE[letter] * np.linalg.cond(matrix), (operation, n)
        again = Batch([random(letter, n, n) for _ in range(count)])
        call(f"{letter}matinvBatched", n, Batch(start).table, n + 1, again.table, n, info, count)
        for one, other in zip(again.read(), inverses.read()):
            close(letter, one, other[:n], "matinv")
    singular = [np.ones((3, 3), TYPES[letter]), np.eye(3, dtype=TYPES[letter])]
    pivots, info, batch = Device(np.zeros(6, np.int32)), Device(np.zeros(2, np.int32)), Batch(singular)
    call(f"{letter}getrfBatched", 3, batch.table, 3, pivots, info, 2)
    assert list(info.read()) == [2, 0]
    call(f"{letter}getriBatched", 3, batch.table, 3, pivots, Batch(singular).table, 3, info, 2)
    assert list(info.read()) == [2, 0]
    plain = random(letter, 5, 5) + np.asarray(20 * np.eye(5), TYPES[letter])
    batch, info = Batch([plain]), Device(np.zeros(1, np.int32))
    call(f"{letter}getrfBatched", 5, batch.table, 5, None, info, 1)  # no pivots
    (factor,) = batch.read()
    close(letter, (np.tril(factor, -1) + np.eye(5)) @ np.triu(factor), wide(plain), "getrf without pivots")
    call(f"{letter}matinvBatched", 33, batch.table, 33, batch.table, 33, info, 1, wanted=11)


def check_least_squares(letter: str) -> None:
    for m, n in ((1, 1), (5, 3), (4, 4), (20, 7), (3, 6)):
        start = [random(letter, m + 1, n) for _ in range(2)]
        start[1][:m, 0] = 0
        start[1][0, 0] = 1  # a column that needs no reflection
        batch, scales, info = (
            Batch(start),
            Batch([random(letter, min(m, n)) for _ in range(2)]),
            np.full(1, 7, np.int32),
        )
        call(f"{letter}geqrfBatched", m, n, batch.table, m + 1, scales.table, info, 2)
        assert info[0] == 0
        for matrix, found, tau in zip(start, batch.read(), scales.read()):
            q = np.eye(m, dtype=np.complex128)
            for k, scale in enumerate(tau):
                v = np.concatenate([np.zeros(k), [1], found[k + 1 : m, k]])
                q = q @ (np.eye(m) - scale * np.outer(v, v.conj()))
            close(letter, q @ np.triu(found[:m]), wide(matrix)[:m], ("geqrf", m, n))
            assert np.abs(np.imag(np.diag(found[:m]))).max() <= TOLERANCE[letter] * 10
        if m < n:
            call(f"{letter}gelsBatched", 0, m, n, 2, batch.table, m + 1, batch.table, m + 1, info, None, 2, wanted=2)
            continue
        sides = [random(letter, m + 2, 2) for _ in range(2)]
        solutions, ranks = Batch(sides), Device(np.full(2, 7, np.int32))
        fixed = (m + 1, solutions.table, m + 2, info, ranks, 2)
        call(f"{letter}gelsBatched", 0, m, n, 2, Batch(start).table, *fixed)
        assert not ranks.read().any()
        for matrix, found, side in zip(start, solutions.read(), sides):
            wanted, *_ = np.linalg.lstsq(wide(matrix)[:m], wide(side)[:m], rcond=None)
            condition = np.linalg.cond(wide(matrix)[:m])
            assert np.abs(found[:n] - wanted).max() < 1e2 * TOLERANCE[letter] * condition, ("gels", m, n)


def check_errors(letter: str) -> None:
    """A wrong argument has a status of its own, and nothing is computed."""
    x = Vector(letter, 4, 1)
    a = Device(random(letter, 4, 4))
    call(f"{letter}trmv", 7, 0, 0, 4, a, 4, x.device, 1, wanted=11)
    call(f"{letter}trmv", 0, 9, 0, 4, a, 4, x.device, 1, wanted=11)
    call(f"{letter}trmv", 0, 0, 0, 4, a, 3, x.device, 1, wanted=4)
    call(f"{letter}trmv", 0, 0, 0, 4, a, 4, x.device, 0, wanted=4)
    call(f"{letter}trmv", 0, 0, 0, 4, None, 4, x.device, 1, wanted=3)
    call(f"{letter}tbmv", 0, 0, 0, 4, 2, a, 2, x.device, 1, wanted=4)
    call(f"{letter}gbmv", 0, 4, 4, 1, 1, number(letter), a, 2, x.device, 1, number(letter), x.device, 1, wanted=4)
    x.check(x.start, "unchanged")
    assert library[f"mublas{letter}trmv"](ctypes.c_void_p(8), 0, 0, 0, 4, a.pointer, 4, x.device.pointer, 1) == 1


def check_other_forms(letter: str) -> None:
    """Sizes of 64 bits, and functions of complex matrices whose types are arguments."""
    m, n, k, code = 5, 4, 6, CODES[TYPES[letter]]
    wide_int = ctypes.c_int64
    a, b, c = (Device(random(letter, *shape)) for shape in ((m + 1, k), (k, n), (m, n)))
    alpha, beta = number(letter), number(letter)
    sizes = [wide_int(each) for each in (m, n, k)]
    compute = 68 if REAL_LETTER[letter] == "S" else 70
    operands = (alpha, a, code, wide_int(m + 1), b, code, wide_int(k), beta, c, code, wide_int(m))
    call("GemmEx_64", 0, 0, *sizes, *operands, compute, -1)
    wanted = wide(alpha) * (wide(a.values[:m]) @ wide(b.values)) + wide(beta) * wide(c.values)
    close(letter, wide(c.read()), wanted, "GemmEx_64")
    call("GemmEx_64", 0, 0, wide_int(1 << 40), *sizes[1:], *operands, compute, -1, wanted=14)
    a, b, c = (Device(random(letter, *shape)) for shape in ((m, k * 2), (k, n * 2), (m, n * 2)))
    batches = (alpha, a, code, wide_int(m), wide_int(m * k), b, code, wide_int(k), wide_int(k * n))
    batches = (*batches, beta, c, code, wide_int(m), wide_int(m * n), wide_int(2))
    call("GemmStridedBatchedEx_64", 0, 0, *sizes, *batches, compute, -1)
    for one in range(2):
        first, second, third = (
            wide(each.values[:, one * columns : (one + 1) * columns]) for each, columns in ((a, k), (b, n), (c, n))
        )
        found = wide(c.read()[:, one * n : (one + 1) * n])
        close(letter, found, wide(alpha) * (first @ second) + wide(beta) * third, "batches")
    if letter == "S":
        single = Device(random(letter, m, n))
        call("SgemmEx_64", 0, 0, *sizes, *operands[:8], single, code, wide_int(m))
    if letter != "C":
        return
    for name, adjoint in (("CherkEx", True), ("Cherk3mEx", True), ("CsyrkEx", False), ("Csyrk3mEx", False)):
        a, c = Device(random(letter, n, k)), Device(random(letter, n, n))
        factors = (number("S"), number("S")) if adjoint else (alpha, beta)
        call(name, UPPER, 0, n, k, factors[0], a, code, n, factors[1], c, code, n)
        x, before = wide(a.values), wide(c.values)
        if adjoint:
            before = before - 1j * np.diag(np.diag(before).imag)
        full = wide(factors[0]) * (x @ (x.conj().T if adjoint else x.T)) + wide(factors[1]) * before
        wanted = np.where(np.triu(np.ones((n, n), bool)), full, wide(c.values))
        close(letter, wide(c.read()), wanted, name)
        call(name, UPPER, 0, n, k, factors[0], a, 0, n, factors[1], c, code, n, wanted=2)


CHECKS = {name: check for name, check in globals().items() if name.startswith("check_")}
for one in TYPES:
    CHECKS[f"check_{sys.argv[3]}"](one)
