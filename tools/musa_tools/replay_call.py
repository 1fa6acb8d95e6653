"""Run a call of a dump again with its saved arguments, and compare with its saved results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Optional

import torch

from musa_tools.errors import ToolError
from musa_tools.judge.closeness import Tolerance
from musa_tools.observe.api_table import find_function
from musa_tools.replay import import_backend
from musa_tools.replay_verdict import judged
from musa_tools.rerun.arguments import private_copy
from musa_tools.rerun.pure_function import PureFunction
from musa_tools.saved_call import SavedCall, read_call
from musa_tools.tensors.operands import mapped, tensors
from musa_tools.watch.single_op import device_to_run_on

_DEFAULT = 1e-3  # where a user gives one of atol and rtol, as for CompareWithCPU


def replay_call(
    dump: Path, name: str, device: Optional[str], tolerances: tuple[Optional[float], Optional[float]]
) -> int:
    """Run a call of a dump again, print how its result compares with the saved one; return the exit status.

    Args:
        dump: A folder of PrecisionDebugger, or a file in it.
        name: The call.
        device: The device to run on; without it, this machine's accelerator.
        tolerances: The absolute and the relative one. Without them, both results are compared with the CPU's.
    """
    saved = read_call(dump, name)
    function = find_function(saved.kind, saved.function)
    if function is None:
        raise ToolError(f"{name} is not run: PyTorch has no function {saved.kind}.{saved.function} of tensors")
    if not tensors(saved.outputs):
        raise ToolError(f"{name} has returned no tensor, so there is nothing to compare")
    import_backend(device or "")
    target = device_to_run_on(device)
    replayed = _run(function, saved, target)
    tolerance = None
    if tolerances != (None, None):
        tolerance = Tolerance(*(_DEFAULT if each is None else each for each in tolerances))
    lines, good = judged(saved, function, replayed, tolerance, str(target))
    print("\n".join(lines))
    return 0 if good else 1


def _run(function: Callable[..., Any], saved: SavedCall, device: torch.device) -> list[Any]:
    def moved(leaf: Any) -> Any:
        return leaf.to(device) if isinstance(leaf, torch.Tensor) else device if _is_device(leaf) else leaf

    try:
        args, kwargs = mapped(private_copy((saved.args, saved.kwargs)), moved)
        outputs = PureFunction(function)(*args, **kwargs)
        return [leaf.cpu() if isinstance(leaf, torch.Tensor) else leaf for leaf in outputs]
    except (RuntimeError, TypeError, ValueError, IndexError, AssertionError) as error:
        text = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise ToolError(f"{saved.name} cannot be run on {device} with these arguments", found=text) from error


def _is_device(leaf: Any) -> bool:
    return isinstance(leaf, torch.device)
