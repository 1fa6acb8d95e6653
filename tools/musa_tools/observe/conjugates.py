"""Lazily conjugated and negated tensors, inside an operator that a dispatch mode runs.

PyTorch excludes the dispatch keys above its Python key while it calls a mode, and ``Conjugate`` and ``Negative`` are
among them. An operator that forms conjugates of its arguments on the way, as ``linalg.pinv`` and ``linalg.lstsq`` do,
then computes with the numbers as they lie in memory: PyTorch 2.13 gives wrong results under any mode.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch

from musa_tools.observe.op_facts import facts_of

_KEYS = (torch._C.DispatchKey.Conjugate, torch._C.DispatchKey.Negative)
_excluded = torch._C._dispatch_tls_is_dispatch_key_excluded
_exclude = torch._C._dispatch_tls_set_dispatch_key_excluded


def may_form_conjugates(func: Any) -> bool:
    """Return whether an operator calls others, which may be given lazy conjugates.

    Among PyTorch's own, these are the operators without a kernel for the CPU. Found by running the operator database
    with and without a mode: no kernel for the CPU does it. Of other operators nothing is known, so they may.
    """
    return not facts_of(func).view and (
        func.namespace != "aten" or not func.has_kernel_for_dispatch_key(torch._C.DispatchKey.CPU)
    )


def takes_complex(args: tuple[Any, ...]) -> bool:
    """Return whether an operator is given a complex tensor."""
    for value in args:
        if isinstance(value, torch.Tensor):
            if value.is_complex():
                return True
        elif isinstance(value, (list, tuple)) and takes_complex(tuple(value)):
            return True
    return False


@contextmanager
def conjugates_resolved() -> Iterator[None]:
    """Let operators resolve lazy conjugates and negatives, as they do without a mode."""
    before = [_excluded(key) for key in _KEYS]
    for key in _KEYS:
        _exclude(key, False)
    try:
        yield
    finally:
        for key, state in zip(_KEYS, before):
            _exclude(key, state)
