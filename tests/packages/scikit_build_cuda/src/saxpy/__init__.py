"""a * x + y by a CUDA kernel, on NumPy arrays."""

import ctypes
from pathlib import Path

import numpy as np

DEVICE = "cuda"
_library = ctypes.CDLL(str(Path(__file__).parent / "libsaxpy.so"))
_pointer = np.ctypeslib.ndpointer(np.float32, flags="C_CONTIGUOUS")
_library.saxpy.argtypes = [ctypes.c_int, ctypes.c_float, _pointer, _pointer]


def saxpy(a, x, y):
    result = y.copy()
    status = _library.saxpy(len(x), a, x, result)
    if status:
        raise RuntimeError(f"CUDA error {status}")
    return result


def cuda_version():
    return _library.saxpy_version()
