"""muSPARSE's older functions of rows and tiles, against NumPy. Arguments: libmusparse, libmusart, a group."""

from __future__ import annotations

import ctypes
import itertools
import sys
from collections.abc import Callable

import device_arrays
import numpy as np
from device_arrays import REAL, TYPES, Device, close, musart, number, random, rng, wide

handle = ctypes.c_void_p()
device_arrays.call("musparseCreate", ctypes.byref(handle))
NO_MEMORY = Device(np.zeros(64, np.uint8))
PLAIN, TRANSPOSE, ADJOINT = 0, 1, 2
BY_ROWS, BY_COLUMNS = 0, 1


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    device_arrays.call(f"musparse{name}", handle, *arguments, wanted=wanted)


def created(name: str) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    device_arrays.call(f"musparseCreate{name}", ctypes.byref(made))
    return made


def described(base: int, fill: int = 0, unit: int = 0) -> ctypes.c_void_p:
    made = created("MatDescr")
    for name, value in (("IndexBase", base), ("FillMode", fill), ("DiagType", unit)):
        device_arrays.call(f"musparseSetMat{name}", made, value)
    return made


def sizes(name: str, *arguments: object) -> None:
    """Ask for a buffer's size by both functions."""
    small, large = ctypes.c_int(), ctypes.c_size_t()
    call(f"{name}_bufferSize", *arguments, ctypes.byref(small))
    call(f"{name}_bufferSizeExt", *arguments, ctypes.byref(large))
    assert 0 < small.value == large.value <= 64


