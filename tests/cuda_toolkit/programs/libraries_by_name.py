"""Call cuBLAS, cuBLASLt, cuFFT, cuRAND, cuSOLVER, cuSPARSE and NCCL through ctypes alone, and compare with NumPy."""

from __future__ import annotations

import ctypes
import sys
from ctypes import byref, c_double, c_float, c_int, c_size_t, c_ulonglong, c_void_p
from typing import Any

import numpy as np

RUNTIME = ctypes.CDLL("libcudart.so.12")
RANDOM = np.random.default_rng(int(sys.argv[1]))
FORWARD, C2C, HOST_TO_DEVICE, DEVICE_TO_HOST = -1, 0x29, 1, 2


def ok(status: int) -> None:
    assert status == 0, status


def on_device(array: np.ndarray) -> c_void_p:
    """Return memory with the array's elements, column by column."""
    data = np.asfortranarray(array)
    pointer = c_void_p()
    ok(RUNTIME.cudaMalloc(byref(pointer), c_size_t(data.nbytes)))
    ok(RUNTIME.cudaMemcpy(pointer, data.ctypes.data_as(c_void_p), c_size_t(data.nbytes), HOST_TO_DEVICE))
    return pointer


def from_device(pointer: c_void_p, shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    result = np.empty(shape, dtype, order="F")
    ok(RUNTIME.cudaMemcpy(result.ctypes.data_as(c_void_p), pointer, c_size_t(result.nbytes), DEVICE_TO_HOST))
    return result


def products() -> None:
    library, handle = ctypes.CDLL("libcublas.so.12"), c_void_p()
    ok(library.cublasCreate_v2(byref(handle)))
    for name, dtype, scalar in (("cublasSgemm_v2", np.float32, c_float), ("cublasDgemm_v2", np.float64, c_double)):
        for m, n, k in ((5, 4, 7), (1, 33, 2), (64, 64, 64)):
            a, b = RANDOM.normal(size=(m, k)).astype(dtype), RANDOM.normal(size=(n, k)).astype(dtype)
            out = on_device(np.zeros((m, n), dtype))
            sizes, one, zero = (0, 1, m, n, k), byref(scalar(1)), byref(scalar(0))
            ok(getattr(library, name)(handle, *sizes, one, on_device(a), m, on_device(b), n, zero, out, m))
            np.testing.assert_allclose(from_device(out, (m, n), dtype), a @ b.T, rtol=1e-4, atol=1e-4)
    for name in ("cublasSgemm", "cublasGetVersion", "cublasCreate"):  # cuBLAS has today's functions with _v2
        assert not hasattr(library, name), name
    for name in ("cublasGemmEx_v2", "cublasSgemmBatched_v2"):
        assert not hasattr(library, name), name
    ok(library.cublasDestroy_v2(handle))
    light, handle = ctypes.CDLL("libcublasLt.so.12"), c_void_p()
    ok(light.cublasLtCreate(byref(handle)))
    ok(light.cublasLtDestroy(handle))


def transforms() -> None:
    library = ctypes.CDLL("libcufft.so.11")
    for n in (8, 30, 64):
        x = (RANDOM.normal(size=n) + 1j * RANDOM.normal(size=n)).astype(np.complex64)
        plan, data = c_int(), on_device(x)
        ok(library.cufftPlan1d(byref(plan), n, C2C, 1))
        ok(library.cufftExecC2C(plan, data, data, FORWARD))
        np.testing.assert_allclose(from_device(data, x.shape, x.dtype), np.fft.fft(x), atol=1e-4)
        ok(library.cufftDestroy(plan))


def numbers() -> None:
    library, generator, n = ctypes.CDLL("libcurand.so.10"), c_void_p(), 4000
    ok(library.curandCreateGenerator(byref(generator), 100))
    ok(library.curandSetPseudoRandomGeneratorSeed(generator, c_ulonglong(3)))
    out = on_device(np.zeros(n, np.float32))
    ok(library.curandGenerateUniform(generator, out, c_size_t(n)))
    values = from_device(out, (n,), np.float32)
    assert values.min() > 0 and values.max() <= 1 and abs(values.mean() - 0.5) < 0.05 and len(set(values)) > n // 2


def factors() -> None:
    library, handle, lower = ctypes.CDLL("libcusolver.so.11"), c_void_p(), 0
    ok(library.cusolverDnCreate(byref(handle)))
    for n in (1, 6, 20):
        part = RANDOM.normal(size=(n, n))
        matrix = part @ part.T + np.eye(n)
        data, size, info = on_device(matrix), c_int(), on_device(np.ones(1, np.int32))
        ok(library.cusolverDnDpotrf_bufferSize(handle, lower, n, data, n, byref(size)))
        work = on_device(np.zeros(max(size.value, 1)))
        ok(library.cusolverDnDpotrf(handle, lower, n, data, n, work, size, info))
        assert from_device(info, (1,), np.int32)[0] == 0
        np.testing.assert_allclose(np.tril(from_device(data, (n, n), np.float64)), np.linalg.cholesky(matrix))


def others() -> None:
    sparse, handle = ctypes.CDLL("libcusparse.so.12"), c_void_p()
    ok(sparse.cusparseCreate(byref(handle)))
    ok(sparse.cusparseDestroy(handle))
    version = c_int()
    ok(ctypes.CDLL("libnccl.so.2").ncclGetVersion(byref(version)))
    assert version.value > 20000


for check in (products, transforms, numbers, factors, others):
    check()
    print(check.__name__)
