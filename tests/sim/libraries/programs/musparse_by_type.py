"""Functions of muSPARSE that exist in four types, against NumPy. Arguments: libmusparse, libmusart, a group."""

from __future__ import annotations

import ctypes
import itertools
import sys

import device_arrays
import numpy as np
from device_arrays import CODES, TYPES, Device, close, library, musart, number, random, rng, wide

INDEX_TYPES = {2: np.int32, 3: np.int64}
CSR, CSC, COO = 1, 2, 3
COLUMNS_FIRST, ROWS_FIRST = 1, 2
long = ctypes.c_int64
handle = ctypes.c_void_p()
device_arrays.call("musparseCreate", ctypes.byref(handle))


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    device_arrays.call(f"musparse{name}", handle, *arguments, wanted=wanted)


def created(name: str, *arguments: object) -> ctypes.c_void_p:
    made = ctypes.c_void_p()
    device_arrays.call(f"musparse{name}", ctypes.byref(made), *arguments)
    return made


def sparse(letter: str, rows: int, columns: int) -> np.ndarray:
    """Return a matrix of which a third are entries, one row empty."""
    matrix = np.where(rng.random((rows, columns)) < 1 / 3, random(letter, rows, columns), 0).astype(TYPES[letter])
    matrix[rows // 2] = 0
    return matrix


class Sparse:
    """A sparse matrix on the device in one of the formats."""

    def __init__(self, matrix: np.ndarray, form: int = CSR, base: int = 0, index: int = 2) -> None:
        rows, columns = np.nonzero(matrix) if form != CSC else np.nonzero(matrix.T)[::-1]
        self.values = Device(matrix[rows, columns])
        row_indices, column_indices = rows, columns
        if form == CSR:
            row_indices = np.searchsorted(rows, np.arange(matrix.shape[0] + 1))
        if form == CSC:
            column_indices = np.searchsorted(columns, np.arange(matrix.shape[1] + 1))
        self.rows, self.columns = (Device((x + base).astype(INDEX_TYPES[index])) for x in (row_indices, column_indices))
        types = (index, index) if form != COO else (index,)
        arrays = (self.rows, self.columns) if form != CSC else (self.columns, self.rows)
        name = {CSR: "CreateCsr", CSC: "CreateCsc", COO: "CreateCoo"}[form]
        self.count = len(rows)
        sizes = (long(matrix.shape[0]), long(matrix.shape[1]), long(self.count))
        pointers = (array.pointer for array in (*arrays, self.values))
        self.descriptor = created(name, *sizes, *pointers, *types, base, CODES[matrix.dtype.type])


def dense(matrix: np.ndarray, order: int = COLUMNS_FIRST) -> tuple[Device, ctypes.c_void_p]:
    """Return a dense matrix on the device, with a larger leading dimension, and its descriptor."""
    rows, columns = matrix.shape
    memory = np.zeros((rows + 2, columns) if order == COLUMNS_FIRST else (columns + 2, rows), matrix.dtype)
    memory[: (rows if order == COLUMNS_FIRST else columns)] = matrix if order == COLUMNS_FIRST else matrix.T
    device = Device(memory)
    sizes = (long(rows), long(columns), long(memory.shape[0]))
    return device, created("CreateDnMat", *sizes, device.pointer, CODES[matrix.dtype.type], order)


def read(device: Device, shape: tuple[int, int], order: int) -> np.ndarray:
    memory = wide(device.read())
    return memory[: shape[0]] if order == COLUMNS_FIRST else memory[: shape[1]].T


def vector(values: np.ndarray) -> tuple[Device, ctypes.c_void_p]:
    device = Device(values)
    return device, created("CreateDnVec", long(len(values)), device.pointer, CODES[values.dtype.type])


def sized(name: str, *arguments: object) -> Device:
    """Return a buffer of the size that a function says."""
    size = ctypes.c_size_t()
    call(name, *arguments, ctypes.byref(size))
    return Device(np.zeros(size.value, np.uint8))


def operated(operation: int, matrix: np.ndarray) -> np.ndarray:
    return (matrix, matrix.T, matrix.conj().T)[operation]


def check_solvers(letter: str) -> None:
    code, n = CODES[TYPES[letter]], 9
    cases = itertools.product((CSR, CSC, COO), (0, 1), (0, 1), (0, 1, 2), ((0, 2), (1, 3)))
    for form, fill, unit, operation, (base, index) in cases:
        matrix = sparse(letter, n, n) / np.asarray(4, TYPES[letter])
        matrix[np.diag_indices(n)] = 2 + np.arange(n)
        a = Sparse(matrix, form, base, index)
        for attribute, value in ((0, fill), (1, unit)):
            data, found = np.asarray([value], np.int32), np.zeros(1, np.int32)
            device_arrays.call("musparseSpMatSetAttribute", a.descriptor, attribute, data, ctypes.c_size_t(4))
            device_arrays.call("musparseSpMatGetAttribute", a.descriptor, attribute, found, ctypes.c_size_t(4))
            assert found[0] == value
        half = np.tril(wide(matrix)) if fill == 0 else np.triu(wide(matrix))
        if unit:
            half[np.diag_indices(n)] = 1
        half, alpha = operated(operation, half), number(letter)
        (x, x_descriptor), (y, y_descriptor) = vector(random(letter, n)), vector(random(letter, n))
        state = created("SpSV_createDescr")
        fixed = (operation, alpha, a.descriptor, x_descriptor, y_descriptor, code, 0, state)
        buffer = sized("SpSV_bufferSize", *fixed)
        call("SpSV_analysis", *fixed, buffer)
        call("SpSV_solve", *fixed)
        close(
            letter, wide(y.read()), np.linalg.solve(half, wide(alpha) * wide(x.values)), ("SpSV", form, fill, operation)
        )
        device_arrays.call("musparseSpSV_destroyDescr", state)
        order, other = (COLUMNS_FIRST, 0) if base else (ROWS_FIRST, 1)
        sides = random(letter, *((n, 3) if other == 0 else (3, n)))
        (_, b_descriptor), (c, c_descriptor) = dense(sides, order), dense(random(letter, n, 3), order)
        state = created("SpSM_createDescr")
        fixed = (operation, other, alpha, a.descriptor, b_descriptor, c_descriptor, code, 0, state)
        buffer = sized("SpSM_bufferSize", *fixed)
        call("SpSM_analysis", *fixed, buffer)
        call("SpSM_solve", *fixed)
        wanted = np.linalg.solve(half, wide(alpha) * operated(other, wide(sides)))
        close(letter, read(c, (n, 3), order), wanted, ("SpSM", form, fill, operation))
        device_arrays.call("musparseSpSM_destroyDescr", state)


def check_sampled_products(letter: str) -> None:
    code = CODES[TYPES[letter]]
    for form, op_a, op_b, order, zero in itertools.product((CSR, COO), (0, 1, 2), (0, 1), (1, 2), (0, 1)):
        pattern = sparse(letter, 6, 8)
        left, right = (
            random(letter, *((6, 5) if op_a == 0 else (5, 6))),
            random(letter, *((5, 8) if op_b == 0 else (8, 5))),
        )
        (_, a), (_, b), c = dense(left, order), dense(right, order), Sparse(pattern, form)
        alpha, beta = number(letter), number(letter) * (1 - zero)
        fixed = (op_a, op_b, alpha, a, b, beta, c.descriptor, code, 0)
        buffer = sized("SDDMM_bufferSize", *fixed)
        call("SDDMM_preprocess", *fixed, buffer)
        call("SDDMM", *fixed, buffer)
        product = operated(op_a, wide(left)) @ operated(op_b, wide(right))
        wanted = (wide(alpha) * product + wide(beta) * wide(pattern))[np.nonzero(pattern)]
        close(letter, wide(c.values.read()), wanted, ("SDDMM", form, op_a, op_b))


def check_sparse_products(letter: str) -> None:
    code = CODES[TYPES[letter]]
    for (m, k, n), (base, index) in itertools.product([(1, 1, 1), (7, 9, 5)], ((0, 2), (1, 3))):
        left, right = sparse(letter, m, k), sparse(letter, k, n)
        if m == 1:
            left[0, 0], right[0, 0] = 3, 2
        a, b = Sparse(left, CSR, base, index), Sparse(right, CSR, base, index)
        offsets = Device(np.zeros(m + 1, INDEX_TYPES[index]))
        sizes = (long(m), long(n), long(0))
        c = created("CreateCsr", *sizes, offsets.pointer, None, None, index, index, base, code)
        state, alpha, beta = created("SpGEMM_createDescr"), number(letter), number(letter) * 0
        fixed = (0, 0, alpha, a.descriptor, b.descriptor, beta, c, code, 0, state)
        for name in ("SpGEMM_workEstimation", "SpGEMM_compute"):
            size = ctypes.c_size_t()
            call(name, *fixed, ctypes.byref(size), None)
            call(name, *fixed, ctypes.byref(size), Device(np.zeros(size.value, np.uint8)))
        rows, columns, count = long(), long(), long()
        device_arrays.call("musparseSpMatGetSize", c, *map(ctypes.byref, (rows, columns, count)))
        pattern = ((left != 0).astype(int) @ (right != 0).astype(int)) > 0
        assert (rows.value, columns.value, count.value) == (m, n, pattern.sum())
        indices, values = (
            Device(np.zeros(count.value, INDEX_TYPES[index])),
            Device(np.zeros(count.value, TYPES[letter])),
        )
        device_arrays.call("musparseCsrSetPointers", c, offsets, indices, values)
        call("SpGEMM_copy", *fixed)
        where = np.nonzero(pattern)
        close(letter, wide(values.read()), wide(alpha) * (wide(left) @ wide(right))[where], ("SpGEMM", m))
        assert np.array_equal(indices.read() - base, where[1])
        assert np.array_equal(offsets.read() - base, np.searchsorted(where[0], np.arange(m + 1)))
        device_arrays.call("musparseSpGEMM_destroyDescr", state)
        transposed = (1, 0, alpha, a.descriptor, a.descriptor, beta, c, code, 0, created("SpGEMM_createDescr"))
        if m == 1:
            call("SpGEMM_workEstimation", *transposed, ctypes.byref(ctypes.c_size_t()), None, wanted=10)


def check_conversions(letter: str) -> None:
    code = CODES[TYPES[letter]]
    for form, order, (base, index) in itertools.product((CSR, CSC, COO), (1, 2), ((0, 2), (1, 3))):
        matrix = sparse(letter, 7, 5)
        a, (target, descriptor) = Sparse(matrix, form, base, index), dense(random(letter, 7, 5), order)
        buffer = sized("SparseToDense_bufferSize", a.descriptor, descriptor, 0)
        call("SparseToDense", a.descriptor, descriptor, 0, buffer)
        assert np.array_equal(read(target, (7, 5), order), matrix), form
        _, given = dense(matrix, order)
        wanted = Sparse(matrix, form, base, index)
        lines = Device(np.zeros(8 if form == CSR else 6, INDEX_TYPES[index]))
        name = {CSR: "CreateCsr", CSC: "CreateCsc", COO: "CreateCoo"}[form]
        arrays = (lines.pointer, None, None) if form != COO else (None, None, None)
        types = (index, index) if form != COO else (index,)
        made = created(name, long(7), long(5), long(0), *arrays, *types, base, code)
        buffer = sized("DenseToSparse_bufferSize", given, made, 0)
        call("DenseToSparse_analysis", given, made, 0, buffer)
        rows, columns, count = long(), long(), long()
        device_arrays.call("musparseSpMatGetSize", made, *map(ctypes.byref, (rows, columns, count)))
        assert count.value == wanted.count
        first, second = (Device(np.zeros(count.value, INDEX_TYPES[index])) for _ in range(2))
        values = Device(np.zeros(count.value, TYPES[letter]))
        pointers = {CSR: (lines, second), CSC: (lines, first), COO: (first, second)}[form]
        set_pointers = {CSR: "musparseCsrSetPointers", CSC: "musparseCscSetPointers", COO: "musparseCooSetPointers"}[
            form
        ]
        device_arrays.call(set_pointers, made, *pointers, values)
        call("DenseToSparse_convert", given, made, 0, buffer)
        assert np.array_equal(values.read(), wanted.values.values)
        for found, expected in zip(
            pointers, (wanted.columns, wanted.rows) if form == CSC else (wanted.rows, wanted.columns)
        ):
            assert np.array_equal(found.read(), expected.values), form
    matrix = sparse(letter, 7, 5)
    for base, copies in itertools.product((0, 1), (0, 1)):
        a, wanted = Sparse(matrix, CSR, base), Sparse(matrix, CSC, base)
        values = Device(np.zeros(a.count, TYPES[letter]))
        lines, rows = Device(np.zeros(6, np.int32)), Device(np.zeros(a.count, np.int32))
        fixed = (7, 5, a.count, a.values, a.rows, a.columns, values, lines, rows, code, copies, base, 1)
        buffer = sized("Csr2cscEx2_bufferSize", *fixed)
        call("Csr2cscEx2", *fixed, buffer)
        assert np.array_equal(lines.read(), wanted.columns.values)
        assert np.array_equal(rows.read(), wanted.rows.values)
        assert np.array_equal(values.read(), wanted.values.values * copies)


def check_sums(letter: str) -> None:
    one, other = sparse(letter, 6, 9), sparse(letter, 6, 9)
    a, b = Sparse(one, CSR, 0), Sparse(other, CSR, 1)
    descriptors = [created("CreateMatDescr") for _ in range(3)]
    for descriptor, base in zip(descriptors, (0, 1, 1)):
        device_arrays.call("musparseSetMatType", descriptor, 0)
        device_arrays.call("musparseSetMatIndexBase", descriptor, base)
        assert library.musparseGetMatIndexBase(descriptor) == base
    offsets, count = Device(np.zeros(7, np.int32)), np.zeros(1, np.int32)
    left, right = (descriptors[0], a.count), (descriptors[1], b.count)
    arrays_a, arrays_b = (a.rows, a.columns), (b.rows, b.columns)
    buffer = Device(np.zeros(64, np.uint8))
    call("Xcsrgeam2Nnz", 6, 9, *left, *arrays_a, *right, *arrays_b, descriptors[2], offsets, count, buffer)
    pattern = (one != 0) | (other != 0)
    assert count[0] == pattern.sum()
    values, columns = Device(np.zeros(count[0], TYPES[letter])), Device(np.zeros(count[0], np.int32))
    alpha, beta = number(letter), number(letter)
    fixed = (
        6,
        9,
        alpha,
        *left,
        a.values,
        *arrays_a,
        beta,
        *right,
        b.values,
        *arrays_b,
        descriptors[2],
        values,
        offsets,
        columns,
    )
    buffer = sized(f"{letter}csrgeam2_bufferSizeExt", *fixed)
    call(f"{letter}csrgeam2", *fixed, buffer)
    where = np.nonzero(pattern)
    close(letter, wide(values.read()), (wide(alpha) * wide(one) + wide(beta) * wide(other))[where], "csrgeam2")
    assert np.array_equal(columns.read() - 1, where[1])
    assert np.array_equal(offsets.read() - 1, np.searchsorted(where[0], np.arange(7)))
    shuffled = np.concatenate(
        [rng.permutation(a.columns.values[start:end]) for start, end in zip(a.rows.values, a.rows.values[1:])]
    )
    given, order = Device(shuffled.astype(np.int32)), Device(np.arange(a.count, dtype=np.int32))
    buffer = sized("Xcsrsort_bufferSizeExt", 6, 9, a.count, a.rows, given)
    call("Xcsrsort", 6, 9, a.count, descriptors[0], a.rows, given, order, buffer)
    assert np.array_equal(given.read(), a.columns.values)
    assert np.array_equal(shuffled[order.read()], a.columns.values)
    for descriptor in descriptors:
        device_arrays.call("musparseDestroyMatDescr", descriptor)


def check_vectors(letter: str) -> None:
    code, n = CODES[TYPES[letter]], 20
    for base, index in ((0, 2), (1, 3)):
        where = np.sort(rng.choice(n, 6, replace=False))
        indices = Device((where + base).astype(INDEX_TYPES[index]))
        x, (y, y_descriptor) = Device(random(letter, 6)), vector(random(letter, n))
        x_descriptor = created("CreateSpVec", long(n), long(6), indices.pointer, x.pointer, index, base, code)
        start, sparse_start = wide(y.values), wide(x.values)
        for operation in (0, 2):
            result = np.zeros(1, TYPES[letter])
            buffer = sized("SpVV_bufferSize", operation, x_descriptor, y_descriptor, result, code)
            call("SpVV", operation, x_descriptor, y_descriptor, result, code, buffer)
            left = sparse_start.conj() if operation else sparse_start
            close(letter, wide(result), np.sum(left * start[where])[None], ("SpVV", operation))
        alpha, beta = number(letter), number(letter)
        call("Axpby", alpha, x_descriptor, beta, y_descriptor)
        added = wide(beta) * start
        added[where] += wide(alpha) * sparse_start
        close(letter, wide(y.read()), added, "Axpby")
        c, s = (np.asarray([value], TYPES[letter]) for value in (0.6, 0.8))
        call("Rot", c, s, x_descriptor, y_descriptor)
        close(letter, wide(x.read()), 0.6 * sparse_start + 0.8 * added[where], "Rot")
        turned = added.copy()
        turned[where] = 0.6 * added[where] - 0.8 * sparse_start
        close(letter, wide(y.read()), turned, "Rot")
        call("Gather", y_descriptor, x_descriptor)
        assert np.array_equal(x.read(), y.read()[where])
        z, z_descriptor = vector(random(letter, n))
        call("Scatter", x_descriptor, z_descriptor)
        kept = z.values.copy()
        kept[where] = x.read()
        assert np.array_equal(z.read(), kept)
        size, count, found = long(), long(), ctypes.c_void_p()
        types = [ctypes.c_int() for _ in range(3)]
        array = ctypes.c_void_p()
        fields = (size, count, found, array, *types)
        device_arrays.call("musparseSpVecGet", x_descriptor, *map(ctypes.byref, fields))
        assert [field.value for field in fields] == [n, 6, indices.pointer.value, x.pointer.value, index, base, code]
        device_arrays.call("musparseDestroySpVec", x_descriptor)
    short = created("CreateSpVec", long(n - 1), long(6), indices.pointer, x.pointer, index, base, code)
    call("Gather", y_descriptor, short, wanted=3)


def check_older_conversions(letter: str) -> None:
    """Counts of nonzero elements, and the older ways between dense matrices and compressed ones."""
    for m, n, base in itertools.product((1, 5), (1, 7), (0, 1)):
        ld = m + 2
        dense = random(letter, ld, n)
        dense[:m][rng.random((m, n)) < 0.6] = 0
        there, matrix = dense[:m] != 0, Device(dense)
        described = created("CreateMatDescr")
        device_arrays.call("musparseSetMatIndexBase", described, base)
        copied = created("CreateMatDescr")
        device_arrays.call("musparseCopyMatDescr", copied, described)
        for axis, (name, back) in enumerate((("dense2csc", "csc2dense"), ("dense2csr", "csr2dense"))):
            counts, total = Device(np.full((n, m)[axis], -1, np.int32)), np.full(1, -1, np.int32)
            call(f"{letter}nnz", 1 - axis, m, n, described, matrix, ld, counts, total)
            assert total[0] == there.sum() and np.array_equal(counts.read(), there.sum(axis))
            size = int(total[0])
            values, begins = Device(random(letter, size + 1)), Device(np.full((n, m)[axis] + 1, -1, np.int32))
            indices = Device(np.full(size + 1, -1, np.int32))
            beside = (begins, indices) if axis == 1 else (indices, begins)
            call(f"{letter}{name}", m, n, copied, matrix, ld, counts, values, *beside)
            lines = dense[:m] if axis == 1 else dense[:m].T
            others = np.nonzero(lines)[1]
            assert np.array_equal(begins.read(), base + np.cumsum([0, *(lines != 0).sum(1)]))
            assert np.array_equal(indices.read(), [*(others + base), -1])
            assert np.array_equal(values.read(), [*lines[lines != 0], values.values[-1]])
            result = Device(random(letter, ld, n))
            call(f"{letter}{back}", m, n, described, values, *beside, result, ld)
            assert np.array_equal(result.read()[:m], dense[:m])
            assert np.array_equal(result.read()[m:], result.values[m:])
        call(f"{letter}nnz", 2, m, n, described, matrix, ld, counts, total, wanted=3)
        call(f"{letter}nnz", 0, m, n, described, matrix, m - 1, counts, total, wanted=3)
        for descriptor in (described, copied):
            device_arrays.call("musparseDestroyMatDescr", descriptor)


def check_older_vectors(letter: str) -> None:
    for base in (0, 1):
        positions = rng.permutation(30)[:11].astype(np.int32)
        indices, y, x = Device(positions + base), Device(random(letter, 30)), Device(random(letter, 11))
        alpha, count = number(letter), len(positions)
        gathered, scattered, summed = (Device(each.copy()) for each in (x.values, y.values, y.values))
        call(f"{letter}gthr", count, y, gathered, indices, base)
        assert np.array_equal(gathered.read(), y.values[positions])
        call(f"{letter}axpyi", count, alpha, x, indices, summed, base)
        wanted = wide(y.values)
        wanted[positions] += wide(alpha) * wide(x.values)
        close(letter, wide(summed.read()), wanted, "axpyi")
        call(f"{letter}sctr", count, x, indices, scattered, base)
        wanted = y.values.copy()
        wanted[positions] = x.values
        assert np.array_equal(scattered.read(), wanted)
        call(f"{letter}gthrz", count, y, gathered, indices, base)
        wanted = y.values.copy()
        wanted[positions] = 0
        assert np.array_equal(gathered.read(), y.values[positions]) and np.array_equal(y.read(), wanted)
        call(f"{letter}gthr", count, y, gathered, indices, 2, wanted=3)


CHECKS = {name: check for name, check in globals().items() if name.startswith("check_")}
for one in TYPES:
    CHECKS[f"check_{sys.argv[3]}"](one)
device_arrays.call("musparseDestroy", handle)
assert musart.musaDeviceSynchronize() == 0
