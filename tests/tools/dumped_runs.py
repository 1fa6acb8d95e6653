"""Common parts of tests of dumps: a small network, a dump of it, and its files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Callable, Optional

import torch
from torch import nn

from musa_tools.other_tools.msprobe import PrecisionDebugger


class Net(nn.Module):
    """A residual block with an in-place activation, between two layers."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(6, 8)
        self.act = nn.ReLU(inplace=True)
        self.last = nn.Linear(8, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.act(self.first(x))
        return self.last(h + torch.tanh(h))


def train_step(net: nn.Module, device: str = "cpu") -> None:
    torch.manual_seed(1)
    net(torch.randn(5, 6, device=device)).square().mean().backward()


def dump(folder: Path, run: Callable[[], Any], config: Optional[dict[str, Any]] = None, **arguments: Any) -> None:
    """Dump one step; ``config`` holds the keys of the task."""
    path = folder / "config.json"
    task = arguments.get("task", "statistics")
    path.write_text(json.dumps({"task": task, "dump_path": str(folder / "dump"), task: config or {}}))
    debugger = PrecisionDebugger(path, **arguments)
    debugger.start()
    try:
        run()
    finally:
        debugger.stop()


def files(folder: Path, step: int = 0, rank: str = "rank") -> Path:
    return folder / "dump" / f"step{step}" / rank


def load(folder: Path, name: str = "dump", **where: Any) -> dict[str, Any]:
    return dict(json.loads((files(folder, **where) / f"{name}.json").read_text()))


def data(folder: Path, **where: Any) -> dict[str, Any]:
    return dict(load(folder, **where)["data"])
