"""Arrays in device memory and calls of the SDK's libraries by ctypes, for programs that compare them with NumPy.

A program's arguments: the library's file, libmusart's, and what else the program takes.
"""

from __future__ import annotations

import ctypes
import sys

import numpy as np

library, musart = (ctypes.CDLL(path) for path in sys.argv[1:3])
TYPES = {"S": np.float32, "D": np.float64, "C": np.complex64, "Z": np.complex128}
REAL = {"S": np.float32, "D": np.float64, "C": np.float32, "Z": np.float64}
REAL_LETTER = {"S": "S", "D": "D", "C": "S", "Z": "D"}
CODES = {np.float16: 2, np.float32: 0, np.float64: 1, np.complex64: 4, np.complex128: 5}
TOLERANCE = {"S": 3e-5, "D": 1e-12, "C": 3e-5, "Z": 1e-12}
OPERATIONS = {"N": 0, "T": 1, "C": 2}
LOWER, UPPER = 0, 1
rng = np.random.default_rng(20251126)


class Device:
    """An array in device memory: column-major if it has two dimensions."""

    def __init__(self, values: np.ndarray) -> None:
        self.values = np.asfortranarray(values)
        self.pointer = ctypes.c_void_p()
        size = max(self.values.nbytes, 1)
        assert musart.musaMalloc(ctypes.byref(self.pointer), ctypes.c_size_t(size)) == 0
        self._copy(self.pointer, self.values.ctypes.data, 1)

    def _copy(self, to: object, source: object, kind: int) -> None:
        to, source = (ctypes.c_void_p(getattr(at, "value", at)) for at in (to, source))
        assert musart.musaMemcpy(to, source, ctypes.c_size_t(self.values.nbytes), kind) == 0

    def read(self) -> np.ndarray:
        assert musart.musaDeviceSynchronize() == 0
        found = np.empty_like(self.values, order="F")
        self._copy(found.ctypes.data, self.pointer, 2)
        return found


def call(name: str, *arguments: object, wanted: int = 0) -> None:
    """Call a function of the library: devices by their pointers, NumPy's numbers and arrays by the host's."""

    def passed(argument: object) -> object:
        if isinstance(argument, Device):
            return argument.pointer
        if isinstance(argument, (np.ndarray, np.generic)):
            kept.append(np.asarray(argument))
            return ctypes.c_void_p(kept[-1].ctypes.data)
        return argument

    kept: list[np.ndarray] = []
    status = getattr(library, name)(*map(passed, arguments))
    assert status == wanted, (name, status, arguments)


def close(letter: str, found: np.ndarray, wanted: np.ndarray, what: object) -> None:
    size = max(1.0, float(np.abs(wanted).max(initial=0)))
    worst = float(np.abs(found - wanted).max(initial=0))
    assert worst <= TOLERANCE[letter] * size, (what, worst, found, wanted)


def random(letter: str, *shape: int) -> np.ndarray:
    values = rng.standard_normal(shape)
    if letter in "CZ":
        values = values + 1j * rng.standard_normal(shape)
    return values.astype(TYPES[letter])


def wide(values: np.ndarray) -> np.ndarray:
    return values.astype(np.complex128 if values.dtype.kind == "c" else np.float64)


def number(letter: str) -> np.ndarray:
    return random(letter, 1)
