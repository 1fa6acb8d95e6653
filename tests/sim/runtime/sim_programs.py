"""Programs of this directory, compiled by the real mcc (or g++) and run as processes of their own.

A process per run, because faults, the number of devices and the warp width belong to a process.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import nvidia_cases

SOURCES = Path(__file__).parent / "programs"

# `make conformance` runs these tests once per combination of clang, optimisation level and number of workers.
MATRIX_FLAGS = tuple(os.environ.get("SIM_TEST_MCC_FLAGS", "").split())
_MATRIX_ENV = dict(item.split("=", 1) for item in os.environ.get("SIM_TEST_RUN_ENV", "").split())


@dataclass(frozen=True)
class Result:
    status: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        return self.stdout.decode()

    @property
    def facts(self) -> dict[str, str]:
        """Lines `name=value` of the output."""
        return dict(line.split("=", 1) for line in self.text.splitlines() if "=" in line)


def run(
    command: Sequence[object],
    inputs: Sequence[npt.NDArray[np.generic]] = (),
    env: Mapping[str, str] | None = None,
) -> Result:
    """Run with the arrays' bytes on stdin. Of MUSA only `env` speaks: the caller's own settings are not passed."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MUSA_")}
    done = subprocess.run(
        [str(word) for word in command],
        input=b"".join(array.tobytes() for array in inputs),
        capture_output=True,
        check=False,
        timeout=120,
        env={**clean, **_MATRIX_ENV, **(env or {})},
    )
    return Result(done.returncode, done.stdout, done.stderr.decode())


@dataclass(frozen=True)
class Program:
    path: Path

    def __call__(
        self,
        *arguments: object,
        inputs: Sequence[npt.NDArray[np.generic]] = (),
        env: Mapping[str, str] | None = None,
        dtype: npt.DTypeLike | None = None,
    ) -> Result:
        """Run a case; `dtype` is of its stdout, if that is one array."""
        result = run([self.path, *arguments], inputs, env)
        name = np.dtype(dtype).str[1:] if dtype is not None else ""
        raw = b"".join(array.tobytes() for array in inputs)
        nvidia_cases.note(self.path, arguments, raw, env or {}, name, result.status, result.stdout)
        return result

    def array(
        self,
        dtype: npt.DTypeLike,
        *arguments: object,
        inputs: Sequence[npt.NDArray[np.generic]] = (),
        env: Mapping[str, str] | None = None,
    ) -> npt.NDArray[Any]:
        """Run a case that must succeed; its stdout as an array."""
        result = self(*arguments, inputs=inputs, env=env, dtype=dtype)
        assert (result.status, result.stderr) == (0, "")
        return np.frombuffer(result.stdout, dtype)


class Build(Protocol):
    def __call__(self, *sources: str, flags: Sequence[str] = ()) -> Program: ...
