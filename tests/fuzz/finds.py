"""Look for kernels that fail, make them small, and write them to folders."""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from . import cxx, generate, interpret, programs, reduce
from .programs import Compiler, Env, Failure, Setting
from .tree import Kernel

LEVELS = ("-O2", "-O0", "-O3", "-O1")
BATCH = 30


def setting(batch: int) -> Setting:
    """Return how to compile and run a batch: the levels, checks and environments take turns."""
    flags: tuple[str, ...] = (LEVELS[batch % 4],)
    if batch % 9 == 8:
        flags += ("--sim-check=" + ("memory,race,init" if batch % 2 else "memory,race,sync,init"),)
    if batch % 7 == 6:
        flags += ("-ffast-math",)
    if batch % 11 == 10:
        flags += ("-g",)
    shuffled: Env = (("MUSA_SIM_SEED", str(batch + 1)), ("MUSA_SIM_THREADS", "1"))
    envs: tuple[Env, ...] = ((), (("MUSA_SIM_FIBERS", "1"),), (("MUSA_SIM_WARP", "128"), *shuffled[:1]), shuffled)
    return Setting(flags, envs)


def kernels(seed: str, batch: int, size: int) -> list[Kernel]:
    """Write the kernels of a batch, without those that have not one result."""
    found = []
    for at in range(size):
        kernel = generate.kernel(f"{seed}/{batch}/{at}", f"k{at}")
        try:
            programs.expected(kernel)
        except interpret.Undefined:
            continue
        found.append(kernel)
    return found


@dataclass(frozen=True)
class Find:
    """A kernel that fails, and how."""

    kernel: Kernel
    setting: Setting
    failure: Failure
    seed: str

    def smaller(self, compiler: Compiler, seconds: float) -> Find:
        """Reduce the kernel, and describe the failure of the small one."""
        setting = replace(self.setting, envs=(self.failure.env,))

        def still_fails(candidates: Sequence[Kernel]) -> int | None:
            found = compiler.failures(candidates, setting)
            alike = [at for at, failure in found.items() if failure.summary == self.failure.summary]
            return min(alike) if alike else None

        at_once = 8 if self.failure.kind in ("result", "error") else 1
        small = reduce.reduced(self.kernel, still_fails, seconds, at_once)
        found = compiler.failures([small], setting)
        return replace(self, kernel=small, setting=setting, failure=found.get(0, self.failure))

    def levels(self, compiler: Compiler) -> list[str]:
        """Return the levels at which the kernel fails."""
        others = self.setting.flags[1:]
        return [
            level
            for level in sorted(LEVELS)
            if compiler.failures([self.kernel], replace(self.setting, flags=(level, *others)))
        ]

    def write(self, folder: Path, levels: Sequence[str]) -> None:
        """Write the program, what it should write out, a script that compares both, and a note."""
        folder.mkdir(parents=True, exist_ok=True)
        env = " ".join(f"{name}={value}" for name, value in self.failure.env)
        flags = " ".join(self.setting.flags)
        (folder / "k.mu").write_text(cxx.program_text([self.kernel]))
        (folder / "expected.bin").write_bytes(_output(self.kernel, programs.warp_of(self.failure.env)))
        (folder / "find.txt").write_text(
            f"{self.failure.kind}: {self.failure.detail}\n\nseed: {self.seed}\nflags: {flags}\n"
            f"environment: {env}\nfails at: {' '.join(levels)}\n"
        )
        script = folder / "run.sh"
        script.write_text(
            "#!/bin/sh\n# Exits with 0 if the kernel computes what it should. Needs mcc in PATH.\n"
            'cd "$(dirname "$0")" && program=$(mktemp -d) &&\n'
            f'mcc -std=c++17 -w {flags} k.mu -o "$program/k" -lmusart &&\n'
            f'{env + " " if env else ""}"$program/k" > "$program/out" && cmp "$program/out" expected.bin\n'
        )
        script.chmod(0o755)


def _output(kernel: Kernel, warp: int) -> bytes:
    parts = []
    for at, outcome in enumerate(programs.expected(kernel, warp)):
        parts += [struct.pack("<3I", 0, at, 0), *outcome.memory.values()]
    return b"".join(parts)


def search(compiler: Compiler, seed: str, batch: int, size: int) -> Iterator[Find]:
    """Yield the failures of a batch."""
    found = kernels(seed, batch, size)
    how = setting(batch)
    for at, failure in compiler.failures(found, how).items():
        yield Find(found[at], how, failure, f"{seed}/{batch}/{found[at].name[1:]}")


def report(text: str) -> None:
    """Write a line of progress."""
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr, flush=True)