def matrix(letter: str, rows: int, columns: int, share: float = 1 / 3) -> np.ndarray:
    made = np.where(rng.random((rows, columns)) < share, random(letter, rows, columns), 0).astype(TYPES[letter])
    made[rows // 2] = 0
    return made


class Rows:
    """A matrix in compressed rows, or in rows of tiles."""

    def __init__(self, dense: np.ndarray, base: int, shape: tuple[int, int] = (1, 1), order: int = BY_ROWS) -> None:
        rows, columns = (-(-size // part) for size, part in zip(dense.shape, shape))
        padded = np.zeros((rows * shape[0], columns * shape[1]), dense.dtype)
        padded[: dense.shape[0], : dense.shape[1]] = dense
        tiles = padded.reshape(rows, shape[0], columns, shape[1]).swapaxes(1, 2)
        there = (tiles != 0).any((2, 3))
        self.padded, self.base, self.tile_rows, self.tile_columns = padded, base, rows, columns
        self.pattern = np.kron(there, np.ones(shape, bool))
        kept = tiles[there] if order == BY_ROWS else tiles[there].swapaxes(1, 2)
        self.count = len(kept)
        self.begins = Device((np.concatenate([[0], np.cumsum(there.sum(1))]) + base).astype(np.int32))
        self.columns = Device((np.nonzero(there)[1] + base).astype(np.int32))
        self.values = Device(np.ascontiguousarray(kept).reshape(-1))
        self.arrays = (self.values, self.begins, self.columns)


def operated(operation: int, dense: np.ndarray) -> np.ndarray:
    return (dense, dense.T, dense.conj().T)[operation]


def zero_pivot(name: str, info: ctypes.c_void_p, wanted: int) -> None:
    position = np.full(1, -7, np.int32)
    call(f"X{name}_zeroPivot", info, position, wanted=0 if wanted < 0 else 9)
    assert position[0] == wanted, (name, position, wanted)


def check_triangular_systems(letter: str) -> None:
    n = 9
    for fill, unit, operation, base in itertools.product((0, 1), (0, 1), (0, 1, 2), (0, 1)):
        dense = matrix(letter, n, n) / np.asarray(4, TYPES[letter])
        dense[np.diag_indices(n)] = 2 + np.arange(n)
        a, descriptor, alpha = Rows(dense, base), described(base, fill, unit), number(letter)
        half = np.tril(wide(dense)) if fill == 0 else np.triu(wide(dense))
        if unit:
            half[np.diag_indices(n)] = 1
        half = operated(operation, half)
        x, y, info = Device(random(letter, n)), Device(random(letter, n)), created("Csrsv2Info")
        sizes(f"{letter}csrsv2", operation, n, a.count, descriptor, *a.arrays, info)
        call(f"{letter}csrsv2_analysis", operation, n, a.count, descriptor, *a.arrays, info, 1, NO_MEMORY)
        zero_pivot("csrsv2", info, -1)
        system = (operation, n, a.count, alpha, descriptor, *a.arrays, info)
        call(f"{letter}csrsv2_solve", *system, x, y, 1, NO_MEMORY)
        zero_pivot("csrsv2", info, -1)
        close(letter, wide(y.read()), np.linalg.solve(half, wide(alpha) * wide(x.values)), ("csrsv2", fill, operation))
        device_arrays.call("musparseDestroyCsrsv2Info", info)
        for turned in (PLAIN, TRANSPOSE):
            sides = Device(random(letter, *((n + 2, 3) if turned == PLAIN else (4, n))))
            info, given = created("Csrsm2Info"), wide(sides.values)
            right = given[:n] if turned == PLAIN else given[:3].T
            fixed = (0, operation, turned, n, 3, a.count, alpha, descriptor, *a.arrays, sides, len(given), info, 0)
            size = ctypes.c_size_t()
            call(f"{letter}csrsm2_bufferSizeExt", *fixed, ctypes.byref(size))
            call(f"{letter}csrsm2_analysis", *fixed, NO_MEMORY)
            call(f"{letter}csrsm2_solve", *fixed, NO_MEMORY)
            zero_pivot("csrsm2", info, -1)
            found = wide(sides.read())
            close(
                letter, found[:n] if turned == PLAIN else found[:3].T, np.linalg.solve(half, wide(alpha) * right), "sm2"
            )
            rest = slice(n, None) if turned == PLAIN else slice(3, None)
            assert np.array_equal(found[rest], given[rest])
            device_arrays.call("musparseDestroyCsrsm2Info", info)


def well_conditioned(letter: str, there: np.ndarray, hermitian: bool) -> np.ndarray:
    """A matrix with elements where `there` is true, which has a factorisation without pivoting."""
    n = len(there)
    if hermitian:
        there = there | there.T
    dense = np.where(there, random(letter, n, n), 0)
    if hermitian:
        dense = (dense + dense.conj().T) / 2
    dense[np.diag_indices(n)] = 3 * n
    return dense.astype(TYPES[letter])


def check_incomplete_factors(letter: str) -> None:
    for (form, dim, order), kind, base in itertools.product(
        (("csr", 1, BY_ROWS), ("bsr", 3, BY_ROWS), ("bsr", 2, BY_COLUMNS)), ("ilu02", "ic02"), (0, 1)
    ):
        blocks = (rng.random((6, 6)) < 0.4) | np.eye(6, dtype=bool)
        dense = well_conditioned(letter, np.kron(blocks, np.ones((dim, dim), bool)), kind == "ic02")
        a, descriptor = Rows(dense, base, (dim, dim), order), described(base)
        info = created(f"{form.capitalize()}{kind}Info")
        before = (order,) if form == "bsr" else ()
        after = (dim,) if form == "bsr" else ()
        fixed = (*before, 6, a.count, descriptor, *a.arrays, *after, info)
        sizes(f"{letter}{form}{kind}", *fixed)
        call(f"{letter}{form}{kind}_analysis", *fixed, 1, NO_MEMORY)
        zero_pivot(f"{form}{kind}", info, -1)
        call(f"{letter}{form}{kind}", *fixed, 1, NO_MEMORY)
        zero_pivot(f"{form}{kind}", info, -1)
        found = Rows(dense, base, (dim, dim), order)
        tiles = wide(a.values.read()).reshape(-1, dim, dim)
        factors = np.zeros(dense.shape, tiles.dtype)
        begins, columns = found.begins.values - base, found.columns.values - base
        for row in range(6):
            for tile in range(begins[row], begins[row + 1]):
                value = tiles[tile] if order == BY_ROWS else tiles[tile].T
                at = columns[tile]
                factors[row * dim : (row + 1) * dim, at * dim : (at + 1) * dim] = value
        lower, there = np.tril(factors, -1), a.pattern
        if kind == "ilu02":
            product = (lower + np.eye(len(dense))) @ np.triu(factors)
        else:
            there = np.tril(there)
            half = np.tril(factors)
            product = half @ half.conj().T
            assert np.array_equal(np.triu(factors, 1), np.triu(wide(dense), 1))  # the other triangle is not written
        close(letter, product[there] / len(dense), wide(dense)[there] / len(dense), (form, kind))
        device_arrays.call(f"musparseDestroy{form.capitalize()}{kind}Info", info)


def check_pivots(letter: str) -> None:
    for base in (0, 1):
        dense = np.diag([1, 0, 2]).astype(TYPES[letter])
        dense[1, 0] = dense[0, 1] = 1  # the second pivot is absent
        a, descriptor = Rows(dense, base), described(base)
        info = created("Csrilu02Info")
        fixed = (3, a.count, descriptor, *a.arrays, info)
        call(f"{letter}csrilu02_analysis", *fixed, 0, NO_MEMORY)
        zero_pivot("csrilu02", info, 1 + base)
        dense = np.array([[1, 1, 0], [1, 1, 0], [0, 0, 2]], TYPES[letter])
        a = Rows(dense, base)
        fixed = (3, a.count, descriptor, *a.arrays, info)
        call(f"{letter}csrilu02", *fixed, 0, NO_MEMORY)
        zero_pivot("csrilu02", info, 1 + base)
        a = Rows(dense, base)
        fixed = (3, a.count, descriptor, *a.arrays, info)
        call(f"{letter}csrilu02_numericBoost", info, 1, np.array([1e-6]), np.array([5], TYPES[letter]))
        call(f"{letter}csrilu02", *fixed, 0, NO_MEMORY)
        zero_pivot("csrilu02", info, -1)
        assert np.array_equal(a.values.read(), np.array([1, 1, 1, 5, 2], TYPES[letter]))
        dense = np.array([[4, 2, 0], [2, 1, 0], [0, 0, 2]], TYPES[letter])
        a, info = Rows(dense, base), created("Csric02Info")
        call(f"{letter}csric02", 3, a.count, descriptor, *a.arrays, info, 0, NO_MEMORY)
        zero_pivot("csric02", info, 1 + base)


def check_products_of_rows(letter: str) -> None:
    m, n, k = 7, 5, 6
    for (has_product, has_sum), base in itertools.product(((1, 1), (1, 0), (0, 1)), (0, 1)):
        left, right, added = matrix(letter, m, k), matrix(letter, k, n), matrix(letter, m, n)
        a, b, d = Rows(left, base), Rows(right, 1 - base), Rows(added, base)
        descriptors = [described(base), described(1 - base), described(base), described(1 - base)]
        alpha, beta = (number(letter) if has_product else None), (number(letter) if has_sum else None)
        info, size, total = created("Csrgemm2Info"), ctypes.c_size_t(), np.zeros(1, np.int32)
        shapes = [(x, one.count, one.begins, one.columns) for x, one in zip(descriptors, (a, b, d))]
        wholes = [(x, one.count, *one.arrays) for x, one in zip(descriptors, (a, b, d))]
        name = f"{letter}csrgemm2"
        call(
            f"{name}_bufferSizeExt", m, n, k, alpha, *shapes[0], *shapes[1], beta, *shapes[2], info, ctypes.byref(size)
        )
        begins = Device(np.zeros(m + 1, np.int32))
        three = (*shapes[0], *shapes[1], *shapes[2])
        call("Xcsrgemm2Nnz", m, n, k, *three, descriptors[3], begins, total, info, NO_MEMORY)
        pattern = np.zeros((m, n), bool)
        wanted = np.zeros((m, n), wide(left).dtype)
        if alpha is not None:
            pattern |= ((left != 0).astype(int) @ (right != 0).astype(int)) > 0
            wanted += wide(alpha) * (wide(left) @ wide(right))
        if beta is not None:
            pattern |= added != 0
            wanted += wide(beta) * wide(added)
        assert total[0] == pattern.sum()
        values, columns = Device(random(letter, total[0])), Device(np.zeros(total[0], np.int32))
        made = (descriptors[3], values, begins, columns, info, NO_MEMORY)
        call(name, m, n, k, alpha, *wholes[0], *wholes[1], beta, *wholes[2], *made)
        assert np.array_equal(begins.read() - (1 - base), np.concatenate([[0], np.cumsum(pattern.sum(1))]))
        assert np.array_equal(columns.read() - (1 - base), np.nonzero(pattern)[1])
        close(letter, wide(values.read()), wanted[pattern], "csrgemm2")
        device_arrays.call("musparseDestroyCsrgemm2Info", info)


def check_tiles(letter: str) -> None:
    dense = matrix(letter, 8, 10, 0.15)
    for order, base, (rows, columns) in itertools.product((BY_ROWS, BY_COLUMNS), (0, 1), ((2, 3), (3, 1))):
        a, wanted, other = Rows(dense, base), Rows(dense, 1 - base, (rows, columns), order), described(1 - base)
        plain, total = described(base), np.zeros(1, np.int32)
        sizes(f"{letter}csr2gebsr", order, 8, 10, plain, *a.arrays, rows, columns)
        begins = Device(np.zeros(wanted.tile_rows + 1, np.int32))
        fixed = (order, 8, 10, plain, a.begins, a.columns, other, begins, rows, columns, total, NO_MEMORY)
        call("Xcsr2gebsrNnz", *fixed)
        assert total[0] == wanted.count
        made = (Device(random(letter, wanted.count * rows * columns)), begins, Device(np.zeros(wanted.count, np.int32)))
        call(f"{letter}csr2gebsr", order, 8, 10, plain, *a.arrays, other, *made, rows, columns, NO_MEMORY)
        for found, expected in zip(made, wanted.arrays):
            assert np.array_equal(found.read(), expected.values)
        # back: every element of a tile is an entry
        size = (wanted.tile_rows, wanted.tile_columns)
        entries, lines = int(wanted.pattern.sum()), len(wanted.padded)
        back = (
            Device(random(letter, entries)),
            Device(np.zeros(lines + 1, np.int32)),
            Device(np.zeros(entries, np.int32)),
        )
        call(f"{letter}gebsr2csr", order, *size, other, *made, rows, columns, plain, *back)
        row_of, column_of = np.nonzero(wanted.pattern)
        expected_begins = np.searchsorted(row_of, np.arange(lines + 1)) + base
        assert np.array_equal(back[0].read(), wanted.padded[row_of, column_of])
        assert np.array_equal(back[1].read(), expected_begins) and np.array_equal(back[2].read(), column_of + base)
        again = (Device(np.zeros(lines + 1, np.int32)), Device(np.zeros(entries, np.int32)))
        call("Xgebsr2csr", order, *size, other, made[1], made[2], rows, columns, plain, *again)
        assert np.array_equal(again[0].read(), expected_begins) and np.array_equal(again[1].read(), column_of + base)
        # tiles of another shape: those that hold an element of a tile
        target = Rows(np.where(wanted.pattern, np.where(wanted.padded == 0, 99, wanted.padded), 0), base, (4, 2), order)
        shapes = (rows, columns, 4, 2)
        sizes(f"{letter}gebsr2gebsr", order, *size, wanted.count, other, *made, *shapes)
        begins = Device(np.zeros(target.tile_rows + 1, np.int32))
        structure = (order, *size, wanted.count, other, made[1], made[2], rows, columns, plain, begins, 4, 2)
        call("Xgebsr2gebsrNnz", *structure, total, NO_MEMORY)
        assert total[0] == target.count
        new = (Device(random(letter, target.count * 8)), begins, Device(np.zeros(target.count, np.int32)))
        call(
            f"{letter}gebsr2gebsr",
            *(order, *size, wanted.count, other, *made, rows, columns),
            *(plain, *new, 4, 2, NO_MEMORY),
        )
        assert np.array_equal(new[0].read(), np.where(target.values.values == 99, 0, target.values.values))
        assert np.array_equal(new[1].read(), target.begins.values)
        assert np.array_equal(new[2].read(), target.columns.values)
        # rows of tiles to columns of tiles, which stay as they are
        tiles = random(letter, wanted.count, rows * columns)
        given = Device(np.ascontiguousarray(tiles).reshape(-1))
        fixed = (*size, wanted.count, given, made[1], made[2], rows, columns)
        sizes(f"{letter}gebsr2gebsc", *fixed)
        turned = Device(random(letter, tiles.size)), Device(np.zeros(wanted.count, np.int32))
        begins = Device(np.zeros(wanted.tile_columns + 1, np.int32))
        call(f"{letter}gebsr2gebsc", *fixed, *turned, begins, 1, 1 - base, NO_MEMORY)
        there = wanted.pattern[::rows, ::columns]
        order_by_column = np.lexsort((np.nonzero(there)[0], np.nonzero(there)[1]))
        assert np.array_equal(turned[0].read(), tiles[order_by_column].reshape(-1))
        assert np.array_equal(turned[1].read(), np.nonzero(there)[0][order_by_column] + 1 - base)
        assert np.array_equal(begins.read(), np.concatenate([[0], np.cumsum(there.sum(0))]) + 1 - base)


def check_dense_and_sparse(letter: str) -> None:
    for operation, base in itertools.product((0, 1, 2), (0, 1)):
        m, n = 6, 8
        dense, length = random(letter, m + 1, n), n if operation == 0 else m
        where = np.sort(rng.choice(length, 3, replace=False))
        x, y = random(letter, 3), Device(random(letter, m if operation == 0 else n))
        whole = np.zeros(length, wide(dense).dtype)
        whole[where] = wide(x)
        alpha, beta, size = number(letter), number(letter), ctypes.c_int()
        call(f"{letter}gemvi_bufferSize", operation, m, n, 3, ctypes.byref(size))
        at = Device((where + base).astype(np.int32))
        call(f"{letter}gemvi", operation, m, n, alpha, Device(dense), m + 1, 3, Device(x), at, beta, y, base, NO_MEMORY)
        wanted = wide(alpha) * (operated(operation, wide(dense[:m])) @ whole) + wide(beta) * wide(y.values)
        close(letter, wide(y.read()), wanted, ("gemvi", operation))
    left, right, c = random(letter, 5, 7), matrix(letter, 7, 4), Device(random(letter, 6, 4))
    turned, alpha, beta = Rows(right.T.copy(), 0), number(letter), number(letter)
    call(f"{letter}gemmi", 5, 4, 7, turned.count, alpha, Device(left), 5, *turned.arrays, beta, c, 6)
    wanted = wide(c.values)
    wanted[:5] = wide(alpha) * (wide(left) @ wide(right)) + wide(beta) * wanted[:5]
    close(letter, wide(c.read()), wanted, "gemmi")
    dense, mask = matrix(letter, 12, 10, 0.2), np.array([3, 1], np.int32)
    for base, order in ((0, BY_ROWS), (1, BY_COLUMNS)):
        a, x, y = Rows(dense, base, (2, 2), order), Device(random(letter, 10)), Device(random(letter, 12))
        ends = Device(a.begins.values[1:].copy())
        before = (order, 0, 2, 6, 5, a.count, alpha, described(base), a.values, Device(mask + base), a.begins, ends)
        call(f"{letter}bsrxmv", *before, a.columns, 2, x, beta, y)
        product = wide(alpha) * (wide(dense) @ wide(x.values)) + wide(beta) * wide(y.values)
        chosen = np.isin(np.arange(12) // 2, mask)
        close(letter, wide(y.read()), np.where(chosen, product, wide(y.values)), "bsrxmv")
    if letter in "SD":
        where, x, y = np.array([7, 2, 5], np.int32), Device(random(letter, 3)), Device(random(letter, 9))
        c, s = number(letter), number(letter)
        call(f"{letter}roti", 3, x, Device(where + 1), y, c, s, 1)
        wanted = wide(y.values)
        wanted[where] = c * wide(y.values)[where] - s * wide(x.values)
        close(letter, wide(x.read()), c * wide(x.values) + s * wide(y.values)[where], "roti")
        close(letter, wide(y.read()), wanted, "roti")


class Scalar(ctypes.Structure):
    """A number that is passed by value."""


class Complex64(Scalar):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


class Complex128(Scalar):
    _fields_ = [("x", ctypes.c_double), ("y", ctypes.c_double)]


BY_VALUE: dict[str, Callable[[float], object]] = {
    "S": ctypes.c_float,
    "D": ctypes.c_double,
    "C": lambda x: Complex64(x, 0),
    "Z": lambda x: Complex128(x, 0),
}


def check_small_elements(letter: str) -> None:
    for base in (0, 1):
        dense, limit = matrix(letter, 9, 7, 0.6), 0.7
        a, descriptor = Rows(dense, base), described(base)
        kept = np.where(np.abs(wide(dense)) > np.float64(np.float32(limit)), dense, 0)
        wanted, counts, total = Rows(kept, base), Device(np.zeros(9, np.int32)), np.zeros(1, np.int32)
        tolerance = BY_VALUE[letter](np.float32(limit))
        call(f"{letter}nnz_compress", 9, descriptor, a.values, a.begins, counts, total, tolerance)
        assert total[0] == wanted.count and np.array_equal(counts.read(), (kept != 0).sum(1))
        made = (
            Device(random(letter, wanted.count)),
            Device(np.zeros(wanted.count, np.int32)),
            Device(np.zeros(10, np.int32)),
        )
        before = (9, 7, descriptor, a.values, a.columns, a.begins, a.count, counts)
        call(f"{letter}csr2csr_compress", *before, *made, tolerance)
        for found, expected in zip(made, (wanted.values, wanted.columns, wanted.begins)):
            assert np.array_equal(found.read(), expected.values)


def check_pruning(letter: str) -> None:
    if letter not in "SD":
        return
    kinds = {"S": (("S", np.float32), ("H", np.float16)), "D": (("D", np.float64),)}[letter]
    for (name, dtype), base in itertools.product(kinds, (0, 1)):
        dense = matrix(letter, 9, 7, 0.6).astype(dtype)
        a, memory = Rows(dense, base), np.zeros((11, 7), dtype)
        memory[:9] = dense
        forms = {
            "Dense": ((Device(memory), 11), dense.size),
            "Csr": ((a.count, described(base), *a.arrays), a.count),
        }
        for (form, (source, elements)), part in itertools.product(forms.items(), (None, 30.0, 0.0, 100.0)):
            magnitudes = np.sort(np.abs(dense[dense != 0]) if form == "Csr" else np.abs(dense).reshape(-1))
            if part is None:
                limit = dtype(0.8)
                given: tuple[object, ...] = (np.array([limit], dtype),)
                by, info = "", ()
            else:
                position = min(max(int(np.ceil(elements * (part / 100))) - 1, 0), elements - 1)
                limit, given = magnitudes[position], (ctypes.c_float(part),)
                by, info = "ByPercentage", (created("PruneInfo"),)
            wanted = Rows(np.where(np.abs(dense) > limit, dense, 0).astype(dtype), 1 - base)
            target, total = described(1 - base), np.zeros(1, np.int32)
            begins, size = Device(np.zeros(10, np.int32)), ctypes.c_size_t()
            fixed = (9, 7, *source, *given, target)
            stem = f"{name}prune{form}2csr"
            call(f"{stem}{by}_bufferSizeExt", *fixed, None, begins, None, *info, ctypes.byref(size))
            call(f"{stem}Nnz{by}", *fixed, begins, total, *info, NO_MEMORY)
            assert total[0] == wanted.count, (form, part, total, wanted.count)
            values, columns = Device(np.zeros(wanted.count, dtype)), Device(np.zeros(wanted.count, np.int32))
            call(f"{stem}{by}", *fixed, values, begins, columns, *info, NO_MEMORY)
            for found, expected in zip((values, begins, columns), wanted.arrays):
                assert np.array_equal(found.read(), expected.values)


def check_sorted_rows(letter: str) -> None:
    dense = matrix(letter, 8, 9, 0.5)
    a = Rows(dense, 1)
    order = np.concatenate(
        [rng.permutation(np.arange(x, y)) for x, y in zip(a.begins.values - 1, a.begins.values[1:] - 1)]
    ).astype(int)
    values, columns = Device(a.values.values[order]), Device(a.columns.values[order])
    info, size = created("Csru2csrInfo"), ctypes.c_size_t()
    call(f"{letter}csru2csr_bufferSizeExt", 8, 9, a.count, values, a.begins, columns, info, ctypes.byref(size))
    fixed = (8, 9, a.count, described(1), values, a.begins, columns, info, NO_MEMORY)
    call(f"{letter}csru2csr", *fixed)
    assert np.array_equal(values.read(), a.values.values) and np.array_equal(columns.read(), a.columns.values)
    call(f"{letter}csr2csru", *fixed)
    assert np.array_equal(values.read(), values.values) and np.array_equal(columns.read(), columns.values)
    turned, positions = Rows(dense.T.copy(), 0), np.arange(a.count, dtype=np.int32)
    rows = np.concatenate(
        [rng.permutation(turned.columns.values[x:y]) for x, y in zip(turned.begins.values, turned.begins.values[1:])]
    ).astype(np.int32)
    given, permutation = Device(rows), Device(positions)
    call("Xcscsort_bufferSizeExt", 8, 9, a.count, turned.begins, given, ctypes.byref(size))
    call("Xcscsort", 8, 9, a.count, described(0), turned.begins, given, permutation, NO_MEMORY)
    assert np.array_equal(given.read(), turned.columns.values)
    assert np.array_equal(rows[permutation.read()], turned.columns.values)


def check_colouring(letter: str) -> None:
    there = rng.random((12, 12)) < 0.2
    there = there | there.T | np.eye(12, dtype=bool)
    a, info, colors = Rows(there.astype(TYPES[letter]), 0), created("ColorInfo"), np.zeros(1, np.int32)
    coloring, reordering = Device(np.zeros(12, np.int32)), Device(np.zeros(12, np.int32))
    fraction = np.array([1], REAL[letter])
    call(f"{letter}csrcolor", 12, a.count, described(0), *a.arrays, fraction, colors, coloring, reordering, info)
    found, positions = coloring.read(), reordering.read()
    assert set(found) == set(range(colors[0])) and colors[0] <= there.sum(1).max()
    assert not (there & ~np.eye(12, dtype=bool) & (found[:, None] == found[None])).any()
    assert sorted(positions) == list(range(12)) and (np.diff(found[np.argsort(positions)]) >= 0).all()


def check_kept_structures(letter: str) -> None:
    code, long = device_arrays.CODES[TYPES[letter]], ctypes.c_int64
    left, right = matrix(letter, 6, 8, 0.5), matrix(letter, 8, 5, 0.5)
    pattern = ((left != 0).astype(int) @ (right != 0).astype(int)) > 0

    def sparse(rows: int, columns: int, count: int, *arrays: object) -> ctypes.c_void_p:
        made = ctypes.c_void_p()
        size = (long(rows), long(columns), long(count))
        device_arrays.call("musparseCreateCsr", ctypes.byref(made), *size, *arrays, 2, 2, 0, code)
        return made

    one, other = Rows(left, 0), Rows(right, 0)
    a = sparse(6, 8, one.count, one.begins, one.columns, one.values)
    b = sparse(8, 5, other.count, other.begins, other.columns, other.values)
    begins = Device(np.zeros(7, np.int32))
    c, state, size = sparse(6, 5, 0, begins, None, None), ctypes.c_void_p(), [ctypes.c_size_t() for _ in range(3)]
    device_arrays.call("musparseSpGEMM_createDescr", ctypes.byref(state))
    fixed = (0, 0, a, b, c, 0, state)
    for memory in (None, NO_MEMORY):
        call("SpGEMMreuse_workEstimation", *fixed, ctypes.byref(size[0]), memory)
    for memory in (None, NO_MEMORY):
        call("SpGEMMreuse_nnz", *fixed, *(x for one in size for x in (ctypes.byref(one), memory)))
    rows, columns, count = long(), long(), long()
    device_arrays.call("musparseSpMatGetSize", c, *map(ctypes.byref, (rows, columns, count)))
    assert count.value == pattern.sum()
    indices, values = Device(np.zeros(count.value, np.int32)), Device(random(letter, count.value))
    device_arrays.call("musparseCsrSetPointers", c, begins, indices, values)
    for memory in (None, NO_MEMORY):
        call("SpGEMMreuse_copy", *fixed, ctypes.byref(size[0]), memory)
    assert np.array_equal(indices.read(), np.nonzero(pattern)[1])
    before = wide(values.values)
    for _ in range(2):  # the second time with other numbers in A
        alpha, beta = number(letter), number(letter)
        call("SpGEMMreuse_compute", 0, 0, alpha, a, b, beta, c, code, 0, state)
        before = wide(alpha) * (wide(left) @ wide(right))[pattern] + wide(beta) * before
        close(letter, wide(values.read()), before, "SpGEMMreuse")
        left = np.where(left != 0, random(letter, 6, 8), 0).astype(TYPES[letter])
        one.values._copy(one.values.pointer, np.ascontiguousarray(left[left != 0]).ctypes.data, 1)


def check_wrong_arguments(letter: str) -> None:
    a, info = Rows(matrix(letter, 4, 4), 0), created("Csrsv2Info")
    call(f"{letter}csrsv2_analysis", 0, 4, a.count, None, *a.arrays, info, 0, NO_MEMORY, wanted=3)
    call(f"{letter}csrsv2_analysis", 0, 4, a.count, described(0), *a.arrays, None, 0, NO_MEMORY, wanted=3)
    symmetric = described(0)
    device_arrays.call("musparseSetMatType", symmetric, 1)
    ilu = created("Csrilu02Info")
    call(f"{letter}csrilu02", 4, a.count, symmetric, *a.arrays, ilu, 0, NO_MEMORY, wanted=8)
    begins, total = Device(np.zeros(5, np.int32)), np.zeros(1, np.int32)
    fixed = (4, 4, described(0), a.begins, a.columns, described(0), begins)
    call("Xcsr2gebsrNnz", 0, *fixed, 0, 2, total, NO_MEMORY, wanted=3)
    call("Xcsr2gebsrNnz", 5, *fixed, 2, 2, total, NO_MEMORY, wanted=3)


CHECKS = {name: check for name, check in globals().items() if name.startswith("check_")}
for letter in TYPES:
    CHECKS[f"check_{sys.argv[3]}"](letter)
device_arrays.call("musparseDestroy", handle)
assert musart.musaDeviceSynchronize() == 0
