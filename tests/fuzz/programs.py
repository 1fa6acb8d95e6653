"""Compile kernels with mcc, many to a program, run them, and compare what they leave in memory with the interpreter."""

from __future__ import annotations

import os
import re
import struct
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from . import cxx, interpret
from .scalars import U64, from_stored
from .tree import Kernel, Launch, Leave, Shuffle

#: limits for mcc and for a program
COMPILE_SECONDS, RUN_SECONDS = 300, 60


Env = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Setting:
    """How programs are compiled, and the environments in which each is run."""

    flags: tuple[str, ...] = ("-O2",)
    envs: tuple[Env, ...] = ((),)

    def fits(self, kernel: Kernel) -> bool:
        """Whether a kernel means with these flags what it means by itself."""
        nodes = list(cxx.walk(kernel))
        # a fast division may round otherwise, and NaN may be taken for impossible
        floats = any(getattr(getattr(node, "type", None), "kind", "") == "f" for node in nodes)
        # the check reports who returned before a barrier, and shuffles from absent lanes, whose result is not used
        reported = any(isinstance(node, (Shuffle, Leave)) for node in nodes)
        return not (floats and "-ffast-math" in self.flags) and not (
            reported and any("sync" in flag for flag in self.flags)
        )


def warp_of(env: Env) -> int:
    """Return how wide warps are in an environment."""
    return int(dict(env).get("MUSA_SIM_WARP", "32"))


@dataclass(frozen=True)
class Failure:
    """The failure of a kernel: compile, crash, timeout, error, check or result."""

    kind: str
    detail: str
    env: Env = ()

    @property
    def summary(self) -> str:
        """The kind, and what the compiler says without names and numbers."""
        error = re.search(r"error: .*", self.detail) if self.kind == "compile" else None
        return f"{self.kind}: {re.sub(QUOTED, '', error.group())}" if error else self.kind


QUOTED = r"\"[^\"]*\"|'[^']*'|@[\w.$]+|[%\w]*\d+\w*"


def expected(kernel: Kernel, warp: int = 32) -> list[interpret.Outcome]:
    """Return the memory after each launch.

    Raises:
        interpret.Undefined: The kernel has not one result.
    """
    return [interpret.run(kernel, launch, warp) for launch in kernel.launches]


def _expected_here(kernel: Kernel, env: Env) -> list[interpret.Outcome] | None:
    """Return the memory after a kernel in an environment; None if that is not defined there."""
    if warp_of(env) != 32 and not kernel.wide:
        return None
    try:
        return expected(kernel, warp_of(env))
    except interpret.Undefined:
        return None


