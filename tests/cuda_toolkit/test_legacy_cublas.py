"""cublas.h, cuBLAS's interface without handles: each of its functions against NumPy, in C and C++, by addresses."""

from __future__ import annotations

import ctypes
import itertools
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from musa_build.cuda_toolkit.legacy_cublas import LegacyFunction
from musa_build.cuda_toolkit.tables import legacy_cublas

Array = Any
Made = "tuple[list[Any], dict[int, Array], Any]"  # arguments, the arrays that are written, the result

M, N, K, KL, KU = 7, 5, 4, 2, 1
FUNCTIONS = legacy_cublas()
BY_HAND = ("cublasInit", "cublasShutdown", "cublasGetError", "cublasAlloc", "cublasFree", "cublasSetKernelStream")
PROGRAM = """
#include <cublas.h>
#include <string.h>
#ifdef __cplusplus
extern "C"
#endif
int not_initialised(void) { return CUBLAS_STATUS_NOT_INITIALIZED; }
#ifdef __cplusplus
extern "C"
#endif
int invalid_value(void) { return CUBLAS_STATUS_INVALID_VALUE; }
#ifdef __cplusplus
extern "C"
#endif
void *address_of(const char *name) {
    static const struct { const char *name; void *address; } all[] = {%s};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
        if (strcmp(all[i].name, name) == 0) return all[i].address;
    return NULL;
}
"""


class Single(ctypes.Structure):
    _fields_ = (("real", ctypes.c_float), ("imag", ctypes.c_float))


class Double(ctypes.Structure):
    _fields_ = (("real", ctypes.c_double), ("imag", ctypes.c_double))


C_TYPES: dict[str, Any] = {
    "char": ctypes.c_char,
    "int": ctypes.c_int,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
    "cuComplex": Single,
    "cuDoubleComplex": Double,
    "void": None,
}
DTYPES = {"float": np.float32, "double": np.float64, "cuComplex": np.complex64, "cuDoubleComplex": np.complex128}


