"""mublasXt's products of the host's matrices, against NumPy. Arguments: libmublas, libmusart."""

from __future__ import annotations

import ctypes
import itertools

import device_arrays
import numpy as np
from device_arrays import OPERATIONS, REAL, TYPES, Device, close, musart, number, random, wide

LOWER, UPPER = 0, 1
LEFT = 0
UNIT = 1
INVALID_HANDLE, NOT_IMPLEMENTED, INVALID_VALUE = 1, 2, 11
handle = ctypes.c_void_p()
device_arrays.call("mublasXtCreate", ctypes.byref(handle))
size = ctypes.c_size_t


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    device_arrays.call(f"mublasXt{name}", handle, *arguments, wanted=wanted)


def column_major(matrix: np.ndarray) -> np.ndarray:
    """A matrix of the host, by columns, with two more rows."""
    memory = np.asfortranarray(np.full((matrix.shape[0] + 2, matrix.shape[1]), 7, matrix.dtype))
    memory[: len(matrix)] = matrix
    return memory


def operated(name: str, matrix: np.ndarray) -> np.ndarray:
    return {"N": matrix, "T": matrix.T, "C": matrix.conj().T}[name]


def given(matrix: np.ndarray) -> tuple[np.ndarray, ctypes.c_size_t]:
    memory = column_major(matrix)
    return memory, size(len(memory))


def checked(letter: str, memory: np.ndarray, wanted: np.ndarray, what: object) -> None:
    """Compare what is written; the rows below are as they were."""
    rows = len(wanted)
    close(letter, wide(memory[:rows]), wanted, what)
    assert (memory[rows:] == 7).all(), what