class Compiler:
    """mcc of an SDK root, and a folder for programs."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root, self._folder = root, folder
        folder.mkdir(parents=True, exist_ok=True)

    def failures(self, kernels: Sequence[Kernel], setting: Setting) -> dict[int, Failure]:
        """Compile and run kernels; return the failures, by the kernels' indices."""
        fitting = [at for at, kernel in enumerate(kernels) if setting.fits(kernel)]
        if not fitting:
            return {}
        found = self._failures([kernels[at] for at in fitting], setting)
        return {fitting[at]: failure for at, failure in found.items()}

    def _failures(self, kernels: Sequence[Kernel], setting: Setting) -> dict[int, Failure]:
        with tempfile.TemporaryDirectory(dir=self._folder) as folder:
            source, program = Path(folder, "k.mu"), Path(folder, "k")
            source.write_text(cxx.program_text(kernels))
            problem = self._compiled(setting, source, program)
            if problem is None:
                found: dict[int, Failure] = {}
                for env in setting.envs:
                    found = {**self._run(kernels, env, program), **found}
                return found
        if len(kernels) == 1:
            return {0: problem}
        half = len(kernels) // 2
        later = self._failures(kernels[half:], setting)
        parts = {**self._failures(kernels[:half], setting), **{at + half: failure for at, failure in later.items()}}
        return parts or {0: Failure(problem.kind, f"only together with others: {problem.detail}")}

    def _compiled(self, setting: Setting, source: Path, program: Path) -> Failure | None:
        lib = self._root / "lib"
        command = [str(self._root / "bin/mcc"), "-std=c++17", "-w", *setting.flags, str(source), "-o", str(program)]
        command += [f"-L{lib}", "-lmusart", f"-Wl,-rpath,{lib}"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, errors="replace", check=False, timeout=COMPILE_SECONDS
            )
        except subprocess.TimeoutExpired:
            return Failure("timeout", f"mcc takes more than {COMPILE_SECONDS} s")
        return Failure("compile", done.stderr[-3000:]) if done.returncode else None

    def _run(self, kernels: Sequence[Kernel], env: Env, program: Path) -> dict[int, Failure]:
        """Run a program, again from the next kernel on where one ended it."""
        found: dict[int, Failure] = {}
        first = 0
        while first < len(kernels):
            results, problem = self._results(program, first, env)
            for number in range(first, len(kernels)):
                kernel, first = kernels[number], number + 1
                outcomes = _expected_here(kernel, env)
                failure = results.compare(number, kernel, outcomes)
                if failure is not None and failure.kind == "ended":
                    failure = problem or failure
                if failure is not None and outcomes is not None:
                    found[number] = replace(failure, env=env)
                if failure is not None and failure.kind != "result":
                    break
            else:
                if problem is not None:
                    found.setdefault(len(kernels) - 1, replace(problem, env=env))
        return found

    def _results(self, program: Path, first: int, env: Env) -> tuple[_Results, Failure | None]:
        variables = {**os.environ, "MUSA_SIM_WATCHDOG": "20", "MUSA_SIM_MEMORY": "1G", **dict(env)}
        try:
            done = subprocess.run(
                [program, str(first)], capture_output=True, env=variables, check=False, timeout=RUN_SECONDS
            )
        except subprocess.TimeoutExpired as late:
            return _Results(late.stdout or b""), Failure("timeout", f"the program takes more than {RUN_SECONDS} s")
        said = done.stderr.decode(errors="replace")[-3000:]
        # warnings, such as that warps had exited at a barrier, are no failures
        kind = "check" if done.returncode == 86 else "crash"
        problem = Failure(kind, f"exit status {done.returncode}\n{said}") if done.returncode else None
        return _Results(done.stdout), problem


class _Results:
    """The output of a program, read in its order."""

    def __init__(self, output: bytes) -> None:
        self._output, self._at = output, 0

    def compare(self, number: int, kernel: Kernel, outcomes: Sequence[interpret.Outcome] | None) -> Failure | None:
        """Compare what kernel `number` wrote; without outcomes pass over it."""
        failure = None
        for at, launch in enumerate(kernel.launches):
            header = self._take(12)
            if len(header) < 12:
                return Failure("ended", "the program ended before")
            found, launched, status = struct.unpack("<3I", header)
            if (found, launched) != (number, at):
                return Failure("ended", f"the program is at kernel {found}, launch {launched}")
            if status:
                return Failure("error", f"musaError {status} in launch {at}")
            parts = {name: self._take(size) for name, size in sizes(kernel, launch).items()}
            for name, part in parts.items() if outcomes and not failure else ():
                difference = _difference(kernel, launch, name, part, outcomes[at].memory[name])
                if difference:
                    where = f"launch {at} (grid {launch.grid}, block {launch.block})"
                    failure = Failure("result", f"{where}: {difference}")
        return failure

    def _take(self, size: int) -> bytes:
        self._at += size
        return self._output[self._at - size : self._at]


def sizes(kernel: Kernel, launch: Launch) -> dict[str, int]:
    """Return the bytes that each output of a launch has, in their order."""
    kept = {array.name: array for array in kernel.arrays if array.space in ("global", "counters")}
    bytes_of = {name: array.length * max(array.type.bits, 8) // 8 for name, array in kept.items()}
    return {"out": launch.blocks * launch.threads * kernel.slots * 8, **bytes_of}


def _difference(kernel: Kernel, launch: Launch, name: str, found: bytes, wanted: bytes) -> str:
    if found == wanted:
        return ""
    if len(found) < len(wanted):
        return "the program ended before"
    kind = next((array.type for array in kernel.arrays if array.name == name), U64)
    got, right = from_stored(kind, found), from_stored(kind, wanted)
    differs = (got != right) & ~((got != got) & (right != right))
    where = np.flatnonzero(differs)
    if not where.size:
        return ""  # NaNs with other bits
    first = int(where[0])
    if name == "out":
        element = f"thread {first // kernel.slots % launch.threads} of block {first // kernel.slots // launch.threads}"
        element += f", slot {first % kernel.slots}"
    else:
        element = f"{name}[{first}]"
    return f"{element} is {got[first]}, not {right[first]}; {where.size} of {got.size} values differ"
