"""Examine operators in a process of their own: a kernel that kills it is a finding, not the end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Optional

from .examine import Outcome, examine

#: Where this package's name begins: pytest calls it kernels.opinfo, the command tests.kernels.opinfo.
ROOT = Path(__file__).parents[__package__.count(".") + 1]
#: For one operator and type.
MOST_SECONDS = 300.0


@dataclass(frozen=True)
class Job:
    """An operator and a type.

    Attributes:
        operator: Name in the database, with its variant's name after a slash.
        dtype: Name of the type.
    """

    operator: str
    dtype: str


@dataclass(frozen=True)
class Settings:
    """How to examine.

    Attributes:
        samples: How many at most of each operator and type, or None for all.
        gradients: Whether to compare gradients, too.
    """

    samples: Optional[int]
    gradients: bool


def outcomes(jobs: Sequence[Job], settings: Settings, seconds: float = MOST_SECONDS) -> Iterator[tuple[Job, Outcome]]:
    """Examine jobs, in order.

    Args:
        jobs: What to examine.
        settings: How.
        seconds: How long a job may take.
    """
    left = list(jobs)
    while left:
        done = 0
        worker = subprocess.Popen(
            [sys.executable, "-m", f"{__package__}.workers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )
        assert worker.stdin is not None and worker.stdout is not None
        with worker.stdin as request:
            request.write(json.dumps({"jobs": [asdict(job) for job in left], "settings": asdict(settings)}))
        slow = False

        def end(process: subprocess.Popen[str] = worker) -> None:
            nonlocal slow
            slow = True
            process.kill()

        timer = threading.Timer(seconds + 60, end)  # the first one has to import torch, too
        timer.start()
        for line in worker.stdout:
            timer.cancel()
            yield left[done], Outcome(**json.loads(line))
            done += 1
            timer = threading.Timer(seconds, end)
            timer.start()
        timer.cancel()
        status = worker.wait()
        if status == 0:
            return
        reason = "not done in time" if slow else _death(status)
        if done == len(left):  # after all: the checks of the simulator had findings
            yield Job("all of them", "together"), Outcome(problems=[reason])
            return
        yield left[done], Outcome(problems=[reason])
        left = left[done + 1 :]


def _death(status: int) -> str:
    if status < 0:
        return f"the process died: {signal.Signals(-status).name}"
    return f"the process ended with status {status}"


def _serve() -> None:
    """Answer the jobs on standard input, a line each on standard output."""
    import torch

    from .catalogue import operators

    request = json.loads(sys.stdin.read())
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # an operator may print
    torch.set_num_threads(1)
    known = operators()
    settings = Settings(**request["settings"])
    for job in request["jobs"]:
        outcome = examine(known[job["operator"]], getattr(torch, job["dtype"]), settings.samples, settings.gradients)
        answers.write(json.dumps(asdict(outcome)) + "\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