@pytest.fixture(scope="module", params=["gcc", "g++"])
def library(
    request: pytest.FixtureRequest, toolkit: Path, toolkit_environment: Mapping[str, str], tmp_path_factory: Any
) -> ctypes.CDLL:
    folder = tmp_path_factory.mktemp("legacy")
    names = [each.name for each in FUNCTIONS] + list(BY_HAND)
    source = folder / ("addresses.c" if request.param == "gcc" else "addresses.cpp")
    source.write_text(PROGRAM % ", ".join(f'{{"{name}", (void *){name}}}' for name in names))
    made = folder / "libaddresses.so"
    flags = ("-O1", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{toolkit / 'include'}", "-o", str(made))
    links = (f"-L{toolkit / 'lib64'}", "-lcublas", "-lcudart")
    subprocess.run([request.param, *flags, str(source), *links], env=dict(toolkit_environment), check=True)
    loaded = ctypes.CDLL(str(made))
    loaded.address_of.restype = ctypes.c_void_p
    return loaded


def function(library: ctypes.CDLL, name: str, result: Any, *parameters: Any) -> Any:
    address = library.address_of(name.encode())
    assert address, name
    return ctypes.CFUNCTYPE(result, *parameters)(address)


class Numbers:
    """Random numbers of one type."""

    def __init__(self, dtype: Any, seed: int) -> None:
        self.dtype, self._rng = np.dtype(dtype), np.random.default_rng(seed)
        self.real = np.dtype(np.float32 if self.dtype.itemsize // (1 + (self.dtype.kind == "c")) == 4 else np.float64)

    def array(self, *shape: int) -> Array:
        values = self._rng.standard_normal(shape)
        if self.dtype.kind == "c":
            values = values + 1j * self._rng.standard_normal(shape)
        return np.asfortranarray(values.astype(self.dtype))

    def scalar(self, *, real: bool = False) -> Any:
        return self.real.type(0.75) if real or self.dtype.kind != "c" else self.dtype.type(0.75 - 0.5j)


def operated(matrix: Array, trans: str) -> Array:
    return {"N": matrix, "T": matrix.T, "C": matrix.conj().T}[trans]


def triangle(matrix: Array, uplo: str, diag: str) -> Array:
    made = np.triu(matrix) if uplo == "U" else np.tril(matrix)
    if diag == "U":
        np.fill_diagonal(made, 1)
    return made


def mirrored(matrix: Array, uplo: str, *, hermitian: bool) -> Array:
    half = np.triu(matrix, 1) if uplo == "U" else np.tril(matrix, -1)
    diagonal = np.diag(np.diag(matrix).real if hermitian else np.diag(matrix))
    return half + diagonal + (half.conj().T if hermitian else half.T)


def half_of(whole: Array, before: Array, uplo: str) -> Array:
    """Return `whole` in one triangle, and in the other what was there."""
    mask = np.triu(np.ones(whole.shape, bool)) if uplo == "U" else np.tril(np.ones(whole.shape, bool))
    return np.where(mask, whole, before)


def packed(matrix: Array, uplo: str) -> Array:
    n = matrix.shape[0]
    columns = (matrix[: j + 1, j] if uplo == "U" else matrix[j:, j] for j in range(n))
    return np.concatenate(list(columns))


def band(matrix: Array, lower: int, upper: int) -> tuple[Array, Array]:
    """Return the band of a matrix as BLAS stores it, and the matrix without what is outside of it."""
    m, n = matrix.shape
    stored = np.zeros((lower + upper + 1, n), matrix.dtype, order="F")
    inside = np.zeros_like(matrix)
    for i, j in itertools.product(range(m), range(n)):
        if -lower <= j - i <= upper:
            stored[upper + i - j, j] = inside[i, j] = matrix[i, j]
    return stored, inside


def of_vectors(stem: str, numbers: Numbers) -> Iterator[Any]:
    x, y, a = numbers.array(N), numbers.array(N), numbers.scalar()
    c, s = numbers.real.type(0.6), numbers.scalar()
    absolute = np.abs(x.real) + np.abs(x.imag)
    param = np.array([-1, 0.5, 0.25, -0.75, 2], numbers.dtype)
    complex_numbers = numbers.dtype.kind == "c"
    made: dict[str, Callable[[], Any]] = {
        "nrm2": lambda: ([N, x, 1], {}, np.linalg.norm(x)),
        "asum": lambda: ([N, x, 1], {}, absolute.sum()),
        "amax": lambda: ([N, x, 1], {}, absolute.argmax() + 1),
        "amin": lambda: ([N, x, 1], {}, absolute.argmin() + 1),
        "dot": lambda: ([N, x, 1, y, 1], {}, (x * y).sum()),
        "dotu": lambda: ([N, x, 1, y, 1], {}, (x * y).sum()),
        "dotc": lambda: ([N, x, 1, y, 1], {}, (x.conj() * y).sum()),
        "scal": lambda: ([N, a, x, 1], {2: a * x}, None),
        "scal real": lambda: ([N, c, x, 1], {2: c * x}, None),
        "axpy": lambda: ([N, a, x, 1, y, 1], {4: a * x + y}, None),
        "copy": lambda: ([N, x, 1, y, 1], {3: x}, None),
        "swap": lambda: ([N, x, 1, y, 1], {1: y, 3: x}, None),
        "rot": lambda: ([N, x, 1, y, 1, c, s], {1: c * x + s * y, 3: c * y - np.conj(s) * x}, None),
        "rot real": lambda: ([N, x, 1, y, 1, c, c], {1: c * x + c * y, 3: c * y - c * x}, None),
        "rotm": lambda: ([N, x, 1, y, 1, param], {1: 0.5 * x - 0.75 * y, 3: 0.25 * x + 2 * y}, None),
    }
    if stem == "rot" and not complex_numbers:
        yield [N, x, 1, y, 1, c, s], {1: c * x + s * y, 3: c * y - s * x}, None
    elif stem in made:
        yield made[stem]()


def of_matrices(stem: str, numbers: Numbers) -> Iterator[Any]:
    a, b = numbers.scalar(), numbers.scalar(real=True)
    real_or_not = numbers.scalar(real=True)
    x, y, xm = numbers.array(N), numbers.array(N), numbers.array(M)
    general, square = numbers.array(M, N), numbers.array(N, N)
    if numbers.dtype.kind == "c":
        b = numbers.dtype.type(b)
    well = np.asfortranarray(square + 4 * np.eye(N, dtype=numbers.dtype))  # a system that has a solution
    hermitian = stem.startswith("h")
    if stem in ("gemv", "gbmv"):
        for trans in "NTC":
            inner, outer = (x, xm) if trans == "N" else (xm, x)
            if stem == "gemv":
                wanted = a * operated(general, trans) @ inner + b * outer
                yield [trans, M, N, a, general, M, inner, 1, b, outer, 1], {9: wanted}, None
            else:
                stored, inside = band(general, KL, KU)
                wanted = a * operated(inside, trans) @ inner + b * outer
                yield [trans, M, N, KL, KU, a, stored, KL + KU + 1, inner, 1, b, outer, 1], {11: wanted}, None
    elif stem in ("ger", "geru", "gerc"):
        other = y.conj() if stem == "gerc" else y
        yield [M, N, a, xm, 1, y, 1, general, M], {7: general + a * np.outer(xm, other)}, None
    elif stem[:2] in ("tr", "tb", "tp") and stem[2:] in ("mv", "sv"):
        for uplo, trans, diag in itertools.product("UL", "NTC", "NU"):
            storage: list[Any] = [well, N]
            matrix = well
            if stem[1] == "p":
                storage = [packed(well, uplo)]
            elif stem[1] == "b":
                stored, matrix = band(well, 0 if uplo == "U" else KL, KL if uplo == "U" else 0)
                storage = [KL, stored, KL + 1]
            used = operated(triangle(matrix, uplo, diag), trans)
            wanted = used @ x if stem.endswith("mv") else np.linalg.solve(used, x)
            arguments = [uplo, trans, diag, N, *storage, x, 1]
            yield arguments, {len(arguments) - 2: wanted}, None
    elif stem in ("symv", "hemv", "sbmv", "hbmv", "spmv", "hpmv"):
        for uplo in "UL":
            matrix, storage = square, [square, N]
            if stem[1] == "p":
                storage = [packed(square, uplo)]
            elif stem[1] == "b":
                stored, matrix = band(square, 0 if uplo == "U" else KL, KL if uplo == "U" else 0)
                storage = [stored, KL + 1]
            wanted = a * mirrored(matrix, uplo, hermitian=hermitian) @ x + b * y
            width = [KL] if stem[1] == "b" else []
            arguments = [uplo, N, *width, a, *storage, x, 1, b, y, 1]
            yield arguments, {len(arguments) - 2: wanted}, None
    elif stem in ("syr", "her", "spr", "hpr", "syr2", "her2", "spr2", "hpr2"):
        for uplo in "UL":
            before = mirrored(square, uplo, hermitian=hermitian)
            other = x.conj() if hermitian else x
            if stem.endswith("2"):
                second = y.conj() if hermitian else y
                added = a * np.outer(x, second) + (np.conj(a) if hermitian else a) * np.outer(y, other)
                head = [uplo, N, a, x, 1, y, 1]
            else:
                factor = real_or_not if hermitian else a
                added, head = factor * np.outer(x, other), [uplo, N, factor, x, 1]
            after = before + added
            if stem[1] == "p":
                yield [*head, packed(before, uplo)], {len(head): packed(after, uplo)}, None
            else:
                stored = np.asfortranarray(before)
                yield [*head, stored, N], {len(head): half_of(after, stored, uplo)}, None


def of_products(stem: str, numbers: Numbers) -> Iterator[Any]:
    a, b, real = numbers.scalar(), numbers.scalar(), numbers.scalar(real=True)
    out = numbers.array(M, N)
    hermitian = stem.startswith("he")
    if stem == "gemm":
        for transa, transb in itertools.product("NTC", "NTC"):
            left = numbers.array(*((M, K) if transa == "N" else (K, M)))
            right = numbers.array(*((K, N) if transb == "N" else (N, K)))
            wanted = a * operated(left, transa) @ operated(right, transb) + b * out
            sizes = (transa, transb, M, N, K, a, left, left.shape[0], right, right.shape[0], b, out, M)
            yield list(sizes), {11: wanted}, None
    elif stem in ("syrk", "herk", "syr2k", "her2k"):
        other = "C" if hermitian else "T"
        for uplo, trans in itertools.product("UL", "N" + other):
            left, right = (numbers.array(*((N, K) if trans == "N" else (K, N))) for _ in range(2))
            before = np.asfortranarray(mirrored(numbers.array(N, N), uplo, hermitian=hermitian))
            first, second = (each if trans == "N" else operated(each, other) for each in (left, right))
            if stem.endswith("2k"):
                crossed = (np.conj(a) if hermitian else a) * second @ operated(first, other)
                added = a * first @ operated(second, other) + crossed
                beta = real if hermitian else b
                arguments = [uplo, trans, N, K, a, left, left.shape[0], right, left.shape[0], beta, before, N]
            else:
                alpha, beta = (real, real) if hermitian else (a, b)
                added = alpha * first @ operated(first, other)
                arguments = [uplo, trans, N, K, alpha, left, left.shape[0], beta, before, N]
            wanted = half_of(added + beta * before, before, uplo)
            yield arguments, {len(arguments) - 2: wanted}, None
    elif stem in ("symm", "hemm"):
        for side, uplo in itertools.product("LR", "UL"):
            size = M if side == "L" else N
            matrix, right = numbers.array(size, size), numbers.array(M, N)
            used = mirrored(matrix, uplo, hermitian=hermitian)
            wanted = a * (used @ right if side == "L" else right @ used) + b * out
            yield [side, uplo, M, N, a, matrix, size, right, M, b, out, M], {10: wanted}, None
    elif stem in ("trsm", "trmm"):
        for side, uplo, trans, diag in itertools.product("LR", "UL", "NTC", "NU"):
            size = M if side == "L" else N
            matrix = np.asfortranarray(numbers.array(size, size) + 4 * np.eye(size, dtype=numbers.dtype))
            used = operated(triangle(matrix, uplo, diag), trans)
            if stem == "trsm":
                used = np.linalg.inv(used)
            wanted = a * (used @ out if side == "L" else out @ used)
            yield [side, uplo, trans, diag, M, N, a, matrix, size, out, M], {9: wanted}, None


def calls(each: LegacyFunction) -> Iterator[Any]:
    """Yield (arguments, written arrays, result) for a function, with each letter of its options."""
    main = next(kind for kind, name in reversed(each.parameters) if "*" in kind).replace("const ", "").rstrip(" *")
    stem = each.title.split()[0]
    kind = f"{stem} real" if "real" in each.title else stem
    numbers = Numbers(DTYPES[main], 7)
    for cases_of in (of_vectors, of_matrices, of_products):
        yield from cases_of(kind, numbers)


def passed(value: Any, kind: Any) -> Any:
    if isinstance(value, str):
        return value.encode()
    return kind(value.real, value.imag) if kind in (Single, Double) else kind(value)


ON_THE_HOST = ("rotg", "rotmg")  # their arguments are variables of the program
FREE = ("cublasFree", ctypes.c_int, ctypes.c_void_p)
FREE_AND_ERROR = (("cublasFree", (ctypes.c_void_p,)), ("cublasGetError", ()))


@pytest.mark.compiles
@pytest.mark.parametrize("each", [f for f in FUNCTIONS if not f.name.endswith(ON_THE_HOST)], ids=lambda f: f.name)
def test_a_function_of_cublas_h_computes_what_numpy_does(library: ctypes.CDLL, each: LegacyFunction) -> None:
    assert function(library, "cublasInit", ctypes.c_int)() == 0
    alloc = function(library, "cublasAlloc", ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_void_p)
    free, error = (function(library, name, ctypes.c_int, *kinds) for name, kinds in FREE_AND_ERROR)
    copy = ctypes.CDLL(None).cudaMemcpy if hasattr(ctypes.CDLL(None), "cudaMemcpy") else library.musaMemcpy
    copy.argtypes = (ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    kinds = [ctypes.c_void_p if "*" in kind else C_TYPES[kind.strip()] for kind, _ in each.parameters]
    called = function(library, each.name, C_TYPES[each.result], *kinds)
    tried = 0
    for arguments, written, wanted in calls(each):
        device: list[Any] = []
        for value, kind in zip(arguments, kinds, strict=True):
            if isinstance(value, np.ndarray):
                memory = ctypes.c_void_p()
                assert alloc(value.size, value.itemsize, ctypes.byref(memory)) == 0
                assert copy(memory, value.ctypes.data, value.nbytes, 1) == 0
                device.append(memory)
            else:
                device.append(passed(value, kind))
        result = called(*device)
        assert error() == 0, arguments
        tolerance = (
            1e-4 if any(v.dtype in (np.float32, np.complex64) for v in arguments if hasattr(v, "size")) else 1e-12
        )
        for index, expected in written.items():
            got = np.empty_like(arguments[index])
            assert copy(got.ctypes.data, device[index], got.nbytes, 2) == 0
            np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance, err_msg=str(arguments[:4]))
        if wanted is not None:
            got = number(result) if isinstance(result, ctypes.Structure) else result
            np.testing.assert_allclose(got, wanted, rtol=tolerance)
        for memory in device:
            if isinstance(memory, ctypes.c_void_p):
                assert free(memory) == 0
        tried += 1
    assert tried


@pytest.mark.compiles
@pytest.mark.parametrize("prefix", "SDCZ")
def test_rotg_finds_the_rotation(library: ctypes.CDLL, prefix: str) -> None:
    kind = {"S": ctypes.c_float, "D": ctypes.c_double, "C": Single, "Z": Double}[prefix]
    assert function(library, "cublasInit", ctypes.c_int)() == 0
    is_complex, pointer = prefix in "CZ", ctypes.c_void_p
    second: Any = kind if is_complex else pointer
    called = function(library, f"cublas{prefix}rotg", None, pointer, second, pointer, pointer)
    real = {Single: ctypes.c_float, Double: ctypes.c_double}.get(kind, kind)
    a, b = (kind(3, 1), kind(-4, 2)) if is_complex else (kind(3), kind(-4))
    first, other, c, s = number(a), number(b), real(), kind()
    called(ctypes.byref(a), b if is_complex else ctypes.byref(b), ctypes.byref(c), ctypes.byref(s))
    cosine, sine = number(c), number(s)
    np.testing.assert_allclose(cosine * first + sine * other, number(a), rtol=1e-5)
    np.testing.assert_allclose(cosine * other - np.conj(sine) * first, 0, atol=1e-5)
    np.testing.assert_allclose(abs(cosine) ** 2 + abs(sine) ** 2, 1, rtol=1e-5)


@pytest.mark.compiles
@pytest.mark.parametrize("kind", [ctypes.c_float, ctypes.c_double])
def test_rotmg_makes_the_second_number_zero(library: ctypes.CDLL, kind: Any) -> None:
    assert function(library, "cublasInit", ctypes.c_int)() == 0
    name = "cublasSrotmg" if kind is ctypes.c_float else "cublasDrotmg"
    called = function(library, name, None, *[ctypes.c_void_p] * 5)
    d1, d2, x1, y1, param = kind(0.5), kind(1.25), kind(2), kind(-3), (kind * 5)()
    called(*(ctypes.byref(each) for each in (d1, d2, x1, y1)), param)
    flag, h11, h21, h12, h22 = param
    full = {-1.0: (h11, h21, h12, h22), 0.0: (1, h21, h12, 1), 1.0: (h11, -1, 1, h22)}[flag]
    np.testing.assert_allclose(full[0] * 2 + full[2] * -3, x1.value, rtol=1e-5)
    np.testing.assert_allclose(full[1] * 2 + full[3] * -3, 0, atol=1e-5)


@pytest.mark.compiles
def test_cublas_get_error_after_a_wrong_letter_and_without_cublas_init(library: ctypes.CDLL) -> None:
    error = function(library, "cublasGetError", ctypes.c_int)
    scale = function(library, "cublasDscal", None, ctypes.c_int, ctypes.c_double, ctypes.c_void_p, ctypes.c_int)
    kinds = [C_TYPES["char"]] * 2 + [ctypes.c_int] * 3 + [ctypes.c_double, *[ctypes.c_void_p, ctypes.c_int] * 2]
    product = function(library, "cublasDgemm", None, *kinds, ctypes.c_double, ctypes.c_void_p, ctypes.c_int)
    assert function(library, "cublasInit", ctypes.c_int)() == 0
    memory, alloc = ctypes.c_void_p(), function(library, "cublasAlloc", *[ctypes.c_int] * 3, ctypes.c_void_p)
    assert alloc(4, 8, ctypes.byref(memory)) == 0
    product(b"X", b"N", 2, 2, 2, 1, memory, 2, memory, 2, 0, memory, 2)
    assert error() == library.invalid_value() and error() == 0
    product(b"N", b"N", 2, 2, -1, 1, memory, 2, memory, 2, 0, memory, 2)
    assert error() == library.invalid_value()
    shutdown, free = function(library, "cublasShutdown", ctypes.c_int), function(library, *FREE)
    assert free(memory) == 0 and shutdown() == 0
    scale(4, 2, memory, 1)
    not_initialised = library.not_initialised()
    assert error() == not_initialised and shutdown() == not_initialised
    assert alloc(4, 8, ctypes.byref(memory)) == free(memory) == error() == not_initialised


def number(value: Any) -> Any:
    return complex(value.real, value.imag) if isinstance(value, ctypes.Structure) else value.value
