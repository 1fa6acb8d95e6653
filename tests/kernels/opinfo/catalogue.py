"""The operators of PyTorch's database, and which types of each are compared."""

from __future__ import annotations

from typing import Optional

import torch
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.opinfo.core import OpInfo


def operators() -> dict[str, OpInfo]:
    """Return the operators by name; a variant's name follows a slash."""
    return {op.name + (f"/{op.variant_test_name}" if op.variant_test_name else ""): op for op in op_db}


def types_of(op: OpInfo, wanted: Optional[set[torch.dtype]]) -> list[torch.dtype]:
    """Return the types that both CUDA and the CPU have of an operator.

    Args:
        op: The operator.
        wanted: Only these, or all if None.
    """
    both = set(op.supported_dtypes("cuda")) & set(op.supported_dtypes("cpu"))
    return sorted((dtype for dtype in both if wanted is None or dtype in wanted), key=str)
