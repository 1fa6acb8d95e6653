"""ptdbg_ascend's functions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, Union

import torch

from musa_tools.dump.config import default_names
from musa_tools.dump.ptdbg_session import PtdbgSession
from musa_tools.dump.session_file import seed_all
from musa_tools.errors import ToolError
from musa_tools.observe.model_runs import ModelRuns

__all__ = [
    "acc_cmp_dump",
    "compare",
    "overflow_check",
    "parse",
    "register_hook",
    "seed_all",
    "set_dump_path",
    "set_dump_switch",
]

#: ptdbg_ascend's functions share one state, as its documents promise.
SESSION = PtdbgSession(ModelRuns(default_names))


def set_dump_path(fpath: Union[str, os.PathLike[str]]) -> None:
    """Choose the file to dump to; the tensors go to a folder beside it, with the time in its name.

    Args:
        fpath: As ./npu_dump.pkl. A file that exists is overwritten.
    """
    SESSION.set_path(fpath)


def set_dump_switch(switch: str, mode: Any = 1, scope: Optional[Sequence[str]] = None) -> None:
    """Start or stop dumping. At first the switch is off.

    Args:
        switch: "ON" or "OFF".
        mode: 1: everything; 2: the calls in ``scope``; 3: the calls from the first to the last name in ``scope``;
            4: of these, only the call stacks.
        scope: Names from an earlier dump, as "1478_Tensor_permute" or "1484_Tensor_transpose_forward".
    """
    SESSION.set_switch(switch, mode, scope)


def acc_cmp_dump(model: torch.nn.Module, dump_step: int = 1) -> None:
    """Name, in ``register_hook``, the hook that dumps for a comparison.

    Args:
        model: The model.
        dump_step: From 1 to 100; 1 writes whole tensors, otherwise the middle of large ones is sampled.
    """
    SESSION.dump(model, dump_step)


def overflow_check(model: torch.nn.Module, overflow_nums: int = 1) -> None:
    """Name, in ``register_hook``, the hook that writes calls that overflow, on any device.

    Args:
        model: The model.
        overflow_nums: The overflow that stops the run; -1 for none.
    """
    SESSION.check_overflow(model, overflow_nums)


def register_hook(model: torch.nn.Module, hook: Any, **kwargs: Any) -> None:
    """Watch a model. The last registration of a model counts.

    Args:
        model: The model.
        hook: ``acc_cmp_dump`` or ``overflow_check``.
        kwargs: ``dump_step`` or ``overflow_nums``.
    """
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"register_hook: model: found {type(model).__name__}, wanted a torch.nn.Module")
    wanted = {acc_cmp_dump: "dump_step", overflow_check: "overflow_nums"}.get(hook)
    if wanted is None:
        raise ToolError("register_hook: hook is wrong", found=repr(hook), wanted="acc_cmp_dump or overflow_check")
    unknown = [name for name in kwargs if name != wanted]
    if unknown:
        raise TypeError(f"register_hook: {hook.__name__} takes {wanted}, but found {', '.join(unknown)}")
    hook(model, **kwargs)


def compare(input_parameters: Mapping[str, Any], output_path: str, stack_mode: bool = False) -> Any:
    """Compare two dumps and write compare_result_<time>.csv.

    Args:
        input_parameters: ``npu_pkl_path``, ``bench_pkl_path``, ``npu_dump_data_dir``, ``bench_dump_data_dir``.
        output_path: A folder that exists.
        stack_mode: Whether the table has call stacks.
    """
    from musa_tools.compare_dumps.other_tools import ptdbg_compare

    return ptdbg_compare(input_parameters, output_path, stack_mode)


def parse(pkl_file: str, module_name_prefix: str) -> Any:
    """Print the call stack and the numbers of a call.

    Args:
        pkl_file: A dump.
        module_name_prefix: As "21_Torch_batch_normal".
    """
    from musa_tools.compare_dumps.other_tools import ptdbg_parse

    return ptdbg_parse(pkl_file, module_name_prefix)
