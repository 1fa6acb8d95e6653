"""Runs programs in several ranks, one process each, and leaves none of them behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Rank:
    """How a rank ended."""

    status: int
    output: str


class Started:
    """The running ranks of one program."""

    def __init__(self, processes: list[subprocess.Popen[str]]) -> None:
        self.processes = processes

    def wait(self, seconds: float) -> list[Rank]:
        """Wait for all; those that do not end within the time are killed, and the test fails."""
        end = time.monotonic() + seconds
        outputs, late = [], []
        for rank, process in enumerate(self.processes):
            try:
                outputs.append(process.communicate(timeout=max(0.1, end - time.monotonic()))[0])
            except subprocess.TimeoutExpired:
                process.kill()
                outputs.append(process.communicate()[0])
                late.append(rank)
        assert not late, f"ranks {late} did not end within {seconds} s:\n" + "\n".join(outputs)
        return [Rank(process.returncode, output) for process, output in zip(self.processes, outputs)]


class StartRanks(Protocol):
    """Starts a program of this folder in each rank: `start_ranks("collectives.py", 2, MUSA_SIM_DEVICES="2")`."""

    def __call__(self, program: str, size: int, *arguments: str, **environment: str) -> Started: ...


@pytest.fixture
def start_ranks(tmp_path: Path) -> StartRanks:
    """Start ranks that meet in a file, the program's first argument; each has a device of its own.

    "{rank}" in the value of a variable is the rank.
    """

    def start(program: str, size: int, *arguments: str, **environment: str) -> Started:
        processes = []
        for rank in range(size):
            variables = {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": str(size),
                "MUSA_SIM_DEVICES": str(size),
                "OMP_NUM_THREADS": "1",
                "PYTHONFAULTHANDLER": "1",
            }
            own = {name: text.format(rank=rank) for name, text in environment.items()}
            processes.append(
                subprocess.Popen(
                    [sys.executable, str(HERE / program), str(tmp_path / "store"), *arguments],
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    text=True,
                    cwd=tmp_path,
                    env={**os.environ, **variables, **own},
                )
            )
        return Started(processes)

    return start
