"""A program's output, one part after the other."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from sim_programs import Program

INT = np.dtype(np.int32)


class Reader:
    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.at = 0

    def take(self, count: int, dtype: npt.DTypeLike = INT) -> np.ndarray:
        values = np.frombuffer(self.raw, dtype, count, self.at)
        self.at += values.nbytes
        return values

    def number(self) -> int:
        return int(self.take(1, np.int64)[0])

    def end(self) -> None:
        assert self.at == len(self.raw)


def results(program: Program, case: str, n: int, *inputs: np.ndarray) -> Reader:
    """Run a case that must succeed."""
    result = program(case, n, inputs=inputs)
    assert (result.status, result.stderr) == (0, "")
    return Reader(result.stdout)
