"""Runs programs in several ranks, one process each, and leaves none of them behind."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pytest

from ..warm_python import WarmPython

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Rank:
    """How a rank ended."""

    status: int
    output: str


class Started:
    """The running ranks of one program.

    Args:
        python: What they are forks of.
        ranks: The number and the output of each.
    """

    def __init__(self, python: WarmPython, ranks: list[tuple[int, Path]]) -> None:
        self._python = python
        self._ranks = ranks

    def wait(self, seconds: float) -> list[Rank]:
        """Wait for all; those that do not end within the time are killed, and the test fails."""
        late: list[int] = []

        def kill() -> None:
            for rank, (number, _) in enumerate(self._ranks):
                if not self._python.has_ended(number):
                    late.append(rank)
                    os.kill(self._python.process(number), signal.SIGKILL)

        end = threading.Timer(seconds, kill)
        end.start()
        ranks = [Rank(self._python.wait(number), output.read_text()) for number, output in self._ranks]
        end.cancel()
        assert not late, f"ranks {late} did not end within {seconds} s:\n" + "\n".join(rank.output for rank in ranks)
        return ranks


class StartRanks(Protocol):
    """Starts a program of this folder in each rank: `start_ranks("collectives.py", 2, MUSA_SIM_DEVICES="2")`."""

    def __call__(self, program: str, size: int, *arguments: str, **environment: str) -> Started: ...


@pytest.fixture(scope="session")
def warm_ranks() -> Iterator[WarmPython]:
    """Python with the ranks' imports done: they take longer than the work of most ranks."""
    python = WarmPython("torch.distributed.fsdp", "torch.distributed.tensor.parallel")
    yield python
    python.close()


@pytest.fixture
def start_ranks(tmp_path: Path, warm_ranks: WarmPython) -> StartRanks:
    """Start ranks that meet in a file, the program's first argument; each has a device of its own.

    "{rank}" in the value of a variable is the rank.
    """

    def start(program: str, size: int, *arguments: str, **environment: str) -> Started:
        code = (HERE / program).read_text()
        argv = [str(HERE / program), str(tmp_path / "store"), *arguments]
        ranks = []
        for rank in range(size):
            variables = {
                "RANK": str(rank),
                "LOCAL_RANK": str(rank),
                "WORLD_SIZE": str(size),
                "MUSA_SIM_DEVICES": str(size),
                "OMP_NUM_THREADS": "1",
            }
            own = {name: text.format(rank=rank) for name, text in environment.items()}
            output = tmp_path / f"output of rank {rank}"
            output.touch()
            number = warm_ranks.start(code, argv, tmp_path, {**os.environ, **variables, **own}, [str(output)] * 2)
            ranks.append((number, output))
        return Started(warm_ranks, ranks)

    return start
