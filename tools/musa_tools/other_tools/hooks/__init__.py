"""The functions of torch_npu.hooks."""

from __future__ import annotations

import os
import sys
from typing import Any, Optional, Union

import torch

from musa_tools.dump.config import default_names
from musa_tools.dump.hooks_session import HooksSession, Schedule, StepCounter
from musa_tools.dump.session_file import seed_all
from musa_tools.errors import ToolError
from musa_tools.observe.model_runs import ModelRuns

__all__ = [
    "register_hook",
    "schedule",
    "seed_all",
    "set_dump_path",
    "step_schedule",
    "wrap_acc_cmp_hook",
    "wrap_async_datadump_hook",
    "wrap_checkoverflow_hook",
]

#: Counts the steps of the run: ``step_schedule.step()``, ``step_schedule.reset_step()``, ``step_schedule.step_num``.
step_schedule = StepCounter()
#: The functions of torch_npu.hooks share one state, as its documents promise.
SESSION = HooksSession(ModelRuns(default_names), step_schedule)


def schedule(begin: int = 0, end: int = sys.maxsize, stride: int = 1) -> Schedule:
    """Return steps of a run.

    Args:
        begin: The first step.
        end: The last step, included.
        stride: Every how many steps.
    """
    return Schedule(begin, end, stride)


def set_dump_path(fpath: Optional[Union[str, os.PathLike[str]]] = None) -> None:
    """Choose the file that ``wrap_acc_cmp_hook`` writes to. A file that exists is replaced.

    Args:
        fpath: As ./cpu_module_op.pkl; None changes nothing.
    """
    SESSION.set_path(fpath)


def wrap_acc_cmp_hook(model: torch.nn.Module, steps: Schedule, sample: bool = True) -> None:
    """Name, in ``register_hook``, the hook that writes the values of calls.

    Args:
        model: The model.
        steps: The steps to write, of ``schedule``.
        sample: Whether the middle of large tensors is sampled.
    """
    SESSION.compare_values(model, steps, sample)


def wrap_async_datadump_hook(
    model: torch.nn.Module, steps: Schedule, path: Union[str, os.PathLike[str]] = "./output"
) -> None:
    """Name, in ``register_hook``, the hook that writes each tensor to a .npy file.

    Args:
        model: The model.
        steps: The steps to write, of ``schedule``.
        path: The folder to write to.
    """
    SESSION.dump_files(model, steps, path)


def wrap_checkoverflow_hook(model: torch.nn.Module, steps: Schedule) -> None:
    """Name, in ``register_hook``, the hook that stops at the first NaN or Inf.

    Args:
        model: The model.
        steps: The steps to look at, of ``schedule``.
    """
    SESSION.check_overflow(model, steps)


def register_hook(model: torch.nn.Module, hook: Any, **kwargs: Any) -> None:
    """Watch a model. The last registration of a model counts.

    Args:
        model: The model; it may be moved to a device later.
        hook: ``wrap_acc_cmp_hook``, ``wrap_async_datadump_hook`` or ``wrap_checkoverflow_hook``.
        kwargs: ``schedule``: the steps, from the function of that name. ``sample=False``, for wrap_acc_cmp_hook:
            whole tensors. ``path``, for wrap_async_datadump_hook: the folder.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"register_hook: model: found {type(model).__name__}, wanted a torch.nn.Module")
    own = {wrap_acc_cmp_hook: ("sample",), wrap_async_datadump_hook: ("path",), wrap_checkoverflow_hook: ()}
    if hook not in own:
        names = ", ".join(each.__name__ for each in own)
        raise ToolError("register_hook: hook is wrong", found=repr(hook), wanted=f"one of {names}")
    steps = kwargs.pop("schedule", None)
    if steps is None:
        steps = Schedule()
    if not isinstance(steps, Schedule):
        raise TypeError(f"register_hook: schedule: found {steps!r}, wanted schedule(begin, end, stride)")
    unknown = [name for name in kwargs if name not in own[hook]]
    if unknown:
        raise TypeError(f"register_hook: {hook.__name__} has no parameter {', '.join(unknown)}")
    hook(model, steps, **kwargs)
