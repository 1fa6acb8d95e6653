"""Run a plan without ninja: all steps, one after the other. For `use_ninja=False`."""

from __future__ import annotations

import shlex
from pathlib import Path

from ..system import process
from ..toolchain.launcher import sharing_environment
from .failures import Failure, failure_error, remove_stale_logs
from .plan import BuildPlan


def run(plan: BuildPlan, *, verbose: bool) -> None:
    """Run all steps in order. Raises CompileFailedError at the first that fails."""
    steps = plan.steps
    for number, step in enumerate(steps, start=1):
        line = shlex.join(step.command)
        print(f"[{number}/{len(steps)}] {line if verbose else step.description}", flush=True)
        Path(step.output).parent.mkdir(parents=True, exist_ok=True)
        output: list[str] = []
        status = process.stream(step.command, output.append, extra_environment=sharing_environment(Path.cwd()))
        if status:
            code = status if status > 0 else 128 - status  # a signal, as a shell reports it
            raise failure_error(plan.descriptions, [Failure(step.output, str(code), [line, *output])], verbose=verbose)
        remove_stale_logs([step.output])
        for message in output:  # warnings
            print(message, flush=True)
