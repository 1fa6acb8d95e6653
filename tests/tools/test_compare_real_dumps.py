"""Dumps of real runs, written by PrecisionDebugger and read by ``musa-tools compare``."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from click.testing import CliRunner
from dumped_runs import dump, files
from torch import nn

from musa_tools.cli import main
from musa_tools.compare_dumps.read import read_dump
from musa_tools.compare_dumps.result import Cause
from musa_tools.compare_dumps.table import compare

KILLED_RUN = Path(__file__).parent / "programs/killed_run.py"


class Scaled(torch.autograd.Function):
    """x * scale, whose gradient of the scale is wrong by a factor."""

    @staticmethod
    def forward(ctx: Any, x: torch.Tensor, scale: torch.Tensor, factor: float) -> torch.Tensor:
        ctx.save_for_backward(x, scale)
        ctx.factor = factor
        return x * scale

    @staticmethod
    def backward(ctx: Any, g: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, None]:
        x, scale = ctx.saved_tensors
        return g * scale, g * x * ctx.factor, None


class TakesKeywords(nn.Module):
    def __init__(self, factor: float) -> None:
        super().__init__()
        self.factor = factor

    def forward(self, x: torch.Tensor, *, options: dict[str, torch.Tensor]) -> torch.Tensor:
        return Scaled.apply(x, options["scale"], self.factor)


@pytest.mark.parametrize("task", ["statistics", "tensor"])
def test_gradients_of_keyword_arguments_are_compared(task: str, tmp_path: Path) -> None:
    def dumped(name: str, factor: float) -> Path:
        net = nn.Sequential()
        net.add_module("inner", TakesKeywords(factor))
        x, scale = (torch.linspace(low, 2, 5, requires_grad=True) for low in (0.5, 1))
        folder = tmp_path / name
        folder.mkdir()
        call = net.get_submodule("inner")
        dump(folder, lambda: call(x, options={"scale": scale}).sum().backward(), task=task, level="L0", model=net)
        return files(folder)

    right, wrong = dumped("right", 1.0), dumped("wrong", 1.5)
    assert not compare(read_dump(right), read_dump(right)).differs
    comparison = compare(read_dump(wrong), read_dump(right))
    (section,) = comparison.sections
    divergence = section.divergence
    assert divergence.cause is Cause.MADE
    pair = section.pairs[divergence.index]
    assert pair.call.name == "Module.inner.TakesKeywords.backward.0"
    left = [row.left for row in pair.rows]
    assert [f"{value.part}.{value.position}" for value in left if value] == [
        "input.0",
        "output.0",
        "output.options.scale",
    ]
    assert divergence.rows == (2,)


@pytest.mark.slow
def test_a_run_that_was_killed_is_compared_up_to_its_last_call(tmp_path: Path) -> None:
    """Killed in the middle of a step: all earlier steps are whole, and the calls of this one that ended are there."""

    def run(folder: str, calls: int) -> int:
        command = [sys.executable, str(KILLED_RUN), str(tmp_path / folder), str(calls)]
        return subprocess.run(command, check=False, timeout=120).returncode

    assert run("killed", 13) == -signal.SIGKILL
    assert run("whole", 99) == 0
    killed, whole = read_dump(tmp_path / "killed"), read_dump(tmp_path / "whole")
    for step in range(3):
        assert [call.name for call in killed.runs[step].calls] == [call.name for call in whole.runs[step].calls]
    last = killed.runs[3]
    assert [call.name for call in last.calls] == [call.name for call in whole.runs[3].calls[: len(last.calls)]]
    assert len(last.calls) == 2 * 13  # a module and its function
    assert last.calls[-1].name == "Module.12.Linear.forward.0"
    assert any("the run ended before its dump was finished" in note for note in last.notes)
    done = CliRunner().invoke(main, ["compare", str(tmp_path / "killed"), str(tmp_path / "whole")])
    words = " ".join(done.output.replace("│", " ").split())  # a frame's lines end where the folder's name leaves off
    assert done.exit_code == 0 and "read up to Module.12.Linear.forward.0" in words