def check(letter: str) -> None:
    m, n, k, alpha, beta = 5, 7, 6, number(letter), number(letter)
    for one, other in itertools.product("NTC", "NTC"):
        a = random(letter, *((m, k) if one == "N" else (k, m)))
        b, c = random(letter, *((k, n) if other == "N" else (n, k))), random(letter, m, n)
        result, ld = given(c)
        sizes = (size(m), size(n), size(k))
        call(f"{letter}gemm", OPERATIONS[one], OPERATIONS[other], *sizes, alpha, *given(a), *given(b), beta, result, ld)
        product = operated(one, wide(a)) @ operated(other, wide(b))
        checked(letter, result, wide(alpha) * product + wide(beta) * wide(c), ("gemm", one, other))
    on_device, b, c = Device(random(letter, m, k)), random(letter, k, n), random(letter, m, n)
    result, ld = given(c)
    call(f"{letter}gemm", 0, 0, *sizes, alpha, on_device, size(m), *given(b), beta, result, ld)
    checked(letter, result, wide(alpha) * (wide(on_device.values) @ wide(b)) + wide(beta) * wide(c), "device")
    for side, fill in itertools.product((0, 1), (LOWER, UPPER)):
        order = m if side == LEFT else n
        a, b, c = random(letter, order, order), random(letter, m, n), random(letter, m, n)
        half = np.tril(wide(a)) if fill == LOWER else np.triu(wide(a))
        full = half + half.T - np.diag(np.diag(half))
        product = full @ wide(b) if side == LEFT else wide(b) @ full
        wanted = wide(alpha) * product + wide(beta) * wide(c)
        result, ld = given(c)
        call(f"{letter}symm", side, fill, size(m), size(n), alpha, *given(a), *given(b), beta, result, ld)
        checked(letter, result, wanted, "symm")
        lines = (np.tril if fill == LOWER else np.triu)(np.ones((order, order), bool)).T
        packed = np.ascontiguousarray(a.T[lines])
        result, ld = given(c)
        call(f"{letter}spmm", side, fill, size(m), size(n), alpha, packed, *given(b), beta, result, ld)
        checked(letter, result, wanted, "spmm")
        if letter in "CZ":
            full = half + half.conj().T
            full[np.diag_indices(order)] = np.diag(half).real
            product = full @ wide(b) if side == LEFT else wide(b) @ full
            result, ld = given(c)
            call(f"{letter}hemm", side, fill, size(m), size(n), alpha, *given(a), *given(b), beta, result, ld)
            checked(letter, result, wide(alpha) * product + wide(beta) * wide(c), "hemm")
        for operation, unit in itertools.product("NTC", (0, 1)):
            a[np.diag_indices(order)] = 4
            half = np.tril(wide(a)) if fill == LOWER else np.triu(wide(a))
            if unit == UNIT:
                half[np.diag_indices(order)] = 1
            left = operated(operation, half)
            before = (side, fill, OPERATIONS[operation], unit, size(m), size(n), alpha, *given(a))
            result, ld = given(c)
            call(f"{letter}trmm", *before, *given(b), result, ld)
            product = left @ wide(b) if side == LEFT else wide(b) @ left
            checked(letter, result, wide(alpha) * product, "trmm")
            result, ld = given(b)
            call(f"{letter}trsm", *before, result, ld)
            solved = wide(result[:m])
            back = left @ solved if side == LEFT else solved @ left
            close(letter, back, wide(alpha) * wide(b), ("trsm", side, fill, operation, unit))
    for fill, operation in itertools.product((LOWER, UPPER), "NT" if letter in "SD" else "NTC"):
        a, b = (random(letter, *((n, k) if operation == "N" else (k, n))) for _ in range(2))
        c = random(letter, n, n)
        c[np.diag_indices(n)] = c[np.diag_indices(n)].real
        there = (np.tril if fill == LOWER else np.triu)(np.ones((n, n), bool))
        before = (fill, OPERATIONS[operation], size(n), size(k))
        names = [] if operation == "C" else ["syrk", "syr2k", "syrkx"]
        if letter in "CZ" and operation != "T":
            names += ["herk", "her2k", "herkx"]
        for name in names:
            hermitian = name.startswith("he")
            real = np.array([1.5], REAL[letter])
            first = real if name == "herk" else alpha
            last = real if hermitian else beta
            x, y = (operated(operation, wide(one)) if operation != "N" else wide(one) for one in (a, b))
            turned = (lambda z: z.conj().T) if hermitian else (lambda z: z.T)
            if name in ("syrk", "herk"):
                product, matrices = wide(first) * (x @ turned(x)), (*given(a),)
            elif name in ("syr2k", "her2k"):
                second = wide(first).conj() if hermitian else wide(first)
                product = wide(first) * (x @ turned(y)) + second * (y @ turned(x))
                matrices = (*given(a), *given(b))
            else:
                product, matrices = wide(first) * (x @ turned(y)), (*given(a), *given(b))
            result, ld = given(c)
            call(f"{letter}{name}", *before, first, *matrices, last, result, ld)
            wanted = np.where(there, product + wide(last) * wide(c), wide(c))
            if hermitian:  # the diagonal is real; of herkx that is what the caller promises
                found = wide(result[:n])
                found[np.diag_indices(n)] = wanted[np.diag_indices(n)] = 0
                close(letter, found, wanted, (name, fill, operation))
            else:
                checked(letter, result, wanted, (name, fill, operation))


def check_settings() -> None:
    boards, block, devices = ctypes.c_int(), ctypes.c_int(), np.zeros(1, np.int32)
    device_arrays.call("mublasXtMaxBoards", ctypes.byref(boards))
    assert boards.value == 1
    device_arrays.call("mublasXtGetNumBoards", 1, devices, ctypes.byref(boards))
    assert boards.value == 1
    call("DeviceSelect", 1, devices)
    call("DeviceSelect", 1, np.full(1, 99, np.int32), wanted=INVALID_VALUE)
    call("SetBlockDim", 512)
    call("GetBlockDim", ctypes.byref(block))
    assert block.value == 512
    call("SetBlockDim", 0, wanted=INVALID_VALUE)
    call("SetPinningMemMode", 1)
    call("GetPinningMemMode", ctypes.byref(block))
    assert block.value == 1
    call("SetCpuRatio", 0, 0, ctypes.c_float(0))
    large, one = size(1 << 31), np.ones(1, np.float32)
    call("Sgemm", 0, 0, large, size(1), size(1), one, one, large, one, size(1), one, one, large, wanted=NOT_IMPLEMENTED)
    device_arrays.call("mublasXtSetBlockDim", None, 3, wanted=INVALID_HANDLE)


for one in TYPES:
    check(one)
check_settings()
device_arrays.call("mublasXtDestroy", handle)
assert musart.musaDeviceSynchronize() == 0
