"""How far a result on the device may be from the CPU's."""

from __future__ import annotations

from typing import Any

import torch
from torch.testing._comparison import default_tolerances
from torch.testing._internal.common_device_type import precisionOverride, toleranceOverride
from torch.testing._internal.opinfo.core import BinaryUfuncInfo, DecorateInfo, OpInfo, UnaryUfuncInfo

#: The tolerance of PyTorch's own comparison of CUDA with the CPU (test_compare_cpu in its test_ops.py).
SUMMED = 1e-3
#: The same for types that have fewer digits: units in the last place, of sums and of elementwise functions.
SUMMED_UNITS = 4
ELEMENTWISE_UNITS = 2  # the CPU rounds alpha * b before it adds, a GPU's kernel does not


def tolerances(op: OpInfo, dtype: torch.dtype) -> tuple[float, float]:
    """Return the relative and the absolute tolerance for results of a type.

    Elementwise operators have those of torch.testing, all others those with which PyTorch compares CUDA with the CPU.
    What the database says of CUDA or of all devices comes on top.
    """
    if dtype.is_floating_point and dtype.itemsize == 1:
        return 0.0, 0.0  # torch.testing compares their bits
    relative, absolute = default_tolerances(dtype)
    if dtype.is_floating_point or dtype.is_complex:
        eps = torch.finfo(dtype).eps
        if isinstance(op, (UnaryUfuncInfo, BinaryUfuncInfo)):
            relative = max(relative, ELEMENTWISE_UNITS * eps)
        elif dtype not in (torch.float64, torch.complex128):
            summed = max(SUMMED, SUMMED_UNITS * eps)
            relative, absolute = max(relative, summed), max(absolute, summed)
    for found in _overrides(op, dtype):
        absolute, relative = max(absolute, found[0]), max(relative, found[1])
    return relative, absolute


def _overrides(op: OpInfo, dtype: torch.dtype) -> list[tuple[float, float]]:
    found = []
    for info in op.decorators:
        decorators: Any = [info]
        if isinstance(info, DecorateInfo):
            if info.device_type not in (None, "cuda") or (info.dtypes is not None and dtype not in info.dtypes):
                continue
            decorators = info.decorators
        for decorator in decorators:
            if isinstance(decorator, toleranceOverride) and dtype in decorator.d:
                found.append((decorator.d[dtype].atol, decorator.d[dtype].rtol))
            if isinstance(decorator, precisionOverride) and dtype in decorator.d:
                found.append((decorator.d[dtype], 0.0))
    return found
