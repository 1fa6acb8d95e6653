"""msprobe's PrecisionDebugger."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import ClassVar, Optional, Union

import torch

from musa_tools.dump.config import DumpConfig, read_config
from musa_tools.dump.session import Session
from musa_tools.errors import ToolError

__all__ = ["PrecisionDebugger"]

_Path = Union[str, os.PathLike[str]]
_Steps = Sequence[Union[int, str]]


def _read(
    config_path: Optional[_Path],
    task: Optional[str],
    dump_path: Optional[_Path],
    level: Optional[str],
    step: Optional[_Steps],
) -> DumpConfig:
    return read_config(config_path, {"task": task, "dump_path": dump_path, "level": level, "step": step})


class PrecisionDebugger:
    """Dump the values of a run, function by function or module by module.

    Args:
        config_path: A config.json.
        task: "statistics", "tensor", "overflow_check" or "structure". Arguments win over the file.
        dump_path: The folder to write to.
        level: "L0" (modules), "L1" (functions of PyTorch) or "mix" (both).
        model: The model; wanted for "L0" and "mix".
        step: The only steps to dump, as [0, 1, "4-6"].
    """

    _latest: ClassVar[Optional[PrecisionDebugger]] = None  # of the process
    _config: DumpConfig

    def __new__(
        cls,
        config_path: Optional[_Path] = None,
        task: Optional[str] = None,
        dump_path: Optional[_Path] = None,
        level: Optional[str] = None,
        model: Optional[torch.nn.Module] = None,
        step: Optional[_Steps] = None,
    ) -> PrecisionDebugger:
        """Return the process's latest debugger if it has the same settings: the call may stand in a loop.

        Raises:
            ToolError: One with other settings is dumping.
        """
        config = _read(config_path, task, dump_path, level, step)
        latest = PrecisionDebugger._latest
        if latest is not None:
            if latest._config == config and latest._model is model:
                return latest
            if latest._session.running:
                raise ToolError(
                    f"another PrecisionDebugger is dumping to {latest._config.dump_path}",
                    hint="call its stop() first; make a debugger before the loop, and use it in all steps",
                )
        debugger = super().__new__(cls)
        debugger._config = config
        return debugger

    def __init__(
        self,
        config_path: Optional[_Path] = None,
        task: Optional[str] = None,
        dump_path: Optional[_Path] = None,
        level: Optional[str] = None,
        model: Optional[torch.nn.Module] = None,
        step: Optional[_Steps] = None,
    ) -> None:
        if hasattr(self, "_session"):
            return  # __new__ has returned the latest one
        self._model = model
        self._session = Session(self._config, model)
        PrecisionDebugger._latest = self

    def start(self, model: Optional[torch.nn.Module] = None) -> None:
        """Start dumping.

        Args:
            model: The model whose modules are dumped; None for that of the constructor.
        """
        PrecisionDebugger._latest = self  # another one may have been made since
        self._session.start(model)

    def forward_backward_dump_end(self) -> None:
        """Dump no further calls; the gradients of the earlier ones are dumped until ``stop``."""
        self._session.end_forward()

    def stop(self) -> None:
        """Stop dumping and write the JSON files. Call it after the backward pass."""
        self._session.stop()

    def step(self) -> None:
        """End a step; each has a folder of its own."""
        self._session.step()
